"""Single markers; every one lies in the plane and lives until it is replaced or deleted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from adm_core.files import visible
from adm_core.types import Pose2D
from geometry_msgs.msg import Point, Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from adm_nodes.common.conversions import pose_to_ros

_LONGEST_TEXT = 200


class Colour(NamedTuple):
    """Red, green, blue and opacity, each in [0, 1]."""

    red: float
    green: float
    blue: float
    alpha: float = 1.0

    def faded(self, alpha: float) -> Colour:
        """Return the colour with another opacity; NaN and values out of range are clipped."""
        return self._replace(alpha=min(1.0, max(0.0, alpha)) if alpha == alpha else 0.0)


GREY, WHITE, BLACK = Colour(0.55, 0.55, 0.55), Colour(1, 1, 1), Colour(0, 0, 0)
BLUE, GREEN = Colour(0.12, 0.47, 0.71), Colour(0.17, 0.63, 0.17)
ORANGE, RED = Colour(1.0, 0.5, 0.05), Colour(0.84, 0.15, 0.16)
PURPLE, YELLOW = Colour(0.58, 0.40, 0.74), Colour(0.9, 0.75, 0.1)

#: Told apart by people with colour-blindness, too; for robots and rooms, in order.
PALETTE = (
    BLUE,
    ORANGE,
    GREEN,
    PURPLE,
    Colour(0.55, 0.34, 0.29),
    Colour(0.89, 0.47, 0.76),
    Colour(0.09, 0.75, 0.81),
    Colour(0.74, 0.74, 0.13),
)


def cylinder(kind: str, at: Pose2D, diameter_m: float, height_m: float, colour: Colour) -> Marker:
    """Return an upright cylinder that stands on the floor."""
    marker = _marker(Marker.CYLINDER, kind, colour)
    marker.pose = pose_to_ros(at._replace(yaw=0.0))
    marker.pose.position.z = height_m / 2.0
    marker.scale = Vector3(x=diameter_m, y=diameter_m, z=height_m)
    return marker


def ellipse(
    kind: str, at: Pose2D, length_m: float, width_m: float, yaw: float, colour: Colour
) -> Marker:
    """Return a flat ellipse on the floor; `length_m` along `yaw`."""
    marker = _marker(Marker.CYLINDER, kind, colour)
    marker.pose = pose_to_ros(at._replace(yaw=yaw))
    marker.scale = Vector3(x=length_m, y=width_m, z=0.01)
    return marker


def box(kind: str, at: Pose2D, side_m: float, height_m: float, colour: Colour) -> Marker:
    """Return an upright box of square base that stands on the floor."""
    marker = _marker(Marker.CUBE, kind, colour)
    marker.pose = pose_to_ros(at._replace(yaw=0.0))
    marker.pose.position.z = height_m / 2.0
    marker.scale = Vector3(x=side_m, y=side_m, z=height_m)
    return marker


def arrow(kind: str, at: Pose2D, length_m: float, colour: Colour) -> Marker:
    """Return an arrow along the heading; a disc where the heading is not known."""
    if at.yaw != at.yaw:
        return ellipse(kind, at, length_m, length_m, 0.0, colour)
    marker = _marker(Marker.ARROW, kind, colour)
    marker.pose = pose_to_ros(at)
    marker.scale = Vector3(x=length_m, y=length_m / 3.0, z=length_m / 3.0)
    return marker


def text(
    kind: str, at: Pose2D, words: str, height_m: float, above_m: float, colour: Colour
) -> Marker:
    """Return a text that faces the viewer; control characters are made visible."""
    marker = _marker(Marker.TEXT_VIEW_FACING, kind, colour)
    marker.pose = pose_to_ros(at._replace(yaw=0.0))
    marker.pose.position.z = above_m
    marker.scale = Vector3(z=height_m)
    marker.text = "\n".join(visible(line) for line in words[:_LONGEST_TEXT].splitlines())
    return marker


def line(kind: str, corners: Iterable[Pose2D], width_m: float, colour: Colour) -> Marker:
    """Return a line through points on the floor."""
    marker = _marker(Marker.LINE_STRIP, kind, colour)
    marker.points = points(corners)
    marker.scale = Vector3(x=width_m)
    return marker


def segments(
    kind: str, ends: Iterable[tuple[Pose2D, Pose2D]], width_m: float, colour: Colour
) -> Marker:
    """Return straight pieces, each from its first to its second point."""
    marker = _marker(Marker.LINE_LIST, kind, colour)
    marker.points = points(end for pair in ends for end in pair)
    marker.scale = Vector3(x=width_m)
    return marker


def dots(kind: str, at: Iterable[Pose2D], side_m: float, colour: Colour) -> Marker:
    """Return one marker of many flat squares."""
    marker = _marker(Marker.CUBE_LIST, kind, colour)
    marker.points = points(at)
    marker.scale = Vector3(x=side_m, y=side_m, z=0.01)
    return marker


def points(poses: Iterable[Pose2D], z: float = 0.02) -> list[Point]:
    """Return places on the floor; a little above it, so that a map does not hide them."""
    return [Point(x=item.x, y=item.y, z=z) for item in poses]


def _marker(shape: int, kind: str, colour: Colour) -> Marker:
    marker = Marker(type=shape, ns=kind, action=Marker.ADD)
    marker.pose.orientation.w = 1.0
    red, green, blue, alpha = map(float, colour)
    marker.color = ColorRGBA(r=red, g=green, b=blue, a=alpha)
    return marker

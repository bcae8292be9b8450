"""What the memory believes, and what of it the planner was shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from adm_core.memory.records import Record, Status
from adm_core.memory.static import Mission
from adm_core.types import Pose2D
from visualization_msgs.msg import Marker

from adm_nodes.common.markers import shapes
from adm_nodes.common.markers.shapes import BLUE, GREEN, GREY, ORANGE, PURPLE, RED, YELLOW

COLOUR_BY_STATUS = {
    Status.OBSERVED: BLUE,
    Status.ASSIGNED: ORANGE,
    Status.GRASPED: PURPLE,
    Status.DELIVERED: GREEN,
    Status.RECONSIDER: YELLOW,
    Status.DISMISSED: GREY,
}

_FAINTEST = 0.25
_TWO_SIGMA = 4.0  # diameter in standard deviations


def entity_markers(
    records: Sequence[Record],
    scores: dict[str, float],
    sigma_m: float,
    size_m: float,
    most: int,
) -> list[Marker]:
    """Return the entities of the memory.

    Each is a cylinder with the colour of its status, as opaque as its attention score where it
    was exposed and faint where not; around it the ellipse of two standard deviations of a
    report; a cross where it has lost its support; a line to the rival place of its last report.

    Parameters
    ----------
    records : sequence of Record
        The memory.
    scores : dict
        Attention score by id, of what the last planning call saw.
    sigma_m : float
        Standard deviation of a reported position in metres.
    size_m : float
        Diameter of a cylinder in metres.
    most : int
        How many entities are drawn; the exposed ones first, then the freshest.
    """
    order = sorted(records, key=lambda item: (item.id not in scores, -item.stamp))
    markers = []
    for record in order[:most]:
        markers += _entity(record, scores.get(record.id), sigma_m, size_m)
    return markers


def _entity(record: Record, score: float | None, sigma_m: float, size_m: float) -> list[Marker]:
    colour = COLOUR_BY_STATUS[record.status].faded(max(_FAINTEST, score or 0.0))
    known = f"{record.id} {record.label}" + ("" if score is None else f" {score:.2f}")
    markers = [
        shapes.cylinder("entity", record.pose, size_m, 1.5 * size_m, colour),
        shapes.text("name", record.pose, known, 0.7 * size_m, 2.2 * size_m, shapes.BLACK),
    ]
    if not record.status.terminal:
        spread = _TWO_SIGMA * sigma_m
        ring = colour.faded(0.15)
        markers.append(shapes.ellipse("uncertainty", record.pose, spread, spread, 0.0, ring))
        if not record.supported:
            markers.append(_cross(record.pose, size_m))
        if record.rival is not None:
            ends = [(record.pose, record.rival)]
            markers.append(shapes.segments("rival", ends, 0.1 * size_m, colour.faded(0.6)))
    return markers


def _cross(at: Pose2D, size_m: float) -> Marker:
    ends = [
        (
            Pose2D(at.x - size_m, at.y - turn * size_m),
            Pose2D(at.x + size_m, at.y + turn * size_m),
        )
        for turn in (1.0, -1.0)
    ]
    return shapes.segments("unsupported", ends, 0.15 * size_m, RED)


def mission_markers(mission: Mission, size_m: float) -> list[Marker]:
    """Return what is fixed: stations with what they accept, and named regions."""
    markers = []
    for station in mission.stations:
        words = f"{station.id}: {', '.join(station.accepts)}"
        markers += [
            shapes.box("station", station.pose, 2.0 * size_m, 0.1 * size_m, GREEN),
            shapes.text("station name", station.pose, words, size_m, size_m, GREEN),
        ]
    for region in mission.regions:
        corners = [Pose2D(x, y) for x, y in (*region.corners, region.corners[0])]
        markers += [
            shapes.line("region", corners, 0.1 * size_m, GREY),
            shapes.text("region name", _middle(corners[:-1]), region.name, size_m, 0.1, GREY),
        ]
    return markers


def _middle(corners: Iterable[Pose2D]) -> Pose2D:
    xs, ys = zip(*((item.x, item.y) for item in corners), strict=True)
    return Pose2D(sum(xs) / len(xs), sum(ys) / len(ys))

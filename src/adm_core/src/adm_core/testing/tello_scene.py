"""What a pretended drone's camera sees: a floor with things on it, as a picture from a pose."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

import cv2
import numpy as np

from adm_core.aerial.estimate import Pose3
from adm_core.aerial.tags import FAMILIES, FloorTag
from adm_core.aerial.view import AerialCamera
from adm_core.manipulation.camera import Intrinsics
from adm_core.manipulation.colour import Picture

if TYPE_CHECKING:
    from adm_core.simulation.rigid_body.engine import Engine

#: A picture (blue, green, red) of the camera's size from a pose of the drone.
Scene = Callable[[Pose3], Picture]

#: A can and a bottle, seen from above: x, y, radius, and colour as blue, green, red.
ROOM = ((1.0, 1.1, 0.05, (30, 30, 200)), (2.2, 2.0, 0.05, (200, 60, 30)))
_FLOOR = (150, 155, 160)
_BEYOND = (90, 85, 80)
_SIDE_PX = 24  # of a square of the floor's texture


class FloorScene:
    """A flat floor with discs of colour and tags on it.

    Parameters
    ----------
    camera : AerialCamera
        The drone's camera.
    box : (float, float, float, float)
        Least and largest x, least and largest y of the floor, metres.
    discs : sequence of (x, y, radius, colour)
        Metres; colour is blue, green, red.
    tags : mapping of int to FloorTag
        Tags by number.
    family : str
        Family of the tags.
    resolution_m : float
        Of the floor's texture.
    """

    def __init__(
        self,
        camera: AerialCamera,
        box: tuple[float, float, float, float],
        discs: Sequence[tuple[float, float, float, tuple[int, int, int]]] = (),
        tags: Mapping[int, FloorTag] | None = None,
        family: str = "4x4_50",
        resolution_m: float = 0.004,
    ) -> None:
        self._camera, self._box, self._step = camera, box, resolution_m
        self.floor = self._blank()
        for x, y, radius, colour in discs:
            centre = self._pixel(x, y)
            cv2.circle(self.floor, centre, round(radius / resolution_m), colour, -1, cv2.LINE_AA)
        for number, tag in (tags or {}).items():
            self._draw_tag(number, tag, family)

    @classmethod
    def from_floor_plan(
        cls, camera: AerialCamera, plan: Picture, box: tuple[float, float, float, float]
    ) -> FloorScene:
        """Return a floor that looks like a plan, stretched over `box`; its up is y."""
        scene = cls(camera, box)
        size = (scene.floor.shape[1], scene.floor.shape[0])
        scene.floor = cv2.resize(plan, size, interpolation=cv2.INTER_NEAREST).astype(np.uint8)
        return scene

    def _blank(self) -> Picture:
        x0, x1, y0, y1 = self._box
        rows, cols = round((y1 - y0) / self._step), round((x1 - x0) / self._step)
        checks = (np.add.outer(np.arange(rows) // _SIDE_PX, np.arange(cols) // _SIDE_PX) % 2) * 8
        return (np.array(_FLOOR) + checks[..., None]).astype(np.uint8)

    def _pixel(self, x: float, y: float) -> tuple[int, int]:
        return round((x - self._box[0]) / self._step), round((self._box[3] - y) / self._step)

    def _draw_tag(self, number: int, tag: FloorTag, family: str) -> None:
        """Draw a tag with its white rim: without it detectors see none."""
        side = 200
        dictionary = cv2.aruco.getPredefinedDictionary(FAMILIES[family])
        square = cv2.aruco.generateImageMarker(dictionary, number, side)
        sheet = np.pad(square, side // 4, constant_values=255)
        wide = FloorTag(tag.x, tag.y, tag.yaw, tag.size_m * 1.5)
        there = np.array([self._pixel(x, y) for x, y in wide.corners], np.float32)
        last = len(sheet) - 1
        here = np.array([[0, 0], [last, 0], [last, last], [0, last]], np.float32)
        warp = cv2.getPerspectiveTransform(here, there)
        size = (self.floor.shape[1], self.floor.shape[0])
        drawn = cv2.warpPerspective(sheet, warp, size, flags=cv2.INTER_AREA)
        inside = cv2.warpPerspective(np.full_like(sheet, 255), warp, size) > 127
        self.floor[inside] = drawn[inside][:, None]

    def __call__(self, pose: Pose3) -> Picture:
        """Return the picture from a pose: the floor plane, warped; the sky is as the beyond."""
        model = self._camera.model
        low = pose._replace(z=max(pose.z, 0.05))
        mount = self._camera.mount(low)
        x0, _, _, y1 = self._box
        # Texture pixel -> floor -> optical frame -> picture, as one homography.
        to_floor = np.array([[self._step, 0, x0], [0, -self._step, y1], [0, 0, 1.0]])
        rotation = mount.rotation.T
        to_optical = np.column_stack([rotation[:, 0], rotation[:, 1], -rotation @ mount.centre])
        k = np.array([[model.fx, 0, model.cx], [0, model.fy, model.cy], [0, 0, 1.0]])
        warp = k @ to_optical @ to_floor
        size = (model.width, model.height)
        drawn = cv2.warpPerspective(self.floor, warp, size, borderValue=_BEYOND)
        picture = drawn.astype(np.uint8, copy=False)
        horizon = model.cy - model.fy * math.tan(self._camera.tilt_rad)
        picture[: max(0, math.ceil(horizon))] = _BEYOND  # a homography shows the back there
        return picture


def arena_scene(
    camera: AerialCamera, seed: int, lock: AbstractContextManager | None = None
) -> Scene:
    """Return what a drone sees of a new rigid-body arena; needs PyBullet.

    Parameters
    ----------
    camera : AerialCamera
        The drone's camera, with square pixels and the principal point in the middle.
    seed : int
        Seed of the arena's layout.
    lock : context manager, optional
        Held while the physics is used; for those who use it from other threads.
    """
    from adm_core.simulation.rigid_body.arena import Arena
    from adm_core.simulation.rigid_body.config import ArenaConfig
    from adm_core.simulation.rigid_body.layout import arena_layout
    from adm_core.simulation.scenarios import Scenario

    config = ArenaConfig()
    scenario = Scenario("arena", 0, 6, 300, 0.0, 0.0, 2, 1.0, 0.0)
    layout = arena_layout(config, scenario, np.random.default_rng(seed))
    return film(Arena(config, layout, seed).engine, camera, lock)


def film(engine: Engine, camera: AerialCamera, lock: AbstractContextManager | None = None) -> Scene:
    """Return what a drone sees of physics that somebody else advances; see `arena_scene`.

    It is rendered at half size: the drone's own compression leaves little more.
    """
    from adm_core.simulation.rigid_body.cameras import Renderer

    model = camera.model
    half = Intrinsics(
        model.width // 2,
        model.height // 2,
        model.fx / 2,
        model.fy / 2,
        (model.width // 2 - 1) / 2,
        (model.height // 2 - 1) / 2,
    )
    renderer = Renderer(engine, half)

    def scene(pose: Pose3) -> Picture:
        with lock or nullcontext():
            picture, _ = renderer.render(camera.mount(pose._replace(z=max(pose.z, 0.05))))
        return cv2.resize(picture, (model.width, model.height)).astype(np.uint8, copy=False)

    return scene

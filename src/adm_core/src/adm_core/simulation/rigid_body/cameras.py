"""Cameras of the arena: an RGB-D one at the wrist, a colour one at the drone, with their noise."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from adm_core.manipulation.camera import Intrinsics, Mount
from adm_core.manipulation.colour import Picture
from adm_core.manipulation.depth import Depth
from adm_core.simulation.rigid_body.config import ArenaConfig
from adm_core.simulation.rigid_body.engine import Engine
from adm_core.types import Pose2D

#: Horizontal angle of view of the D435i's colour camera.
WRIST_VIEW_RAD = math.radians(69.0)
_NEAR_M, _FAR_M = 0.03, 8.0
_LIGHT = (1.0, 0.6, 2.0)


class Renderer:
    """Renders what a pinhole camera sees.

    Parameters
    ----------
    engine : Engine
        The physics.
    camera : Intrinsics
        Square pixels, principal point in the middle.
    """

    def __init__(self, engine: Engine, camera: Intrinsics) -> None:
        self.camera = camera
        self._engine = engine
        upright = math.degrees(2 * math.atan(camera.height / 2 / camera.fy))
        self._projection = engine.computeProjectionMatrixFOV(
            upright, camera.width / camera.height, _NEAR_M, _FAR_M
        )

    def render(self, mount: Mount) -> tuple[Picture, Depth]:
        """Return a clean picture (blue, green, red) and depth for a camera in the world frame."""
        ahead, up = mount.rotation[:, 2], -mount.rotation[:, 1]
        view = self._engine.computeViewMatrix(
            mount.centre.tolist(), (mount.centre + ahead).tolist(), up.tolist()
        )
        _, _, colours, buffer, _ = self._engine.getCameraImage(
            self.camera.width,
            self.camera.height,
            view,
            self._projection,
            lightDirection=_LIGHT,
            shadow=0,
            renderer=self._engine.ER_TINY_RENDERER,
            flags=self._engine.ER_NO_SEGMENTATION_MASK,
        )
        shape = (self.camera.height, self.camera.width)
        picture = np.reshape(np.asarray(colours, np.uint8), (*shape, 4))[..., 2::-1]
        share = np.reshape(np.asarray(buffer, np.float32), shape)
        depth = _FAR_M * _NEAR_M / (_FAR_M - (_FAR_M - _NEAR_M) * share)
        depth[share >= 1.0] = 0.0
        return np.ascontiguousarray(picture), depth.astype(np.float32)


class SensorNoise:
    """What the D435i adds: colour noise, light, depth noise, dropout, limited range."""

    def __init__(self, config: ArenaConfig, rng: np.random.Generator) -> None:
        self._config = config
        self._rng = rng

    def colour(self, picture: Picture) -> Picture:
        """Return the picture in the arena's light, with noise."""
        noise = self._rng.standard_normal(picture.shape, np.float32) * self._config.colour_noise
        return np.clip(picture * self._config.light + noise, 0, 255).astype(np.uint8)

    def depth(self, depth: Depth) -> Depth:
        """Return the depth as measured; 0 where it is not."""
        config = self._config
        noise = self._rng.standard_normal(depth.shape, np.float32) * config.depth_noise
        seen = (depth >= config.depth_min_m) & (depth <= config.depth_max_m)
        seen &= self._rng.random(depth.shape, np.float32) >= config.depth_dropout
        return np.where(seen, depth + noise * depth * depth, 0.0).astype(np.float32)


def wrist_intrinsics(config: ArenaConfig) -> Intrinsics:
    """Return the wrist camera's model."""
    width, height, _ = config.camera_mode
    return Intrinsics.from_view(width, height, WRIST_VIEW_RAD)


def drone_intrinsics(config: ArenaConfig) -> Intrinsics:
    """Return the drone camera's model: it sees the arena and a little of its walls."""
    view = 2 * math.atan((config.size_m / 2 + 0.15) / config.drone_height_m)
    return Intrinsics.from_view(config.drone_px, config.drone_px, view)


def drone_mount(config: ArenaConfig) -> Mount:
    """Return the drone camera over the middle of the arena: its picture's up is y."""
    rotation = np.array([[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]])
    return Mount(rotation, np.array([0.0, 0.0, config.drone_height_m]))


def in_world(mount: Mount, robot: Pose2D) -> Mount:
    """Return a mount of the robot's frame in the world frame."""
    turn = yaw_matrix(robot.yaw)
    return Mount(turn @ mount.rotation, turn @ mount.centre + np.array([robot.x, robot.y, 0.0]))


def yaw_matrix(yaw: float) -> npt.NDArray[np.float64]:
    """Return the rotation about z, float64[3, 3]."""
    cos, sin = math.cos(yaw), math.sin(yaw)
    return np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])

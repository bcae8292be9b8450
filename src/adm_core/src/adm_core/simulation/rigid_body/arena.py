"""The arena: physics, robot, containers and sensors, advanced tick by tick."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from adm_core.manipulation.arm import ArmModel, load_arm
from adm_core.manipulation.camera import Mount
from adm_core.manipulation.colour import Picture
from adm_core.manipulation.perception import Frame
from adm_core.simulation.rigid_body.bodies import (
    build_container,
    build_surroundings,
    is_on_tray,
    stand,
)
from adm_core.simulation.rigid_body.cameras import (
    Renderer,
    SensorNoise,
    drone_intrinsics,
    drone_mount,
    in_world,
    wrist_intrinsics,
)
from adm_core.simulation.rigid_body.config import CONTROL_HZ, PHYSICS_HZ, ArenaConfig
from adm_core.simulation.rigid_body.containers import ContainerBody, container_bodies
from adm_core.simulation.rigid_body.engine import Engine
from adm_core.simulation.rigid_body.layout import ArenaLayout
from adm_core.simulation.rigid_body.robot import Robot
from adm_core.types import Pose2D

_SUBSTEPS = PHYSICS_HZ // CONTROL_HZ


class _Stream(IntEnum):
    """Independent random streams of the sensors; a number never changes its meaning."""

    WRIST = 11
    DRONE = 12
    LIDAR = 13
    PLACE = 14


@dataclass
class Thing:
    """A container in the arena."""

    id: str
    body: ContainerBody
    handle: int

    @property
    def label(self) -> str:
        """Its class."""
        return self.body.kind.label


class Arena:
    """Physics at 120 Hz, control at 30 Hz; the same seed and commands give the same world.

    Parameters
    ----------
    config : ArenaConfig
        Sizes, rates, noise.
    layout : ArenaLayout
        Initial state.
    seed : int
        Seed of the sensors' noise, >= 0.
    window : bool
        Whether to show PyBullet's window.

    Attributes
    ----------
    ticks : int
        Control periods so far.
    lidar, lidar_pose : float64[rays], Pose2D
        Last scan, and where the robot was then.
    pictures, picture_s : int, float
        Pictures of the wrist camera, and the seconds that they took by `clock`.
    clock : callable
        Seconds, to measure with; it stands still unless somebody sets another.
    """

    def __init__(
        self, config: ArenaConfig, layout: ArenaLayout, seed: int = 0, window: bool = False
    ) -> None:
        self.config, self.layout = config, layout
        self.arm: ArmModel = load_arm()
        self.engine = Engine(window)
        self.engine.setGravity(0, 0, -9.81)
        self.engine.setPhysicsEngineParameter(
            fixedTimeStep=1 / PHYSICS_HZ, numSolverIterations=40, deterministicOverlappingPairs=1
        )
        self.solid = build_surroundings(self.engine, layout)
        self.robot = Robot(self.engine, self.arm, layout.start, config.base)
        bodies = container_bodies()
        self.things = [
            Thing(f"c{index + 1:02d}", bodies[label], self._put(bodies[label], layout.spots[spot]))
            for index, (label, spot) in enumerate(zip(layout.labels, layout.placed, strict=True))
        ]
        self.ticks = 0
        self.lidar = np.full(config.lidar_rays, np.inf)
        self.lidar_pose = layout.start
        self.pictures = 0
        self.clock: Callable[[], float] = float
        self.picture_s = 0.0
        self._closing = False
        self._rng = {item: np.random.default_rng([seed, int(item)]) for item in _Stream}
        self._wrist = Renderer(self.engine, wrist_intrinsics(config))
        self._drone = Renderer(self.engine, drone_intrinsics(config))
        self._noise = {
            item: SensorNoise(config, self._rng[item]) for item in (_Stream.WRIST, _Stream.DRONE)
        }
        self._handles = [thing.handle for thing in self.things]

    def _put(self, body: ContainerBody, place: Pose2D) -> int:
        return build_container(self.engine, body, place)

    def close(self) -> None:
        """Free the physics."""
        self.engine.close()

    # -- time -----------------------------------------------------------------------------------

    @property
    def now(self) -> float:
        """Simulated seconds since the start."""
        return self.ticks / CONTROL_HZ

    def tick(self) -> None:
        """Advance by one control period: a few steps of physics, and a scan when it is due."""
        self.robot.refresh()
        for _ in range(_SUBSTEPS):
            self.engine.stepSimulation()
        self.robot.feel(self._handles, self._closing)
        self.ticks += 1
        if self.ticks % (CONTROL_HZ // self.config.lidar_hz) == 0:
            self._scan()

    def command_arm(self, joints: tuple[float, ...], width: float) -> None:
        """Set the arm's goal."""
        self._closing = width < self.arm.gripper.open_width - 0.01
        self.robot.command_arm(joints, width)

    # -- sensors --------------------------------------------------------------------------------

    def _scan(self) -> None:
        ranges = self.robot.scan(self.config.lidar_rays)
        noise = self._rng[_Stream.LIDAR].standard_normal(len(ranges)) * self.config.lidar_noise_m
        self.lidar, self.lidar_pose = ranges + noise, self.robot.pose()

    def measured_pose(self) -> Pose2D:
        """Return where the robot's localisation says that it is."""
        x, y, yaw = self.robot.pose()
        dx, dy, turn = self._rng[_Stream.PLACE].standard_normal(3).tolist()
        scale, angle = self.config.place_noise_m, self.config.place_noise_rad
        return Pose2D(x + scale * dx, y + scale * dy, yaw + angle * turn)

    def look(self) -> Frame:
        """Take a picture with the wrist camera."""
        started = self.clock()
        mount = self.robot.camera()
        picture, depth = self._wrist.render(in_world(mount, self.robot.pose()))
        noise = self._noise[_Stream.WRIST]
        frame = Frame(self.now, noise.colour(picture), noise.depth(depth), mount)
        self.pictures += 1
        self.picture_s += self.clock() - started
        return frame

    def look_down(self) -> tuple[Picture, Mount]:
        """Take a picture from the drone; return it with the place the drone believes to be at."""
        mount = drone_mount(self.config)
        picture, _ = self._drone.render(mount)
        drift = self._rng[_Stream.DRONE].standard_normal(2) * self.config.drone_noise_m
        believed = Mount(mount.rotation, mount.centre + np.array([*drift, 0.0]))
        return self._noise[_Stream.DRONE].colour(picture), believed

    # -- truth ----------------------------------------------------------------------------------

    def place_of(self, thing: Thing) -> npt.NDArray[np.float64]:
        """Return the middle of a container, float64[3] in metres."""
        return np.array(self.engine.getBasePositionAndOrientation(thing.handle)[0])

    def is_held(self, thing: Thing) -> bool:
        """Tell whether the robot holds a container."""
        return self.robot.grip is not None and self.robot.grip.body == thing.handle

    def is_delivered(self, thing: Thing) -> bool:
        """Tell whether a container lies at a station of its class, let go of."""
        if self.is_held(thing):
            return False
        x, y, _ = self.place_of(thing)
        return any(
            thing.label in station.accepts and is_on_tray(self.layout, station, x, y)
            for station in self.layout.stations
        )

    def move_thing(self, thing: Thing, place: Pose2D) -> None:
        """Let a container jump to another place, standing."""
        stand(self.engine, thing.handle, thing.body, place)

    def is_in_sight(self, thing: Thing, margin_rad: float = math.radians(8.0)) -> bool:
        """Tell whether a container could be in the wrist camera's picture at all."""
        x, y, yaw = self.robot.pose()
        px, py, _ = self.place_of(thing)
        bearing = math.remainder(math.atan2(py - y, px - x) - yaw, 2 * math.pi)
        wide = math.radians(34.5) + margin_rad
        return math.hypot(px - x, py - y) <= self.config.sight_m + 0.2 and abs(bearing) <= wide

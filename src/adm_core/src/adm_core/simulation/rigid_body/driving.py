"""Driving in the arena: by velocity, towards a target, on the spot, a little back."""

from __future__ import annotations

import math
from collections.abc import Callable

from adm_core.manipulation.planar import Point, bearing_to
from adm_core.manipulation.servo import Twist
from adm_core.memory.records import FailureReason
from adm_core.planning.body import Standoff
from adm_core.simulation.rigid_body.arena import Arena
from adm_core.simulation.rigid_body.config import CONTROL_HZ
from adm_core.simulation.rigid_body.navigation import Navigator, face, follow
from adm_core.types import Pose2D

_ARRIVE_M, _ARRIVE_RAD = 0.08, 0.25  # stricter than the executor, which sees another noise
_BLOCKED_S = 4.0


class Driver:
    """Drives one robot by its noisy place and its lidar.

    Parameters
    ----------
    arena : Arena
        Where it lives.
    tick : callable
        Advances the world by one control period; called instead of ``arena.tick`` so that the
        world can do what is due meanwhile.
    """

    def __init__(self, arena: Arena, tick: Callable[[], None]) -> None:
        self.arena = arena
        self.config = arena.config
        self.navigator = Navigator(arena.config, arena.layout)
        self._tick = tick
        self._standoff = Standoff(arena.config.standoff_m, _ARRIVE_M, _ARRIVE_RAD)
        self._stuck_since: tuple[float, Pose2D] = (0.0, arena.layout.start)
        self._drove_at = 0.0

    def step(self, twist: Twist) -> None:
        """Drive for one control period."""
        self.arena.robot.drive(twist)
        self._tick()
        if self.arena.ticks % (CONTROL_HZ // self.config.lidar_hz) == 0:
            self.navigator.note_scan(self.arena.lidar, self.arena.lidar_pose, self.arena.now)

    def stop(self) -> None:
        """Stand still."""
        self.arena.robot.drive(Twist())

    def move(self, goal: Pose2D, seconds: float) -> FailureReason:
        """Drive towards a place before `goal` for some time, or until it is ahead."""
        target = (goal.x, goal.y)
        ends = self.arena.now + seconds
        way: list[Point] = []
        while self.arena.now < ends - 1e-9:
            robot = self.arena.measured_pose()
            if self._standoff.arrived(robot, goal):
                break
            if not way or self.arena.ticks % (CONTROL_HZ // 2) == 0:
                way = self.navigator.way_to_face(robot, target, self.arena.now)
                if not way or self._is_stuck(robot):
                    self.stop()
                    return FailureReason.UNREACHABLE
            there = math.hypot(way[-1][0] - robot.x, way[-1][1] - robot.y) < 0.06
            turn_only = face(robot, target, self.config)
            self.step(turn_only if there else follow(robot, way, self.config))
        self.stop()
        return FailureReason.NONE

    def _is_stuck(self, robot: Pose2D) -> bool:
        """Tell whether the robot has been at one place for long although it drives."""
        since, before = self._stuck_since
        stood = self.arena.now - self._drove_at > 1.0  # for another skill
        self._drove_at = self.arena.now
        moved = math.hypot(robot.x - before.x, robot.y - before.y) > 0.05
        turned = abs(math.remainder(robot.yaw - before.yaw, 2 * math.pi)) > 0.3
        if stood or moved or turned or self.arena.now - since > 3 * _BLOCKED_S:
            self._stuck_since = (self.arena.now, robot)
            return False
        return self.arena.now - since > _BLOCKED_S

    def turn_to(self, point: Point, within: float = 0.06, seconds: float = 5.0) -> None:
        """Turn on the spot until a point is ahead."""
        ends = self.arena.now + seconds
        while self.arena.now < ends:
            robot = self.arena.measured_pose()
            if abs(bearing_to(robot, point)) <= within:
                break
            self.step(face(robot, point, self.config))
        self.stop()

    def back_off(self, metres: float = 0.16) -> None:
        """Drive a little backwards, away from what was set down."""
        ends = self.arena.now + metres / 0.15
        while self.arena.now < ends:
            self.step(Twist(-0.15, 0.0, 0.0))
        self.stop()

"""The robot's skills on the arena: drive, approach, grasp, deliver, verify.

Each returns when it is done or has failed, with the reason that the memory keeps. What they
decide from is measured: pictures, servos, lidar and a noisy place, never the simulator's truth.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from adm_core.manipulation.grasp import Grasping, is_in_hand
from adm_core.manipulation.kinematics import forward
from adm_core.manipulation.perception import ContainerKind, Target, find_targets, nearest_to
from adm_core.manipulation.sequence import ArmCommand, ArmSequence, Glance
from adm_core.manipulation.servo import (
    ServoConfig,
    ServoState,
    Sighting,
    Twist,
    VisualServo,
)
from adm_core.memory.records import FailureReason
from adm_core.memory.static import Station
from adm_core.planning.body import arm_reason, servo_reason
from adm_core.simulation.rigid_body.arena import Arena
from adm_core.simulation.rigid_body.cameras import wrist_intrinsics
from adm_core.simulation.rigid_body.config import CONTROL_HZ
from adm_core.simulation.rigid_body.containers import container_kinds
from adm_core.simulation.rigid_body.driving import Driver
from adm_core.simulation.rigid_body.layout import TRAY_M
from adm_core.simulation.rigid_body.navigation import (
    Point,
    follow,
    in_map_frame,
    in_robot_frame,
)
from adm_core.simulation.rigid_body.sightings import on_any_tray
from adm_core.types import Pose2D

_GATE_M = 0.30  # a container this far from where it was reported is still the one
_TRACK_M = 0.12
_STAND_M = 0.34  # from the robot's centre to the place on a station's plate
_LONGEST_S = 90.0


class Skills(Driver):
    """Skills of one robot; arena and tick as for :class:`Driver`."""

    def __init__(self, arena: Arena, tick: Callable[[], None]) -> None:
        super().__init__(arena, tick)
        self.held: ContainerKind | None = None
        self._grasping = Grasping(arena.arm)
        self._kinds = {kind.label: kind for kind in container_kinds()}
        self._camera = wrist_intrinsics(arena.config)
        self._period = max(1, CONTROL_HZ // arena.config.camera_mode[2])
        self._placed: dict[str, int] = {}
        self._last_target: tuple[float, Target] | None = None

    @property
    def last_seen(self) -> npt.NDArray[np.float64] | None:
        """Where the approached container was seen last, float64[3] in the robot's frame."""
        return None if self._last_target is None else self._last_target[1].position

    # -- looking --------------------------------------------------------------------------------

    def see(self, label: str, near: Point, within_m: float) -> tuple[Sighting, Target | None]:
        """Take a picture; return what it says about a container near a place ahead and left."""
        frame = self.arena.look()
        found = find_targets(
            frame.picture, frame.depth, self._camera, frame.mount, (self._kinds[label],)
        )
        waiting = [item for item in found if item.position[2] < 0.16 and not self._is_done(item)]
        target = nearest_to(waiting, label, near, within_m)
        place = None if target is None else (float(target.position[0]), float(target.position[1]))
        return Sighting(frame.stamp, place), target

    def _is_done(self, target: Target) -> bool:
        """Tell whether a target stands on a station's plate: nobody takes it away again."""
        ahead, left, _ = map(float, target.position)
        return on_any_tray(self.arena, in_map_frame(self.arena.measured_pose(), ahead, left))

    def glance(self, label: str) -> Glance:
        """Take a picture of the hand."""
        frame = self.arena.look()
        tip = forward(self.arena.arm, self.arena.robot.state().joints)[:3]
        seen = is_in_hand(
            frame.picture, self._camera, frame.mount, tip, self._kinds[label], self._grasping.config
        )
        return Glance(frame.stamp, seen)

    # -- approach -------------------------------------------------------------------------------

    def approach(self, goal: Pose2D, label: str) -> FailureReason:
        """Centre a container at the grasping distance by visual servo."""
        if label not in self._kinds:
            return FailureReason.PRECONDITION
        if self.held is not None:
            return FailureReason.PRECONDITION
        self.turn_to((goal.x, goal.y))
        first = self._find(goal, label)
        if first is None:
            return servo_reason(ServoState.LOST, was_seen=False)
        sighting, target = first
        servo = VisualServo(
            ServoConfig(base=self.config.base), self.arena.now, self.arena.measured_pose().yaw
        )
        while True:
            answer = servo.step(sighting, self.arena.now, self.arena.measured_pose().yaw)
            if answer.state is not ServoState.RUNNING:
                break
            self.step(answer.twist)
            if self.arena.ticks % self._period == 0:
                place = sighting.target or (float(target.position[0]), float(target.position[1]))
                sighting, seen = self.see(label, place, _TRACK_M)
                target = seen or target
        self.stop()
        self._last_target = (self.arena.now, target)
        return servo_reason(answer.state, was_seen=True)

    def _find(self, goal: Pose2D, label: str) -> tuple[Sighting, Target] | None:
        """Look at a place, then a little to both sides of it."""
        for offset in (0.0, 0.35, -0.35):
            if offset:
                robot = self.arena.measured_pose()
                away = math.hypot(goal.x - robot.x, goal.y - robot.y)
                yaw = math.atan2(goal.y - robot.y, goal.x - robot.x) + offset
                self.turn_to((robot.x + away * math.cos(yaw), robot.y + away * math.sin(yaw)))
            expected = in_robot_frame(self.arena.measured_pose(), (goal.x, goal.y))
            sighting, target = self.see(label, expected, _GATE_M)
            if target is not None:
                return sighting, target
        return None

    # -- hand -----------------------------------------------------------------------------------

    def grasp(self, goal: Pose2D, label: str) -> FailureReason:
        """Fetch the container that was just approached; approach it first if none was."""
        if self.held is not None or label not in self._kinds:
            return FailureReason.PRECONDITION
        if self._last_target is None or self.arena.now - self._last_target[0] > 2.0:
            reason = self.approach(goal, label)
            if reason is not FailureReason.NONE:
                return reason
        assert self._last_target is not None
        target, self._last_target = self._last_target[1], None
        kind = self._kinds[label]
        sequence = self._grasping.grasp(target.position.tolist(), kind, self.arena.robot.state())
        end = self._run(sequence, label)
        if end.success:
            self.held = kind
        else:
            self._recover()
        return arm_reason(end.end)

    def deliver(self, station: Station, label: str) -> FailureReason:
        """Set the held container down at the next free place of a station."""
        if self.held is None or self.held.label not in station.accepts:
            return FailureReason.PRECONDITION
        kind = self.held
        slots = self.arena.layout.slots(station)
        slot = slots[min(self._placed.get(station.id, 0), len(slots) - 1)]
        if not self._stand_before(slot):
            return FailureReason.BLOCKED
        ahead, left = in_robot_frame(self.arena.measured_pose(), (slot.x, slot.y))
        sequence = self._grasping.place((ahead, left, TRAY_M[2]), kind, self.arena.robot.state())
        end = self._run(sequence, kind.label)
        reason = arm_reason(end.end)
        if end.success or reason.empties_hand:
            self.held = None
        if end.success:
            self._placed[station.id] = self._placed.get(station.id, 0) + 1
        if not end.success:
            self._recover(keep=self.held is not None)
        self.back_off()
        return reason

    def _stand_before(self, slot: Pose2D) -> bool:
        """Drive to the place from which a slot is straight ahead at arm's length."""
        yaw = slot.yaw
        stand = (slot.x - _STAND_M * math.cos(yaw), slot.y - _STAND_M * math.sin(yaw))
        ends = self.arena.now + 15.0
        while self.arena.now < ends:
            robot = self.arena.measured_pose()
            if math.hypot(stand[0] - robot.x, stand[1] - robot.y) < 0.03:
                break
            way = self.navigator.way_to_one(robot, [stand], self.arena.now) or [stand]
            self.step(follow(robot, way, self.config))
        else:
            self.stop()
            return False
        self.turn_to((slot.x, slot.y), within=0.03)
        return True

    def verify(self, goal: Pose2D, label: str) -> FailureReason:
        """Look whether the container is where it should be: in the hand, or at its place."""
        if label not in self._kinds:
            return FailureReason.PRECONDITION
        if self.held is not None and self.held.label == label:
            seen = self.glance(label).in_hand
            return FailureReason.NONE if seen else FailureReason.NOT_VERIFIED
        self.turn_to((goal.x, goal.y))
        found = self._find(goal, label)
        return FailureReason.NONE if found else FailureReason.ABSENT

    def _run(self, sequence: ArmSequence, label: str) -> ArmCommand:
        """Carry a sequence of the arm out while the base stands still."""
        self.stop()
        glance: Glance | None = None
        ends = self.arena.now + _LONGEST_S
        while True:
            command = sequence.step(self.arena.robot.state(), self.arena.now, glance)
            if command.finished or self.arena.now > ends:
                return command
            self.arena.command_arm(command.joints, command.width)
            self.step(Twist())
            glance = self.glance(label) if command.wants_picture else None

    def _recover(self, keep: bool = False) -> None:
        """Open the hand, unless something is in it, and go back to the posture for looking."""
        arm = self.arena.arm
        width = self.arena.robot.state().width - 0.01 if keep else arm.gripper.open_width
        self.arena.command_arm(self.arena.robot.state().joints, width)
        for _ in range(CONTROL_HZ // 2):
            self.step(Twist())
        self.arena.command_arm(arm.carry if keep else arm.home, width)
        for _ in range(2 * CONTROL_HZ):
            self.step(Twist())

"""What a robot does with base, camera and arm at a place: approach, grasp, deliver, verify.

One implementation for every robot: the simulated one and the real one differ in the port that
they give. Each skill returns when it is done or has failed, with the reason that the memory keeps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol

from adm_core.errors import AdmError
from adm_core.manipulation.arm import ArmModel
from adm_core.manipulation.camera import Floats, Intrinsics
from adm_core.manipulation.grasp import Grasping, is_in_hand
from adm_core.manipulation.kinematics import forward
from adm_core.manipulation.perception import (
    ContainerKind,
    Frame,
    Target,
    find_targets,
    nearest_to,
)
from adm_core.manipulation.planar import Point, in_map_frame, in_robot_frame
from adm_core.manipulation.sequence import ArmCommand, ArmSequence, ArmState, Glance
from adm_core.manipulation.servo import ServoConfig, ServoState, Sighting, Twist, VisualServo
from adm_core.memory.records import FailureReason
from adm_core.memory.static import Station
from adm_core.planning.body import arm_reason, servo_reason
from adm_core.types import Pose2D

_GATE_M = 0.30  # a container this far from where it was reported is still the one
_TRACK_M = 0.12
_STANDING_M = 0.16  # what is higher does not stand on the floor
_LONGEST_S = 90.0
_LOOKS = 2  # what got out of sight is looked for once more
_SIDES_RAD = (0.0, 0.35, -0.35)  # where to look for what is not straight ahead


class RobotError(AdmError):
    """The robot cannot go on with a skill; `reason` is what the memory keeps."""

    def __init__(self, reason: FailureReason, text: str) -> None:
        super().__init__(text)
        self.reason = reason


class Robot(Protocol):
    """A robot as these skills need it. Everything may raise RobotError."""

    @property
    def arm(self) -> ArmModel:
        """Its kinematics."""

    @property
    def camera(self) -> Intrinsics:
        """Its wrist camera."""

    @property
    def now(self) -> float:
        """Seconds, in the time of the pictures; never backwards."""

    def pose(self) -> Pose2D:
        """Return where the robot believes to be."""

    def arm_state(self) -> ArmState:
        """Return what the servos measure."""

    def command_arm(self, joints: Sequence[float], width: float) -> None:
        """Set angles and gap to go to."""

    def look(self) -> Frame:
        """Return a picture taken now; waits for it."""

    def picture_due(self) -> bool:
        """Tell whether :meth:`look` would bring a new picture without waiting."""

    def step(self, twist: Twist) -> None:
        """Drive for one control period."""

    def stop(self) -> None:
        """Stand still."""

    def turn_to(self, point: Point, within: float = 0.06, seconds: float = 5.0) -> None:
        """Turn on the spot until a point of the map is ahead."""

    def stand_before(self, slot: Pose2D) -> bool:
        """Drive to where a place of a station is straight ahead at arm's length."""

    def back_off(self) -> None:
        """Drive a little backwards, away from what was set down."""

    def is_put_away(self, point: Point) -> bool:
        """Tell whether a point of the map is on a station's plate: nobody takes that away again."""


P = ParamSpec("P")


def _with_reason(
    skill: Callable[Concatenate[Handling, P], FailureReason],
) -> Callable[Concatenate[Handling, P], FailureReason]:
    """Let a RobotError end a skill with its reason, the robot standing still."""

    @wraps(skill)
    def guarded(self: Handling, /, *args: P.args, **kwargs: P.kwargs) -> FailureReason:
        try:
            return skill(self, *args, **kwargs)
        except RobotError as err:
            self.last_error = str(err)
            self.robot.stop()
            return err.reason

    return guarded


class Handling:
    """Skills at a place, for one robot.

    Parameters
    ----------
    robot : Robot
        Who does it.
    kinds : sequence of ContainerKind
        Containers that it knows.
    servo : ServoConfig
        Parameters of approaching.
    floor_m : float
        Height of a station's plate, metres.

    Attributes
    ----------
    held : ContainerKind or None
        What is in the hand.
    last_error : str
        What the robot said when it last could not go on.
    """

    def __init__(
        self, robot: Robot, kinds: Sequence[ContainerKind], servo: ServoConfig, floor_m: float
    ) -> None:
        self.robot = robot
        self.held: ContainerKind | None = None
        self.last_error = ""
        self._grasping = Grasping(robot.arm)
        self._kinds = {kind.label: kind for kind in kinds}
        self._servo = servo
        self._floor_m = floor_m
        self._placed: dict[str, int] = {}
        self._last_target: tuple[float, Target] | None = None

    @property
    def last_seen(self) -> Floats | None:
        """Where the approached container was seen last, float64[3] in the robot's frame."""
        return None if self._last_target is None else self._last_target[1].position

    # -- looking --------------------------------------------------------------------------------

    def see(self, label: str, near: Point, within_m: float) -> tuple[Sighting, Target | None]:
        """Take a picture; return what it says about a container near a place ahead and left."""
        frame = self.robot.look()
        found = find_targets(
            frame.picture, frame.depth, self.robot.camera, frame.mount, (self._kinds[label],)
        )
        waiting = [i for i in found if i.position[2] < _STANDING_M and not self._is_done(i)]
        target = nearest_to(waiting, label, near, within_m)
        place = None if target is None else (float(target.position[0]), float(target.position[1]))
        return Sighting(frame.stamp, place), target

    def _is_done(self, target: Target) -> bool:
        ahead, left, _ = map(float, target.position)
        return self.robot.is_put_away(in_map_frame(self.robot.pose(), ahead, left))

    def glance(self, label: str) -> Glance:
        """Take a picture of the hand."""
        frame = self.robot.look()
        tip = forward(self.robot.arm, self.robot.arm_state().joints)[:3]
        config = self._grasping.config
        seen = is_in_hand(
            frame.picture, self.robot.camera, frame.mount, tip, self._kinds[label], config
        )
        return Glance(frame.stamp, seen)

    # -- approach -------------------------------------------------------------------------------

    @_with_reason
    def approach(self, goal: Pose2D, label: str) -> FailureReason:
        """Centre a container at the grasping distance by visual servo."""
        if label not in self._kinds or self.held is not None:
            return FailureReason.PRECONDITION
        self.robot.turn_to((goal.x, goal.y))
        for attempt in range(_LOOKS):
            found = self._find(goal, label)
            if found is None:
                return servo_reason(ServoState.LOST, was_seen=attempt > 0)
            state, target = self._centre(*found, label)
            if state is not ServoState.LOST:
                self._last_target = (self.robot.now, target)
                break
        return servo_reason(state, was_seen=True)

    def _centre(self, sighting: Sighting, target: Target, label: str) -> tuple[ServoState, Target]:
        """Follow a container by pictures to the end; return that end and the last sight of it."""
        servo = VisualServo(self._servo, self.robot.now, self.robot.pose().yaw)
        while True:
            answer = servo.step(sighting, self.robot.now, self.robot.pose().yaw)
            if answer.state is not ServoState.RUNNING:
                self.robot.stop()
                return answer.state, target
            self.robot.step(answer.twist)
            if self.robot.picture_due():
                place = sighting.target or (float(target.position[0]), float(target.position[1]))
                sighting, seen = self.see(label, place, _TRACK_M)
                target = seen or target

    def _find(self, goal: Pose2D, label: str) -> tuple[Sighting, Target] | None:
        """Look at a place, then a little to both sides of it."""
        for offset in _SIDES_RAD:
            if offset:
                robot = self.robot.pose()
                away = math.hypot(goal.x - robot.x, goal.y - robot.y)
                yaw = math.atan2(goal.y - robot.y, goal.x - robot.x) + offset
                self.robot.turn_to((robot.x + away * math.cos(yaw), robot.y + away * math.sin(yaw)))
            expected = in_robot_frame(self.robot.pose(), (goal.x, goal.y))
            sighting, target = self.see(label, expected, _GATE_M)
            if target is not None:
                return sighting, target
        return None

    # -- hand -----------------------------------------------------------------------------------

    @_with_reason
    def grasp(self, goal: Pose2D, label: str) -> FailureReason:
        """Fetch the container that was just approached; approach it first if none was."""
        if self.held is not None or label not in self._kinds:
            return FailureReason.PRECONDITION
        if self._last_target is None or self.robot.now - self._last_target[0] > 2.0:
            reason = self.approach(goal, label)
            if reason is not FailureReason.NONE:
                return reason
        assert self._last_target is not None
        target, self._last_target = self._last_target[1], None
        kind = self._kinds[label]
        sequence = self._grasping.grasp(target.position.tolist(), kind, self.robot.arm_state())
        end = self._run(sequence, label)
        if end.success:
            self.held = kind
        else:
            self._recover()
        return arm_reason(end.end)

    @_with_reason
    def deliver(self, station: Station, slots: Sequence[Pose2D]) -> FailureReason:
        """Set the held container down at the next free place of a station."""
        if self.held is None or self.held.label not in station.accepts:
            return FailureReason.PRECONDITION
        kind = self.held
        slot = slots[min(self._placed.get(station.id, 0), len(slots) - 1)]
        if not self.robot.stand_before(slot):
            return FailureReason.BLOCKED
        ahead, left = in_robot_frame(self.robot.pose(), (slot.x, slot.y))
        place = (ahead, left, self._floor_m)
        sequence = self._grasping.place(place, kind, self.robot.arm_state())
        try:
            end = self._run(sequence, kind.label)
            reason = arm_reason(end.end)
        except RobotError:
            if not sequence.has_passed("release"):
                raise
            # The fingers have opened at the station: what failed was the way back, or the look.
            reason = FailureReason.NONE
        if reason is FailureReason.NONE or reason.empties_hand:
            self.held = None
        if reason is FailureReason.NONE:
            self._placed[station.id] = self._placed.get(station.id, 0) + 1
        else:
            self._recover(keep=self.held is not None)
        self.robot.back_off()
        return reason

    @_with_reason
    def verify(self, goal: Pose2D, label: str) -> FailureReason:
        """Look whether the container is where it should be: in the hand, or at its place."""
        if label not in self._kinds:
            return FailureReason.PRECONDITION
        if self.held is not None and self.held.label == label:
            seen = self.glance(label).in_hand
            return FailureReason.NONE if seen else FailureReason.NOT_VERIFIED
        self.robot.turn_to((goal.x, goal.y))
        found = self._find(goal, label)
        return FailureReason.NONE if found else FailureReason.ABSENT

    def _run(self, sequence: ArmSequence, label: str) -> ArmCommand:
        """Carry a sequence of the arm out while the base stands still."""
        self.robot.stop()
        glance: Glance | None = None
        ends = self.robot.now + _LONGEST_S
        while True:
            command = sequence.step(self.robot.arm_state(), self.robot.now, glance)
            if command.finished or self.robot.now > ends:
                return command
            self.robot.command_arm(command.joints, command.width)
            self.robot.step(Twist())
            glance = self.glance(label) if command.wants_picture else None

    def _recover(self, keep: bool = False) -> None:
        """Open the hand, unless something is in it, and go back to the posture for looking."""
        arm = self.robot.arm
        width = self.robot.arm_state().width - 0.01 if keep else arm.gripper.open_width
        self.robot.command_arm(self.robot.arm_state().joints, width)
        self._stand(0.5)
        self.robot.command_arm(arm.carry if keep else arm.home, width)
        self._stand(2.0)

    def _stand(self, seconds: float) -> None:
        ends = self.robot.now + seconds - 1e-9
        while self.robot.now < ends:
            self.robot.step(Twist())

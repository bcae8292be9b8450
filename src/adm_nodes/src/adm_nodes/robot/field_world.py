"""The real robot as a world for the executor: commands in, reports and evidence out.

The same port as the simulated worlds have. Driving is left to a navigator, everything at close
range to :class:`~adm_core.planning.handling.Handling`.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable

from adm_core.manipulation.perception import ContainerKind, Target, find_targets
from adm_core.manipulation.planar import in_map_frame
from adm_core.manipulation.servo import ServoConfig
from adm_core.memory.records import Detection, FailureReason, Source
from adm_core.memory.static import Station
from adm_core.missions.field import FieldMission
from adm_core.planning.body import Standoff
from adm_core.planning.handling import Handling, RobotError
from adm_core.planning.ports import Command, Primitive, WorldReport
from adm_core.planning.standoff import StandoffChoice
from adm_core.types import Pose2D

from adm_nodes.navigation import NavGoal, Navigator, NavOutcome, NavTask
from adm_nodes.robot.bridged import BridgedRobot
from adm_nodes.robot.config import RobotConfig
from adm_nodes.robot.outbox import NumberedOutbox
from adm_nodes.robot.whereabouts import Whereabouts

_PLATE_M = 0.005
_STANDING_M = 0.16  # what is higher does not stand on the floor
_SAME_GOAL_M = 0.05
_MOVE_S = 1.0  # longest time of one move: the executor looks at the memory in between
_TRIES = 3  # arrivals that were none before a target counts as unreachable
_CARRY_M = 0.4  # what is this near to a robot with full hands is in them
_IDLE_S = 6.0  # a goal that nobody has asked for any more for this time is cancelled

_REASONS = {
    NavOutcome.SUCCEEDED: FailureReason.NONE,
    NavOutcome.ABORTED: FailureReason.UNREACHABLE,
    NavOutcome.REJECTED: FailureReason.UNREACHABLE,
    NavOutcome.CANCELLED: FailureReason.BLOCKED,
    NavOutcome.PREEMPTED: FailureReason.BLOCKED,
    NavOutcome.TIMEOUT: FailureReason.BLOCKED,
    NavOutcome.LOST: FailureReason.NO_LINK,
    NavOutcome.STALE: FailureReason.NO_POSE,
}


class FieldWorld:
    """Carries commands out; used by one thread, but for `tick`.

    Parameters
    ----------
    field : FieldMission
        What the robot was sent out with.
    robot : BridgedRobot
        Base, arm and camera at close range.
    navigator : Navigator
        Drives farther.
    where : Whereabouts
        Tells whether poses mean anything, and mends that.
    outbox : NumberedOutbox
        Takes evidence.
    config : RobotConfig
        Parameters.
    kinds : sequence of ContainerKind
        What the camera looks for.
    log : callable
        Gets a line about everything that goes wrong.
    """

    def __init__(
        self,
        field: FieldMission,
        robot: BridgedRobot,
        navigator: Navigator,
        where: Whereabouts,
        outbox: NumberedOutbox,
        config: RobotConfig,
        kinds: tuple[ContainerKind, ...],
        log: Callable[[str], None],
    ) -> None:
        self._field, self._robot, self._navigator = field, robot, navigator
        self._where, self._outbox, self._config = where, outbox, config
        self._kinds, self._log = kinds, log
        self._standoff = Standoff(config.standoff_m, slack_m=0.25, slack_rad=0.6)
        self._choice = StandoffChoice(config.standoff_m, config.clearance_m)
        self._handling = Handling(robot, kinds, ServoConfig(base="mecanum"), _PLATE_M)
        self._task: NavTask | None = None
        self._goal: Pose2D | None = None
        self._arrivals = 0
        self._refused: list[Pose2D] = []  # places before the goal that could not be reached
        self._asked_at = 0.0
        self._lock = threading.Lock()

    # -- the World protocol -----------------------------------------------------------------------

    def start(self) -> WorldReport:
        """Wait for the robot, publish what is known beforehand; return the state at step 0."""
        self._where.await_ready()
        self._outbox.begin(self._robot.link.now)
        self._outbox.emit(Source.STATIC_PRIOR, "mission", 0.0, self._field.known)
        self._look_around()
        return self._report(FailureReason.NONE, self._robot.link.travelled_m)

    def act(self, command: Command) -> WorldReport:
        """Carry out one action to its end."""
        travelled = self._robot.link.travelled_m
        try:
            self._where.await_ready()
            reason = self._carry_out(command)
        except RobotError as err:
            self._log(str(err))
            self._robot.stop()
            reason = err.reason
        if reason is not FailureReason.NONE:
            said = self._handling.last_error
            self._log(f"{command.primitive.value} {command.label}: {reason.value} {said}".rstrip())
            self._handling.last_error = ""
        return self._report(reason, travelled)

    def _carry_out(self, command: Command) -> FailureReason:
        goal, label = command.goal, command.label
        if command.primitive is Primitive.MOVE:
            return self._move(goal)
        self._cancel()
        if command.primitive is Primitive.APPROACH:
            return self._handling.approach(goal, label)
        if command.primitive is Primitive.PICK:
            return self._handling.grasp(goal, label)
        if command.primitive is Primitive.PLACE:
            station = self._station_at(goal)
            if station is None:
                return FailureReason.PRECONDITION
            return self._handling.deliver(station, self._field.places[station.id])
        if command.primitive is Primitive.VERIFY:
            return self._handling.verify(goal, label)
        self._robot.link.pause(_MOVE_S)
        self._look_around()
        return FailureReason.NONE

    def _station_at(self, goal: Pose2D) -> Station | None:
        def away(station: Station) -> float:
            return math.hypot(station.pose.x - goal.x, station.pose.y - goal.y)

        nearest = min(self._field.mission.stations, key=away)
        return nearest if away(nearest) < _SAME_GOAL_M else None

    def _report(self, reason: FailureReason, travelled_m: float) -> WorldReport:
        link = self._robot.link
        pose = self._where.pose or Pose2D(0.0, 0.0)
        return WorldReport(
            math.ceil(self._outbox.mission_time(link.now)),
            pose,
            reason is FailureReason.NONE,
            reason,
            link.travelled_m - travelled_m,
            self._outbox.seq,
        )

    # -- driving ----------------------------------------------------------------------------------

    def _move(self, goal: Pose2D) -> FailureReason:
        """Drive towards a place for a while, or until the robot stands before it."""
        with self._lock:
            self._asked_at = self._robot.link.now
        if self._goal is None or _apart(self._goal, goal) > _SAME_GOAL_M:
            self._cancel()
            self._goal, self._arrivals, self._refused = goal, 0, []
        if self._task is None:
            place = self._place_before(goal)
            if place is None:
                return self._end(FailureReason.UNREACHABLE)
            self._task = self._navigator.send(NavGoal(place, self._field.mission.frame_id))
        task = self._task
        result = task.wait(_MOVE_S / self._config.time_scale)
        self._look_around()
        if result is None:
            return FailureReason.NONE
        self._task = None
        if not result.succeeded:
            self._log(f"navigation {result.outcome.value}: {result.text}")
            self._refused.append(task.goal.pose)
            if result.outcome is NavOutcome.ABORTED and len(self._refused) < _TRIES:
                return FailureReason.NONE  # from another side, next time
            return self._end(_REASONS[result.outcome])
        return self._settle(goal)

    def _settle(self, goal: Pose2D) -> FailureReason:
        """Face a place that the navigator has brought the robot near to."""
        self._robot.turn_to((goal.x, goal.y))
        if self._standoff.arrived(self._robot.pose(), goal):
            return self._end(FailureReason.NONE)
        self._arrivals += 1
        if self._arrivals < _TRIES:
            return FailureReason.NONE
        return self._end(FailureReason.UNREACHABLE)

    def _end(self, reason: FailureReason) -> FailureReason:
        self._goal = None
        return reason

    def _place_before(self, goal: Pose2D) -> Pose2D | None:
        grid_map = self._robot.link.grid_map()
        if grid_map is None:
            raise RobotError(FailureReason.NO_LINK, "the robot has sent no map")
        station = self._station_at(goal)
        heading = None if station is None else station.pose.yaw
        return self._choice.place(
            grid_map, self._robot.pose(), (goal.x, goal.y), heading, self._refused
        )

    def _cancel(self) -> None:
        """Give up the goal under way, and wait until the base is known to stand still."""
        task, self._task, self._goal = self._task, None, None
        if task is not None and task.result is None:
            task.cancel()
            task.wait(self._config.link_wait_s)

    def is_carried(self, x: float, y: float) -> bool:
        """Tell whether what is seen at a place is in the robot's hand; from any thread."""
        pose = self._where.pose
        if self._handling.held is None or pose is None:
            return False
        return math.hypot(pose.x - x, pose.y - y) <= _CARRY_M

    def tick(self) -> None:
        """Cancel what nobody asks for any more; from any thread."""
        with self._lock:
            idle = self._robot.link.now - self._asked_at > _IDLE_S
        task = self._task
        if idle and task is not None and task.result is None:
            self._log("nobody asks for the goal any more: it is cancelled")
            task.cancel()

    def close(self) -> None:
        """Stop the robot."""
        task = self._task
        if task is not None:
            task.cancel()
        self._robot.stop()

    # -- seeing -----------------------------------------------------------------------------------

    def _look_around(self) -> None:
        """Report what the wrist camera sees now, if there is a new picture."""
        if not self._robot.picture_due() or self._where.is_lost:
            return
        try:
            frame, camera = self._robot.look(), self._robot.camera
        except RobotError as err:
            self._log(str(err))
            return
        robot, taken = self._robot.pose_of_picture, self._robot.time_of_picture
        targets = find_targets(frame.picture, frame.depth, camera, frame.mount, self._kinds)
        seen = [self._detection(item, robot) for item in targets if self._counts(item, robot)]
        self._outbox.emit(Source.ONBOARD, "wrist_camera", self._outbox.mission_time(taken), seen)

    def _counts(self, target: Target, robot: Pose2D) -> bool:
        ahead, left, height = map(float, target.position)
        near = math.hypot(ahead, left) <= self._config.sight_m and height < _STANDING_M
        held = self._handling.held
        if held is not None and held.label == target.label:
            return False  # it is in the hand, or looks like what is
        first, _, width, _ = target.blob.box
        whole = first > 0 and first + width < self._robot.camera.width
        return near and whole and not self._field.is_put_away(in_map_frame(robot, ahead, left))

    def _detection(self, target: Target, robot: Pose2D) -> Detection:
        ahead, left, _ = map(float, target.position)
        place = in_map_frame(robot, ahead, left)
        return Detection(target.label, Pose2D(*place), self._config.onboard_confidence)


def _apart(a: Pose2D, b: Pose2D) -> float:
    return math.hypot(a.x - b.x, a.y - b.y)

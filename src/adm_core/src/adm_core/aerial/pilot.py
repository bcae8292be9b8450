"""Flies a survey: a state machine over text commands in which every fault ends somewhere."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Generator, Iterator

from adm_core.aerial.drone import Answer, Drone
from adm_core.aerial.errors import DroneError, FlightReason
from adm_core.aerial.estimate import corrected
from adm_core.aerial.failsafe import Action, Verdict, judge, margin
from adm_core.aerial.flight import FlightPlan, FlightStatus, Look, Phase
from adm_core.aerial.geofence import Point
from adm_core.aerial.helm import MIN_STEP_M, Clock, Helm
from adm_core.aerial.survey import split_leg
from adm_core.aerial.tags import find_tags, locate

_AIRBORNE_M = 0.25
_MAX_LEGS = 64  # to one way-point; far more than any fence needs
_GO_ON = Verdict(Action.GO_ON)
_HELD = Verdict(Action.GO_ON, FlightReason.OPERATOR, "held")


class Pilot:
    """Flies one survey.

    :meth:`land`, :meth:`stop`, :meth:`hold`, :meth:`observe` and :attr:`status` may be used from
    any thread; but for the stop, the drone is touched by the thread alone that drains :meth:`fly`.

    Parameters
    ----------
    drone : Drone
        What is flown.
    plan : FlightPlan
        What to do.
    clock : Clock
        Time.

    Raises
    ------
    ValueError
        If the plan breaks its own limits.
    """

    def __init__(self, drone: Drone, plan: FlightPlan, clock: Clock) -> None:
        self.plan = plan
        self._drone, self._clock, self._config = drone, clock, plan.config
        self._helm = Helm(drone, plan.start, plan.config, clock)
        self._queue = deque(plan.survey() * plan.config.rounds)
        self._wishes: deque[Point] = deque()
        self._planned, self._visited = len(self._queue), 0
        self._state = (Phase.IDLE, FlightReason.NONE, "")
        self._land_asked = self._hold_asked = False

    # -- from any thread --------------------------------------------------------------------

    @property
    def status(self) -> FlightStatus:
        """The present moment."""
        helm = self._helm
        return FlightStatus(*self._state, self._visited, self._planned, helm.known, helm.told)

    def land(self) -> None:
        """Ask to land as soon as the present motion ends."""
        self._land_asked = True

    def stop(self) -> None:
        """Break the motion under way off at once, and land there."""
        self._helm.interrupted = self._land_asked = True
        if not self._state[0].on_ground:
            self._drone.interrupt()

    def hold(self, wanted: bool = True) -> None:
        """Ask to hover as soon as the present motion ends, or to go on."""
        self._hold_asked = wanted

    def observe(self, place: Point) -> None:
        """Ask for a look at a place, ahead of the rest of the survey.

        ValueError if the point from which the camera sees it is not inside the fence.
        """
        spot = self.plan.viewpoint(place, self._helm.known.pose.yaw)
        if not self.plan.fence.contains(spot, 0.0, self._config.fence_margin_m):
            raise ValueError(f"place must be seen from inside the fence, got {place}")
        self._wishes.append(spot)

    # -- the flight -------------------------------------------------------------------------

    def fly(self) -> Generator[FlightStatus | Look, None, None]:
        """Carry the survey out; yield whenever something happened. The last status is over.

        Closing the generator in the air lands the drone.
        """
        try:
            yield self._enter(Phase.STARTING)
            try:
                self._prepare()
                yield from self._take_off()
            except DroneError as err:
                yield self._enter(Phase.FAILED, err.reason, str(err))
                return
            if self._state[0] is Phase.STARTING:
                yield from self._rehearse()
            else:
                yield from self._survey()
        finally:
            if not self._state[0].over:
                self._abandon()

    def _abandon(self) -> None:
        """End a flight that was closed, or that an error of the program ended."""
        if self._state[0].on_ground:
            self._enter(Phase.FAILED, FlightReason.MISTAKE, "given up on the ground")
            return
        phase = Phase.LANDED if self._helm.land() else Phase.LINK_LOST
        self._enter(phase, FlightReason.MISTAKE, "given up in the air")

    def _enter(
        self, phase: Phase, reason: FlightReason = FlightReason.NONE, text: str = ""
    ) -> FlightStatus:
        self._state = (phase, reason, text)
        return self.status

    def _prepare(self) -> None:
        """Refuse to take off with a drone that is not fit."""
        self._drone.connect()
        told = self._helm.listen()
        if told is None:
            raise DroneError(FlightReason.NO_STATE, "it tells nothing about itself")
        if told.battery < self._config.battery_start:
            raise DroneError(FlightReason.LOW_BATTERY, f"battery {told.battery} %")
        if not self.plan.fence.contains(self._home, 0.0):
            raise DroneError(FlightReason.GEOFENCE, f"it stands outside, at {self._home}")
        self._drone.start_video()
        if self._helm.fresh_shot() is None:
            raise DroneError(FlightReason.NO_VIDEO, "no picture came")

    @property
    def _home(self) -> Point:
        return self.plan.start.pose.x, self.plan.start.pose.y

    def _take_off(self) -> Iterator[FlightStatus]:
        if self.plan.dry_run or self._land_asked:
            return
        yield self._enter(Phase.TAKING_OFF)
        answer = self._helm.send("takeoff", self._config.takeoff_s)
        told = self._helm.listen()
        if answer.ok or (told is not None and told.height_m > _AIRBORNE_M):
            self._helm.settle()
            self._helm.note_height()
            return
        if answer.timed_out:  # it may be about to
            down = self._helm.land()
            text = "take-off was not answered" + ("" if down else ", nor was landing")
            raise DroneError(FlightReason.NO_ANSWER, text)
        raise DroneError(_reason_of(answer), answer.text)

    def _rehearse(self) -> Iterator[FlightStatus | Look]:
        look = self._look()
        if look is not None:
            yield look
        text = f"{self._planned} way-points; nothing was sent to the motors"
        yield self._enter(Phase.REHEARSED, FlightReason.DONE, text)

    def _survey(self) -> Iterator[FlightStatus | Look]:
        yield self._enter(Phase.SURVEYING)
        verdict = self._climb()
        while verdict.action is Action.GO_ON and (self._queue or self._wishes):
            if self._hold_asked:
                verdict = yield from self._hover()
            else:
                verdict = yield from self._visit(self._wishes or self._queue)
        yield from self._come_down(verdict)

    def _visit(self, goals: deque[Point]) -> Generator[FlightStatus | Look, None, Verdict]:
        """Fly to the first of some goals and look; a goal behind the fence is left out."""
        place = goals[0]
        verdict = self._go_to(place)
        if verdict == _HELD:
            return _GO_ON
        goals.popleft()
        if verdict.action is not Action.GO_ON:
            return verdict
        if verdict.reason is FlightReason.GEOFENCE:
            yield self._enter(Phase.SURVEYING, verdict.reason, verdict.text)
            return _GO_ON
        look = self._look()
        if look is None:
            verdict = self._judge()  # with the link the video is gone, too
            stopped = Verdict(Action.LAND, FlightReason.NO_VIDEO, "the video stopped")
            return stopped if verdict.action in (Action.GO_ON, Action.RETURN) else verdict
        self._visited += goals is self._queue
        yield look
        yield self._enter(Phase.SURVEYING)
        return self._judge()

    def _hover(self) -> Generator[FlightStatus, None, Verdict]:
        yield self._enter(Phase.HOLDING, FlightReason.OPERATOR)
        verdict = self._judge()
        while self._hold_asked and verdict.action is Action.GO_ON:
            self._helm.keep_alive()
            verdict = self._judge()
        yield self._enter(Phase.SURVEYING)
        return verdict

    def _come_down(self, verdict: Verdict) -> Iterator[FlightStatus]:
        """Return home if that is allowed, and land; or wait for a lost link."""
        if verdict.action is Action.GO_ON:
            verdict = Verdict(Action.RETURN, FlightReason.DONE)
        if verdict.action is Action.RETURN:
            yield self._enter(Phase.RETURNING, verdict.reason, verdict.text)
            way = self._go_to(self._home, returning=True)
            if way.action in (Action.LAND, Action.RECONNECT):
                verdict = way
        if verdict.action is Action.RECONNECT:
            yield self._enter(Phase.RECONNECTING, verdict.reason, verdict.text)
            if not self._helm.reconnect():
                text = "not heard again: it lands by itself 15 s after its last command"
                yield self._enter(Phase.LINK_LOST, FlightReason.LINK_LOST, text)
                return
        yield self._enter(Phase.LANDING, verdict.reason, verdict.text)
        if self._helm.land():
            yield self._enter(Phase.LANDED, verdict.reason, verdict.text)
        else:
            text = f"landing ({verdict.reason.value}) was not answered"
            yield self._enter(Phase.LINK_LOST, FlightReason.LINK_LOST, text)

    # -- parts of it ------------------------------------------------------------------------

    def _judge(self) -> Verdict:
        helm = self._helm
        helm.age()
        if self._land_asked:
            return Verdict(Action.LAND, FlightReason.OPERATOR)
        told = helm.listen()
        return judge(told, helm.known, self.plan.fence, self._config, self._clock.now())

    def _climb(self) -> Verdict:
        verdict = self._judge()
        if verdict.action is not Action.GO_ON:
            return verdict
        return self._motion(0.0, 0.0)

    def _go_to(self, place: Point, returning: bool = False) -> Verdict:
        """Fly to a place in legs, each from where the drone then believes to be.

        Returning, a battery that is low is no reason to turn back, and nobody may hold.
        """
        for _ in range(_MAX_LEGS):
            verdict = self._judge()
            if verdict.action is Action.RETURN and returning:
                verdict = _GO_ON
            if verdict.action is not Action.GO_ON:
                return verdict
            if self._hold_asked and not returning:
                return _HELD
            here = (self._helm.known.pose.x, self._helm.known.pose.y)
            keep = margin(self._helm.known, self._config)
            goal = self.plan.fence.drawn_in(place, keep)
            legs = split_leg(here, goal or place, self._config.max_leg_m, MIN_STEP_M)
            if goal is not None and not legs:
                return _GO_ON
            if goal is None or not self.plan.fence.holds(here, legs[0], keep):
                text = f"{place[0]:.2f}, {place[1]:.2f} is too near to the fence, or behind it"
                return Verdict(Action.GO_ON, FlightReason.GEOFENCE, text)
            ahead, left = self._in_own_frame(here, legs[0])
            if max(abs(ahead), abs(left)) < MIN_STEP_M:
                return _GO_ON
            verdict = self._motion(ahead, left)
            low = verdict.action is Action.RETURN and returning
            if verdict.action is not Action.GO_ON and not low:
                return verdict
        return Verdict(Action.LAND, FlightReason.LOST, f"does not get to {place}")

    def _in_own_frame(self, here: Point, there: Point) -> tuple[float, float]:
        yaw = self._helm.known.pose.yaw
        dx, dy = there[0] - here[0], there[1] - here[1]
        cos, sin = math.cos(yaw), math.sin(yaw)
        return cos * dx + sin * dy, cos * dy - sin * dx

    def _motion(self, ahead: float, left: float) -> Verdict:
        """Fly one leg, at the survey's height, and judge the situation after it."""
        told = self._helm.listen()
        rise = 0.0 if told is None else self._config.altitude_m - told.height_m
        answer, rests = self._helm.go(ahead, left, rise)
        if not rests:
            return Verdict(Action.LAND, FlightReason.UNSETTLED, "it does not come to rest")
        verdict = self._judge()
        if verdict.action is Action.GO_ON and not (answer.ok or answer.timed_out):
            return Verdict(Action.LAND, _reason_of(answer), answer.text)
        return verdict

    def _look(self) -> Look | None:
        """Take a picture, correct the place by known tags, find containers; None without one."""
        self._clock.sleep(self._config.settle_s)
        shot = self._helm.fresh_shot()
        if shot is None:
            return None
        self._helm.age()
        plan, observer, helm = self.plan, self.plan.observer, self._helm
        tags = find_tags(shot.picture, plan.family) if plan.tags or observer.tagged else []
        height = helm.known.pose.z
        seen = locate(tags, plan.tags, observer.camera, height, observer.attitude_rad)
        if seen is not None:
            helm.known = corrected(helm.known, seen)
        used = tuple(tag.id for tag in tags if seen is not None and tag.id in plan.tags)
        found = tuple(observer.look(shot.picture, helm.known, tags))
        return Look(self._clock.now(), helm.known, found, used, shot)


def _reason_of(answer: Answer) -> FlightReason:
    """Return what kind of refusal an answer is."""
    return FlightReason.NO_IMU if "imu" in answer.text.lower() else FlightReason.REFUSED

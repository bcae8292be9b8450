"""One drone in hand: commands that are sent once, rest that is waited for, a place that is kept."""

from __future__ import annotations

import math
from typing import Protocol

from adm_core.aerial.config import FlightConfig
from adm_core.aerial.drone import Answer, Drone, Shot, Telemetry
from adm_core.aerial.estimate import Whereabouts, hovered, moved

#: The Tello flies no shorter way than this along its longest axis, and no longer one.
MIN_STEP_M, MAX_STEP_M = 0.20, 5.0
_POLL_S = 0.05
_TICK_S = 0.1  # between two state packets
_RESTING_M_S = 0.05
_SETTLE_S = 6.0  # what has not come to rest by then is in trouble
_LANDED_M = 0.15
_LANDINGS = 3
_DOWN_M_S = 0.2  # slowest landing


class Clock(Protocol):
    """Time of the flight."""

    def now(self) -> float:
        """Return the time, seconds."""

    def sleep(self, seconds: float) -> None:
        """Let time pass."""


class Helm:
    """Moves a drone and keeps track of where it is.

    Parameters
    ----------
    drone : Drone
        What is flown.
    start : Whereabouts
        Where it stands.
    config : FlightConfig
        Limits.
    clock : Clock
        Time.

    Attributes
    ----------
    known : Whereabouts
        Where it believes to be.
    told : Telemetry or None
        What it told last.
    interrupted : bool
        Whether a motion was broken off: nobody knows how far it got.
    """

    def __init__(
        self, drone: Drone, start: Whereabouts, config: FlightConfig, clock: Clock
    ) -> None:
        self.known = start
        self.told: Telemetry | None = None
        self.interrupted = False
        self._drone, self._config, self._clock = drone, config, clock
        self._since = self._last_command = clock.now()
        self._number = -1

    def listen(self) -> Telemetry | None:
        """Return what the drone told last."""
        self.told = self._drone.telemetry(self._clock.now()) or self.told
        return self.told

    @property
    def in_touch(self) -> bool:
        """Whether it has told something lately."""
        told = self.listen()
        return told is not None and self._clock.now() - told.stamp <= self._config.link_s

    def send(self, text: str, patience_s: float) -> Answer:
        """Send a command once."""
        answer = self._drone.command(text, patience_s)
        self._last_command = self._clock.now()
        self.listen()
        return answer

    def age(self) -> None:
        """Let the uncertainty grow up to now."""
        now = self._clock.now()
        self.known = hovered(self.known, now - self._since, self._config.drift_m)
        self._since = now

    def keep_alive(self) -> None:
        """Say something if nothing was said for a while: silence makes the drone land."""
        if self._clock.now() - self._last_command >= self._config.keepalive_s:
            self.send("keepalive", self._config.answer_s)
        self._clock.sleep(_TICK_S)

    # -- motion -----------------------------------------------------------------------------

    def go(self, ahead_m: float, left_m: float, up_m: float) -> tuple[Answer, bool]:
        """Send one motion in the drone's own frame; return its answer, and whether it rests.

        A motion is relative: sent twice it would be flown twice. So it is sent once, and where
        the answer is missing the estimate holds all places of the way.
        """
        config = self._config
        way = [_centimetres(value) for value in (ahead_m, left_m, up_m)]
        if max(map(abs, way)) < round(100 * MIN_STEP_M):
            return Answer(True, "too short to be flown"), True
        speed = max(10, min(100, round(100 * config.speed_m_s)))
        patience = math.hypot(*way) / speed + config.answer_s
        answer = self.send(f"go {way[0]} {way[1]} {way[2]} {speed}", patience)
        rests = self.settle()
        self.age()
        if answer.ok or answer.timed_out:
            turn = math.radians(config.heading_error_deg)
            ahead, left = way[0] / 100, way[1] / 100
            unsure = answer.timed_out or self.interrupted
            self.known = moved(self.known, ahead, left, config.motion_error, turn, unsure)
        self.note_height()
        return answer, rests

    def note_height(self) -> None:
        """Take the height over from what the drone tells."""
        told = self.listen()
        if told is not None:
            self.known = self.known.at_height(told.height_m)

    def settle(self) -> bool:
        """Wait until the drone has told twice that it rests; True too if it tells nothing.

        An answer may be late and belong to the command before: rest is what counts.
        """
        end = self._clock.now() + _SETTLE_S
        heard, calm = self._clock.now(), 0
        while self._clock.now() < end:
            if not self.in_touch:
                return True  # others decide what a lost link means
            told = self.told
            if told is not None and told.stamp > heard:
                heard = told.stamp
                calm = calm + 1 if told.speed_m_s <= _RESTING_M_S else 0
            if calm >= 2:
                return True
            self._clock.sleep(_TICK_S)
        return False

    def land(self) -> bool:
        """Land; return whether the drone said, or shows, that it is down. Repeating is harmless."""
        told = self.listen()
        height = told.height_m if told is not None else self.known.pose.z
        for _ in range(_LANDINGS):
            answer = self.send("land", height / _DOWN_M_S + self._config.answer_s)
            if answer.ok or (self.in_touch and self._is_down()):
                self.note_height()
                return True
        return False

    def _is_down(self) -> bool:
        return self.told is not None and self.told.height_m <= _LANDED_M

    def reconnect(self) -> bool:
        """Call until the drone answers and tells; False if it does not in time."""
        end = self._clock.now() + self._config.reconnect_s
        while self._clock.now() < end:
            if self.send("command", 1.0).ok and self.in_touch:
                return True
            self._clock.sleep(_TICK_S)
        return False

    # -- pictures ---------------------------------------------------------------------------

    def fresh_shot(self) -> Shot | None:
        """Return a picture that comes from now on; None if there is none in time."""
        last = self._drone.shot()
        number = self._number if last is None else max(last.number, self._number)
        end = self._clock.now() + self._config.picture_timeout_s
        while self._clock.now() < end:
            shot = self._drone.shot()
            if shot is not None and shot.number > number:
                self._number = shot.number
                return shot
            self.listen()  # what is noticed late would seem to have just come
            self._clock.sleep(_POLL_S)
        return None


def _centimetres(metres: float) -> int:
    most = round(100 * MAX_STEP_M)
    return max(-most, min(most, round(100 * metres)))

"""Visual servo: move the base until the target is centred at the grasping distance.

A pure controller: sightings and times in, velocities and a typed state out. It never moves on
an old picture.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from adm_core.config import Config, param

_STOP_M = 1e-6


class Twist(NamedTuple):
    """Velocity of the base in its own frame: metres and radians per second."""

    ahead: float = 0.0
    left: float = 0.0
    turn: float = 0.0


class ServoState(str, Enum):
    """Where an approach stands; all but RUNNING are ends."""

    RUNNING = "running"
    CENTRED = "centred"
    LOST = "lost"  # pictures arrive, the target is not in them
    BLOCKED = "blocked"  # commands at work, the error does not get smaller
    NO_PICTURES = "no_pictures"  # the watchdog: the camera is silent
    TIMEOUT = "timeout"


@dataclass(frozen=True)
class ServoConfig(Config):
    """Parameters of the visual servo."""

    base: str = param("mecanum", "how the base moves", choices=("mecanum", "differential"))
    standoff_m: float = param(0.35, "where the target shall be ahead", unit="m", min=0.1, max=1.0)
    tolerance_m: float = param(0.012, "largest error that counts as centred", unit="m", min=0.001)
    settle: int = param(2, "pictures in a row that must be centred", min=1)
    gain: float = param(1.2, "speed per error", unit="1/s", min=0.01)
    turn_gain: float = param(1.8, "turning speed per heading error", unit="1/s", min=0.01)
    max_speed_m_s: float = param(0.15, "largest speed", unit="m/s", min=0.01, max=0.6)
    max_turn_rad_s: float = param(0.8, "largest turning speed", unit="rad/s", min=0.05)
    max_accel_m_s2: float = param(0.5, "largest change of speed", unit="m/s2", min=0.01)
    fresh_s: float = param(0.5, "age from which a picture moves nothing", unit="s", min=0.01)
    silent_s: float = param(2.0, "silence of the camera that ends it", unit="s", min=0.05)
    lost_s: float = param(1.5, "time without the target that ends it", unit="s", min=0.05)
    blocked_s: float = param(3.0, "time without progress that ends it", unit="s", min=0.1)
    progress_m: float = param(0.004, "what counts as progress", unit="m", min=0.0001)
    timeout_s: float = param(20.0, "longest approach", unit="s", min=0.1)


@dataclass(frozen=True)
class Sighting:
    """What one picture says.

    Attributes
    ----------
    stamp : float
        When it was taken, seconds.
    target : (float, float) or None
        Target ahead and to the left, metres in the robot's frame; None: looked, not there.
    """

    stamp: float
    target: tuple[float, float] | None


@dataclass(frozen=True)
class ServoStep:
    """Answer of one control step: what to drive, and where the approach stands."""

    twist: Twist
    state: ServoState
    error_m: float


class VisualServo:
    """One approach to one target.

    Parameters
    ----------
    config : ServoConfig
        Base type, gains, limits.
    now : float
        Start in seconds.
    yaw : float
        Heading to hold with a mecanum base, radians.
    """

    def __init__(self, config: ServoConfig, now: float, yaw: float = 0.0) -> None:
        self.config = config
        self._yaw = yaw
        self._started = self._looked = self._seen = self._advanced = now
        self._stepped = now
        self._last_stamp = -math.inf
        self._target: tuple[float, float] | None = None
        self._twist = Twist()
        self._centred = 0
        self._least = math.inf

    def step(self, sighting: Sighting | None, now: float, yaw: float = 0.0) -> ServoStep:
        """Return the velocity until the next step.

        Parameters
        ----------
        sighting : Sighting or None
            Newest picture, or None if there is none yet; the same one may be given again.
        now : float
            Present time in seconds, not before the last step.
        yaw : float
            Present heading in radians; only a mecanum base reads it.

        Raises
        ------
        ValueError
            If time runs backwards, or a target or stamp is not finite.
        """
        if not now >= self._stepped:
            raise ValueError(f"now must be >= {self._stepped} s, got {now}")
        if sighting is not None:
            self._look(sighting)
        error = self._error()
        state = self._state(error, now)
        wanted = Twist()
        fresh = now - self._looked <= self.config.fresh_s
        if state is ServoState.RUNNING and self._target and fresh:
            wanted = self._drive(self._target, math.remainder(self._yaw - yaw, 2 * math.pi))
        self._twist = self._limited(wanted, now) if state is ServoState.RUNNING else Twist()
        self._stepped = now
        return ServoStep(self._twist, state, error)

    def _look(self, sighting: Sighting) -> None:
        place = sighting.target or (0.0, 0.0)
        if not all(map(math.isfinite, (sighting.stamp, *place))):
            raise ValueError(f"sighting must be finite, got {sighting}")
        if sighting.stamp <= self._last_stamp:
            return
        self._last_stamp = self._looked = sighting.stamp
        self._target = sighting.target
        if sighting.target is None:
            self._centred = 0
            return
        self._seen = sighting.stamp
        error = self._error()
        self._centred = self._centred + 1 if error <= self.config.tolerance_m else 0
        if error < self._least - self.config.progress_m:
            self._least, self._advanced = error, sighting.stamp

    def _error(self) -> float:
        if self._target is None:
            return math.inf
        ahead, left = self._target
        if self.config.base == "mecanum":
            return math.hypot(ahead - self.config.standoff_m, left)
        away = math.hypot(ahead, left) - self.config.standoff_m
        return math.hypot(away, self.config.standoff_m * math.atan2(left, ahead))

    def _state(self, error: float, now: float) -> ServoState:
        config = self.config
        if self._centred >= config.settle:
            return ServoState.CENTRED
        if now - self._started > config.timeout_s:
            return ServoState.TIMEOUT
        if now - max(self._looked, self._started) > config.silent_s:
            return ServoState.NO_PICTURES
        if self._looked - self._seen > config.lost_s:  # by pictures, not by their absence
            return ServoState.LOST
        if now - self._advanced > config.blocked_s and error > config.tolerance_m:
            return ServoState.BLOCKED
        return ServoState.RUNNING

    def _drive(self, target: tuple[float, float], yaw_error: float) -> Twist:
        ahead, left = target
        config = self.config
        if config.base == "mecanum":
            speed = (config.gain * (ahead - config.standoff_m), config.gain * left)
            scale = _scale(math.hypot(*speed), config.max_speed_m_s)
            turn = _clamped(config.turn_gain * yaw_error, config.max_turn_rad_s)
            return Twist(speed[0] * scale, speed[1] * scale, turn)
        heading = math.atan2(left, ahead)
        turn = _clamped(config.turn_gain * heading, config.max_turn_rad_s)
        away = config.gain * (math.hypot(ahead, left) - config.standoff_m)
        # Turn first: while the target is far to the side, driving would lead past it.
        share = max(0.0, math.cos(min(abs(2 * heading), math.pi / 2)))
        return Twist(_clamped(away, config.max_speed_m_s) * share, 0.0, turn)

    def _limited(self, wanted: Twist, now: float) -> Twist:
        """Return the wanted velocity as far as the acceleration allows; stopping is free."""
        change = self.config.max_accel_m_s2 * max(now - self._stepped, 0.0)
        if math.hypot(wanted.ahead, wanted.left) < _STOP_M:
            return wanted
        ahead, left = (
            last + _clamped(goal - last, change)
            for last, goal in zip(self._twist[:2], wanted[:2], strict=True)
        )
        return Twist(ahead, left, wanted.turn)


def _clamped(value: float, limit: float) -> float:
    return max(-limit, min(limit, value))


def _scale(length: float, limit: float) -> float:
    return 1.0 if length <= limit else limit / length

"""Flight of a pretended drone: body, attitude, battery; advanced by small steps of time."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
import numpy.typing as npt

from adm_core.aerial.estimate import Pose3

Floats = npt.NDArray[np.float64]

_ORIGIN = Pose3(0.0, 0.0, 0.0, 0.0)
_GRAVITY = 9.81
_TAKEOFF_M = 0.8
_CLIMB_M_S, _DESCENT_M_S = 0.7, 0.5
_ACCELERATION = 2.0
_REACHED_M, _REACHED_M_S = 0.02, 0.04
_LAG_S = 0.15  # of the attitude
_TURN_RAD_S = math.radians(90)


class Mode(Enum):
    """What the motors do."""

    OFF = 0
    RISING = 1
    FLYING = 2
    SINKING = 3


@dataclass
class TelloBody:
    """A drone of about 90 g that goes where it is told, more or less.

    Parameters
    ----------
    place : Pose3
        Where it stands in the world.
    battery : float
        Percent.
    endurance_s : float
        How long a full battery flies.
    stretch : float
        Share by which its motions are too long (negative: too short).
    drift_m_s : (float, float)
        Draught that carries it along in the world frame while it flies.
    silence_s : float
        Without a command for so long it lands.
    """

    place: Pose3 = _ORIGIN
    battery: float = 100.0
    endurance_s: float = 780.0
    stretch: float = 0.0
    drift_m_s: tuple[float, float] = (0.0, 0.0)
    silence_s: float = 15.0
    mode: Mode = field(default=Mode.OFF, init=False)
    now: float = field(default=0.0, init=False)
    flown_s: float = field(default=0.0, init=False)
    heard: float = field(default=0.0, init=False)
    velocity: Floats = field(default_factory=lambda: np.zeros(3), init=False)
    acceleration: Floats = field(default_factory=lambda: np.zeros(3), init=False)
    pitch: float = field(default=0.0, init=False)
    roll: float = field(default=0.0, init=False)
    sticks: tuple[float, float, float, float] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.position = np.array(self.place[:3], float)
        self.yaw = self.yaw_at_start = self.place.yaw
        self._goal = self.position.copy()
        self._goal_yaw = self.yaw
        self._speed = 0.5
        self._floor = self.place.z

    # -- orders -----------------------------------------------------------------------------

    @property
    def pose(self) -> Pose3:
        """Where it is."""
        x, y, z = map(float, self.position)
        return Pose3(x, y, z, self.yaw)

    @property
    def height_m(self) -> float:
        """Over the place of take-off."""
        return float(self.position[2]) - self._floor

    @property
    def airborne(self) -> bool:
        """Whether it flies."""
        return self.mode is not Mode.OFF

    @property
    def rests(self) -> bool:
        """Whether the last order is done."""
        if self.mode is Mode.OFF:
            return True
        near = np.linalg.norm(self._goal - self.position) < _REACHED_M
        return bool(
            self.mode is Mode.FLYING
            and near
            and np.linalg.norm(self.velocity) < _REACHED_M_S
            and abs(self._goal_yaw - self.yaw) < 0.01
        )

    def take_off(self) -> None:
        """Rise to the height of hovering."""
        self.mode, self.sticks = Mode.RISING, None
        self._goal = self.position + np.array([0.0, 0.0, _TAKEOFF_M])
        self._goal_yaw, self._speed = self.yaw, _CLIMB_M_S

    def land(self) -> None:
        """Sink to the floor."""
        if self.airborne:
            self.mode, self.sticks = Mode.SINKING, None
            self._goal = np.array([*self.position[:2], self._floor - 0.05])
            self._speed = _DESCENT_M_S

    def go(self, ahead_m: float, left_m: float, up_m: float, speed_m_s: float) -> None:
        """Fly a way in its own frame."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        way = np.array([c * ahead_m - s * left_m, s * ahead_m + c * left_m, up_m])
        way[:2] *= 1 + self.stretch
        self._goal, self.sticks = self.position + way, None
        self._speed = speed_m_s

    def turn(self, left_rad: float) -> None:
        """Turn on the spot."""
        self._goal, self.sticks = self.position.copy(), None
        self._goal_yaw = self.yaw + left_rad

    def stop(self) -> None:
        """Hover here."""
        self._goal, self._goal_yaw, self.sticks = self.position.copy(), self.yaw, None

    def cut(self) -> None:
        """Motors off: it falls."""
        self.mode, self.sticks = Mode.OFF, None
        self.position[2] = self._floor
        self.velocity = np.zeros(3)

    # -- physics ----------------------------------------------------------------------------

    def step(self, dt: float) -> None:
        """Let time pass."""
        self.now += dt
        self.battery = max(0.0, self.battery - dt * self._drain())
        if not self.airborne:
            return
        self.flown_s += dt
        if self.battery < 5.0 or self.now - self.heard > self.silence_s:
            self.land()
        before = self.velocity
        self._accelerate(dt)
        drift = np.array([*self.drift_m_s, 0.0])
        self.position = self.position + (self.velocity + drift) * dt
        self._goal = self._goal + drift * dt  # it does not notice that it is carried along
        self.acceleration = (self.velocity - before) / dt
        self._lean(dt)
        self._turn(dt)
        if self.mode is Mode.RISING and self._goal[2] - self.position[2] < _REACHED_M:
            self.mode = Mode.FLYING
        if self.position[2] <= self._floor and self.mode is Mode.SINKING:
            self.cut()

    def _drain(self) -> float:
        """Return percent per second: hovering, and more when it is fast."""
        if not self.airborne:
            return 0.01
        return 100.0 / self.endurance_s * (1 + 0.3 * float(np.linalg.norm(self.velocity)))

    def _accelerate(self, dt: float) -> None:
        wanted = self._wanted_velocity()
        change = wanted - self.velocity
        most = _ACCELERATION * dt
        size = float(np.linalg.norm(change))
        self.velocity = self.velocity + (change if size <= most else change * most / size)

    def _wanted_velocity(self) -> Floats:
        """Return a velocity that ends at the goal: fast far away, braking in time."""
        if self.sticks is not None:
            right, ahead, up, _ = self.sticks
            c, s = math.cos(self.yaw), math.sin(self.yaw)
            return np.array([c * ahead + s * right, s * ahead - c * right, up])
        way = self._goal - self.position
        away = float(np.linalg.norm(way))
        if away < 1e-9:
            return np.zeros(3)
        speed = min(self._speed, math.sqrt(1.2 * _ACCELERATION * away), 4.0 * away)
        return way * speed / away

    def _lean(self, dt: float) -> None:
        """Lean into the acceleration, with a lag; nose down is negative pitch."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        ahead = c * self.acceleration[0] + s * self.acceleration[1]
        left = -s * self.acceleration[0] + c * self.acceleration[1]
        share = min(1.0, dt / _LAG_S)
        self.pitch += share * (-math.atan2(ahead, _GRAVITY) - self.pitch)
        self.roll += share * (-math.atan2(left, _GRAVITY) - self.roll)

    def _turn(self, dt: float) -> None:
        if self.sticks is not None:
            self.yaw -= self.sticks[3] * dt  # the stick's right is clockwise
            self._goal_yaw = self.yaw
            return
        most = _TURN_RAD_S * dt
        self.yaw += max(-most, min(most, self._goal_yaw - self.yaw))

    def state_line(self, imu: bool = True) -> str:
        """Return the state packet; angles in degrees (clockwise), dm/s, cm."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        vx, vy, vz = self.velocity
        ahead, right = c * vx + s * vy, s * vx - c * vy
        yaw = math.degrees(math.remainder(self.yaw_at_start - self.yaw, 2 * math.pi))
        acceleration = self.acceleration * 1000 / _GRAVITY
        fields = {
            "pitch": round(math.degrees(self.pitch)) if imu else 0,
            "roll": round(math.degrees(self.roll)) if imu else 0,
            "yaw": round(yaw) if imu else 0,
            "vgx": round(10 * ahead),
            "vgy": round(10 * right),
            "vgz": round(-10 * vz),
            "templ": 60,
            "temph": 63,
            "tof": max(10, round(100 * self.position[2])),
            "h": round(100 * self.height_m),
            "bat": int(self.battery),
            "baro": f"{120.0 + self.position[2]:.2f}",
            "time": round(self.flown_s),
            "agx": f"{acceleration[0]:.2f}",
            "agy": f"{acceleration[1]:.2f}",
            "agz": f"{-1000 - acceleration[2]:.2f}",
        }
        return "".join(f"{key}:{value};" for key, value in fields.items()) + "\r\n"

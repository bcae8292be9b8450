"""The drone's text commands: what each does to the body, and what is answered."""

from __future__ import annotations

import math
from collections.abc import Callable

from adm_core.testing.tello_flight import Mode, TelloBody

OK, UNKNOWN, RANGE = "ok", "unknown command: ", "out of range"
NOT_FLYING, BUSY, MOTOR, NO_IMU = (
    "error Not flying",
    "error",
    "error Motor stop",
    "error No valid imu",
)
#: Commands that are never answered.
SILENT = ("rc", "emergency")
_LEAST_BATTERY = 10.0

_AXES = {
    "forward": (1, 0, 0),
    "back": (-1, 0, 0),
    "left": (0, 1, 0),
    "right": (0, -1, 0),
    "up": (0, 0, 1),
    "down": (0, 0, -1),
}
_SET = ("setfps", "setbitrate", "setresolution", "downvision", "speed", "port", "mon", "moff")
_SET_ALSO = ("keepalive", "motoron", "motoroff")


def read(body: TelloBody, word: str) -> str | None:
    """Return the answer to a question, or None if it is none."""
    answers: dict[str, Callable[[], str]] = {
        "battery?": lambda: str(int(body.battery)),
        "time?": lambda: f"{round(body.flown_s)}s",
        "height?": lambda: f"{round(10 * body.height_m)}dm",
        "temp?": lambda: "60~63",
        "attitude?": lambda: (
            f"pitch:{round(math.degrees(body.pitch))};roll:{round(math.degrees(body.roll))};"
            f"yaw:{round(math.degrees(body.yaw_at_start - body.yaw))};"
        ),
        "baro?": lambda: f"{120 + body.position[2]:.2f}",
        "tof?": lambda: f"{round(1000 * body.position[2])}mm",
        "wifi?": lambda: "90",
        "sdk?": lambda: "20",
        "sn?": lambda: "0TQDG00EDB0000",
        "speed?": lambda: "100.0",
    }
    return answers[word]() if word in answers else None


def begin(body: TelloBody, text: str, no_imu: bool = False) -> str | None:
    """Begin what a command asks for; return its answer, or None where it comes once it is done."""
    word, *rest = text.split()
    if word.endswith("?"):
        return read(body, word) or UNKNOWN + text
    if word in _SET or word in _SET_ALSO:
        return OK
    if word == "takeoff":
        return _take_off(body, no_imu)
    if word == "land":
        return _land(body)
    if word in ("stop", "emergency", "rc"):
        return _at_once(body, word, rest)
    if word in (*_AXES, "go", "cw", "ccw", "flip", "curve"):
        return _move(body, word, rest, no_imu)
    return UNKNOWN + text


def _take_off(body: TelloBody, no_imu: bool) -> str | None:
    if no_imu:
        return NO_IMU
    if body.battery < _LEAST_BATTERY or body.airborne:
        return MOTOR if body.battery < _LEAST_BATTERY else BUSY
    body.take_off()
    return None


def _land(body: TelloBody) -> str | None:
    if not body.airborne:
        return BUSY
    body.land()
    return None


def _at_once(body: TelloBody, word: str, rest: list[str]) -> str | None:
    if word == "emergency":
        body.cut()
    elif word == "stop":
        body.stop()
    elif body.mode is Mode.FLYING and len(rest) == 4:
        body.sticks = _sticks(rest)
    return OK


def _sticks(rest: list[str]) -> tuple[float, float, float, float]:
    """Return stick positions as metres and radians a second: right, ahead, up, clockwise."""
    right, ahead, up, turn = (max(-100, min(100, int(item))) / 100 for item in rest)
    return right, ahead, up, turn * math.radians(100)


def _move(body: TelloBody, word: str, rest: list[str], no_imu: bool) -> str | None:
    try:
        numbers = [int(item) for item in rest if word != "flip"]
    except ValueError:
        return RANGE
    if body.mode is not Mode.FLYING:
        return NOT_FLYING if body.mode is Mode.OFF else BUSY
    if no_imu:
        return NO_IMU
    if word in ("flip", "curve"):
        return OK  # not flown here
    if word in ("cw", "ccw"):
        if len(numbers) != 1 or not 1 <= numbers[0] <= 3600:
            return RANGE
        body.turn(math.radians(numbers[0]) * (-1 if word == "cw" else 1))
        return None
    if word == "go":
        return _go(body, numbers)
    if len(numbers) != 1 or not 20 <= numbers[0] <= 500:
        return RANGE
    ahead, left, up = (axis * numbers[0] / 100 for axis in _AXES[word])
    body.go(ahead, left, up, 0.5)
    return None


def _go(body: TelloBody, numbers: list[int]) -> str | None:
    if len(numbers) != 4 or not 10 <= numbers[3] <= 100:
        return RANGE
    way = numbers[:3]
    if max(map(abs, way)) > 500 or max(map(abs, way)) < 20:
        return RANGE
    ahead, left, up = (value / 100 for value in way)
    body.go(ahead, left, up, numbers[3] / 100)
    return None

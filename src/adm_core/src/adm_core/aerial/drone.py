"""What a pilot needs of a drone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt


class Answer(NamedTuple):
    """Answer to a command; `ok` is False for an error and where none came in time."""

    ok: bool
    text: str
    timed_out: bool = False


@dataclass(frozen=True, slots=True)
class Telemetry:
    """What the drone tells about itself.

    Attributes
    ----------
    stamp : float
        When it was received, seconds of the pilot's clock.
    height_m : float
        Over the place of take-off.
    battery : int
        Percent.
    yaw_rad : float
        Heading, counter-clockwise, from the heading at power-on.
    speed_m_s : float
        Magnitude of the velocity.
    """

    stamp: float
    height_m: float
    battery: int
    yaw_rad: float
    speed_m_s: float


class Shot(NamedTuple):
    """A picture of the video and its number; a new picture has another number."""

    number: int
    picture: npt.NDArray[np.uint8]  # blue, green, red


class Drone(Protocol):
    """A drone that takes text commands, one at a time.

    All calls come from one thread, but for :meth:`interrupt`.
    """

    def connect(self) -> None:
        """Get in touch; raise DroneError if that fails."""

    def start_video(self) -> None:
        """Make pictures come; raise DroneError (no_video) if none does."""

    def command(self, text: str, timeout_s: float) -> Answer:
        """Send a command once and wait for its answer."""

    def interrupt(self) -> None:
        """Stop moving and hover, at once; from any thread, while a command is waited for."""

    def telemetry(self, now: float) -> Telemetry | None:
        """Return what was told last, or None if nothing was yet."""

    def shot(self) -> Shot | None:
        """Return the newest picture, or None if there was none yet."""

    def close(self) -> None:
        """Let go; safe to repeat."""

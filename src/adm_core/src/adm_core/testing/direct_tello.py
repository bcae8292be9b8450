"""The pretended drone without sockets: for pilots under test, in time that a test lets pass."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from adm_core.aerial.drone import Answer, Shot, Telemetry
from adm_core.aerial.errors import DroneError, FlightReason
from adm_core.aerial.estimate import Pose3
from adm_core.testing import tello_commands
from adm_core.testing.tello_faults import Fault, Faults
from adm_core.testing.tello_flight import Mode, TelloBody
from adm_core.testing.tello_scene import Scene

_STEP_S = 0.02
_STATE_S = 0.1


class DirectTello:
    """A :class:`~adm_core.aerial.drone.Drone` and its clock in one: time passes when it is used.

    Parameters
    ----------
    scene : callable, optional
        Picture from a pose; without one there is no video.
    faults : iterable of Fault
        What goes wrong; a late answer is one that does not come in time.
    body : TelloBody, optional
        What flies.

    Attributes
    ----------
    commands : list of str
        What was sent.
    track : list of (Pose3, bool)
        Where it was at every step, and whether it flew.
    """

    def __init__(
        self,
        scene: Scene | None = None,
        faults: Iterable[Fault] = (),
        body: TelloBody | None = None,
    ) -> None:
        self.faults = Faults(faults)
        self.body = body or TelloBody()
        battery = self.faults.lasting("battery")
        if battery is not None:
            self.body.battery = battery.value
        self.commands: list[str] = []
        self.track: list[tuple[Pose3, bool]] = []
        self._scene = scene
        self._told: Telemetry | None = None
        self._flew_at: float | None = None

    # -- clock ------------------------------------------------------------------------------

    def now(self) -> float:
        """Return the drone's seconds."""
        return self.body.now

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        for _ in range(max(1, round(seconds / _STEP_S))):
            self.body.step(_STEP_S)
            self.track.append((self.body.pose, self.body.airborne))
            if not self._down("link") and self.faults.lasting("no_state") is None:
                self._tell()

    def _tell(self) -> None:
        if self._told is None or self.body.now - self._told.stamp >= _STATE_S - 1e-9:
            body = self.body
            speed = round(10 * float(np.linalg.norm(body.velocity))) / 10
            height = round(100 * body.height_m) / 100
            self._told = Telemetry(body.now, height, int(body.battery), body.yaw, speed)

    def _down(self, kind: str) -> bool:
        """Tell whether a fault that begins after take-off lasts now."""
        fault = self.faults.lasting(kind)
        if fault is None or (self._flew_at is None and fault.value > 0):
            return False
        since = self.body.now - (self._flew_at or 0.0)
        return fault.value <= since < fault.value + fault.length

    # -- drone ------------------------------------------------------------------------------

    def connect(self) -> None:
        """Answer, unless the link is down or it tells nothing."""
        self.sleep(0.2)
        if self._down("link"):
            raise DroneError(FlightReason.NO_ANSWER, "no link")
        if self._told is None:
            raise DroneError(FlightReason.NO_STATE, "no state packet")

    def start_video(self) -> None:
        """Fail if there is nothing to see."""
        if self._scene is None or self.faults.lasting("no_video") is not None:
            raise DroneError(FlightReason.NO_VIDEO, "no picture")

    def command(self, text: str, timeout_s: float) -> Answer:
        """Carry a command out, and answer when it is done."""
        self.commands.append(text)
        none = Answer(False, f"no answer to {text!r}", timed_out=True)
        fault = self.faults.of_command(text)
        kind = "" if fault is None else fault.kind
        if kind == "dropped" or self._down("link"):
            self.sleep(timeout_s)
            return none
        if fault is not None and kind == "error":
            return Answer(False, fault.text)
        self.body.heard = self.body.now
        answer = self._carry_out(text, timeout_s)
        if kind in ("lost", "late") or answer is None:
            return none
        if kind == "garbled":
            return Answer(False, "response decode error")
        return Answer(answer == tello_commands.OK or answer.isdigit(), answer)

    def _carry_out(self, text: str, timeout_s: float) -> str | None:
        """Return the answer, or None if it does not come in time."""
        if text == "command":
            return tello_commands.OK
        answer = tello_commands.begin(self.body, text, self.faults.lasting("no_imu") is not None)
        if answer is not None:
            return answer
        if text == "takeoff":
            self._flew_at = self.body.now
        end = self.body.now + timeout_s
        while not self.body.rests:
            self.sleep(_STEP_S)
            if self.body.now >= end or self._down("link"):
                self.sleep(max(0.0, end - self.body.now))
                return None
        return tello_commands.OK

    def interrupt(self) -> None:
        """Hover."""
        self.commands.append("stop")
        if self.body.mode is Mode.FLYING:
            self.body.stop()

    def telemetry(self, now: float) -> Telemetry | None:
        """Return what was told last."""
        return self._told

    def shot(self) -> Shot | None:
        """Return what it sees now, a new picture every tenth of a second."""
        if self._scene is None or self._down("link") or self._down("stop_video"):
            return None
        return Shot(int(self.body.now / _STATE_S), self._scene(self.body.pose))

    def close(self) -> None:
        """Nothing is held."""

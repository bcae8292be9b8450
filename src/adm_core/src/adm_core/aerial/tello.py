"""The Tello behind the package djitellopy, which is imported when a drone is connected."""

from __future__ import annotations

import logging
import math
import socket
from contextlib import suppress
from typing import Any

import numpy as np

from adm_core.aerial.drone import Answer, Shot, Telemetry
from adm_core.aerial.errors import DroneError, FlightReason
from adm_core.aerial.helm import Clock

#: State packets tell velocities in this unit (as users measured; the manual says cm/s).
_SPEED_UNIT_M_S = 0.1
_CONNECT_S = 2
_TRIES = 3
_STATE_S = 3.0
_POLL_S = 0.05
_readers: list[Any] = []
_NO_RESPONSE = "Aborting command"  # how djitellopy returns a time-out


class TelloDrone:
    """One Tello, used through djitellopy; all calls from one thread.

    djitellopy sends a control command up to three times. A motion is relative, and would be
    flown up to three times; so commands go through its ``send_command_with_return``, which sends
    once. Its queue of answers is emptied before each, and after an answer that did not come in
    time the two are brought back into step with a question whose answer is a number.

    Parameters
    ----------
    host : str
        Address of the drone.
    port : int
        Its command port.
    clock : Clock
        Time.
    """

    def __init__(self, host: str, port: int, clock: Clock) -> None:
        self._address = (host, port)
        self._clock = clock
        self._tello: Any = None
        self._frames: Any = None
        self._state: Any = None  # the last packet, by identity: djitellopy does not stamp them
        self._heard = -math.inf
        self._picture: Any = None
        self._number = 0
        self._out_of_step = False

    # -- connection -------------------------------------------------------------------------

    def connect(self) -> None:
        """Enter the drone's command mode, and wait until it tells its state.

        Raises
        ------
        DroneError
            Not installed, no answer, or no state.
        """
        if self._tello is None:
            self._tello = _make(*self._address)
        answer = Answer(False, "")
        for _ in range(_TRIES):  # to say it twice does no harm
            answer = self.command("command", _CONNECT_S)
            if answer.ok:
                break
        else:
            host, port = self._address
            raise DroneError(FlightReason.NO_ANSWER, f"{host}:{port}: {answer.text}")
        end = self._clock.now() + _STATE_S
        while self.telemetry(self._clock.now()) is None:
            if self._clock.now() > end:
                text = f"no state packet on UDP port 8890 from {self._address[0]}: a firewall?"
                raise DroneError(FlightReason.NO_STATE, text)
            self._clock.sleep(_POLL_S)

    def start_video(self) -> None:
        """Switch the video on; DroneError (no_video) if no picture can be read."""
        answer = self.command("streamon", _CONNECT_S)
        if not answer.ok:
            raise DroneError(FlightReason.NO_VIDEO, f"streamon: {answer.text}")
        self._tello.stream_on = True
        if self._frames is not None:
            return
        self._frames = self._patiently_open()
        self._picture = self._frames.frame  # an old one, or a black stand-in for the first

    def _patiently_open(self) -> Any:
        """Open the video; more than once, since a stream that begins badly needs longer."""
        trouble: Exception | None = None
        for _ in range(_TRIES):
            try:
                return _open_video(self._tello)
            except Exception as err:  # djitellopy lets PyAV's own errors through
                trouble = err
        text = f"no video on UDP port 11111: {trouble}"
        raise DroneError(FlightReason.NO_VIDEO, text) from trouble

    def close(self) -> None:
        """Switch the video off and forget the drone; safe to repeat, never waits for long."""
        tello, self._tello = self._tello, None
        if tello is None:
            return
        if tello.stream_on:
            _ask(tello, "streamoff", 1)
        # `end` would send both again, three times seven seconds each, to a drone that is gone.
        tello.is_flying = tello.stream_on = False
        tello.background_frame_read = None  # it is kept: see _open_video
        tello.end()
        self._frames = None

    # -- use --------------------------------------------------------------------------------

    def command(self, text: str, timeout_s: float) -> Answer:
        """Send a command once and wait for its answer."""
        if self._tello is None:
            return Answer(False, "not connected", timed_out=True)
        greeting = text == "command"  # its own late answer would do as well
        if self._out_of_step and not greeting:
            self._out_of_step = not self._resync()
        answer = _ask(self._tello, text, timeout_s)
        self._out_of_step = answer.timed_out or (self._out_of_step and greeting)
        return answer

    def interrupt(self) -> None:
        """Send ``stop``; its answer ends the wait for the motion that it breaks off."""
        tello = self._tello
        if tello is not None:
            with suppress(OSError):
                tello.send_command_without_return("stop")

    def _resync(self) -> bool:
        """Ask for the battery until its number comes: all that was late has come by then."""
        answer = _ask(self._tello, "battery?", 2)
        late = self._tello.get_own_udp_object()["responses"]
        end = self._clock.now() + 1.0
        while not answer.text.isdigit() and self._clock.now() < end:
            if late:
                answer = Answer(True, late.pop(0).decode("utf-8", "replace").strip())
            else:
                self._clock.sleep(_POLL_S)
        return answer.text.isdigit()

    def telemetry(self, now: float) -> Telemetry | None:
        """Return what was told last, stamped when it was noticed; None before the first."""
        if self._tello is None:
            return None
        state = self._tello.get_current_state()
        if state and state is not self._state:
            self._state, self._heard = state, now
        return None if self._state is None else _read(self._state, self._heard)

    def shot(self) -> Shot | None:
        """Return the newest picture."""
        if self._frames is None:
            return None
        frame = self._frames.frame
        if frame is not self._picture:
            self._picture = frame
            self._number += 1
        if self._number == 0:
            return None
        return Shot(self._number, np.ascontiguousarray(self._picture[..., ::-1]))  # RGB to BGR


def _make(host: str, port: int) -> Any:
    try:
        from djitellopy import Tello
    except ImportError as err:
        text = f"{err}; pip install djitellopy"
        raise DroneError(FlightReason.NOT_INSTALLED, text) from err
    Tello.LOGGER.setLevel(logging.ERROR)  # it is told twice as much as anybody reads
    try:
        tello = Tello(host=socket.gethostbyname(host))
    except OSError as err:
        text = f"{err}; the UDP ports 8889 and 8890 must be free, and {host} a known host"
        raise DroneError(FlightReason.NO_ANSWER, text) from err
    tello.address = (tello.address[0], port)
    return tello


def _open_video(tello: Any) -> Any:
    """Return djitellopy's reader of pictures, the same one for all flights of this process.

    A reader that is stopped lets its port go with the next picture only; without one it would
    hold it, and the next flight would be blind. Its port is the same for every drone anyway.
    """
    reader = _readers[-1] if _readers else None
    if reader is None or not reader.worker.is_alive():
        _readers.clear()
        _readers.append(tello.get_frame_read())
    tello.background_frame_read = _readers[-1]
    return _readers[-1]


def _ask(tello: Any, text: str, timeout_s: float) -> Answer:
    tello.get_own_udp_object()["responses"].clear()  # late and repeated answers
    try:
        reply = str(tello.send_command_with_return(text, timeout=max(1, math.ceil(timeout_s))))
    except OSError as err:
        return Answer(False, str(err), timed_out=True)
    if reply.startswith(_NO_RESPONSE):
        return Answer(False, f"no answer to {text!r} in {timeout_s:.0f} s", timed_out=True)
    return Answer("ok" in reply.lower() or reply.isdigit(), reply)


def _read(state: dict[str, Any], stamp: float) -> Telemetry:
    """Return a state packet in our units.

    What is missing is zero, so that an unknown battery counts as empty. The heading counts
    clockwise in the packet.
    """
    speeds = [float(state.get(name, 0)) for name in ("vgx", "vgy", "vgz")]
    return Telemetry(
        stamp,
        float(state.get("h", 0)) / 100,
        int(state.get("bat", 0)),
        -math.radians(float(state.get("yaw", 0))),
        _SPEED_UNIT_M_S * math.hypot(*speeds),
    )

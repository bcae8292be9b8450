"""A Tello that is not there: its UDP protocol, flight, video and faults, for the real djitellopy.

``adm fake tello`` or ``python -m adm_core.testing.fake_tello`` starts one alone; tests use it as
a context manager::

    with FakeTello(scene=FloorScene(camera, box), faults=[parse_fault("battery:value=40")]) as fake:
        drone = Tello(host="127.0.0.1")
        drone.address = fake.address
        ...
    fake.track      # where it really was, whatever anybody believed

djitellopy itself owns the ports 8889 (all addresses), 8890 and 11111, so on one machine the fake
listens elsewhere; in a container of its own it may have 8889.
"""

from __future__ import annotations

import heapq
import socket
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adm_core.testing import tello_commands
from adm_core.testing.tello_faults import Fault, Faults
from adm_core.testing.tello_flight import TelloBody
from adm_core.testing.tello_scene import Scene
from adm_core.testing.tello_video import Encoder, send_picture

STATE_PORT, VIDEO_PORT = 8890, 11111
_STEP_S = 0.02
_STATE_S = 0.1


@dataclass(frozen=True)
class Heard:
    """A command that arrived: when (the drone's seconds), its text and its answer if it had one."""

    at: float
    text: str
    answer: str | None


class FakeTello:
    """A pretended drone in threads of its own.

    Parameters
    ----------
    scene : callable, optional
        Picture (blue, green, red) from a pose; without one there is no video.
    faults : iterable of Fault
        What goes wrong.
    body : TelloBody, optional
        What flies.
    host, port : str, int
        Where it listens; port 0: a free one.
    pace : float
        How many of its seconds pass in one of ours.
    rate : int
        Pictures per second of ours.

    Attributes
    ----------
    heard : list of Heard
        Every command that arrived, in order.
    """

    def __init__(
        self,
        scene: Scene | None = None,
        faults: Iterable[Fault] = (),
        body: TelloBody | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
        pace: float = 1.0,
        rate: int = 10,
    ) -> None:
        self.faults = Faults(faults)
        self.body = body or TelloBody()
        self.body.silence_s *= pace  # who talks to it lives in our seconds
        battery = self.faults.lasting("battery")
        if battery is not None:
            self.body.battery = battery.value
        self.heard: list[Heard] = []
        self._scene, self._pace, self._rate = scene, pace, rate
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind((host, port))
        self._socket.settimeout(0.05)
        self.address: tuple[str, int] = self._socket.getsockname()
        self._client: tuple[str, int] | None = None
        self._streaming = False
        self._lock = threading.RLock()
        self._later: list[tuple[float, int, bytes, tuple[str, int]]] = []
        self._order = 0
        self._waiting: list[tuple[str, Fault | None, tuple[str, int]]] = []
        self._track: list[tuple[float, ...]] = []
        self._flew_at: float | None = None
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []

    # -- life -------------------------------------------------------------------------------

    def __enter__(self) -> FakeTello:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> FakeTello:
        """Switch it on."""
        for work in (self._listen, self._fly, self._film):
            thread = threading.Thread(target=work, daemon=True)
            thread.start()
            self._threads.append(thread)
        return self

    def close(self) -> None:
        """Switch it off; safe to repeat."""
        self._stopping.set()
        for thread in self._threads:
            thread.join(5.0)
        self._threads.clear()
        self._socket.close()

    # -- what really happened ---------------------------------------------------------------

    @property
    def track(self) -> npt.NDArray[np.float64]:
        """Rows of time, x, y, height, yaw and whether it flew, float64[n, 6]."""
        with self._lock:
            return np.array(self._track, np.float64).reshape(-1, 6)

    @property
    def commands(self) -> list[str]:
        """Texts of the commands that arrived."""
        with self._lock:
            return [item.text for item in self.heard]

    # -- commands ---------------------------------------------------------------------------

    def _listen(self) -> None:
        while not self._stopping.is_set():
            self._send_due()
            try:
                data, sender = self._socket.recvfrom(1024)
            except TimeoutError:
                continue
            except OSError:
                return
            with self._lock:
                self._take(data.decode("utf-8", "replace").strip(), sender)

    def _take(self, text: str, sender: tuple[str, int]) -> None:
        if self._link_down() or not text:
            return
        fault = self.faults.of_command(text)
        if fault is not None and fault.kind == "dropped":
            return
        self.body.heard = self.body.now
        answer = fault.text if fault is not None and fault.kind == "error" else None
        if answer is None:
            answer = self._begin(text, sender)
        if answer is None:
            self.heard.append(Heard(self.body.now, text, None))
            self._waiting.append((text, fault, sender))
        else:
            self._answer(text, answer, fault, sender)

    def _begin(self, text: str, sender: tuple[str, int]) -> str | None:
        if text == "command":
            self._client = sender
            return tello_commands.OK
        if text in ("streamon", "streamoff"):
            self._streaming = text == "streamon"
            return tello_commands.OK
        if self._waiting and not text.startswith(("land", "stop", "emergency", "rc")):
            if not text.endswith("?"):
                return tello_commands.BUSY
        else:
            self._waiting.clear()  # what is given up is not answered
        answer = tello_commands.begin(self.body, text, self.faults.lasting("no_imu") is not None)
        if text == "takeoff" and answer is None and self._flew_at is None:
            self._flew_at = self.body.now
        return answer

    def _answer(self, text: str, answer: str, fault: Fault | None, to: tuple[str, int]) -> None:
        self.heard.append(Heard(self.body.now, text, answer))
        kind = "" if fault is None else fault.kind
        if text.split()[0] in tello_commands.SILENT or kind == "lost":
            return
        data = b"\xcc\x18\x01\xb9" if kind == "garbled" else f"{answer}".encode()
        delay = fault.value if fault is not None and kind == "late" else 0.0
        for _ in range(2 if kind == "twice" else 1):
            self._order += 1
            heapq.heappush(self._later, (time.monotonic() + delay, self._order, data, to))

    def _send_due(self) -> None:
        with self._lock:
            while self._later and self._later[0][0] <= time.monotonic():
                _, _, data, to = heapq.heappop(self._later)
                if not self._link_down():
                    self._socket.sendto(data, to)

    def _link_down(self) -> bool:
        fault = self.faults.lasting("link")
        return fault is not None and self._since(fault.value, fault.length)

    def _since(self, start: float, length: float = float("inf")) -> bool:
        """Tell whether now is within a span that begins so long after the first take-off."""
        if start == 0.0:
            return self.body.now < length
        if self._flew_at is None:
            return False
        return start <= self.body.now - self._flew_at < start + length

    # -- flight -----------------------------------------------------------------------------

    def _fly(self) -> None:
        """Step the body in real time, tell its state ten times a second, answer what is done."""
        sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        sender.bind((self.address[0], 0))
        last, told = time.monotonic(), 0.0
        while not self._stopping.wait(_STEP_S / 2):
            now = time.monotonic()
            with self._lock:
                while now - last >= _STEP_S / self._pace:
                    last += _STEP_S / self._pace
                    self.body.step(_STEP_S)
                    self._note()
                self._answer_what_is_done()
                line = self._state_line() if now - told >= _STATE_S else None
                client = self._client
            if line is not None and client is not None:
                told = now
                sender.sendto(line, (client[0], STATE_PORT))
        sender.close()

    def _note(self) -> None:
        pose = self.body.pose
        self._track.append(
            (self.body.now, pose.x, pose.y, pose.z, pose.yaw, float(self.body.airborne))
        )

    def _answer_what_is_done(self) -> None:
        if not self._waiting or not self.body.rests:
            return
        text, fault, sender = self._waiting.pop(0)
        done = text == "land" or self.body.airborne
        self._answer(text, "ok" if done else tello_commands.MOTOR, fault, sender)

    def _state_line(self) -> bytes | None:
        if self._link_down() or self.faults.lasting("no_state") is not None:
            return None
        return self.body.state_line(self.faults.lasting("no_imu") is None).encode("ascii")

    # -- video ------------------------------------------------------------------------------

    def _film(self) -> None:
        encoder: Encoder | None = None
        sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        due = time.monotonic()
        while not self._stopping.wait(max(0.0, due - time.monotonic())):
            due = max(due + 1 / self._rate, time.monotonic())
            with self._lock:
                pose, client, streams = self.body.pose, self._client, self._streams()
            if not streams or client is None or self._scene is None:
                continue
            picture = self._scene(pose)
            if encoder is None:
                encoder = Encoder(picture.shape[1], picture.shape[0], self._rate)
            send_picture(sender, encoder.encode(picture), (client[0], VIDEO_PORT))
        sender.close()

    def _streams(self) -> bool:
        stopped = self.faults.lasting("stop_video")
        return (
            self._streaming
            and self.faults.lasting("no_video") is None
            and not (stopped is not None and self._since(stopped.value))
            and not self._link_down()
        )


if __name__ == "__main__":
    from adm_core.testing.tello_cli import main

    raise SystemExit(main())

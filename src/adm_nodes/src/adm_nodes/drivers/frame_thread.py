"""Frames from a camera's thread, or put together from topics."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from adm_core.manipulation.camera import Intrinsics
from adm_core.manipulation.colour import Picture
from adm_core.manipulation.depth import Depth
from adm_core.manipulation.frames import FrameSource, RgbdFrame

_WAIT_S = 0.5


class FrameThread:
    """Reads a source and keeps the newest frame: a camera that is not read runs full.

    Parameters
    ----------
    source : FrameSource
        Closed with the thread.
    period_s : float
        A source that gives frames at once (a recording) is read no faster.
    on_mistake : callable
        Gets the text of an exception that ends the reading.
    """

    def __init__(
        self, source: FrameSource, period_s: float, on_mistake: Callable[[str], None]
    ) -> None:
        self._source, self._period, self._on_mistake = source, period_s, on_mistake
        self._newest: RgbdFrame | None = None
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        due = 0.0
        try:
            while not self._stopping.is_set():
                frame = self._source.next(_WAIT_S)
                if frame is None:
                    self._stopping.wait(0.01)
                    continue
                with self._lock:
                    self._newest = frame
                due = max(due, time.monotonic()) + self._period / 2
                self._stopping.wait(max(0.0, due - time.monotonic()))
        except Exception as err:
            self._on_mistake(f"camera: {type(err).__name__}: {err}")
        finally:
            self._source.close()

    def take(self) -> RgbdFrame | None:
        """Return the newest frame, once."""
        with self._lock:
            frame, self._newest = self._newest, None
        return frame

    def close(self) -> None:
        """Stop reading and close the source."""
        self._stopping.set()
        self._thread.join(5.0)


class FramePairs:
    """Puts colour, depth and the camera's model together; the newest pair counts.

    Parameters
    ----------
    apart_s : float
        Colour and depth whose stamps differ by no more are one frame.
    """

    def __init__(self, apart_s: float) -> None:
        self._apart = apart_s
        self._camera: Intrinsics | None = None
        self._colour: tuple[float, Picture] | None = None
        self._depth: tuple[float, Depth] | None = None
        self._newest: RgbdFrame | None = None

    def add_camera(self, camera: Intrinsics) -> None:
        """Take the camera's model."""
        self._camera = camera

    def add_colour(self, stamp: float, picture: Picture) -> None:
        """Take a colour picture."""
        self._colour = (stamp, picture)
        self._join()

    def add_depth(self, stamp: float, depth: Depth) -> None:
        """Take a depth picture."""
        self._depth = (stamp, depth)
        self._join()

    def _join(self) -> None:
        if self._camera is None or self._colour is None or self._depth is None:
            return
        if abs(self._colour[0] - self._depth[0]) > self._apart + 1e-9:
            return
        shape = (self._camera.height, self._camera.width)
        if self._colour[1].shape[:2] == shape == self._depth[1].shape:
            self._newest = RgbdFrame(*self._colour, self._depth[1], self._camera)
            self._colour = self._depth = None

    def take(self) -> RgbdFrame | None:
        """Return the newest frame, once."""
        frame, self._newest = self._newest, None
        return frame

    def close(self) -> None:
        """Nothing is held."""

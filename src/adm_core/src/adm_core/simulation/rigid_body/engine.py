"""PyBullet, found at run time, with one client per world."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cache, partial
from types import ModuleType
from typing import Any

from adm_core.errors import AdmError


class RigidBodyError(AdmError):
    """The rigid-body arena cannot run."""


@cache
def load_bullet() -> ModuleType:
    """Return PyBullet.

    Raises
    ------
    RigidBodyError
        If it is not installed; says how to install it.
    """
    try:
        with _quiet():
            import pybullet
    except ImportError as err:
        raise RigidBodyError(
            "the rigid-body arena needs PyBullet: pip install pybullet, or in a checkout "
            "pip install 'src/adm_core[rigid]' (there are wheels for CPython 3.10 and 3.11; "
            "on newer ones pip compiles it for some minutes)"
        ) from err
    return pybullet


@contextmanager
def _quiet() -> Iterator[None]:
    """Send what C code prints to nowhere: PyBullet greets everyone who imports it."""
    sys.stdout.flush()
    sys.stderr.flush()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    kept = [(descriptor, os.dup(descriptor)) for descriptor in (1, 2)]
    try:
        for descriptor, _ in kept:
            os.dup2(nowhere, descriptor)
        yield
    finally:
        ctypes.CDLL(None).fflush(None)  # the greeting still waits in C's own buffer
        for descriptor, copy in kept:
            os.dup2(copy, descriptor)
            os.close(copy)
        os.close(nowhere)


def _require_display() -> None:
    """Raise RigidBodyError if no X server answers: PyBullet would end the whole process."""
    if not sys.platform.startswith("linux"):
        return
    advice = "without a display, --png and --mp4 show the mission, or run it under xvfb-run"
    try:
        x11 = ctypes.CDLL("libX11.so.6")
    except OSError as err:
        raise RigidBodyError(f"PyBullet's window needs libX11 (apt: libx11-6); {advice}") from err
    x11.XOpenDisplay.restype = ctypes.c_void_p
    display = x11.XOpenDisplay(None)
    if not display:
        name = os.environ.get("DISPLAY", "")
        told = f"nobody answers at DISPLAY={name}" if name else "DISPLAY is not set"
        raise RigidBodyError(f"PyBullet's window needs a display, and {told}; {advice}")
    x11.XCloseDisplay(ctypes.c_void_p(display))


class Engine:
    """One physics world; PyBullet's functions as methods, already bound to it.

    Parameters
    ----------
    window : bool
        Whether to open PyBullet's window; needs a display.

    Raises
    ------
    RigidBodyError
        If PyBullet is missing, or the window cannot be opened.
    """

    def __init__(self, window: bool = False) -> None:
        self._bullet = load_bullet()
        if window:
            _require_display()
        with _quiet() if window else nullcontext():
            self._client = self._bullet.connect(self._bullet.GUI if window else self._bullet.DIRECT)
        if self._client < 0:
            raise RigidBodyError("PyBullet cannot open its window: does the display have OpenGL?")

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._bullet, name)
        if callable(found):
            found = partial(found, physicsClientId=self._client)
        self.__dict__[name] = found
        return found

    def close(self) -> None:
        """Free the world; it cannot be used afterwards. Closing twice is no error."""
        if self._client >= 0:
            self._bullet.disconnect(physicsClientId=self._client)
            self._client = -1

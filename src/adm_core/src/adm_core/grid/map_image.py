"""Image of a map as colour samples and transparency, whatever its file format."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from adm_core.errors import MapError
from adm_core.grid.netpbm import decode, is_netpbm
from adm_core.grid.png_check import SIGNATURE, check_png


@dataclass(frozen=True)
class MapImage:
    """Decoded image.

    Attributes
    ----------
    pixels : uint8 or uint16 [rows, cols] or [rows, cols, 3]
        Colour samples; row 0 is the TOP of the image.
    peak : int
        Sample value of white.
    alpha : same dtype [rows, cols] or None
        Opacity, `peak` is opaque; None when every pixel is opaque.
    """

    pixels: npt.NDArray[Any]
    peak: int
    alpha: npt.NDArray[Any] | None = None

    @property
    def channels(self) -> int:
        """Number of colour channels."""
        return 1 if self.pixels.ndim == 2 else self.pixels.shape[2]


def read_image(path: Path) -> MapImage:
    """Read an image file: netpbm P1 to P6, PNG, and whatever else OpenCV decodes.

    Binary netpbm files are mapped into memory and not copied.

    Raises
    ------
    MapError
        One line that names the file: missing, cut, damaged, zero size, too large, no image.
    """
    buffer = memoryview(_open(path))
    name = str(path)
    if is_netpbm(bytes(buffer[:2])):
        return MapImage(*decode(buffer, name))
    if buffer[: len(SIGNATURE)] == SIGNATURE:
        check_png(buffer, name)
    pixels = _decode_with_opencv(buffer, name)
    peak = int(np.iinfo(pixels.dtype).max)
    if pixels.ndim == 2 or pixels.shape[2] == 3:
        return MapImage(pixels, peak)
    alpha = pixels[:, :, 3]
    return MapImage(pixels[:, :, :3], peak, alpha if alpha.min() < peak else None)


def _open(path: Path) -> mmap.mmap:
    try:
        if path.is_dir():
            raise MapError(f"{path}: is a directory, expected the image of a map")
        if not path.exists():
            raise MapError(f"{path}: no such image file")
        if not path.is_file():
            raise MapError(f"{path}: not a regular file")
        with path.open("rb") as stream:
            if path.stat().st_size == 0:
                raise MapError(f"{path}: empty image file")
            return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as err:
        if isinstance(err, MapError):
            raise
        raise MapError(f"{path}: cannot be read: {getattr(err, 'strerror', None) or err}") from err


def _decode_with_opencv(buffer: memoryview, name: str) -> npt.NDArray[Any]:
    try:
        with _quiet():
            pixels = cv2.imdecode(np.frombuffer(buffer, np.uint8), cv2.IMREAD_UNCHANGED)
    except (cv2.error, MemoryError) as err:
        raise MapError(f"{name}: cannot be decoded as an image") from err
    if pixels is None or pixels.size == 0:
        raise MapError(f"{name}: not an image, or truncated")
    if pixels.dtype not in (np.uint8, np.uint16) or pixels.shape[2:] not in ((), (3,), (4,)):
        raise MapError(f"{name}: {pixels.dtype}{list(pixels.shape)} samples are not a map image")
    return pixels


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep OpenCV's own messages off the terminal: the error says it in one line."""
    # OpenCV 5 moved the two functions; the oldest builds have neither.
    home: Any = getattr(cv2.utils, "logging", cv2)
    if not hasattr(home, "getLogLevel"):
        yield
        return
    level = home.getLogLevel()
    home.setLogLevel(0)
    try:
        yield
    finally:
        home.setLogLevel(level)

"""Decoder for the netpbm family P1 to P6, the native image files of maps."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from adm_core.errors import MapError

#: More cells than this (32768 x 32768) are taken for a damaged header.
MAX_CELLS = 2**30

_GAP = rb"(?:\s|#[^\r\n]*[\r\n])+"
_SIZE = re.compile(rb"P([1-6])" + _GAP + rb"(\d{1,10})" + _GAP + rb"(\d{1,10})")
_PEAK = re.compile(_GAP + rb"(\d{1,10})")
# One blank ends the header; a comment before it belongs to the header too.
_END = re.compile(rb"(?:#[^\r\n]*)?\s")
_COMMENT = re.compile(rb"#[^\r\n]*")
_NOT_NUMBERS = re.compile(rb"[^\d\s]")


@dataclass(frozen=True)
class Header:
    """First lines of a netpbm file: sizes in pixels, `peak` is white, `start` the raster."""

    kind: int
    rows: int
    cols: int
    peak: int
    start: int

    @property
    def is_text(self) -> bool:
        """Samples are decimal numbers."""
        return self.kind <= 3

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the decoded array."""
        return (self.rows, self.cols, 3) if self.kind in (3, 6) else (self.rows, self.cols)

    @property
    def samples(self) -> int:
        """Number of samples of the raster."""
        return self.rows * self.cols * (3 if self.kind in (3, 6) else 1)

    @property
    def least_bytes(self) -> int:
        """Fewest bytes that the raster can have."""
        if self.kind == 4:
            return self.rows * ((self.cols + 7) // 8)
        if self.kind == 1:
            return self.samples
        if self.is_text:
            return 2 * self.samples - 1
        return self.samples * (2 if self.peak > 255 else 1)


def is_netpbm(data: bytes) -> bool:
    """Tell whether the first two bytes are a netpbm mark."""
    return len(data) >= 2 and data[:1] == b"P" and data[1:2] in b"123456"


def decode(buffer: memoryview, name: str) -> tuple[npt.NDArray[Any], int]:
    """Decode a netpbm image without copying a binary raster.

    Parameters
    ----------
    buffer : memoryview
        The whole file. Binary rasters are returned as views of it.
    name : str
        Name of the file for error messages.

    Returns
    -------
    pixels : uint8 or uint16 [rows, cols] or [rows, cols, 3]
        Row 0 is the top of the image. Samples may exceed the peak in sloppy files.
    peak : int
        Sample value of white.

    Raises
    ------
    MapError
        Malformed header, zero size, or fewer samples than the header announces.
    """
    header = _read_header(buffer, name)
    raster = buffer[header.start :]
    if len(raster) < header.least_bytes:
        raise MapError(
            f"{name}: truncated image: {header.cols} x {header.rows} pixels need "
            f"{header.least_bytes} bytes, {len(raster)} are there"
        )
    if header.is_text:
        return _text_samples(raster, header, name).reshape(header.shape), header.peak
    if header.kind == 4:
        rows = np.frombuffer(raster, np.uint8, header.least_bytes).reshape(header.rows, -1)
        return 1 - np.unpackbits(rows, axis=1, count=header.cols), 1
    dtype = ">u2" if header.peak > 255 else "u1"
    return np.frombuffer(raster, np.dtype(dtype), header.samples).reshape(header.shape), header.peak


def _read_header(buffer: memoryview, name: str) -> Header:
    size = _SIZE.match(buffer)
    if not size:
        raise MapError(f"{name}: malformed or truncated PGM header")
    kind, cols, rows = (int(group) for group in size.groups())
    peak, end = 1, size.end()
    if kind not in (1, 4):
        match = _PEAK.match(buffer, end)
        if not match:
            raise MapError(f"{name}: malformed or truncated PGM header")
        peak, end = int(match[1]), match.end()
    if rows == 0 or cols == 0:
        raise MapError(f"{name}: zero-size image: {cols} x {rows} pixels")
    if rows * cols > MAX_CELLS:
        raise MapError(f"{name}: {cols} x {rows} pixels are more than {MAX_CELLS} cells")
    if not 1 <= peak <= 65535:
        raise MapError(f"{name}: the largest grey value must be 1 to 65535, got {peak}")
    last = _END.match(buffer, end)
    return Header(kind, rows, cols, peak, last.end() if last else end)


def _text_samples(raster: memoryview, header: Header, name: str) -> npt.NDArray[np.uint16]:
    """Return the samples of a text raster; black is 1 in P1 and becomes 0."""
    text = _COMMENT.sub(b" ", bytes(raster))
    junk = _NOT_NUMBERS.search(text)
    if junk:
        raise MapError(f"{name}: {junk[0]!r} among the numbers of a text image")
    if header.kind == 1:
        digits = np.frombuffer(text, np.uint8)
        values = (digits[digits >= ord("0")] == ord("0")).astype(np.int64)
    else:
        values = np.fromstring(text, dtype=np.int64, count=-1, sep=" ")
    if values.size < header.samples:
        raise MapError(
            f"{name}: truncated image: {header.cols} x {header.rows} pixels need "
            f"{header.samples} numbers, {values.size} are there"
        )
    return np.minimum(values[: header.samples], header.peak).astype(np.uint16)

"""Animated GIF files: frames of palette indices, written without any further library."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

_BITS = 8
_MOST_CODES = 4096
_BLOCK = 255


def encode_gif(
    frames: Iterable[npt.NDArray[np.uint8]],
    palette: Sequence[tuple[int, int, int]],
    delay_ms: int = 80,
) -> bytes:
    """Return an animation that repeats for ever.

    Parameters
    ----------
    frames : iterable of uint8[height, width]
        Index into `palette` of each pixel; all of one size, at least one frame.
    palette : sequence of (red, green, blue)
        At most 256 colours.
    delay_ms : int
        Time that each frame stays, in steps of 10 ms.

    Raises
    ------
    ValueError
        There is no frame, frames differ in size, or the palette is too long.

    Notes
    -----
    Of each frame only the rectangle that changed is stored.
    """
    if not 1 <= len(palette) <= 256:
        raise ValueError(f"palette must have 1..256 colours, got {len(palette)}")
    pieces: list[bytes] = []
    before: npt.NDArray[np.uint8] | None = None
    for frame in frames:
        if before is None:
            pieces.append(_header(frame.shape, palette))
        elif before.shape != frame.shape:
            raise ValueError(f"frames must be of one size, got {before.shape} and {frame.shape}")
        pieces.append(_image(frame, before, delay_ms))
        before = frame
    if not pieces:
        raise ValueError("frames must hold at least one frame, got none")
    return b"".join([*pieces, b";"])


def _header(shape: tuple[int, ...], palette: Sequence[tuple[int, int, int]]) -> bytes:
    colours = bytearray(3 * 256)
    for index, colour in enumerate(palette):
        colours[3 * index : 3 * index + 3] = bytes(colour)
    screen = struct.pack("<6sHHBBB", b"GIF89a", shape[1], shape[0], 0xF7, 0, 0)
    return screen + bytes(colours) + b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"


def _image(
    frame: npt.NDArray[np.uint8], before: npt.NDArray[np.uint8] | None, delay_ms: int
) -> bytes:
    top, left, bottom, right = _changed(frame, before)
    control = struct.pack("<3sBHBB", b"\x21\xf9\x04", 4, delay_ms // 10, 0, 0)
    place = struct.pack("<BHHHHB", 0x2C, left, top, right - left, bottom - top, 0)
    data = b"".join(_pack(_compress(frame[top:bottom, left:right].tobytes())))
    blocks = [
        bytes([len(data[i : i + _BLOCK])]) + data[i : i + _BLOCK]
        for i in range(0, len(data), _BLOCK)
    ]
    return control + place + bytes([_BITS]) + b"".join(blocks) + b"\x00"


def _changed(
    frame: npt.NDArray[np.uint8], before: npt.NDArray[np.uint8] | None
) -> tuple[int, int, int, int]:
    """Return the rectangle (top, left, bottom, right) that holds every change."""
    if before is None:
        return 0, 0, *frame.shape
    rows, cols = np.nonzero(frame != before)
    if not len(rows):
        return 0, 0, 1, 1
    return int(rows.min()), int(cols.min()), int(rows.max()) + 1, int(cols.max()) + 1


def _compress(pixels: bytes) -> Iterator[tuple[int, int]]:
    """Yield (code, bits) of Lempel-Ziv-Welch with growing codes, as GIF has them."""
    clear, end = 1 << _BITS, (1 << _BITS) + 1
    table: dict[tuple[int, int], int] = {}
    size, free = _BITS + 1, end + 1
    yield clear, size
    prefix = pixels[0]
    for pixel in pixels[1:]:
        known = table.get((prefix, pixel))
        if known is not None:
            prefix = known
            continue
        yield prefix, size
        if free < _MOST_CODES:
            table[prefix, pixel] = free
            if free == 1 << size:
                size += 1
            free += 1
        else:
            yield clear, size
            table.clear()
            size, free = _BITS + 1, end + 1
        prefix = pixel
    yield prefix, size
    # A reader has taken one more entry by now.
    if free == 1 << size and size < 12:
        size += 1
    yield end, size


def _pack(codes: Iterable[tuple[int, int]]) -> Iterator[bytes]:
    """Yield codes packed into bytes, lowest bit first."""
    held, count = 0, 0
    for code, bits in codes:
        held |= code << count
        count += bits
        whole = count // 8
        if whole:
            yield (held & ((1 << (8 * whole)) - 1)).to_bytes(whole, "little")
            held >>= 8 * whole
            count -= 8 * whole
    if count:
        yield held.to_bytes(1, "little")

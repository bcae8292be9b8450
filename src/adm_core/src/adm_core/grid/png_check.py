"""Integrity check of PNG files before they are decoded.

The decoder prints its own lines about damaged files and cannot tell a cut file from a
strange one. A map must be refused with one line that says what is wrong.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

from adm_core.errors import MapError
from adm_core.grid.netpbm import MAX_CELLS

SIGNATURE = b"\x89PNG\r\n\x1a\n"
#: Samples per pixel of each PNG colour type.
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
#: No deflate stream grows by more than this factor.
MAX_INFLATION = 1032
_PIECE = 1 << 20


def check_png(buffer: memoryview, name: str) -> None:
    """Raise MapError unless `buffer` is a whole, undamaged PNG of a sensible size.

    O(bytes + pixels) time; memory stays at a few megabytes whatever the image's size.
    """
    body: list[memoryview] = []
    header = b""
    for kind, data in _chunks(buffer, name):
        if kind == b"IHDR" and not header:
            header = bytes(data)
            expected = _raster_bytes(header, name)
        elif kind == b"IDAT":
            body.append(data)
    if not header:
        raise MapError(f"{name}: damaged PNG: no header chunk")
    if expected > MAX_INFLATION * (sum(map(len, body)) + 1) or not _inflates(body, expected):
        raise MapError(f"{name}: truncated or damaged PNG: too few pixels for its size")


def _chunks(buffer: memoryview, name: str) -> Iterator[tuple[bytes, memoryview]]:
    """Yield type and data of each chunk up to the end mark."""
    position = len(SIGNATURE)
    kind = b""
    while kind != b"IEND":
        if position + 12 > len(buffer):
            raise MapError(f"{name}: truncated PNG: no end mark")
        length, kind = struct.unpack_from(">I4s", buffer, position)
        end = position + 8 + length
        if end + 4 > len(buffer):
            raise MapError(f"{name}: truncated PNG: no end mark")
        (crc,) = struct.unpack_from(">I", buffer, end)
        # An upper-case first letter marks a chunk that the picture depends on.
        if kind[:1].isupper() and zlib.crc32(buffer[position + 4 : end]) != crc:
            raise MapError(f"{name}: damaged PNG: wrong checksum in chunk {kind!r}")
        yield kind, buffer[position + 8 : end]
        position = end + 4


def _raster_bytes(header: bytes, name: str) -> int:
    """Return how many bytes the unpacked picture has at least."""
    if len(header) != 13:
        raise MapError(f"{name}: damaged PNG: header chunk of {len(header)} bytes")
    cols, rows, depth, colour = struct.unpack_from(">IIBB", header)
    if rows == 0 or cols == 0:
        raise MapError(f"{name}: zero-size image: {cols} x {rows} pixels")
    if rows * cols > MAX_CELLS:
        raise MapError(f"{name}: {cols} x {rows} pixels are more than {MAX_CELLS} cells")
    if colour not in CHANNELS or depth not in (1, 2, 4, 8, 16):
        raise MapError(f"{name}: damaged PNG: colour type {colour} with {depth} bits")
    bits = cols * CHANNELS[colour] * depth
    return rows * (bits // 8) if header[12] else rows * (1 + (bits + 7) // 8)


def _inflates(body: list[memoryview], expected: int) -> bool:
    """Tell whether the packed data is whole and holds at least `expected` bytes."""
    stream = zlib.decompressobj()
    total = 0
    try:
        for data in body:
            rest: bytes | memoryview = data
            while len(rest) and not stream.eof:
                total += len(stream.decompress(rest, _PIECE))
                rest = stream.unconsumed_tail
        total += len(stream.flush())
    except zlib.error:
        return False
    return stream.eof and total >= expected

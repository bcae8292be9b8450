"""Small map files for the tests of this folder."""

import struct
import zlib

import pytest

GOOD = {
    "image": "m.pgm",
    "resolution": "0.05",
    "origin": "[0.0, 0.0, 0.0]",
    "negate": "0",
    "occupied_thresh": "0.65",
    "free_thresh": "0.196",
}


def pgm_bytes(rows, peak=255):
    """Return a P5 file of a list of rows."""
    sample = ">H" if peak > 255 else ">B"
    raster = b"".join(struct.pack(sample, value) for row in rows for value in row)
    return b"P5\n%d %d\n%d\n" % (len(rows[0]), len(rows), peak) + raster


def png_bytes(size, depth, colour, rows, extra=()):
    """Return a PNG file of raw scan lines, with `extra` chunks before them."""

    def chunk(kind, data):
        crc = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + crc

    head = struct.pack(">IIBBBBB", *size, depth, colour, 0, 0, 0)
    body = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows))
    parts = [chunk(b"IHDR", head), *(chunk(*item) for item in extra)]
    parts += [chunk(b"IDAT", body), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


@pytest.fixture
def make_pgm():
    """The writer of P5 files."""
    return pgm_bytes


@pytest.fixture
def make_png():
    """The writer of PNG files."""
    return png_bytes


@pytest.fixture
def write_map(tmp_path):
    """Return a function that writes a map of two files and returns the YAML path.

    Keys override the good ones; a value of None leaves the key out.
    """

    def write(content=None, **changes):
        keys = {**GOOD, **changes}
        lines = [f"{key}: {value}" for key, value in keys.items() if value is not None]
        path = tmp_path / "m.yaml"
        path.write_text("\n".join(lines) + "\n")
        content = pgm_bytes([[0, 205, 254]]) if content is None else content
        (tmp_path / (changes.get("image") or "m.pgm")).write_bytes(content)
        return path

    return write

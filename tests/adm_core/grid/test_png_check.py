"""Damaged PNG files are told from good ones before they reach the decoder."""

import cv2
import numpy as np
import pytest
from adm_core.errors import MapError
from adm_core.grid.png_check import check_png

GOOD = {"size": (8, 2), "depth": 8, "colour": 0, "rows": [range(8), range(8)]}


def check(data):
    check_png(memoryview(data), "m.png")


def test_whole_files_pass(make_png):
    check(make_png(**GOOD))
    check(make_png(**GOOD) + b"trailing bytes")


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("channels", [(), (3,), (4,)])
def test_what_opencv_writes_passes(dtype, channels):
    rng = np.random.default_rng(0)
    image = rng.integers(0, np.iinfo(dtype).max, (13, 17, *channels), dtype=dtype)
    _, packed = cv2.imencode(".png", image)
    check(packed.tobytes())


def test_every_truncation_is_found(make_png):
    whole = make_png(**GOOD)
    for length in range(8, len(whole)):
        with pytest.raises(MapError, match=r"^m\.png: (truncated|damaged)"):
            check(whole[:length])


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"size": (0, 2)}, "zero-size image: 0 x 2"),
        ({"size": (8, 0)}, "zero-size"),
        ({"size": (8, 3)}, "too few pixels"),
        ({"size": (30000, 30000)}, "too few pixels"),
        ({"size": (100000, 100000)}, "more than"),
        ({"colour": 5}, "colour type 5"),
        ({"depth": 7}, "with 7 bits"),
    ],
)
def test_headers_that_do_not_fit_the_content_are_refused(make_png, changes, message):
    with pytest.raises(MapError, match=message):
        check(make_png(**{**GOOD, **changes}))


def test_a_flipped_bit_is_found_by_the_checksum(make_png):
    data = bytearray(make_png(**GOOD))
    data[data.index(b"IDAT") + 6] ^= 1
    with pytest.raises(MapError, match="wrong checksum in chunk b'IDAT'"):
        check(bytes(data))


def test_a_damaged_comment_does_no_harm(make_png):
    data = bytearray(make_png(**GOOD, extra=[(b"tEXt", b"Comment\0hello")]))
    data[data.index(b"hello")] ^= 1
    check(bytes(data))

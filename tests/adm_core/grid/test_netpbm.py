"""The netpbm decoder: every kind, every comment, every cut."""

import numpy as np
import pytest
from adm_core.errors import MapError
from adm_core.grid.netpbm import decode
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    "data, pixels, peak",
    [
        (b"P5 2 1 255\n\x07\x08", [[7, 8]], 255),
        (b"P5\n# a\n2 # b\n1\n#c\n255\n\x07\x08", [[7, 8]], 255),
        (b"P5\n2 1\n255# after the peak\n\x07\x08", [[7, 8]], 255),
        (b"P5\r\n2 1\r255 \x07\x08", [[7, 8]], 255),
        (b"P5\n2 1\n255\n#!", [[35, 33]], 255),
        (b"P5\n2 1\n255\n\n\n", [[10, 10]], 255),
        (b"P5\n1 2\n15\n\x00\x0f", [[0], [15]], 15),
        (b"P5\n2 1\n65535\n\x01\x02\xff\xff", [[258, 65535]], 65535),
        (b"P5\n2 1\n255\n\x07\x08 more", [[7, 8]], 255),
        (b"P2\n2 1\n255\n7 8", [[7, 8]], 255),
        (b"P2 2 1 255 7 # seven\n8\n9", [[7, 8]], 255),
        (b"P2 2 1 65535 258 65535\n", [[258, 65535]], 65535),
        (b"P2 2 1 100 99 300", [[99, 100]], 100),
        (b"P1 3 1 101", [[0, 1, 0]], 1),
        (b"P1 3 1\n1 0 1 # end", [[0, 1, 0]], 1),
        (b"P4 3 2 \xa0\x40", [[0, 1, 0], [1, 0, 1]], 1),
        (b"P6 1 1 255\n\x01\x02\x03", [[[1, 2, 3]]], 255),
        (b"P3 1 1 255 1 2 3", [[[1, 2, 3]]], 255),
    ],
)
def test_every_kind_is_decoded(data, pixels, peak):
    found, found_peak = decode(memoryview(data), "m.pgm")
    assert np.array_equal(found, pixels)
    assert found_peak == peak


@pytest.mark.parametrize(
    "data, message",
    [
        (b"P5", "header"),
        (b"P5\n# only a comment", "header"),
        (b"P5\n12", "header"),
        (b"P5\n12 8\n", "header"),
        (b"P5\nx y\n255\n", "header"),
        (b"P5\n-3 8\n255\n", "header"),
        (b"P5\n99999999999999 8\n255\n", "header"),
        (b"P5\n0 8\n255\n", "zero-size image: 0 x 8"),
        (b"P5\n8 0\n255\n", "zero-size"),
        (b"P5\n2 1\n0\n\0\0", "grey value must be 1 to 65535, got 0"),
        (b"P5\n2 1\n65536\n\0\0", "grey value"),
        (b"P5\n4 4\n255\n\0\0\0", "truncated image: 4 x 4 pixels need 16 bytes, 3 are there"),
        (b"P5\n2 1\n65535\n\0\0", "truncated image"),
        (b"P5\n90000 90000\n255\n\0", "more than"),
        (b"P5\n30000 30000\n255\n\0", "truncated image"),
        (b"P2\n30000 30000\n255\n0 0 0", "truncated image"),
        (b"P2\n3 1\n255\n100 200", "need 3 numbers, 2 are there"),
        (b"P2\n3 1\n255\n1 -2 3", "among the numbers"),
        (b"P2\n3 1\n255\n1 2.5 3", "among the numbers"),
        (b"P1\n3 1\n1 0 x", "among the numbers"),
        (b"P4\n9 2\n\0\0\0", "truncated image"),
        (b"P6\n1 1\n255\n\0\0", "truncated image"),
    ],
)
def test_a_bad_file_is_refused_in_one_line_with_its_name(data, message):
    with pytest.raises(MapError) as caught:
        decode(memoryview(data), "maps/m.pgm")
    assert str(caught.value).startswith("maps/m.pgm: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_binary_raster_is_not_copied():
    data = b"P5 2 1 255\n\x07\x08"
    pixels, _ = decode(memoryview(data), "m.pgm")
    assert np.shares_memory(pixels, np.frombuffer(data, np.uint8))


@given(
    st.sampled_from([b"P1", b"P2", b"P3", b"P4", b"P5", b"P6"]),
    st.lists(st.sampled_from([b" ", b"\n", b"#", b"0", b"3", b"12", b"255", b"\xff"]), max_size=40),
)
def test_nothing_but_map_errors_comes_out(mark, pieces):
    try:
        pixels, peak = decode(memoryview(mark + b" " + b"".join(pieces)), "m.pgm")
    except MapError:
        return
    assert pixels.size > 0
    assert peak >= 1

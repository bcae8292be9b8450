"""Animated GIF files, read back by a decoder of the test's own."""

import struct

import numpy as np
import pytest
from adm_core.grid.gif import encode_gif

PALETTE = [(0, 0, 0), (255, 255, 255), (200, 0, 0)]


def decode(data):
    """Return the frames of a GIF that has one global palette of 256 colours."""
    width, height = struct.unpack_from("<HH", data, 6)
    at, screen, frames = 13 + 768, np.zeros((height, width), np.uint8), []
    while data[at] != 0x3B:
        if data[at] == 0x21:
            at = after_blocks(data, at + 2)
            continue
        left, top, wide, high = struct.unpack_from("<HHHH", data, at + 1)
        end = after_blocks(data, at + 11)
        pixels = decompress(joined(data, at + 11), data[at + 10])
        assert len(pixels) == wide * high
        screen = screen.copy()
        screen[top : top + high, left : left + wide] = np.reshape(pixels, (high, wide))
        frames.append(screen)
        at = end
    return frames


def after_blocks(data, at):
    while data[at]:
        at += data[at] + 1
    return at + 1


def joined(data, at):
    pieces = []
    while data[at]:
        pieces.append(data[at + 1 : at + 1 + data[at]])
        at += data[at] + 1
    return b"".join(pieces)


def decompress(data, bits):
    clear, end = 1 << bits, (1 << bits) + 1
    out, held, count, place = [], 0, 0, 0
    size, table, last = bits + 1, [], None
    while True:
        while count < size:
            held |= data[place] << count
            count, place = count + 8, place + 1
        code, held, count = held & ((1 << size) - 1), held >> size, count - size
        if code == end:
            return out
        if code == clear:
            table = [[i] for i in range(clear)] + [[], []]
            size, last = bits + 1, None
            continue
        entry = table[code] if code < len(table) else [*last, last[0]]
        out += entry
        if last is not None and len(table) < 4096:
            table.append([*last, entry[0]])
            if len(table) == 1 << size and size < 12:
                size += 1
        last = entry


@pytest.mark.parametrize("shape", [(1, 1), (7, 5), (90, 130)])
def test_frames_come_back(shape):
    rng = np.random.default_rng(0)
    frames = [rng.integers(0, 3, shape).astype(np.uint8) for _ in range(3)]
    for frame, back in zip(frames, decode(encode_gif(frames, PALETTE)), strict=True):
        assert (frame == back).all()


def test_all_colours_and_a_full_table_come_back():
    palette = [(i, i, i) for i in range(256)]
    frame = np.random.default_rng(1).integers(0, 256, (200, 200)).astype(np.uint8)
    (back,) = decode(encode_gif([frame], palette))
    assert (frame == back).all()


def test_only_what_changed_is_stored():
    first = np.zeros((100, 100), np.uint8)
    second = first.copy()
    second[40:44, 50:54] = 2
    alone, both = len(encode_gif([first], PALETTE)), encode_gif([first, second, second], PALETTE)
    assert len(both) < alone + 150
    assert (decode(both)[2] == second).all()


@pytest.mark.parametrize(
    ("frames", "palette", "message"),
    [
        ([], PALETTE, "at least one frame"),
        ([np.zeros((2, 2), np.uint8)], [], "palette must have 1..256 colours"),
        ([np.zeros((2, 2), np.uint8), np.zeros((2, 3), np.uint8)], PALETTE, "of one size"),
    ],
)
def test_bad_input_is_refused(frames, palette, message):
    with pytest.raises(ValueError, match=message):
        encode_gif(frames, palette)

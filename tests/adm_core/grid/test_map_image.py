"""Image files of maps: every PNG flavour, and files that are no images."""

import os

import cv2
import numpy as np
import pytest
from adm_core.errors import MapError
from adm_core.grid.map_image import read_image


@pytest.fixture
def read(tmp_path):
    """Return a function that writes bytes to a file and reads them as an image."""

    def read_bytes(data, name="m.png"):
        path = tmp_path / name
        path.write_bytes(data)
        return read_image(path)

    return read_bytes


def brightness(image):
    """Return the colour average on a scale of 0..255."""
    pixels = image.pixels.astype(float)
    return (pixels if pixels.ndim == 2 else pixels.mean(axis=2)) * 255 / image.peak


@pytest.mark.parametrize(
    "depth, colour, rows, extra, expected",
    [
        (8, 0, [[0, 205], [254, 255]], [], [[0, 205], [254, 255]]),
        (16, 0, [[0, 0, 205, 205], [254, 254, 255, 255]], [], [[0, 205], [254, 255]]),
        (1, 0, [[0b10000000], [0b01000000]], [], [[255, 0], [0, 255]]),
        (4, 0, [[0x0F], [0xF0]], [], [[0, 255], [255, 0]]),
        (8, 2, [[3, 6, 9, 0, 0, 0], [255] * 6], [], [[6, 0], [255, 255]]),
        (8, 3, [[0, 1], [1, 0]], [(b"PLTE", bytes([0, 0, 0, 90, 30, 60]))], [[0, 60], [60, 0]]),
        (8, 4, [[7, 255, 9, 255], [11, 255, 13, 255]], [], [[7, 9], [11, 13]]),
        (8, 6, [[3, 6, 9, 255, 0, 0, 0, 255], [255] * 8], [], [[6, 0], [255, 255]]),
    ],
    ids=["grey", "grey16", "bit", "nibble", "rgb", "palette", "grey-alpha", "rgba"],
)
def test_every_png_flavour_gives_its_colours(read, make_png, depth, colour, rows, extra, expected):
    image = read(make_png((2, 2), depth, colour, rows, extra))
    assert np.allclose(brightness(image), expected)
    assert image.alpha is None  # opaque everywhere counts as no transparency


@pytest.mark.parametrize(
    "depth, colour, rows",
    [
        (8, 4, [[7, 255, 9, 128]]),
        (8, 6, [[3, 6, 9, 255, 0, 0, 0, 128]]),
        (16, 6, [[0, 3] * 3 + [255, 255] + [0, 0] * 3 + [128, 128]]),
    ],
)
def test_transparency_is_kept(read, make_png, depth, colour, rows):
    image = read(make_png((2, 1), depth, colour, rows))
    assert image.alpha.tolist() == [[image.peak, 128 * image.peak // 255]]


def test_palette_transparency_is_kept(read, make_png):
    extra = [(b"PLTE", bytes([0, 0, 0, 90, 30, 60])), (b"tRNS", b"\0")]
    assert read(make_png((2, 1), 8, 3, [[0, 1]], extra)).alpha.tolist() == [[0, 255]]


@pytest.mark.parametrize("suffix", [".bmp", ".tiff", ".pgm", ".jpg"])
def test_other_formats_are_read_too(read, suffix):
    expected = np.full((9, 12), 205, np.uint8)
    _, packed = cv2.imencode(suffix, expected)
    assert np.allclose(brightness(read(packed.tobytes(), f"m{suffix}")), expected, atol=1)


def test_pgm_files_of_opencv_are_read(read):
    rng = np.random.default_rng(0)
    for dtype in (np.uint8, np.uint16):
        expected = rng.integers(0, np.iinfo(dtype).max, (5, 7), dtype=dtype)
        for binary in (0, 1):
            _, packed = cv2.imencode(".pgm", expected, [cv2.IMWRITE_PXM_BINARY, binary])
            assert np.array_equal(read(packed.tobytes(), "m.pgm").pixels, expected)


@pytest.mark.parametrize(
    "data, message",
    [
        (b"", "empty image file"),
        (b"x", "not an image"),
        (b"just some words, no image at all", "not an image"),
        (b"\x89PNG\r\n\x1a\n", "truncated PNG"),
        (b"BM" + b"\0" * 60, "image"),
        (b"\xff\xd8\xff\xe0", "image"),
    ],
)
def test_what_is_no_image_is_refused_in_one_line(read, data, message, capfd):
    with pytest.raises(MapError, match=message) as caught:
        read(data)
    assert "\n" not in str(caught.value)
    assert capfd.readouterr().err == ""


def test_missing_files_folders_and_pipes_are_refused(tmp_path):
    with pytest.raises(MapError, match="no such image file"):
        read_image(tmp_path / "absent.pgm")
    with pytest.raises(MapError, match="is a directory"):
        read_image(tmp_path)
    os.mkfifo(tmp_path / "pipe.pgm")
    with pytest.raises(MapError, match="not a regular file"):
        read_image(tmp_path / "pipe.pgm")
    with pytest.raises(MapError, match="cannot be read"):
        read_image(tmp_path / ("x" * 300))


def test_samples_of_floating_point_are_refused(read):
    _, packed = cv2.imencode(".tiff", np.zeros((4, 4), np.float32))
    with pytest.raises(MapError, match="not a map image"):
        read(packed.tobytes(), "m.tiff")

import struct

import cv2
import numpy as np
import pytest
from adm_nodes.robot import pictures
from sensor_msgs.msg import CameraInfo, CompressedImage

RNG = np.random.default_rng(0)


def message(data):
    return CompressedImage(data=bytes(data))


def png(depth):
    return cv2.imencode(".png", depth)[1].tobytes()


@pytest.mark.parametrize("header", [b"", struct.pack("<iff", 0, 0.0, 0.0)], ids=["plain", "header"])
def test_depth_comes_back_to_the_millimetre(header):
    depth = RNG.integers(0, 4000, (12, 16)).astype(np.uint16)
    found = pictures.depth_from_msg(message(header + png(depth)))
    assert found.dtype == np.float32
    assert found == pytest.approx(depth / 1000.0, abs=1e-4)


def test_colour_comes_back_as_blue_green_red():
    picture = np.zeros((32, 32, 3), np.uint8)
    picture[:] = (200, 30, 10)
    data = cv2.imencode(".jpg", picture)[1].tobytes()
    assert pictures.colour_from_msg(message(data)).mean(axis=(0, 1)) == pytest.approx(
        (200, 30, 10), abs=4
    )


@pytest.mark.parametrize("data", [b"", b"no picture", b"\x00" * 40])
def test_what_is_no_picture_is_none(data):
    assert pictures.colour_from_msg(message(data)) is None
    assert pictures.depth_from_msg(message(data)) is None


def test_the_camera_is_that_of_k():
    info = CameraInfo(width=160, height=120, k=[100.0, 0, 79.5, 0, 101.0, 59.5, 0, 0, 1.0])
    camera = pictures.camera_from_msg(info)
    assert (camera.fx, camera.fy, camera.cx, camera.cy) == (100.0, 101.0, 79.5, 59.5)


def test_a_camera_without_focal_length_is_refused():
    with pytest.raises(ValueError, match="fx"):
        pictures.camera_from_msg(CameraInfo(width=160, height=120))

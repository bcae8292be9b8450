import cv2
import numpy as np
import pytest
from adm_nodes.common import conversions
from sensor_msgs.msg import CameraInfo, CompressedImage, Image

PICTURE = np.random.default_rng(0).integers(0, 255, (6, 5, 3), np.uint8)
MILLIMETRES = np.array([[0, 400, 1234], [65535, 1, 2]], np.uint16)


def image(encoding, pixels, pad=0):
    rows = pixels.reshape(len(pixels), -1).view(np.uint8)
    rows = np.pad(rows, ((0, 0), (0, pad)))
    return Image(
        encoding=encoding,
        height=len(pixels),
        width=pixels.shape[1],
        step=rows.shape[1],
        data=rows.tobytes(),
        is_bigendian=int(pixels.dtype.byteorder == ">"),
    )


@pytest.mark.parametrize("pad", [0, 3])
def test_colour_comes_in_blue_green_red_whatever_was_sent(pad):
    alpha = np.full((6, 5, 1), 255, np.uint8)
    for encoding, pixels in (
        ("bgr8", PICTURE),
        ("rgb8", PICTURE[..., ::-1]),
        ("bgra8", np.concatenate([PICTURE, alpha], axis=2)),
        ("rgba8", np.concatenate([PICTURE[..., ::-1], alpha], axis=2)),
    ):
        message = image(encoding, np.ascontiguousarray(pixels), pad)
        assert np.array_equal(conversions.picture_from_msg(message), PICTURE)


def test_a_png_is_exact():
    data = cv2.imencode(".png", PICTURE)[1].tobytes()
    message = CompressedImage(format="png", data=data)
    assert np.array_equal(conversions.picture_from_msg(message), PICTURE)


@pytest.mark.parametrize("order", ["<", ">"])
def test_depth_is_metres(order):
    metres = MILLIMETRES / np.float32(1000)
    sent = MILLIMETRES.astype(f"{order}u2")
    assert conversions.depth_from_msg(image("16UC1", sent)) == pytest.approx(metres)
    floats = np.where(MILLIMETRES > 60000, np.nan, metres).astype(np.float32)
    got = conversions.depth_from_msg(image("32FC1", floats))
    assert got[1, 0] == 0.0 and got[0] == pytest.approx(metres[0])


@pytest.mark.parametrize("header", [0, 12])
def test_compressed_depth_with_and_without_its_header(header):
    data = bytes(header) + cv2.imencode(".png", MILLIMETRES)[1].tobytes()
    got = conversions.depth_from_msg(CompressedImage(data=data))
    assert got == pytest.approx(MILLIMETRES / np.float32(1000))


@pytest.mark.parametrize(
    ("convert", "message"),
    [
        (conversions.picture_from_msg, Image(encoding="mono8")),
        (conversions.picture_from_msg, CompressedImage()),
        (conversions.picture_from_msg, CompressedImage(data=b"no picture")),
        (conversions.picture_from_msg, Image(encoding="bgr8", height=2, width=2, step=6)),
        (conversions.depth_from_msg, Image(encoding="bgr8")),
        (conversions.depth_from_msg, CompressedImage(data=b"no picture")),
        (
            conversions.depth_from_msg,
            CompressedImage(data=cv2.imencode(".png", PICTURE)[1].tobytes()),
        ),
        (conversions.camera_from_msg, CameraInfo(width=10, height=10)),
    ],
)
def test_what_is_no_picture_is_refused(convert, message):
    with pytest.raises(ValueError):
        convert(message)


def test_a_cameras_model_comes_from_its_matrix():
    info = CameraInfo(width=640, height=480, k=[500.0, 0.0, 320.0, 0.0, 501.0, 240.0, 0, 0, 1.0])
    model = conversions.camera_from_msg(info)
    assert (model.fx, model.fy, model.cx, model.cy) == (500.0, 501.0, 320.0, 240.0)

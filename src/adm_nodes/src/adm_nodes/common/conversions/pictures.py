"""Pictures of cameras as messages: raw and compressed, colour and depth."""

from __future__ import annotations

import cv2
import numpy as np
from adm_core.manipulation.camera import Intrinsics
from adm_core.manipulation.colour import Picture
from adm_core.manipulation.depth import Depth
from adm_core.manipulation.frames import depth_from_units
from sensor_msgs.msg import CameraInfo, CompressedImage, Image

_MILLIMETRE = 0.001
_PNG = b"\x89PNG"
#: What compressedDepth puts before its PNG: a format and two parameters.
_HEADER = 12
_COLOURS = {"bgr8": 3, "rgb8": 3, "bgra8": 4, "rgba8": 4}


def picture_from_msg(message: Image | CompressedImage) -> Picture:
    """Return uint8[rows, cols, 3], blue, green, red; ValueError if it is no colour picture."""
    if isinstance(message, CompressedImage):
        data = np.frombuffer(message.data, np.uint8)
        picture = cv2.imdecode(data, cv2.IMREAD_COLOR) if data.size else None
        if picture is None:
            raise ValueError(f"picture of {data.size} bytes cannot be decoded")
        return picture.astype(np.uint8, copy=False)
    channels = _COLOURS.get(message.encoding)
    if channels is None:
        raise ValueError(f"encoding must be one of {list(_COLOURS)}, got {message.encoding!r}")
    pixels = _rows(message, np.dtype(np.uint8), channels)[..., :3]
    return np.ascontiguousarray(pixels[..., ::-1] if message.encoding[0] == "r" else pixels)


def depth_from_msg(message: Image | CompressedImage) -> Depth:
    """Return metres float32[rows, cols], 0 where there is none; ValueError if it is no depth.

    16 bits are millimetres, floats are metres; a compressed one is a PNG of 16 bits, with or
    without the header of compressedDepth.
    """
    if isinstance(message, CompressedImage):
        return _decoded(bytes(message.data))
    if message.encoding in ("16UC1", "mono16"):
        units = _rows(message, np.dtype(np.uint16), 1)[..., 0]
        return depth_from_units(units, _MILLIMETRE)
    if message.encoding == "32FC1":
        metres = _rows(message, np.dtype(np.float32), 1)[..., 0]
        return np.nan_to_num(metres, posinf=0.0, neginf=0.0).astype(np.float32)
    raise ValueError(f"encoding must be 16UC1, mono16 or 32FC1, got {message.encoding!r}")


def _decoded(data: bytes) -> Depth:
    start = data.find(_PNG, 0, _HEADER + len(_PNG))
    units = None
    if start >= 0:
        png = np.frombuffer(data, np.uint8, offset=start)
        units = cv2.imdecode(png, cv2.IMREAD_UNCHANGED)
    if units is None or units.ndim != 2 or units.dtype != np.uint16:
        raise ValueError(f"depth of {len(data)} bytes is no PNG of 16 bits")
    return depth_from_units(units, _MILLIMETRE)


def _rows(message: Image, kind: np.dtype, channels: int) -> np.ndarray:
    """Return the pixels [rows, cols, channels], whatever the stride and the byte order."""
    wide = message.width * channels * kind.itemsize
    data = np.frombuffer(message.data, np.uint8)
    if message.step < wide or data.size != message.step * message.height:
        raise ValueError(
            f"data must be {message.height} rows of {message.step} >= {wide} bytes, got {data.size}"
        )
    rows = np.ascontiguousarray(data.reshape(message.height, message.step)[:, :wide])
    pixels = rows.view(kind.newbyteorder(">" if message.is_bigendian else "<"))
    return pixels.reshape(message.height, message.width, channels)


def camera_from_msg(message: CameraInfo) -> Intrinsics:
    """Return a camera's model; ValueError if it is none."""
    k = message.k
    return Intrinsics(message.width, message.height, k[0], k[4], k[2], k[5])

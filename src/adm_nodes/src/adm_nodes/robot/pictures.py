"""Compressed pictures of a bridge as arrays."""

from __future__ import annotations

import cv2
import numpy as np
from adm_core.manipulation.camera import Intrinsics
from adm_core.manipulation.colour import Picture
from adm_core.manipulation.depth import Depth
from sensor_msgs.msg import CameraInfo, CompressedImage

_PNG = b"\x89PNG"
_HEADER = 12  # what compressedDepth puts before the PNG


def colour_from_msg(message: CompressedImage) -> Picture | None:
    """Return a picture uint8[rows, cols, 3], blue, green, red; None if it cannot be decoded."""
    data = np.frombuffer(message.data, np.uint8)
    picture = cv2.imdecode(data, cv2.IMREAD_COLOR) if data.size else None
    return None if picture is None else picture.astype(np.uint8, copy=False)


def depth_from_msg(message: CompressedImage) -> Depth | None:
    """Return metres float32[rows, cols] of 16-bit millimetres, 0 where there is none.

    Both kinds are read: ``compressedDepth`` with its header, and a plain PNG.
    """
    data = bytes(message.data)
    start = 0 if data.startswith(_PNG) else _HEADER
    if not data.startswith(_PNG, start):
        return None
    raw = cv2.imdecode(np.frombuffer(data, np.uint8, offset=start), cv2.IMREAD_UNCHANGED)
    return None if raw is None or raw.ndim != 2 else raw.astype(np.float32) * np.float32(0.001)


def camera_from_msg(message: CameraInfo) -> Intrinsics:
    """Return the camera's model; ValueError if it is none."""
    k = message.k
    return Intrinsics(message.width, message.height, k[0], k[4], k[2], k[5])

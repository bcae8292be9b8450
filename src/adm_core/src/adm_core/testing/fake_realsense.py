"""A RealSense camera that is not there: librealsense's software device, fed with pictures.

The frames go through the real library: syncer, alignment, intrinsics, depth units.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adm_core.manipulation.camera import Intrinsics
from adm_core.manipulation.colour import Picture
from adm_core.manipulation.depth import Depth
from adm_core.manipulation.frames import RgbdFrame, depth_to_units
from adm_core.manipulation.realsense import Aligner, load_pyrealsense2

_UNIT_M = 0.001
_FPS = 30


class SoftwareRealSense:
    """Software device with a colour and a depth stream; give it pictures, take frames.

    Parameters
    ----------
    camera : Intrinsics
        Of the colour stream.
    depth_camera : Intrinsics, optional
        Of the depth stream; default: as colour.
    baseline_m : float
        How far the depth camera stands to the left of the colour camera.

    Raises
    ------
    CameraError
        If pyrealsense2 is missing.
    """

    def __init__(
        self, camera: Intrinsics, depth_camera: Intrinsics | None = None, baseline_m: float = 0.0
    ) -> None:
        rs = self._rs = load_pyrealsense2()
        self._aligner = Aligner(rs)
        self._device = rs.software_device()
        self._sensors = [self._device.add_sensor(name) for name in ("Depth", "Color")]
        depth_model = depth_camera or camera
        self._profiles = [
            self._sensors[0].add_video_stream(
                self._stream(rs.stream.depth, 1, rs.format.z16, 2, depth_model)
            ),
            self._sensors[1].add_video_stream(
                self._stream(rs.stream.color, 2, rs.format.bgr8, 3, camera)
            ),
        ]
        self._sensors[0].add_read_only_option(rs.option.depth_units, _UNIT_M)
        offset = rs.extrinsics()
        offset.rotation = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
        offset.translation = [-baseline_m, 0.0, 0.0]  # a point's x in the colour camera is less
        self._profiles[0].register_extrinsics_to(self._profiles[1], offset)
        self._device.create_matcher(rs.matchers.default)
        self._syncer = rs.syncer()
        for sensor, profile in zip(self._sensors, self._profiles, strict=True):
            sensor.open(profile)
            sensor.start(self._syncer)
        self._number = 0
        self._open = True

    def _stream(self, kind: Any, uid: int, form: Any, depth: int, camera: Intrinsics) -> Any:
        rs = self._rs
        stream = rs.video_stream()
        stream.type, stream.index, stream.uid = kind, 0, uid
        stream.width, stream.height, stream.fps = camera.width, camera.height, _FPS
        stream.bpp, stream.fmt = depth, form
        model = rs.intrinsics()
        model.width, model.height = camera.width, camera.height
        model.fx, model.fy, model.ppx, model.ppy = camera.fx, camera.fy, camera.cx, camera.cy
        model.model, model.coeffs = rs.distortion.none, [0.0] * 5
        stream.intrinsics = model
        return stream

    def feed(self, picture: Picture, depth: Depth, stamp: float) -> None:
        """Give it a picture (blue, green, red) and a depth in metres, taken at one time."""
        pixels = (depth_to_units(depth, _UNIT_M), np.ascontiguousarray(picture, np.uint8))
        for sensor, profile, data in zip(self._sensors, self._profiles, pixels, strict=True):
            frame = self._rs.software_video_frame()
            frame.pixels = data
            frame.bpp = 2 if data.ndim == 2 else 3
            frame.stride = data.shape[1] * frame.bpp
            frame.timestamp = stamp * 1000
            frame.domain = self._rs.timestamp_domain.hardware_clock
            frame.frame_number = self._number
            frame.profile = profile.as_video_stream_profile()
            if data.ndim == 2:
                frame.depth_units = _UNIT_M
            sensor.on_video_frame(frame)
        self._number += 1

    def next(self, timeout_s: float) -> RgbdFrame | None:
        """Return the next complete frame; None if there is none in time."""
        for _ in range(3):  # first sets may lack a stream
            came, frames = self._syncer.try_wait_for_frames(max(1, int(1000 * timeout_s)))
            frame = self._aligner.frame(frames) if came else None
            if frame is not None:
                return frame
            if not came:
                return None
        return None

    def close(self) -> None:
        """Stop the streams; safe to repeat."""
        if self._open:
            self._open = False
            for sensor in self._sensors:
                sensor.stop()
                sensor.close()

"""A RealSense camera through pyrealsense2, which is imported when a camera is opened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from adm_core.config import Config, param
from adm_core.manipulation.camera import Intrinsics
from adm_core.manipulation.frames import CameraError, RgbdFrame, depth_from_units


@dataclass(frozen=True)
class RealSenseConfig(Config):
    """How a RealSense camera is opened."""

    serial: str = param("", "serial number; empty: the only one")
    width: int = param(640, "width of both pictures", unit="px", min=160, max=1920)
    height: int = param(480, "height of both pictures", unit="px", min=90, max=1080)
    fps: int = param(30, "pictures a second", unit="Hz", min=5, max=90)


def load_pyrealsense2() -> Any:
    """Return the module; CameraError that says what to install if it is missing."""
    try:
        import pyrealsense2
    except ImportError as err:
        text = f"{err}; pip install pyrealsense2 (and libusb-1.0-0 from the system)"
        raise CameraError(text) from err
    return pyrealsense2


class Aligner:
    """Frame sets to frames: depth laid over the colour picture, in metres.

    Parameters
    ----------
    rs : module
        pyrealsense2.
    """

    def __init__(self, rs: Any) -> None:
        self._align = rs.align(rs.stream.color)

    def frame(self, frames: Any) -> RgbdFrame | None:
        """Return a frame of our own memory; None if a stream is missing, as in first sets."""
        if not (frames.get_depth_frame() and frames.get_color_frame()):
            return None
        aligned = self._align.process(frames)
        depth, colour = aligned.get_depth_frame(), aligned.get_color_frame()
        if not (depth and colour):
            return None
        picture = np.array(colour.get_data(), np.uint8)
        metres = depth_from_units(np.asarray(depth.get_data()), depth.get_units())
        model = colour.profile.as_video_stream_profile().intrinsics
        camera = Intrinsics(model.width, model.height, model.fx, model.fy, model.ppx, model.ppy)
        return RgbdFrame(colour.get_timestamp() / 1000, picture, metres, camera)


class RealSenseCamera:
    """An open camera.

    Parameters
    ----------
    config : RealSenseConfig
        Which, and how.
    now : callable
        Seconds; to keep a time-out over several sets of frames.

    Raises
    ------
    CameraError
        If pyrealsense2 is missing, or no such camera is connected.
    """

    def __init__(self, config: RealSenseConfig, now: Callable[[], float]) -> None:
        rs = load_pyrealsense2()
        self._now = now
        self._aligner = Aligner(rs)
        _check_connected(rs, config.serial)
        self._pipeline: Any = rs.pipeline()
        wanted = rs.config()
        if config.serial:
            wanted.enable_device(config.serial)
        size = (config.width, config.height)
        wanted.enable_stream(rs.stream.depth, *size, rs.format.z16, config.fps)
        wanted.enable_stream(rs.stream.color, *size, rs.format.bgr8, config.fps)
        try:
            self._pipeline.start(wanted)
        except RuntimeError as err:
            self._pipeline = None
            which = f"camera {config.serial or '(any)'}, {size[0]} x {size[1]} at {config.fps} Hz"
            raise CameraError(f"{which}: {err}") from err

    def next(self, timeout_s: float) -> RgbdFrame | None:
        """Return the next frame, or None if there is none in time."""
        end = self._now() + timeout_s
        while self._pipeline is not None and self._now() < end:
            left = max(1, int(1000 * (end - self._now())))
            came, frames = self._pipeline.try_wait_for_frames(left)
            frame = self._aligner.frame(frames) if came else None
            if frame is not None:
                return frame
        return None

    def close(self) -> None:
        """Stop the camera; safe to repeat."""
        pipeline, self._pipeline = self._pipeline, None
        if pipeline is not None:
            pipeline.stop()


def _check_connected(rs: Any, serial: str) -> None:
    """Refuse at once what the pipeline would wait for."""
    found = [item.get_info(rs.camera_info.serial_number) for item in rs.context().query_devices()]
    if not found:
        raise CameraError("no RealSense camera is connected")
    if serial and serial not in found:
        raise CameraError(f"no camera {serial} is connected; there is {', '.join(found)}")

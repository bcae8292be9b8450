"""Where colour and depth pictures come from: a camera, a recording, anything that gives frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from zipfile import BadZipFile

import numpy as np

from adm_core.errors import AdmError
from adm_core.manipulation.camera import Intrinsics
from adm_core.manipulation.colour import Picture
from adm_core.manipulation.depth import Depth


class CameraError(AdmError):
    """A camera, or a recording of one, cannot be used."""


@dataclass(frozen=True)
class RgbdFrame:
    """A colour picture, and the depth of each of its pixels.

    Attributes
    ----------
    stamp : float
        When it was taken, seconds of the source's clock.
    picture : uint8[rows, cols, 3]
        Blue, green, red.
    depth : float32[rows, cols]
        Metres along the optical axis, 0 where there is none.
    camera : Intrinsics
        Of both.
    """

    stamp: float
    picture: Picture
    depth: Depth
    camera: Intrinsics


class FrameSource(Protocol):
    """Gives frames, one after the other."""

    def next(self, timeout_s: float) -> RgbdFrame | None:
        """Return the next frame, or None if there is none in time, or no more."""

    def close(self) -> None:
        """Let go; safe to repeat."""


class RecordedFrames:
    """Frames of a recording, once through.

    Parameters
    ----------
    path : str or Path
        File by :func:`save_frames`.

    Raises
    ------
    CameraError
        If it cannot be read.
    """

    def __init__(self, path: str | Path) -> None:
        try:
            with np.load(path) as data:
                stamps, pictures = data["stamps"], data["pictures"]
                millimetres, camera = data["millimetres"], data["camera"]
            model = Intrinsics(int(camera[0]), int(camera[1]), *map(float, camera[2:6]))
        except (OSError, ValueError, LookupError, TypeError, EOFError, BadZipFile) as err:
            raise CameraError(f"recording {path}: {type(err).__name__}: {err}") from err
        shape = (len(stamps), model.height, model.width)
        if pictures.shape != (*shape, 3) or millimetres.shape != shape:
            raise CameraError(f"recording {path}: pictures must be {shape}, got {pictures.shape}")
        self._frames = [
            RgbdFrame(float(stamp), picture, depth_from_units(units, 0.001), model)
            for stamp, picture, units in zip(stamps, pictures, millimetres, strict=True)
        ]
        self._next = 0

    def next(self, timeout_s: float = 0.0) -> RgbdFrame | None:
        """Return the next frame; None after the last."""
        if self._next >= len(self._frames):
            return None
        self._next += 1
        return self._frames[self._next - 1]

    def close(self) -> None:
        """Nothing is held."""


def save_frames(path: str | Path, frames: Sequence[RgbdFrame]) -> None:
    """Write a recording: colour as it is, depth in millimetres (16 bits), one camera.

    ValueError if there is no frame, or they are of different cameras.
    """
    if not frames:
        raise ValueError("frames must hold one or more")
    if len({frame.camera for frame in frames}) > 1:
        raise ValueError("frames must be of one camera")
    model = frames[0].camera
    np.savez_compressed(
        path,
        stamps=np.array([frame.stamp for frame in frames]),
        pictures=np.stack([frame.picture for frame in frames]),
        millimetres=np.stack([depth_to_units(frame.depth, 0.001) for frame in frames]),
        camera=np.array([model.width, model.height, model.fx, model.fy, model.cx, model.cy]),
    )


def depth_from_units(units: np.ndarray, unit_m: float) -> Depth:
    """Return metres from a camera's 16-bit depth; 0 stays 0, which is no data."""
    return units.astype(np.float32) * np.float32(unit_m)


def depth_to_units(depth: Depth, unit_m: float) -> np.ndarray:
    """Return a camera's 16-bit depth; what is not finite or too far is 0, which is no data."""
    units = np.nan_to_num(np.round(np.asarray(depth, np.float64) / unit_m), posinf=0.0, neginf=0.0)
    return np.where((units > 0) & (units <= 65535), units, 0).astype(np.uint16)

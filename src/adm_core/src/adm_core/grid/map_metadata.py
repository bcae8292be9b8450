"""Metadata file of a map_server map: keys, rules and one-line errors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import yaml

from adm_core.errors import MapError
from adm_core.types import Pose2D

MODES = ("trinary", "scale", "raw")
#: Beyond these, double precision cannot tell the cells of a map apart.
_FINEST_M, _COARSEST_M, _FARTHEST_M = 1e-4, 1e4, 1e9
REQUIRED = ("image", "resolution", "origin", "negate", "occupied_thresh", "free_thresh")
#: A metadata file has a few hundred bytes; anything much larger is another kind of file.
MAX_BYTES = 1_000_000

_SPECIAL = {".nan": math.nan, ".inf": math.inf, "+.inf": math.inf, "-.inf": -math.inf}
_TRUE = ("1", "1.0", "true", "yes", "on", "y")
_FALSE = ("0", "0.0", "false", "no", "off", "n")


@dataclass(frozen=True)
class MapMetadata:
    """How to read the image of a map.

    Attributes
    ----------
    image : Path
        Image file, already resolved against the folder of the metadata file.
    resolution : float
        Side of a pixel in metres.
    origin : Pose2D
        Pose of the outer corner of the image's lower-left pixel in the map frame.
    negate : bool
        White is occupied. As in Nav2 it has no effect in mode ``raw``.
    occupied_thresh, free_thresh : float
        Limits on the probability of being occupied, both in [0, 1].
    mode : str
        ``trinary``, ``scale`` or ``raw``.
    """

    image: Path
    resolution: float
    origin: Pose2D
    negate: bool = False
    occupied_thresh: float = 0.65
    free_thresh: float = 0.196
    mode: str = "trinary"


def read_metadata(path: str | PathLike[str]) -> MapMetadata:
    """Read the YAML file of a map.

    Scalars are read by their meaning here and not by YAML's guess of a type, so that
    ``5e-2``, ``"0.05"`` and ``0.05`` are the same resolution, as they are for Nav2.

    Parameters
    ----------
    path : path-like
        The ``.yaml`` file; ``~`` is expanded.

    Raises
    ------
    MapError
        One line that names the file and the rule that is broken.
    """
    path = Path(path)
    with suppress(RuntimeError):  # a user who does not exist
        path = path.expanduser()
    values = _parse(path)
    missing = [key for key in REQUIRED if key not in values]
    if missing:
        raise MapError(f"{path}: missing key {', '.join(missing)}")
    reader = _Reader(path, values)
    occupied, free = reader.share("occupied_thresh"), reader.share("free_thresh")
    if free >= occupied:
        raise MapError(
            f"{path}: free_thresh must be below occupied_thresh, got {free:g} and {occupied:g}"
        )
    return MapMetadata(
        image=reader.image(),
        resolution=reader.resolution(),
        origin=reader.origin(),
        negate=reader.negate(),
        occupied_thresh=occupied,
        free_thresh=free,
        mode=reader.mode(),
    )


@dataclass(frozen=True)
class _Reader:
    """Values of one file, each returned in its type or refused with its rule."""

    path: Path
    values: Mapping[str, Any]

    def _refuse(self, key: str, rule: str) -> MapError:
        return MapError(f"{self.path}: {key} must be {rule}, got {_shown(self.values[key])}")

    def image(self) -> Path:
        name = self.values["image"]
        if not isinstance(name, str) or not name or "\0" in name:
            raise self._refuse("image", "the name of an image file")
        image = self.path.parent / name
        beside = self.path.parent / image.name
        if image != beside and not image.is_file() and beside.is_file():
            raise MapError(
                f"{self.path}: no such image file {name}, but {image.name} lies beside the map: "
                f"write 'image: {image.name}'"
            )
        return image

    def resolution(self) -> float:
        value = _number(self.values["resolution"])
        if not (math.isfinite(value) and value > 0):
            raise self._refuse("resolution", "a finite number > 0 (metres per pixel)")
        if not _FINEST_M <= value <= _COARSEST_M:
            raise self._refuse("resolution", f"{_FINEST_M} to {_COARSEST_M:g} metres per pixel")
        return value

    def origin(self) -> Pose2D:
        raw = self.values["origin"]
        numbers = [_number(item) for item in raw] if isinstance(raw, list) else []
        if len(numbers) != 3 or not all(map(math.isfinite, numbers)):
            raise self._refuse("origin", "three finite numbers [x, y, yaw]")
        if max(map(abs, numbers[:2])) > _FARTHEST_M:
            raise self._refuse("origin", f"within {_FARTHEST_M:g} metres, or cells blur into one")
        return Pose2D(*numbers)

    def negate(self) -> bool:
        word = str(self.values["negate"]).strip().lower()
        if word not in _TRUE + _FALSE:
            raise self._refuse("negate", "0, 1, true or false")
        return word in _TRUE

    def share(self, key: str) -> float:
        value = _number(self.values[key])
        if not 0.0 <= value <= 1.0:
            raise self._refuse(key, "a number between 0 and 1")
        return value

    def mode(self) -> str:
        word = self.values.get("mode", "trinary")
        if not isinstance(word, str) or word.strip().lower() not in MODES:
            raise self._refuse("mode", f"one of {', '.join(MODES)}")
        return word.strip().lower()


def _shown(value: Any) -> str:
    """Return a value as a message shows it: on one line, and short whatever it is."""
    if isinstance(value, str):
        text = value if value and value.isprintable() else repr(value)
    elif isinstance(value, list) and all(isinstance(item, str) for item in value):
        text = f"[{', '.join(value)}]" if all(map(str.isprintable, value)) else repr(value)
    else:
        text = f"a {type(value).__name__}"
    return text if len(text) <= 80 else text[:77] + "..."


def _number(raw: Any) -> float:
    """Return the number that a scalar spells, NaN for anything else."""
    if not isinstance(raw, str):
        return math.nan
    try:
        return _SPECIAL.get(raw.strip().lower()) or float(raw)
    except ValueError:
        return math.nan


def _parse(path: Path) -> Mapping[str, Any]:
    """Return the top-level mapping with every scalar left as text."""
    text = _read(path)
    try:
        document = next(iter(yaml.load_all(text, Loader=yaml.BaseLoader)), None)
    except yaml.MarkedYAMLError as err:
        line = f"line {err.problem_mark.line + 1}: " if err.problem_mark else ""
        raise MapError(f"{path}: not valid YAML: {line}{err.problem}") from err
    except (yaml.YAMLError, UnicodeError) as err:
        raise MapError(f"{path}: not a YAML text file") from err
    except (RecursionError, ValueError, TypeError) as err:
        raise MapError(f"{path}: not a YAML file of a map") from err
    if not isinstance(document, dict):
        raise MapError(f"{path}: no 'key: value' lines, expected {', '.join(REQUIRED)}")
    return document


def _read(path: Path) -> bytes:
    try:
        if path.is_dir():
            raise MapError(f"{path}: is a directory, expected the .yaml file of a map")
        if not path.exists():
            raise MapError(f"{path}: no such map file")
        if not path.is_file():
            raise MapError(f"{path}: not a regular file")
        with path.open("rb") as stream:
            text = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as err:
        if isinstance(err, MapError):
            raise
        raise MapError(f"{path}: cannot be read: {getattr(err, 'strerror', None) or err}") from err
    if len(text) > MAX_BYTES:
        raise MapError(f"{path}: larger than {MAX_BYTES} bytes, expected the .yaml file of a map")
    return text

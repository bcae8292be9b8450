"""Room labels of a map: a label image beside the map, with a legend of its own.

``NAME.labels.png`` is an 8- or 16-bit grey image of the map's size, row 0 at the top like
the map's image; its pixels are labels and 0 is "no label". ``NAME.labels.yaml`` names them::

    image: NAME.labels.png
    names: {1: corridor, 2: office}

The map's own YAML file stays as map_server wants it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import yaml

from adm_core.errors import MapError
from adm_core.files import parse_yaml, write_atomic
from adm_core.grid.map_image import read_image


@dataclass(frozen=True)
class LabelGrid:
    """A label per cell and the names of the labels.

    Attributes
    ----------
    data : uint8 or uint16 [rows, cols]
        0 is "no label". Row 0 is the row at the map's origin, as in ``GridMap``.
    names : mapping of int to str
        Name of every label that occurs, 0 excepted.
    """

    data: npt.NDArray[np.uint8] | npt.NDArray[np.uint16]
    names: Mapping[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.data.ndim != 2 or self.data.dtype not in (np.uint8, np.uint16):
            raise ValueError(
                "data must be uint8 or uint16 [rows, cols], "
                f"got {self.data.dtype}{list(self.data.shape)}"
            )
        nameless = set(np.unique(self.data).tolist()) - set(self.names) - {0}
        if nameless:
            raise ValueError(f"names must name every label, {sorted(nameless)} have none")


def label_paths(map_path: str | PathLike[str]) -> tuple[Path, Path]:
    """Return the paths of the label image and of its legend that go with a map's YAML file."""
    map_path = Path(map_path)
    stem = map_path.stem if map_path.suffix in (".yaml", ".yml") else map_path.name
    return (
        map_path.with_name(f"{stem}.labels.png"),
        map_path.with_name(f"{stem}.labels.yaml"),
    )


def save_labels(labels: LabelGrid, map_path: str | PathLike[str]) -> Path:
    """Write the label image and the legend beside a map and return the legend's path.

    Raises
    ------
    MapError
        The files cannot be written.
    """
    image, legend = label_paths(map_path)
    _, packed = cv2.imencode(".png", labels.data[::-1])
    text = yaml.safe_dump(
        {"image": image.name, "names": dict(sorted(labels.names.items()))}, sort_keys=False
    )
    try:
        write_atomic(image, [packed])
        write_atomic(legend, [text.encode()])
    except OSError as err:
        raise MapError(f"{image}: cannot be written: {err.strerror}") from err
    return legend


def load_labels(map_path: str | PathLike[str], shape: tuple[int, int]) -> LabelGrid | None:
    """Read the labels beside a map; None if there is no legend file.

    Parameters
    ----------
    map_path : path-like
        The map's YAML file, the legend itself, or the label image; an image without a legend
        of its name has labels called "type 1", "type 2" and so on.
    shape : (int, int)
        Rows and columns of the map.

    Raises
    ------
    MapError
        The legend or its image is missing, damaged, or of another size than the map, or a
        label has no name.
    """
    map_path = Path(map_path)
    is_image = map_path.suffix == ".png"
    legend = map_path.with_suffix(".yaml") if is_image else map_path
    is_legend = is_image or map_path.name.endswith(".labels.yaml")
    if not is_legend:
        legend = label_paths(map_path)[1]
    if is_image and not legend.is_file():
        return _labels(map_path, shape, None)
    if not legend.is_file():
        if is_legend:
            raise MapError(f"{legend}: no such file")
        return None
    image, names = _read_legend(legend)
    return _labels(legend.parent / image, shape, names)


def _labels(path: Path, shape: tuple[int, int], names: dict[int, str] | None) -> LabelGrid:
    """Read a label image; without names its labels are called "type 1" and so on."""
    pixels = read_image(path).pixels
    if pixels.shape != shape:
        raise MapError(
            f"{path}: must be grey and {shape[1]} x {shape[0]} pixels like the map, "
            f"got {list(pixels.shape)}"
        )
    data = np.ascontiguousarray(pixels[::-1])
    if names is None:
        names = {label: f"type {label}" for label in np.unique(data).tolist() if label}
    try:
        return LabelGrid(data, names)
    except ValueError as err:
        raise MapError(f"{path}: {err}") from err


def _read_legend(path: Path) -> tuple[str, dict[int, str]]:
    """Return the image's name and the names of the labels."""
    try:
        keys = parse_yaml(path.read_text("utf-8"))
    except (ValueError, OSError) as err:
        raise MapError(f"{path}: not a legend of labels") from err
    if not isinstance(keys, dict) or not isinstance(keys.get("names"), dict):
        raise MapError(f"{path}: missing key names, expected {{1: corridor, ...}}")
    if not isinstance(keys.get("image"), str):
        raise MapError(f"{path}: missing key image")
    names = {}
    for label, name in keys["names"].items():
        if not isinstance(label, int) or not 0 < label <= 65535:
            raise MapError(f"{path}: labels must be 1..65535, got {label!r:.40}")
        names[label] = str(name)
    return keys["image"], names

"""JSON and YAML files beside a map, read with one-line errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from adm_core.errors import MapError
from adm_core.files import ODD_TAGS

#: The largest known plan has a few hundred kilobytes.
MAX_BYTES = 50_000_000
#: Farther away double precision cannot tell the cells of a map apart.
FARTHEST = 1e9


def read_json(path: Path) -> Any:
    """Return the content of a JSON file.

    Raises
    ------
    MapError
        The file is missing, unreadable, too large, no JSON, or cut off.
    """
    try:
        return json.loads(_read(path))
    except (UnicodeDecodeError, RecursionError) as err:
        raise MapError(f"{path}: not a JSON text file") from err
    except json.JSONDecodeError as err:
        raise MapError(f"{path}: not valid JSON, or cut off: line {err.lineno}: {err.msg}") from err


def read_yaml(path: Path) -> Any:
    """Return the content of a YAML file; errors as of :func:`read_json`."""
    try:
        return yaml.load(_read(path), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.MarkedYAMLError as err:
        line = f"line {err.problem_mark.line + 1}: " if err.problem_mark else ""
        raise MapError(f"{path}: not valid YAML, or cut off: {line}{err.problem}") from err
    except (yaml.YAMLError, RecursionError, *ODD_TAGS) as err:
        raise MapError(f"{path}: not a YAML text file") from err


def _read(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise MapError(f"{path}: no such file")
        if path.stat().st_size > MAX_BYTES:
            raise MapError(f"{path}: larger than {MAX_BYTES} bytes")
        return path.read_bytes()
    except OSError as err:
        raise MapError(f"{path}: cannot be read: {err.strerror}") from err


def as_mapping(value: Any, path: Path, what: str = "the file") -> dict[str, Any]:
    """Return `value` if it is a mapping with names as keys."""
    if not isinstance(value, dict):
        raise MapError(f"{path}: {what} must be a mapping, got {kind_of(value)}")
    return {str(key): item for key, item in value.items()}


def as_list(value: Any, path: Path, what: str) -> list[Any]:
    """Return `value` if it is a list."""
    if not isinstance(value, list):
        raise MapError(f"{path}: {what} must be a list, got {kind_of(value)}")
    return value


def require(document: dict[str, Any], key: str, path: Path) -> Any:
    """Return the value of a key that must be there."""
    if key not in document:
        raise MapError(f"{path}: missing key {key}")
    return document[key]


def as_numbers(value: Any, path: Path, what: str, least: int) -> list[float]:
    """Return a list of at least `least` finite numbers, none beyond 1e9."""
    numbers = as_list(value, path, what)
    for item in numbers:
        if isinstance(item, bool) or not isinstance(item, int | float):
            raise MapError(f"{path}: {what} must hold finite numbers, got {item!r:.40}")
        if not -FARTHEST <= item <= FARTHEST:
            raise MapError(f"{path}: {what} must hold finite numbers up to 1e9, got {item!r:.40}")
    if len(numbers) < least:
        raise MapError(f"{path}: {what} must hold {least} numbers or more, got {len(numbers)}")
    return [float(item) for item in numbers]


def kind_of(value: Any) -> str:
    """Return what a value is, for a message."""
    return "nothing" if value is None else f"a {type(value).__name__}"

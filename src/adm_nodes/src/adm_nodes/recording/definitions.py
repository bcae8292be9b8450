"""Message classes and definitions by the name of their type."""

from __future__ import annotations

import importlib
import re
from functools import cache
from pathlib import Path
from typing import Any

from adm_core.errors import AdmError
from ament_index_python.packages import PackageNotFoundError, get_package_share_directory

_RULE = "=" * 80
_PRIMITIVE = re.compile(r"(bool|byte|char|float\d\d|u?int\d+|w?string)$")
_FIELD = re.compile(r"([A-Za-z]\w*(?:/\w+)*)(?:<=\d+)?(?:\[(?:<?=?\d*)\])?\s+[a-z]")


class UnknownTypeError(AdmError):
    """A message type that is not installed here."""


def message_class(type_name: str) -> Any:
    """Return the class of a type such as ``nav_msgs/msg/OccupancyGrid``.

    Raises
    ------
    UnknownTypeError
        If its package is not installed, or has no such type.
    """
    package, kind, name = _split(type_name)
    try:
        return getattr(importlib.import_module(f"{package}.{kind}"), name)
    except (ImportError, AttributeError) as err:
        raise UnknownTypeError(f"{type_name} is not installed here ({err})") from err


@cache
def definition(type_name: str) -> str:
    """Return the definition of a type followed by those of all types it is made of.

    In the form that MCAP calls ``ros2msg``: the parts are divided by a rule and a line
    ``MSG: package/Name``.
    """
    texts = {type_name: _own_text(type_name)}
    open_types = [type_name]
    while open_types:
        current = open_types.pop()
        for part in _parts(texts[current], current.split("/")[0]):
            if part not in texts:
                texts[part] = _own_text(part)
                open_types.append(part)
    first, *others = texts.items()
    tail = [f"{_RULE}\nMSG: {name.replace('/msg/', '/')}\n{text}" for name, text in others]
    return "\n".join([first[1], *tail])


def _split(type_name: str) -> tuple[str, str, str]:
    parts = type_name.split("/")
    if len(parts) != 3 or not all(part.isidentifier() for part in parts):
        raise UnknownTypeError(f"{type_name!r} is no message type: package/msg/Name is")
    return parts[0], parts[1], parts[2]


def _own_text(type_name: str) -> str:
    package, kind, name = _split(type_name)
    try:
        folder = Path(get_package_share_directory(package))
        return (folder / kind / f"{name}.msg").read_text(encoding="utf-8")
    except (PackageNotFoundError, OSError) as err:
        raise UnknownTypeError(f"no definition of {type_name} here ({err})") from err


def _parts(text: str, package: str) -> list[str]:
    """Return the types that a definition mentions, in full; a bare name is of its package."""
    found = []
    for line in text.splitlines():
        match = _FIELD.match(line.partition("#")[0].strip())
        if match is None or _PRIMITIVE.match(match[1]):
            continue
        *packages, name = match[1].split("/")
        owner = packages[0] if packages else "std_msgs" if name == "Header" else package
        found.append(f"{owner}/msg/{name}")
    return found

"""Definitions of messages on both sides, md5 sums, and conversion of serialized messages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import md5
from pathlib import Path
from typing import Any

import numpy as np
from adm_core.errors import AdmError
from rosbags.interfaces import Nodetype
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from adm_bridge.pairs import Pairs

_PAD = "structure_needs_at_least_one_member"  # an empty ROS 2 message is one byte long
_HEADER = "std_msgs/msg/Header"


class UnknownTypeError(AdmError):
    """A type that is not installed, or that has no counterpart."""


@dataclass(frozen=True)
class Ros1Type:
    """What a ROS 1 node announces about a topic."""

    name: str  # package/Name
    md5: str
    definition: str
    has_header: bool  # a Header comes first, so the first four bytes are its running number


class Definitions:
    """Types of both sides and the way from one to the other.

    ROS 2 definitions come from the installed packages. ROS 1 definitions are those of Noetic where
    rosbags knows them; others (ours, move_base_msgs) are made from the ROS 2 ones, whose fields
    they share.

    Parameters
    ----------
    pairs : Pairs
        Names of types on the other side.
    share : callable
        Package name -> its share folder; LookupError for a package that is not installed.
    """

    def __init__(self, pairs: Pairs, share: Callable[[str], str]) -> None:
        self._pairs, self._share = pairs, share
        self._ros2 = get_typestore(Stores.EMPTY)
        self._ros1 = get_typestore(Stores.ROS1_NOETIC)

    # -- looking up -----------------------------------------------------------------------------

    def ros1(self, ros2_type: str) -> Ros1Type:
        """Return the ROS 1 counterpart of ``pkg/msg/Name``; UnknownTypeError if there is none."""
        name = self._counterpart(ros2_type)
        definition, checksum = self._ros1.generate_msgdef(name, ros_version=1)
        fields = self._ros1.fielddefs[name][1]
        leads = bool(fields) and fields[0][1] == (Nodetype.NAME, _HEADER)
        return Ros1Type(_short(name), checksum, definition, leads or name == _HEADER)

    def converter(self, ros2_type: str) -> Converter:
        """Return the two conversions of a type; UnknownTypeError if it has no counterpart."""
        return Converter(self._ros1, self._ros2, self._counterpart(ros2_type), ros2_type)

    def ros1_service(self, ros1_type: str) -> tuple[str, Converter, Converter]:
        """Return md5 and the conversions of request and response of a ROS 1 service ``pkg/Name``.

        The ROS 2 service is the one of the same name, whose fields both sides must share.
        """
        package, name = ros1_type.split("/")
        text = self._read(package, "srv", name)
        parts, sums = [], []
        for part, body in zip(("Request", "Response"), _halves(text), strict=True):
            kind = f"{package}/msg/{name}{part}"
            self._register_ros2(kind, body)
            parts.append(self.converter(kind))
            sums.append(self._hashed(self._counterpart(kind)))
        return md5("".join(sums).encode()).hexdigest(), parts[0], parts[1]

    def _hashed(self, name: str) -> str:
        """Return the text that the md5 sum of a ROS 1 type is taken of."""
        store = self._ros1
        lines = [f"{kind} {const}={value}" for kind, const, value in store.fielddefs[name][0]]
        for field, desc in store.fielddefs[name][1]:
            if field != _PAD:
                lines.append(f"{self._hashed_kind(desc)} {field}")
        return "\n".join(lines)

    def _hashed_kind(self, desc: Any) -> str:
        if desc[0] == Nodetype.BASE:
            return str(desc[1][0])
        if desc[0] == Nodetype.NAME:
            return {
                "builtin_interfaces/msg/Time": "time",
                "builtin_interfaces/msg/Duration": "duration",
            }.get(desc[1]) or self._ros1.generate_msgdef(desc[1], ros_version=1)[1]
        inner, count = desc[1]
        if inner[0] == Nodetype.NAME and not inner[1].startswith("builtin_interfaces"):
            return self._hashed_kind(inner)
        return f"{self._hashed_kind(inner)}[{count if desc[0] == Nodetype.ARRAY else ''}]"

    # -- loading --------------------------------------------------------------------------------

    def _read(self, package: str, folder: str, name: str) -> str:
        try:
            path = Path(self._share(package)) / folder / f"{name}.{folder}"
            return path.read_text("utf-8")
        except (LookupError, OSError) as err:
            kind = f"{package}/{folder}/{name}"
            raise UnknownTypeError(f"{kind} is not installed on the ROS 2 side") from err

    def _load_ros2(self, kind: str) -> None:
        if kind not in self._ros2.fielddefs:
            package, _, name = kind.split("/")
            self._register_ros2(kind, self._read(package, "msg", name))

    def _register_ros2(self, kind: str, text: str) -> None:
        if kind in self._ros2.fielddefs:
            return
        constants, fields = get_types_from_msg(text, kind)[kind]
        for _, desc in fields:
            for inner in _names(desc):
                self._load_ros2(inner)
        if not fields:
            fields = [(_PAD, (Nodetype.BASE, ("uint8", 0)))]
        self._ros2.register({kind: (constants, fields)})

    def _counterpart(self, ros2_type: str) -> str:
        """Return the long name of the ROS 1 type, which afterwards is in the ROS 1 store."""
        self._load_ros2(ros2_type)
        package, name = self._pairs.ros1(ros2_type).split("/")
        kind = f"{package}/msg/{name}"
        if kind not in self._ros1.fielddefs:
            constants, fields = self._ros2.fielddefs[ros2_type]
            self._ros1.register({kind: (constants, [(n, self._renamed(d)) for n, d in fields])})
        return kind

    def _renamed(self, desc: Any) -> Any:
        """Return a field's type as ROS 1 has it: counterparts of names, no bounds."""
        if desc[0] == Nodetype.BASE:
            return (desc[0], (desc[1][0], 0))
        if desc[0] == Nodetype.NAME:
            builtin = desc[1].startswith("builtin_interfaces/")
            return desc if builtin else (desc[0], self._counterpart(desc[1]))
        inner, count = desc[1]
        return (desc[0], (self._renamed(inner), count if desc[0] == Nodetype.ARRAY else 0))


class Converter:
    """Serialized messages of one type, from one side's form to the other's.

    Where both sides have the same fields in the same order, bytes are moved without building a
    message. Elsewhere fields are matched by name, and what one side lacks is dropped or zero, as
    ros1_bridge does it.
    """

    def __init__(self, ros1: Any, ros2: Any, ros1_type: str, ros2_type: str) -> None:
        self._ros1, self._ros2 = ros1, ros2
        self._names = ros1_type, ros2_type
        self.by_bytes = _same_layout(ros1, ros2, ros1_type, ros2_type)

    def to_ros2(self, data: bytes | bytearray | memoryview) -> memoryview:
        """Return the CDR form of a serialized ROS 1 message; SerdeError if it is malformed."""
        if self.by_bytes:
            return self._ros2.ros1_to_cdr(data, self._names[1])
        message = self._ros1.deserialize_ros1(data, self._names[0])
        return self._ros2.serialize_cdr(
            _moved(message, self._ros1, self._ros2, self._names[1]),
            self._names[1],
            little_endian=True,
        )

    def to_ros1(self, data: bytes | bytearray | memoryview) -> memoryview:
        """Return the ROS 1 form of a CDR message; SerdeError if it is malformed."""
        if self.by_bytes:
            return self._ros2.cdr_to_ros1(data, self._names[1])
        message = self._ros2.deserialize_cdr(data, self._names[1])
        return self._ros1.serialize_ros1(
            _moved(message, self._ros2, self._ros1, self._names[0]), self._names[0]
        )


def _short(name: str) -> str:
    return name.replace("/msg/", "/")


def _halves(text: str) -> list[str]:
    lines = text.splitlines()
    cut = next(index for index, line in enumerate(lines) if line.strip() == "---")
    return ["\n".join(lines[:cut]) + "\n", "\n".join(lines[cut + 1 :]) + "\n"]


def _names(desc: Any) -> list[str]:
    """Return the message type that a field is made of, if it is made of one."""
    if desc[0] in (Nodetype.ARRAY, Nodetype.SEQUENCE):
        return _names(desc[1][0])
    return [desc[1]] if desc[0] == Nodetype.NAME else []


def _same_layout(ros1: Any, ros2: Any, one: str, two: str) -> bool:
    if two == _HEADER or two.startswith("builtin_interfaces/"):
        return True  # the byte-wise conversion knows about the running number
    fields_1 = [desc for name, desc in ros1.fielddefs[one][1] if name != _PAD]
    fields_2 = [desc for name, desc in ros2.fielddefs[two][1] if name != _PAD]
    return len(fields_1) == len(fields_2) and all(
        _same_kind(ros1, ros2, a, b) for a, b in zip(fields_1, fields_2, strict=True)
    )


def _same_kind(ros1: Any, ros2: Any, one: Any, two: Any) -> bool:
    if one[0] != two[0]:
        return False
    if one[0] == Nodetype.NAME:
        return _same_layout(ros1, ros2, one[1], two[1])
    if one[0] == Nodetype.BASE:
        return one[1][0] == two[1][0]
    if one[0] == Nodetype.ARRAY and one[1][1] != two[1][1]:
        return False
    return _same_kind(ros1, ros2, one[1][0], two[1][0])


def _moved(message: Any, source: Any, store: Any, kind: str) -> Any:
    """Return a message of the other side with the fields that both sides have."""
    # Constants are attributes, too, and Marker has POINTS beside points: fields are asked for.
    fields = source.fielddefs[message.__msgtype__][1] if message is not None else ()
    given = {name.lower(): getattr(message, name) for name, _ in fields}
    values = [
        _moved_value(given.get(name.lower()), source, store, desc)
        for name, desc in store.fielddefs[kind][1]
    ]
    return store.types[kind](*values)


def _moved_value(value: Any, source: Any, store: Any, desc: Any) -> Any:
    if desc[0] == Nodetype.NAME:
        return _moved(value, source, store, desc[1])
    if desc[0] == Nodetype.BASE:
        empty: Any = "" if desc[1][0] == "string" else 0
        return empty if value is None else value
    inner, count = desc[1]
    if value is None:
        size = count if desc[0] == Nodetype.ARRAY else 0
        if inner[0] == Nodetype.BASE and inner[1][0] != "string":
            return np.zeros(size, {"char": "uint8", "byte": "uint8"}.get(inner[1][0], inner[1][0]))
        value = [None] * size
    if isinstance(value, list):
        return [_moved_value(item, source, store, inner) for item in value]
    return value  # an array of numbers

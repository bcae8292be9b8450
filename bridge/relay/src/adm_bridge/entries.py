"""``bridge.yaml``, read as ros1_bridge's parameter_bridge reads it, but strictly."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from adm_core.errors import AdmError

#: What parameter_bridge takes for a missing queue_size.
DEFAULT_QUEUE = 100
#: What parameter_bridge waits for a service, seconds.
DEFAULT_TIMEOUT_S = 5
_TIMEOUT_KEY = "ros1_bridge/parameter_bridge/service_execution_timeout"

_NAME = re.compile(r"/?[A-Za-z][A-Za-z0-9_]*(/[A-Za-z][A-Za-z0-9_]*)*")
_MESSAGE = re.compile(r"[a-z][a-z0-9_]*/msg/[A-Z][A-Za-z0-9]*")
_SERVICE_1 = re.compile(r"[a-z][a-z0-9_]*/[A-Z][A-Za-z0-9]*")
_SERVICE_2 = re.compile(r"[a-z][a-z0-9_]*/srv/[A-Z][A-Za-z0-9]*")
_WORDS = {
    "history": ("keep_last", "keep_all"),
    "reliability": ("reliable", "best_effort"),
    "durability": ("transient_local", "volatile"),
}
_DURATIONS = ("deadline", "lifespan", "liveliness_lease_duration")
_LIVELINESS_NUMBERS = {"0": "SYSTEM_DEFAULT", "1": "AUTOMATIC", "3": "MANUAL_BY_TOPIC"}


class BridgeConfigError(AdmError, ValueError):
    """A bridge file that parameter_bridge would refuse, misread or crash on."""


@dataclass(frozen=True)
class Qos:
    """Profile of the ROS 2 publisher of a topic; None where the file says nothing."""

    history: str = "keep_last"
    depth: int = 10
    reliability: str = "reliable"
    durability: str = "volatile"
    deadline_s: float | None = None
    lifespan_s: float | None = None
    liveliness: str | None = None
    lease_s: float | None = None


@dataclass(frozen=True)
class Topic:
    """One topic, bridged both ways under one name."""

    name: str
    type: str  # the ROS 2 name, package/msg/Name
    queue_size: int
    qos: Qos


@dataclass(frozen=True)
class Service:
    """One service; the type is in the form of the side where the server lives."""

    name: str
    type: str


@dataclass(frozen=True)
class BridgeConfig:
    """Everything that a bridge file says."""

    topics: tuple[Topic, ...]
    services_2_to_1: tuple[Service, ...] = ()
    services_1_to_2: tuple[Service, ...] = ()
    service_timeout_s: int = DEFAULT_TIMEOUT_S


def load(path: str | Path) -> BridgeConfig:
    """Read a bridge file.

    Parameters
    ----------
    path : str or Path
        YAML as it would be given to ``rosparam load``.

    Returns
    -------
    BridgeConfig

    Raises
    ------
    BridgeConfigError
        Naming every entry that breaks a rule, with the rule.
    """
    try:
        content = yaml.safe_load(Path(path).read_text("utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as err:
        raise BridgeConfigError(f"{path}: {err}") from err
    return parse(content, str(path))


def parse(content: object, source: str = "bridge file") -> BridgeConfig:
    """Return what a bridge file says; BridgeConfigError with all that is wrong with it."""
    reader = _Reader()
    config = reader.read(content)
    if reader.problems:
        raise BridgeConfigError("\n  ".join([f"{source}:", *reader.problems]))
    return config


@dataclass
class _Reader:
    """Collects problems, so that one look at the message suffices to repair a file."""

    problems: list[str] = field(default_factory=list)

    def read(self, content: object) -> BridgeConfig:
        if not isinstance(content, dict):
            self._say("file", f"must be a mapping with 'topics', is {type(content).__name__}")
            return BridgeConfig(())
        timeout = content.get(_TIMEOUT_KEY, _nested(content, _TIMEOUT_KEY))
        known = {"topics", "services_1_to_2", "services_2_to_1", "ros1_bridge", _TIMEOUT_KEY}
        for key in content.keys() - known:
            self._say(str(key), "is not a parameter that parameter_bridge reads")
        config = BridgeConfig(
            self._entries(content, "topics", self._topic),
            self._entries(content, "services_2_to_1", self._service_in_1),
            self._entries(content, "services_1_to_2", self._service_in_2),
            DEFAULT_TIMEOUT_S if timeout is None else self._int("timeout", timeout, 1),
        )
        self._unique("topics", [item.name for item in config.topics])
        services = config.services_1_to_2 + config.services_2_to_1
        self._unique("services", [item.name for item in services])
        return config

    def _entries(self, content: dict, key: str, read: Any) -> tuple:
        if key not in content:
            self._say(key, "is missing: parameter_bridge would say that it is no array (use [])")
            return ()
        if not isinstance(content[key], list):
            self._say(key, "must be an array; anything else leaves the bridge idle")
            return ()
        for index, item in enumerate(content[key]):
            if not isinstance(item, dict):
                self._say(f"{key}[{index}]", "must be a dictionary; anything else is a crash")
        items = [item for item in content[key] if isinstance(item, dict)]
        return tuple(read(f"{key}[{index}]", item) for index, item in enumerate(items))

    def _topic(self, where: str, item: dict) -> Topic:
        name = self._name(where, item, "topic")
        self._keys(where, item, {"topic", "type", "queue_size", "qos"})
        queue = item.get("queue_size", 0)
        size = self._int(f"{where} {name}: queue_size", queue, 0) or DEFAULT_QUEUE
        qos = Qos(depth=size)  # without `qos` the ROS 2 publisher keeps queue_size messages
        if "qos" in item:
            qos = self._qos(f"{where} {name}: qos", item["qos"])
        rule = "the ROS 2 name in three parts, like nav_msgs/msg/OccupancyGrid"
        return Topic(name, self._type(f"{where} {name}", item, _MESSAGE, rule), size, qos)

    def _service_in_1(self, where: str, item: dict) -> Service:
        rule = "the ROS 1 name in two parts, like std_srvs/Empty, since the server lives in ROS 1"
        return self._service(where, item, _SERVICE_1, rule)

    def _service_in_2(self, where: str, item: dict) -> Service:
        rule = "the ROS 2 name in three parts, like std_srvs/srv/Empty"
        return self._service(where, item, _SERVICE_2, rule)

    def _service(self, where: str, item: dict, pattern: re.Pattern, rule: str) -> Service:
        name = self._name(where, item, "service")
        if "package" in item:
            self._say(f"{where} {name}", "'package' is deprecated: put it before the type")
        self._keys(where, item, {"service", "type", "package"})
        return Service(name, self._type(f"{where} {name}", item, pattern, rule))

    def _name(self, where: str, item: dict, key: str) -> str:
        name = item.get(key)
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            self._say(where, f"{key} must be a legal name on both sides, is {name!r}")
        elif not name.startswith("/"):
            self._say(where, f"{key} must begin with '/', or a namespace would change it: {name!r}")
        return str(name)

    def _type(self, where: str, item: dict, pattern: re.Pattern, rule: str) -> str:
        if not isinstance(item.get("type"), str) or not pattern.fullmatch(item["type"]):
            self._say(where, f"type must be {rule}, is {item.get('type')!r}")
        return str(item.get("type"))

    def _qos(self, where: str, item: object) -> Qos:
        if not isinstance(item, dict):
            self._say(where, "must be a struct")
            return Qos()
        known = {*_WORDS, *_DURATIONS, "depth", "liveliness"}
        self._keys(where, item, known)
        for key, words in _WORDS.items():
            if key in item and item[key] not in words:
                self._say(where, f"{key} must be one of {', '.join(words)}, is {item[key]!r}")
        depth = self._int(f"{where}: depth", item["depth"], 1) if "depth" in item else None
        if item.get("history") == "keep_last" and depth is None:
            self._say(where, "history keep_last requires a depth")
        if depth is not None and item.get("history") != "keep_last":
            self._say(where, "depth counts only beside history: keep_last")
        spans = {key: self._duration(where, key, item) for key in _DURATIONS}
        return Qos(
            history=str(item.get("history", "keep_last")),
            depth=10 if depth is None else depth,
            reliability=str(item.get("reliability", "reliable")),
            durability=str(item.get("durability", "volatile")),
            deadline_s=spans["deadline"],
            lifespan_s=spans["lifespan"],
            liveliness=self._liveliness(where, item),
            lease_s=spans["liveliness_lease_duration"],
        )

    def _duration(self, where: str, key: str, item: dict) -> float | None:
        if key not in item:
            return None
        value = item[key]
        if not isinstance(value, dict) or value.keys() != {"secs", "nsecs"}:
            self._say(where, f"{key} must be {{secs, nsecs}}, is {value!r}")
            return None
        parts = [self._int(f"{where}: {key}", value[unit], 0) for unit in ("secs", "nsecs")]
        return parts[0] + 1e-9 * parts[1]

    def _liveliness(self, where: str, item: dict) -> str | None:
        value = item.get("liveliness")
        if value is None:
            return None
        if str(value) in _LIVELINESS_NUMBERS:
            return _LIVELINESS_NUMBERS[str(value)]
        prefix, word = str(value).upper()[:11], str(value).upper()[11:]
        if prefix != "LIVELINESS_" or word not in _LIVELINESS_NUMBERS.values():
            allowed = ", ".join(_LIVELINESS_NUMBERS.values())
            self._say(where, f"liveliness must be LIVELINESS_ and one of {allowed}, is {value!r}")
        return word

    def _int(self, where: str, value: object, least: int) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            self._say(where, f"must be an unquoted integer, is {value!r}")
            return least
        if not least <= value < 2**31:
            self._say(where, f"must be at least {least} and an int32, is {value}")
        return value

    def _keys(self, where: str, item: dict, known: set[str]) -> None:
        for key in item.keys() - known:
            self._say(where, f"unknown key {key!r}: parameter_bridge would pass over it in silence")

    def _unique(self, where: str, names: list[str]) -> None:
        for name in sorted({name for name in names if names.count(name) > 1}):
            self._say(where, f"{name} is listed twice: two bridges on a topic feed each other")

    def _say(self, where: str, problem: str) -> None:
        self.problems.append(f"{where}: {problem}")


def _nested(content: dict, path: str) -> object:
    """Return content[a][b][c] for the path a/b/c; None if there is no such thing."""
    value: object = content
    for key in path.split("/"):
        value = value.get(key) if isinstance(value, dict) else None
    return value

"""Which ROS 1 type is which ROS 2 type: names, and the mapping rules that ros1_bridge reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import yaml

from adm_bridge.entries import BridgeConfigError

_PACKAGE = ("ros1_package_name", "ros2_package_name")
_MESSAGE = ("ros1_message_name", "ros2_message_name")
_KNOWN = {*_PACKAGE, *_MESSAGE, "enable_foreign_mappings"}


class Pairs:
    """Names of ROS 2 messages on the ROS 1 side.

    Parameters
    ----------
    packages : mapping of str to str
        ROS 2 package -> ROS 1 package, for all their messages.
    messages : mapping of str to str
        ``pkg2/Name2`` -> ``pkg1/Name1``.
    """

    def __init__(
        self, packages: Mapping[str, str] | None = None, messages: Mapping[str, str] | None = None
    ) -> None:
        self._packages = dict(packages or {})
        self._messages = dict(messages or {})

    @classmethod
    def load(cls, path: str | Path) -> Pairs:
        """Read a file of mapping rules; BridgeConfigError if the relay cannot keep one of them."""
        try:
            content = yaml.safe_load(Path(path).read_text("utf-8"))
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as err:
            raise BridgeConfigError(f"{path}: {err}") from err
        if not isinstance(content, list):
            raise BridgeConfigError(f"{path}: ros1_bridge ignores rules that are no list")
        return cls.from_rules(content, str(path))

    @classmethod
    def from_rules(cls, rules: Iterable[object], source: str = "mapping rules") -> Pairs:
        """Take rules as ros1_bridge writes them: one per package or per message."""
        packages: dict[str, str] = {}
        messages: dict[str, str] = {}
        for index, rule in enumerate(rules):
            where = f"{source}[{index}]"
            if not isinstance(rule, dict) or not all(rule.get(key) for key in _PACKAGE):
                raise BridgeConfigError(f"{where}: needs {' and '.join(_PACKAGE)}")
            if rule.keys() - _KNOWN:
                extra = ", ".join(sorted(rule.keys() - _KNOWN))
                raise BridgeConfigError(f"{where}: the relay knows no {extra}; ros1_bridge might")
            one, two = (rule[key] for key in _PACKAGE)
            if not any(key in rule for key in _MESSAGE):
                packages[two] = one
            elif all(rule.get(key) for key in _MESSAGE):
                messages[f"{two}/{rule[_MESSAGE[1]]}"] = f"{one}/{rule[_MESSAGE[0]]}"
            else:
                raise BridgeConfigError(f"{where}: needs both of {' and '.join(_MESSAGE)}")
        return cls(packages, messages)

    def ros1(self, ros2_type: str) -> str:
        """Return the ROS 1 name (``pkg/Name``) of a ROS 2 message (``pkg/msg/Name``)."""
        package, _, name = ros2_type.split("/")
        found = self._messages.get(f"{package}/{name}")
        return found or f"{self.ros1_package(package)}/{name}"

    def ros1_package(self, package: str) -> str:
        """Return the ROS 1 package of a ROS 2 package; without a rule by the endings of names."""
        if package in self._packages:
            return self._packages[package]
        if package.endswith("_interfaces") and package != "builtin_interfaces":
            return package.removesuffix("_interfaces") + "_msgs"
        return package

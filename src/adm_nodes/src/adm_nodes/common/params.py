"""ROS parameters from config dataclasses: the core's list is the only one."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TypeVar

from adm_core.config import Parameter, build, parameters
from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.node import Node

T = TypeVar("T")

_INT_MAX = 2**63 - 1


def declare(node: Node, cls: type, prefix: str = "", names: Iterable[str] | None = None) -> None:
    """Declare one ROS parameter per field of config `cls`.

    Parameters
    ----------
    node : Node
        Owner.
    cls : config dataclass
        Gives names, defaults, units, ranges and descriptions.
    prefix : str
        Put before each name with a dot; empty for none.
    names : iterable of str, optional
        Only these fields; default: all.

    Raises
    ------
    rclpy.exceptions.ParameterException
        If a value given from outside has the wrong type or is out of range.
    """
    for item in _chosen(cls, names):
        node.declare_parameter(_full_name(prefix, item.name), item.default, describe(item))


def read(node: Node, cls: type[T], prefix: str = "", names: Iterable[str] | None = None) -> T:
    """Build config `cls` from the node's parameters; ConfigError if a value breaks a rule."""
    chosen = [item.name for item in _chosen(cls, names)]
    values = {name: node.get_parameter(_full_name(prefix, name)).value for name in chosen}
    return build(cls, values)


def describe(item: Parameter) -> ParameterDescriptor:
    """Return the descriptor of a parameter: meaning, unit, range, choices."""
    unit = f" [{item.unit}]" if item.unit else ""
    descriptor = ParameterDescriptor(name=item.name, description=item.help + unit)
    if item.choices:
        descriptor.additional_constraints = "one of " + ", ".join(item.choices)
    if item.min is None and item.max is None:
        return descriptor
    if item.type is float:
        lower = -sys.float_info.max if item.min is None else float(item.min)
        upper = sys.float_info.max if item.max is None else float(item.max)
        descriptor.floating_point_range = [FloatingPointRange(from_value=lower, to_value=upper)]
    elif item.type is int:
        lower = -_INT_MAX if item.min is None else int(item.min)
        upper = _INT_MAX if item.max is None else int(item.max)
        descriptor.integer_range = [IntegerRange(from_value=lower, to_value=upper)]
    return descriptor


def _chosen(cls: type, names: Iterable[str] | None) -> list[Parameter]:
    wanted = None if names is None else set(names)
    return [item for item in parameters(cls) if wanted is None or item.name in wanted]


def _full_name(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name

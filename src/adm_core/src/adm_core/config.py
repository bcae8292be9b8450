"""The one list of parameters: config dataclasses from which YAML, CLI and ROS ones follow.

Each component has a frozen dataclass whose fields are made by :func:`param`. The field
carries its default, unit, range and meaning, so that no second list is ever written.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from adm_core.errors import ConfigError

T = TypeVar("T")


def param(
    default: Any,
    help: str,
    *,
    unit: str = "",
    min: float | None = None,
    max: float | None = None,
    choices: tuple[str, ...] = (),
) -> Any:
    """Return a dataclass field that knows its unit, legal range (inclusive) and meaning."""
    meta = {"help": help, "unit": unit, "min": min, "max": max, "choices": choices}
    return dataclasses.field(default=default, metadata=meta)


@dataclass(frozen=True)
class Parameter:
    """Description of one parameter, as CLI help, YAML check and ROS descriptor need it."""

    name: str
    type: type
    default: Any
    help: str
    unit: str
    min: float | None
    max: float | None
    choices: tuple[str, ...]

    def check(self, value: Any) -> Any:
        """Return `value` in the parameter's type, or raise ConfigError with the rule."""
        value = self._coerce(value)
        if self.choices and value not in self.choices:
            raise ConfigError(f"{self.name} must be one of {list(self.choices)}, got {value!r}")
        if isinstance(value, float) and not math.isfinite(value):
            raise ConfigError(f"{self.name} must be finite, got {value}")
        if self.min is not None and value < self.min:
            raise ConfigError(f"{self.name} must be >= {self.min}, got {value}")
        if self.max is not None and value > self.max:
            raise ConfigError(f"{self.name} must be <= {self.max}, got {value}")
        return value

    def _coerce(self, value: Any) -> Any:
        if self.type is float and isinstance(value, int) and not isinstance(value, bool):
            return float(value)
        if type(value) is not self.type:
            raise ConfigError(f"{self.name} must be of type {self.type.__name__}, got {value!r}")
        return value


class Config:
    """Base of the config dataclasses: checks every field when built."""

    def __post_init__(self) -> None:
        for parameter in parameters(type(self)):
            checked = parameter.check(getattr(self, parameter.name))
            object.__setattr__(self, parameter.name, checked)


def parameters(cls: type) -> Iterator[Parameter]:
    """Yield the parameters of config dataclass `cls` in order of declaration."""
    for item in dataclasses.fields(cls):
        meta = item.metadata
        yield Parameter(
            item.name,
            type(item.default),
            item.default,
            meta["help"],
            meta["unit"],
            meta["min"],
            meta["max"],
            meta["choices"],
        )


def build(cls: type[T], values: Mapping[str, Any]) -> T:
    """Build config `cls` from a mapping; unknown names raise ConfigError."""
    known = {parameter.name for parameter in parameters(cls)}
    unknown = sorted(set(values) - known)
    if unknown:
        raise ConfigError(
            f"{cls.__name__} has no parameter {', '.join(unknown)}; "
            f"it has {', '.join(sorted(known))}"
        )
    return cls(**values)

"""Profiles: one file with every parameter that the paper leaves open, and the reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import yaml

from adm_core.config import build
from adm_core.errors import ConfigError
from adm_core.memory.attention import AttentionConfig
from adm_core.memory.parameters import MemoryConfig
from adm_core.simulation.scenarios import Scenario, SensingConfig

#: Profiles that come with the library.
PROFILES = ("paper", "robust", "arena")

T = TypeVar("T")


@dataclass(frozen=True)
class Profile:
    """Parameters of memory, attention and simulated noise.

    Attributes
    ----------
    name : str
        Name of the profile, or path of its file.
    memory, attention, sensing : MemoryConfig, AttentionConfig, SensingConfig
        Parameters of the components.
    scenarios : mapping of str to Scenario
        Grid scenarios by name.
    """

    name: str
    memory: MemoryConfig
    attention: AttentionConfig
    sensing: SensingConfig
    scenarios: Mapping[str, Scenario]

    def scenario(self, name: str) -> Scenario:
        """Return a scenario; raise ConfigError with the list if there is none of that name."""
        if name not in self.scenarios:
            known = ", ".join(self.scenarios)
            raise ConfigError(f"scenario must be one of {known}, got {name!r}")
        return self.scenarios[name]

    def varied(self, changes: Mapping[str, Any]) -> Profile:
        """Return a copy with other values, named ``section.parameter`` (not of scenarios).

        Raises
        ------
        ConfigError
            If a name is unknown or a value out of range.
        """
        sections: dict[str, dict[str, Any]] = {}
        for name, value in changes.items():
            section, _, parameter = name.partition(".")
            if section not in ("memory", "attention", "sensing"):
                raise ConfigError(
                    f"a parameter is named memory.X, attention.X or sensing.X, got {name!r}"
                )
            sections.setdefault(section, {})[parameter] = value
        return replace(
            self, **{key: _revise(getattr(self, key), values) for key, values in sections.items()}
        )

    def as_dict(self) -> dict[str, Any]:
        """Return all values as plain data."""
        return {
            "memory": _values(self.memory),
            "attention": _values(self.attention),
            "sensing": _values(self.sensing),
            "scenarios": {name: _values(item) for name, item in self.scenarios.items()},
        }


@cache
def load_profile(name: str = "paper") -> Profile:
    """Return a profile by its name, or from a YAML file.

    A file holds the sections ``memory``, ``attention``, ``sensing`` and ``scenarios``, as the
    shipped ``paper.yaml`` does; with ``extends: NAME`` it holds only what differs.

    Raises
    ------
    ConfigError
        If there is no such profile, or the file is malformed; names section and parameter.
    """
    document = _read(name)
    unknown = set(document) - {"extends", "memory", "attention", "sensing", "scenarios"}
    if unknown:
        raise ConfigError(f"profile {name}: unknown section {', '.join(sorted(unknown))}")
    base = load_profile(str(document["extends"])) if "extends" in document else _BARE
    try:
        return Profile(
            name,
            _revise(base.memory, document.get("memory") or {}),
            _revise(base.attention, document.get("attention") or {}),
            _revise(base.sensing, document.get("sensing") or {}),
            _scenarios(base, document.get("scenarios") or {}),
        )
    except (ConfigError, TypeError) as err:
        raise ConfigError(f"profile {name}: {err}") from err


def _read(name: str) -> dict[str, Any]:
    try:
        if name in PROFILES:
            text = resources.files("adm_core").joinpath(f"profiles/{name}.yaml").read_text("utf-8")
        else:
            text = Path(name).read_text("utf-8")
        document = yaml.safe_load(text)
    except OSError as err:
        raise ConfigError(
            f"profile must be one of {', '.join(PROFILES)} or a YAML file, got {name!r}"
        ) from err
    except (yaml.YAMLError, UnicodeDecodeError) as err:
        raise ConfigError(f"profile {name} is not YAML: {err}") from err
    if not isinstance(document, dict):
        raise ConfigError(f"profile {name} must be a mapping, got {type(document).__name__}")
    return document


def _scenarios(base: Profile, section: Mapping[str, Any]) -> Mapping[str, Scenario]:
    known = dict(base.scenarios)
    for name, values in section.items():
        known[name] = _revise(known.get(name, Scenario(name=name)), values)
    return MappingProxyType(known)


def _revise(config: T, values: Mapping[str, Any]) -> T:
    return build(type(config), {**_values(config), **values})


def _values(config: Any) -> dict[str, Any]:
    return {item.name: getattr(config, item.name) for item in fields(config)}


_BARE = Profile("", MemoryConfig(), AttentionConfig(), SensingConfig(), MappingProxyType({}))

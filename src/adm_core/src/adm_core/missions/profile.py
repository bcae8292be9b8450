"""Profiles: one file with every parameter that the paper leaves open, and the reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from adm_core.config import build
from adm_core.errors import ConfigError
from adm_core.files import parse_yaml
from adm_core.memory.attention import AttentionConfig
from adm_core.memory.parameters import MemoryConfig
from adm_core.simulation.scenarios import Scenario, SensingConfig

#: Profiles that come with the library.
PROFILES = ("paper", "robust", "arena", "twin")

_SECTIONS = ("extends", "memory", "attention", "sensing", "scenarios")
_MOST_BASES = 20  # a chain longer than this goes in a circle under many names

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


def load_profile(name: str = "paper") -> Profile:
    """Return a profile by its name, or from a YAML file.

    A file holds the sections ``memory``, ``attention``, ``sensing`` and ``scenarios``, as the
    shipped ``paper.yaml`` does; with ``extends: NAME`` it holds only what differs.

    Raises
    ------
    ConfigError
        If there is no such profile, or the file is malformed; names section and parameter.
    """
    return _load(name, ())


@cache
def _load(name: str, above: tuple[str, ...]) -> Profile:
    """Return a profile that those `above` extend."""
    document = _read(name)
    unknown = [str(key) for key in document if key not in _SECTIONS]
    if unknown:
        raise ConfigError(
            f"profile {name}: unknown section {', '.join(unknown)}; "
            f"known are {', '.join(_SECTIONS)}"
        )
    base = _base(name, document["extends"], above) if "extends" in document else _BARE
    try:
        return Profile(
            name,
            _revise(base.memory, _section(document, "memory")),
            _revise(base.attention, _section(document, "attention")),
            _revise(base.sensing, _section(document, "sensing")),
            _scenarios(base, _section(document, "scenarios")),
        )
    except ConfigError as err:
        raise ConfigError(f"profile {name}: {err}") from err


def _base(name: str, extends: Any, above: tuple[str, ...]) -> Profile:
    if not isinstance(extends, str):
        raise ConfigError(f"profile {name}: extends must be a name, got {extends!r:.60}")
    if extends in (name, *above) or len(above) >= _MOST_BASES:
        chain = " > ".join((*above, name, extends))
        raise ConfigError(f"profile {name} extends itself: {chain}")
    return _load(extends, (*above, name))


def _section(document: Mapping[Any, Any], name: str) -> dict[str, Any]:
    """Return a mapping from names, empty if nothing is said."""
    section = document.get(name)
    if section is None:
        return {}
    if not isinstance(section, dict):
        raise ConfigError(f"{name} must be a mapping of names, got {section!r:.60}")
    for key in section:
        if not isinstance(key, str):
            raise ConfigError(f"{name} must be a mapping of names, got the key {key!r:.60}")
    return section


def _read(name: str) -> dict[Any, Any]:
    try:
        if name in PROFILES:
            text = resources.files("adm_core").joinpath(f"profiles/{name}.yaml").read_text("utf-8")
        else:
            text = Path(name).read_text("utf-8")
        document = parse_yaml(text)
    except UnicodeDecodeError as err:
        raise ConfigError(f"profile {name} is not YAML: no UTF-8 text") from err
    except OSError as err:
        raise ConfigError(
            f"profile must be one of {', '.join(PROFILES)} or a YAML file, got {name!r}"
        ) from err
    except ValueError as err:
        raise ConfigError(f"profile {name!r} is not YAML: {err}") from err
    if not isinstance(document, dict):
        raise ConfigError(f"profile {name} must be a mapping, got {type(document).__name__}")
    return document


def _scenarios(base: Profile, section: Mapping[str, Any]) -> Mapping[str, Scenario]:
    known = dict(base.scenarios)
    for name in section:
        known[name] = _revise(known.get(name, Scenario(name=name)), _section(section, name))
    return MappingProxyType(known)


def _revise(config: T, values: Mapping[str, Any]) -> T:
    return build(type(config), {**_values(config), **values})


def _values(config: Any) -> dict[str, Any]:
    return {item.name: getattr(config, item.name) for item in fields(config)}


_BARE = Profile("", MemoryConfig(), AttentionConfig(), SensingConfig(), MappingProxyType({}))

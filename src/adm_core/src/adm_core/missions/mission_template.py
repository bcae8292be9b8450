"""Mission files to start from: a template with every parameter, and the shipped examples."""

from __future__ import annotations

import textwrap
from importlib import resources

from adm_core.config import Parameter
from adm_core.errors import ConfigError
from adm_core.missions.mission_schema import section_parameters

_WIDTH = 78
_FOLDER = "examples"
_HEAD = """\
# A mission for `adm mission FILE.yaml`. Every key may be left out; what is written after a '#'
# is the default. Options of the command line win over this file.

goal: bring every container to the station of its class
# map_id: 0123456789abcdef   # digest of the map, as `adm map` shows it; another map is refused
"""
_LISTS = """\
# Collection stations: place in metres, and the classes that each accepts. Without them two are
# placed at the far ends of the field or map.
# stations:
#   - {id: cans, at: [0.5, 0.5], accepts: [can]}
#   - {id: glass, at: [7.5, 7.5], accepts: [bottle, jar]}
# Named areas: corners in metres.
# regions:
#   - {name: kitchen, corners: [[0, 0], [4, 0], [4, 4], [0, 4]]}
# Rules as a planner is told them.
# rules:
#   - carry one container at a time
#   - deliver a container only to a station that accepts its class
# Skills that plans may use; a plan with another one is refused.
# skills: [navigate, approach, grasp, deliver, verify]
# Who says yes before a skill is dispatched: trusted (nobody is asked), interactive (a person at
# the terminal is asked; without one nothing is dispatched), reversible (the person is asked about
# what cannot be undone), or the list of skills approved beforehand.
# approve: trusted
"""
_SECTIONS = {
    "world": "The simulated world: a grid scenario, or a map_server map.",
    "noise": "What differs from the scenario's noise.",
    "memory": "What the robot believes, and when.",
    "attention": "What a planner is shown.",
    "planner": "Who plans.",
}
_EMPTY = '""'


def examples() -> list[str]:
    """Return the names of the shipped mission files."""
    folder = resources.files("adm_core").joinpath(_FOLDER)
    return sorted(item.name[:-5] for item in folder.iterdir() if item.name.endswith(".yaml"))


def example(name: str) -> str:
    """Return a shipped mission file, or the template if `name` is empty.

    Raises
    ------
    ConfigError
        If there is none of that name; lists those there are.
    """
    if not name:
        return template()
    if name not in examples():
        raise ConfigError(f"example must be one of {', '.join(examples())}, got {name!r}")
    return resources.files("adm_core").joinpath(f"{_FOLDER}/{name}.yaml").read_text("utf-8")


def template() -> str:
    """Return a mission file with every parameter as a comment, made from the config classes."""
    parts = [_HEAD]
    for section, text in _SECTIONS.items():
        lines = [f"# {text}", f"# {section}:"]
        for item in section_parameters(section):
            lines += _parameter_lines(item)
        if section == "world":
            lines += ["#   classes: [can, bottle]   # classes of the containers; needs stations"]
        parts.append("\n".join(lines) + "\n")
    parts.insert(2, _LISTS)
    return "\n".join(parts)


def _parameter_lines(item: Parameter) -> list[str]:
    value = _EMPTY if item.default == "" else _plain(item.default)
    head = f"#   {item.name}: {value}"
    text = f"{item.help}{_limits(item)}"
    if len(head) + len(text) + 5 <= _WIDTH + 18:
        return [f"{head}   # {text}"]
    return [*(f"#   # {line}" for line in textwrap.wrap(text, _WIDTH)), head]


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _limits(item: Parameter) -> str:
    words = [item.unit] if item.unit else []
    if item.choices:
        words.append("one of " + ", ".join(item.choices))
    if item.min is not None and item.max is not None:
        words.append(f"{item.min}..{item.max}")
    elif item.min is not None:
        words.append(f">= {item.min}")
    return f" ({', '.join(words)})" if words else ""

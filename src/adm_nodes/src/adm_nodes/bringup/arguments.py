"""Launch arguments and parameter files of a recipe, derived from its config dataclasses."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import yaml
from adm_core.config import Parameter, build, parameters
from adm_core.errors import ConfigError

from adm_nodes.bringup.catalogue import Recipe
from adm_nodes.bringup.spec import NodeSpec

_TRUTH = {"true": True, "false": False}
_WIDTH = 100


@dataclass(frozen=True)
class Argument:
    """One argument of a launch file, as text."""

    name: str
    default: str
    description: str
    choices: tuple[str, ...] = ()


def arguments(recipe: Recipe) -> list[Argument]:
    """Return an argument for every parameter of a mission."""
    return [
        Argument(item.name, _to_text(item.default), described(item), item.choices)
        for item in _parameters(recipe)
    ]


def nodes_from(recipe: Recipe, given: Mapping[str, str]) -> tuple[NodeSpec, ...]:
    """Return the nodes of a mission for arguments that were given as text.

    Raises
    ------
    ConfigError
        If a value is of the wrong type or out of range; names that are no parameters are
        passed over, since a launch file has others.
    """
    values = {
        item.name: _from_text(item, given[item.name])
        for item in _parameters(recipe)
        if item.name in given
    }
    configs = []
    for cls in recipe.configs:
        names = {item.name for item in parameters(cls)}
        configs.append(build(cls, {name: values[name] for name in names & values.keys()}))
    return recipe.nodes(*configs)


def changed(
    values: Mapping[str, Any], defaults: Mapping[str, Any], given: Collection[str]
) -> dict[str, Any]:
    """Return the node parameters that were given, or that differ because of what was given."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            inner = changed(value, defaults.get(name, {}), ())
            if inner:
                found[name] = inner
        elif name in given or value != defaults.get(name):
            found[name] = value
    return found


def parameter_file(recipe: Recipe) -> str:
    """Return a ROS parameter file with every parameter of a mission's nodes, explained."""
    lines = [f"# {recipe.help.capitalize()}: every parameter with its default, for any namespace."]
    for spec in nodes_from(recipe, {}):
        if spec.parameters:
            lines += ["", f"/**/{spec.path}:", "  ros__parameters:"]
            lines += _file_lines(spec.parameters, _known(recipe), "    ")
    return "\n".join(lines) + "\n"


def described(item: Parameter) -> str:
    """Return meaning, unit and range of a parameter in one line."""
    unit = f" [{item.unit}]" if item.unit else ""
    low = "" if item.min is None else f" >= {item.min:g}"
    high = "" if item.max is None else f" <= {item.max:g}"
    limits = f";{low}{' and' if low and high else ''}{high}" if low or high else ""
    return f"{item.help}{unit}{limits}"


def _file_lines(values: Mapping[str, Any], known: Mapping[str, Any], pad: str) -> Iterator[str]:
    for name, value in values.items():
        item = known.get(name)
        if isinstance(value, Mapping):
            yield f"{pad}{name}:"
            yield from _file_lines(value, item if isinstance(item, Mapping) else {}, pad + "  ")
            continue
        line = pad + yaml.safe_dump({name: value}, width=1000).strip()
        if isinstance(item, Parameter):
            choices = f": {', '.join(item.choices)}" if item.choices else ""
            comment = described(item) + choices
            if len(line) + len(comment) + 4 > _WIDTH:
                prefix = pad + "# "
                yield from wrap(comment, _WIDTH, initial_indent=prefix, subsequent_indent=prefix)
            else:
                line += f"  # {comment}"
        yield line


def _known(recipe: Recipe) -> dict[str, Any]:
    """Return what is known of node parameters, by name and nested as they are."""
    known: dict[str, Any] = {item.name: item for item in _parameters(recipe)}
    for prefix, cls in recipe.nested.items():
        known[prefix] = {item.name: item for item in parameters(cls)}
    return known


def _parameters(recipe: Recipe) -> Iterator[Parameter]:
    for cls in recipe.configs:
        yield from parameters(cls)


def _to_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _from_text(item: Parameter, text: str) -> Any:
    if item.type is bool and text.lower() in _TRUTH:
        return _TRUTH[text.lower()]
    if item.type in (int, float):
        try:
            return item.type(text)
        except ValueError:
            raise ConfigError(
                f"{item.name} must be of type {item.type.__name__}, got {text!r}"
            ) from None
    return text

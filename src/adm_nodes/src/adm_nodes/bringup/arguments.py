"""Launch arguments and parameter files of a recipe, derived from its config dataclasses."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import yaml
from adm_core.config import Config, Parameter, build, parameters
from adm_core.errors import ConfigError

from adm_nodes.bringup.recipes import Helper, Part, Recipe
from adm_nodes.bringup.spec import NodeSpec
from adm_nodes.common.run_config import RunConfig, SteeringConfig
from adm_nodes.drivers.config import DepthCameraConfig

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
        Argument(name, _to_text(item.default), described(item), item.choices)
        for name, item in _parameters(recipe)
    ]


def nodes_from(recipe: Recipe, given: Mapping[str, str]) -> tuple[NodeSpec, ...]:
    """Return the nodes of a mission for arguments that were given as text.

    Raises
    ------
    ConfigError
        If a value is of the wrong type or out of range; names that are no parameters are
        passed over, since a launch file has others.
    """
    return recipe.nodes(*_configs(recipe, given))


def helpers_from(recipe: Recipe, given: Mapping[str, str]) -> tuple[Helper, ...]:
    """Return who asks for a mission and tells of it; like :func:`nodes_from` otherwise."""
    return recipe.helpers(*_configs(recipe, given))


def _configs(recipe: Recipe, given: Mapping[str, str]) -> list[Config]:
    configs = []
    for part in recipe.parts:
        values = {
            item.name: _from_text(name, item, given[name])
            for name, item in _of_part(part)
            if name in given
        }
        configs.append(build(part.config, values))
    return configs


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
    """Return a ROS parameter file with every parameter of a mission's nodes, explained.

    What follows from the world (where the robots begin) is left out: their nodes are told.
    """
    lines = [
        f"# {recipe.help.capitalize()}:",
        "# every parameter of the nodes with its default, in any namespace.",
    ]
    sections = {
        spec.name: own_parameters(recipe, spec) for spec in nodes_from(recipe, recipe.example)
    }
    for name, values in sections.items():
        if values:
            lines += ["", f"/**/{name}:", "  ros__parameters:"]
            lines += _file_lines(values, _known(recipe), "    ")
    return "\n".join(lines) + "\n"


def own_parameters(recipe: Recipe, spec: NodeSpec) -> dict[str, Any]:
    """Return the parameters of a node that do not follow from the world."""
    return {name: value for name, value in spec.parameters.items() if name not in recipe.derived}


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
    known: dict[str, Any] = {}
    own: tuple[type[Config], ...] = (DepthCameraConfig, SteeringConfig, RunConfig)
    for cls in own:
        known |= {item.name: item for item in parameters(cls)}
    known |= {item.name: item for part in recipe.parts for item in parameters(part.config)}
    for prefix, cls in recipe.nested.items():
        known[prefix] = {item.name: item for item in parameters(cls)}
    return known


def _parameters(recipe: Recipe) -> Iterator[tuple[str, Parameter]]:
    """Yield the parameters of a mission with the names of their arguments."""
    for part in recipe.parts:
        yield from _of_part(part)


def _of_part(part: Part) -> Iterator[tuple[str, Parameter]]:
    for item in parameters(part.config):
        if item.name not in part.without:
            yield part.names.get(item.name, item.name), item


def _to_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _from_text(name: str, item: Parameter, text: str) -> Any:
    if item.type is bool and text.lower() in _TRUTH:
        return _TRUTH[text.lower()]
    if item.type in (int, float):
        try:
            return item.type(text)
        except ValueError:
            raise ConfigError(
                f"{name} must be of type {item.type.__name__}, got {text!r}"
            ) from None
    return text

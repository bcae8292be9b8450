"""Command-line options derived from config dataclasses: no second list of parameters."""

from __future__ import annotations

import argparse
import math
from collections.abc import Collection, Mapping
from typing import Any, TypeVar

from adm_core.config import Parameter, build, parameters

T = TypeVar("T")


def add_config_arguments(
    parser: argparse.ArgumentParser,
    cls: type,
    names: Mapping[str, str] | None = None,
    without: Collection[str] = (),
) -> None:
    """Add one option per parameter of config `cls`; its range is checked when it is built.

    `names` maps parameters to options that are called otherwise; those of `without` get none.
    An option that is not given is None, so that whoever has other values than the defaults can
    tell.
    """
    names = names or {}
    group = parser.add_argument_group(cls.__name__)
    for item in parameters(cls):
        if item.name in without:
            continue
        group.add_argument(
            option_name(names.get(item.name, item.name)),
            dest=item.name,
            type=item.type if item.type is not bool else _parse_bool,
            default=None,
            choices=item.choices or None,
            metavar=None if item.choices else item.type.__name__.upper(),
            help=_help(item),
        )


def config_from_args(
    args: argparse.Namespace, cls: type[T], base: Mapping[str, Any] | None = None
) -> T:
    """Build config `cls` from parsed options; raise ConfigError if one is out of range.

    What was not given comes from `base`, or else is the parameter's default.
    """
    return build(cls, {**(base or {}), **given(args, cls)})


def given(args: argparse.Namespace, cls: type) -> dict[str, Any]:
    """Return the parameters of config `cls` that were given as options."""
    values = {item.name: getattr(args, item.name, None) for item in parameters(cls)}
    return {name: value for name, value in values.items() if value is not None}


def option_name(name: str) -> str:
    """Return the option of a parameter: underscores become dashes."""
    return "--" + name.replace("_", "-")


def duration(text: str) -> float:
    """Parse seconds, finite and not negative."""
    value = float(text)
    if not (math.isfinite(value) and value >= 0):
        raise argparse.ArgumentTypeError(f"expected seconds >= 0, got {text}")
    return value


def _help(item: Parameter) -> str:
    unit = f" [{item.unit}]" if item.unit else ""
    limits = ""
    if item.min is not None and item.max is not None:
        limits = f", {item.min}..{item.max}"
    elif item.min is not None:
        limits = f", >= {item.min}"
    default = "" if item.default == "" else f" (default {item.default}{limits})"
    return f"{item.help}{unit}{default}".replace("%", "%%")


def _parse_bool(text: str) -> bool:
    if text.lower() in ("1", "true", "yes", "on"):
        return True
    if text.lower() in ("0", "false", "no", "off"):
        return False
    raise argparse.ArgumentTypeError(f"expected true or false, got {text!r}")

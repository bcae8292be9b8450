"""Containers by their colours, from a file or as the library ships them."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import yaml

from adm_core.errors import ConfigError
from adm_core.manipulation.perception import ContainerKind, kinds_from


def load_kinds(path: str | Path = "") -> tuple[ContainerKind, ...]:
    """Return what perception looks for.

    Parameters
    ----------
    path : str or Path
        YAML file like the shipped ``profiles/containers.yaml``; empty: that one.

    Raises
    ------
    ConfigError
        If the file cannot be read, or an entry is out of order.
    """
    shipped = resources.files("adm_core").joinpath("profiles/containers.yaml")
    source = Path(path) if path else shipped
    try:
        document = yaml.safe_load(source.read_text("utf-8"))
        return kinds_from(document)
    except (OSError, ValueError, AttributeError, yaml.YAMLError) as err:
        raise ConfigError(f"containers {path or 'as shipped'}: {err}") from err

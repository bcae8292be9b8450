"""The containers of the arena: calibration for the eyes, shape and weight for the physics."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources

import yaml

from adm_core.manipulation.perception import ContainerKind, kinds_from


@dataclass(frozen=True)
class ContainerBody:
    """One class as the physics needs it; lengths in metres.

    Attributes
    ----------
    kind : ContainerKind
        What perception knows.
    colour : (float, float, float)
        Red, green, blue in [0, 1].
    mass_kg, friction : float
        Mass and lateral friction.
    neck_radius_m, neck_height_m : float
        A neck on top; 0: none.
    """

    kind: ContainerKind
    colour: tuple[float, float, float]
    mass_kg: float
    friction: float
    neck_radius_m: float = 0.0
    neck_height_m: float = 0.0


@cache
def container_bodies() -> dict[str, ContainerBody]:
    """Return the classes that the library ships, by label."""
    text = resources.files("adm_core").joinpath("profiles/containers.yaml").read_text("utf-8")
    document = yaml.safe_load(text)
    return {
        kind.label: ContainerBody(
            kind,
            tuple(item["colour"]),
            float(item["mass_kg"]),
            float(item["friction"]),
            float(item.get("neck_radius_m", 0.0)),
            float(item.get("neck_height_m", 0.0)),
        )
        for kind, item in zip(kinds_from(document), document.values(), strict=True)
    }


def container_kinds() -> tuple[ContainerKind, ...]:
    """Return what perception looks for."""
    return tuple(body.kind for body in container_bodies().values())

"""Missions of the digital twin: five containers, one known, four to be revealed (section V-D)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adm_core.memory.records import Detection
from adm_core.memory.static import Mission
from adm_core.missions.field import FieldMission
from adm_core.planning.body import Standoff
from adm_core.simulation.rigid_body.config import ArenaConfig
from adm_core.simulation.rigid_body.layout import ArenaLayout, arena_layout
from adm_core.simulation.scenarios import Scenario
from adm_core.types import Pose2D

CONTAINERS, BUDGET_S = 5, 420

#: move_base ends up to 0.2 m and 0.2 rad off, which is 0.6 rad towards a target half a metre away.
STANDOFF = Standoff(0.50, slack_m=0.25, slack_rad=0.75)

#: How often the one container that is known beforehand is said to be of the other class, so that
#: its reveal changes the station that it is assigned to.
_WRONG_CLASS = 0.45
_OTHER = {"can": "bottle", "bottle": "can"}
_PRIOR = 0.7


@dataclass(frozen=True)
class Twin:
    """One mission of the twin.

    Attributes
    ----------
    arena, places : ArenaConfig, ArenaLayout
        The world of the simulated robot.
    field : FieldMission
        What the robot is sent out with.
    known_right : bool
        Whether the known container is of the class that it is said to be.
    """

    arena: ArenaConfig
    places: ArenaLayout
    field: FieldMission
    known_right: bool


def prepare_twin(seed: int) -> Twin:
    """Draw obstacles, light, containers, and what is known of them beforehand."""
    rng = np.random.default_rng([seed, 7])
    arena = ArenaConfig(
        base="mecanum",
        obstacles=int(rng.integers(1, 4)),
        light=float(rng.uniform(0.8, 1.15)),
        speed_m_s=0.30,
    )
    scenario = Scenario("twin", 0, CONTAINERS, BUDGET_S, 0.0, 0.0, 0, 1.0, 0.0)
    places = arena_layout(arena, scenario, rng)
    first = int(rng.integers(CONTAINERS))
    right = bool(rng.random() >= _WRONG_CLASS)
    label = places.labels[first] if right else _OTHER[places.labels[first]]
    spot = places.spots[places.placed[first]]
    known = Detection(label, Pose2D(spot.x, spot.y), _PRIOR)
    return Twin(
        arena,
        places,
        FieldMission(_mission(places), places.grid_map, (known,), _slots(places)),
        right,
    )


def _slots(places: ArenaLayout) -> dict[str, tuple[Pose2D, ...]]:
    return {item.id: tuple(places.slots(item)) for item in places.stations}


def _mission(places: ArenaLayout) -> Mission:
    return Mission(
        goal=f"bring all {CONTAINERS} containers to the stations of their classes",
        map_id=places.grid_map.map_id,
        stations=places.stations,
        expected=CONTAINERS,
        budget_steps=BUDGET_S,
        step_m=0.30,
        robot_radius_m=0.0,  # of the coarse map; move_base keeps its own distances
        diagonal=True,
        view_m=0.85,
        frame_id=places.grid_map.frame_id,
    )

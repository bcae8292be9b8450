import math

import numpy as np
import pytest
from adm_core.errors import ConfigError, MissionError
from adm_core.simulation.rigid_body.config import ArenaConfig
from adm_core.simulation.rigid_body.containers import container_bodies, container_kinds
from adm_core.simulation.rigid_body.layout import SLOT_M, arena_layout
from adm_core.simulation.scenarios import Scenario

CONFIG = ArenaConfig()
SCENARIO = Scenario("arena", 0, 6, 300)


def draw(seed, **changes):
    scenario = Scenario("arena", 0, changes.pop("containers", 6), 300)
    return arena_layout(ArenaConfig(**changes), scenario, np.random.default_rng(seed))


@pytest.mark.parametrize("seed", range(30))
def test_everything_has_its_room(seed):
    layout = draw(seed)
    half = CONFIG.size_m / 2
    assert len(layout.obstacles) == CONFIG.obstacles
    assert len(set(layout.placed)) == 6
    assert sorted(layout.labels) == ["bottle"] * 3 + ["can"] * 3
    cells = [layout.terrain.cell(spot) for spot in layout.spots]
    assert len(set(cells)) == len(cells)  # reports are matched by cell
    for spot in layout.spots:
        assert max(abs(spot.x), abs(spot.y)) < half - 0.45
        assert all(math.dist(spot[:2], box[:2]) > 0.45 for box in layout.obstacles)
        assert all(math.dist(spot[:2], item.pose[:2]) > 0.65 for item in layout.stations)
        assert math.isfinite(layout.terrain.distances(layout.start, [spot])[0])


def test_the_same_generator_gives_the_same_layout():
    assert draw(3).placed == draw(3).placed
    assert draw(3).spots == draw(3).spots
    assert draw(3).placed != draw(4).placed


def test_slots_lie_apart_on_the_plate_from_the_middle_outwards():
    layout = draw(0)
    for station in layout.stations:
        slots = layout.slots(station)
        offsets = [abs(slot.y - station.pose.y) for slot in slots]
        assert offsets == sorted(offsets)
        assert np.diff(sorted(slot.y for slot in slots)) == pytest.approx([SLOT_M] * 3)
        assert all(slot.x * math.cos(station.pose.yaw) > 1.5 for slot in slots)


def test_too_many_containers_are_refused():
    with pytest.raises(MissionError, match="room for 8"):
        draw(0, containers=9)


@pytest.mark.parametrize(
    "changes, told",
    [
        ({"camera": "big"}, "camera must be like"),
        ({"camera": "10x10@5"}, "camera must be 32x24"),
        ({"lidar_hz": 4}, "lidar_hz must be a divisor"),
        ({"base": "legs"}, "base must be one of"),
    ],
)
def test_senseless_parameters_are_refused(changes, told):
    with pytest.raises(ConfigError, match=told):
        ArenaConfig(**changes)


def test_containers_are_calibrated_and_shaped():
    assert [kind.label for kind in container_kinds()] == ["can", "bottle"]
    assert container_bodies()["bottle"].neck_height_m > 0
    assert all(0 < body.mass_kg < 1 for body in container_bodies().values())

"""Generated buildings: connected, labelled, the same for the same seed."""

import numpy as np
import pytest
from adm_core.errors import ConfigError
from adm_core.grid.regions import inflate
from adm_core.simulation.building.config import SCALES, BuildingConfig
from adm_core.simulation.building.generate import generate_building
from adm_core.simulation.building.program import ROOM_TYPES
from scipy import ndimage

SETUPS = [(kind, scale) for kind in ("office", "apartment") for scale in SCALES]
FREE, UNKNOWN, OCCUPIED = 0, -1, 100


def generate(seed, **changes):
    return generate_building(BuildingConfig(**changes), np.random.default_rng(seed))


def rooms_of(building):
    return [room for room in building.plan.rooms if room.type != "corridor"]


@pytest.mark.parametrize("kind, scale", SETUPS)
def test_everything_is_connected_for_the_robot(kind, scale):
    for seed in range(34):  # more than 200 buildings in all
        building = generate(seed, kind=kind, scale=scale)
        _, free_parts = ndimage.label(building.grid_map.data == FREE)
        places, robot_parts = ndimage.label(inflate(building.grid_map, 0.20))
        assert (free_parts, robot_parts) == (1, 1), f"seed {seed}"
        for index, room in enumerate(building.plan.rooms):
            centre = [2 * r / 8 for r in (room.rect.x0, room.rect.y0, room.rect.x1, room.rect.y1)]
            row0, col0 = building.grid_map.world_to_cell(centre[0], centre[1])
            row1, col1 = building.grid_map.world_to_cell(centre[2], centre[3])
            assert places[row0:row1, col0:col1].any(), f"seed {seed}, room {index}"


@pytest.mark.parametrize("kind, scale", SETUPS)
def test_labels_tell_the_rooms_apart(kind, scale):
    for seed in range(10):
        building = generate(seed, kind=kind, scale=scale)
        labels = building.labels.data
        assert np.array_equal(labels > 0, building.grid_map.data == FREE)
        for label, name in enumerate(ROOM_TYPES, 1):
            _, instances = ndimage.label(labels == label)
            if name == "corridor":
                assert instances == 1
            else:
                assert instances == sum(room.type == name for room in building.plan.rooms)
        assert building.labels.names == dict(enumerate(ROOM_TYPES, 1))


@pytest.mark.parametrize("kind, scale", SETUPS)
def test_pooling_to_a_quarter_metre_keeps_the_building_whole(kind, scale):
    for seed in range(10):
        data = generate(seed, kind=kind, scale=scale).grid_map.data
        rows, cols = (side // 5 for side in data.shape)
        blocks = data[: 5 * rows, : 5 * cols].reshape(rows, 5, cols, 5)
        assert ndimage.label((blocks == FREE).all(axis=(1, 3)))[1] == 1


@pytest.mark.parametrize("resolution", [0.025, 0.04, 0.1, 0.15, 0.2, 0.25])
def test_any_resolution_gives_the_same_plan_connected(resolution):
    for seed in range(5):
        fine, other = generate(seed), generate(seed, resolution_m=resolution)
        assert other.plan == fine.plan
        assert ndimage.label(inflate(other.grid_map, 0.20))[1] == 1
        # Walls close: without doors the rooms fall apart.
        closed = other.grid_map.data == FREE
        for door in other.plan.doors:
            rect = [value * 0.25 for value in vars(door.rect).values()]
            row0, col0 = other.grid_map.world_to_cell(rect[0] - 0.1, rect[1] - 0.1)
            row1, col1 = other.grid_map.world_to_cell(rect[2] + 0.1, rect[3] + 0.1)
            closed[row0 : row1 + 1, col0 : col1 + 1] = False
        assert ndimage.label(closed)[1] >= len(rooms_of(other)) + 1


def test_the_map_is_unknown_outside_and_closed_by_an_outer_wall():
    building = generate(0)
    data = building.grid_map.data
    assert building.grid_map.shape == (320, 420)
    assert tuple(building.grid_map.origin) == (-0.5, -0.5, 0.0)
    assert (data[:10] == UNKNOWN).all() and (data[:, -10:] == UNKNOWN).all()
    known = data[10:-10, 10:-10]
    assert (known != UNKNOWN).all()
    for wall in (known[0], known[-1], known[:, 0], known[:, -1]):
        assert (wall == OCCUPIED).all()


def test_equal_seeds_give_equal_buildings_and_others_differ():
    ids = [generate(seed).grid_map.map_id for seed in range(6)]
    assert ids == [generate(seed).grid_map.map_id for seed in range(6)]
    assert len(set(ids)) == 6


def test_furniture_does_not_change_the_plan():
    bare, full = generate(4, furniture=False), generate(4)
    assert bare.plan == full.plan
    assert bare.furniture == () and len(full.furniture) > 20
    changed = bare.grid_map.data != full.grid_map.data
    assert np.count_nonzero(changed) == sum(piece.rect.area for piece in full.furniture)


def test_size_and_number_of_rooms_are_obeyed():
    building = generate(1, size="24x16.5", rooms=17)
    assert building.grid_map.shape == ((66 + 4) * 5, (96 + 4) * 5)
    assert len(rooms_of(building)) == 17


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"size": "24"}, "size must be WIDTHxHEIGHT"),
        ({"size": "-4x9"}, "size must be WIDTHxHEIGHT"),
        ({"size": "axb"}, "size must be"),
        ({"size": "300x20"}, "size must be at most 250 m"),
        ({"size": "4x20"}, "at least 7.25 m"),
        ({"corridor_m": 5.0, "size": "10x10"}, "at least 10.5 m"),
        ({"rooms": 400}, "rooms must be"),
        ({"rooms": -1}, "rooms must be >= 0"),
        ({"kind": "castle"}, "kind must be one of"),
        ({"scale": "tiny"}, "scale must be one of"),
        ({"resolution_m": 0.5}, "resolution_m must be <= 0.25"),
        ({"robot_radius_m": 0.4}, "robot_radius_m must be <= 0.25"),
        ({"door_m": 0.5}, "door_m must be >= 0.75"),
    ],
)
def test_invalid_parameters_are_named(changes, message):
    with pytest.raises(ConfigError, match=message):
        generate(0, **changes)

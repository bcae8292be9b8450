"""Apartments of the search experiments: their statistics are those that the docs promise."""

import numpy as np
import pytest
from adm_core.errors import ConfigError
from adm_core.grid.adjacency import touching
from adm_core.grid.distance import reachable
from adm_core.simulation.search.apartments import furniture_objects, generate_apartment, type_names
from adm_core.simulation.search.config import SCALES, TARGET_TYPES, ScenarioConfig
from scipy import ndimage

SEEDS = range(30)
ALL = [(scale, seed) for scale in SCALES for seed in range(8)]


def generate(scale, seed, **changes):
    return generate_apartment(scale, np.random.default_rng(seed), ScenarioConfig(**changes))


def rooms_of(building):
    return [room for room in building.plan.rooms if room.type != "corridor"]


@pytest.mark.parametrize("scale, seed", ALL)
def test_robots_that_need_both_sides_of_a_diagonal_get_everywhere(scale, seed):
    building = generate(scale, seed)
    free = building.grid_map.data == 0
    assert ndimage.label(free)[1] == 1
    start = np.argwhere(free)[:1]
    assert np.array_equal(reachable(building.grid_map.data, start, diagonal="unit"), free)


@pytest.mark.parametrize("scale, seed", ALL)
def test_every_type_that_is_searched_for_is_there_and_nothing_else(scale, seed):
    names = type_names(generate(scale, seed))
    assert set(names.values()) == {*TARGET_TYPES, "corridor"}


@pytest.mark.parametrize("scale, seed", ALL)
def test_rooms_of_equal_type_never_touch(scale, seed):
    building = generate(scale, seed)
    labels = building.labels.data
    for label, name in building.labels.names.items():
        if name != "corridor" and (labels == label).any():
            instances = ndimage.label(labels == label)[0]
            assert not touching(instances)
    # What touches is a room and the corridor, or two rooms of different types with a door.
    assert all(a != b for a, b in touching(labels))


@pytest.mark.parametrize("scale", SCALES)
def test_statistics_are_as_documented(scale):
    nominal = SCALES[scale]
    buildings = [generate(scale, seed) for seed in SEEDS]
    for building in buildings:
        for side in (building.plan.width, building.plan.height):
            assert 0.85 * nominal.side - 0.5 <= side <= 1.15 * nominal.side + 0.5
        for door in building.plan.doors:
            assert door.rect.area == 3 or 0 in door.rooms  # a cross corridor opens in full width
    counts = [len(rooms_of(building)) for building in buildings]
    assert abs(np.mean(counts) - nominal.rooms) < 1.0
    sides = [
        side
        for building in buildings
        for room in rooms_of(building)
        for side in (room.rect.width, room.rect.height)
    ]
    assert np.percentile(sides, 5) >= 9 and np.percentile(sides, 95) <= 20
    assert min(sides) >= 8 and max(sides) <= 26
    corridors = [len(building.plan.rooms) - len(rooms_of(building)) for building in buildings]
    assert set(corridors) == {"small": {1}, "medium": {1, 3}, "large": {3}}[scale]


def test_doors_make_loops_too():
    more = [
        len(b.plan.doors) - (len(b.plan.rooms) - 1) for b in (generate("large", s) for s in SEEDS)
    ]
    assert min(more) >= 0
    assert np.mean(more) > 3  # ways around, beyond the tree that joins all rooms


def test_equal_seeds_give_equal_apartments_and_others_do_not():
    first, again, other = generate("medium", 3), generate("medium", 3), generate("medium", 4)
    assert first.grid_map.map_id == again.grid_map.map_id != other.grid_map.map_id


def test_furniture_can_be_left_out_without_changing_the_rooms():
    with_it, without = generate("small", 2), generate("small", 2, furniture=False)
    assert with_it.plan == without.plan
    assert with_it.furniture and not without.furniture


@pytest.mark.parametrize("scale, seed", ALL[::3])
def test_objects_stand_beside_free_cells_of_their_rooms(scale, seed):
    building = generate(scale, seed)
    names = type_names(building)
    objects = furniture_objects(building)
    assert len({item.name for item in objects}) == len(objects) == len(building.furniture)
    for item, piece in zip(objects, building.furniture, strict=True):
        assert item.kind == piece.name
        assert building.grid_map.data[item.cell] == 0
        assert names[int(building.labels.data[item.cell])] == item.room_type
        assert building.plan.rooms[piece.room].type in item.room_type
        rect = piece.rect
        row, col = item.cell
        assert rect.y0 - 1 <= row <= rect.y1 and rect.x0 - 1 <= col <= rect.x1


def test_an_unknown_scale_is_refused():
    with pytest.raises(ConfigError, match=r"small.*huge"):
        generate("huge", 0)

"""Pooled plans: rooms that were connected stay so, or the error names them."""

import numpy as np
import pytest
from adm_core.errors import MapError
from adm_core.grid.adjacency import parts_of_labels
from adm_core.grid.floorplans import LabelledMap, load_floorplan
from adm_core.grid.floorplans.pooled import pool_plan
from adm_core.grid.labels import LabelGrid
from adm_core.types import GridMap
from floorplans import PLANS


def two_rooms(door, at=12, width=60):
    """Return two rooms with a wall 2 cells thick between them and a door of some cells."""
    data = np.zeros((50, width), np.int8)
    data[[0, -1]] = data[:, [0, -1]] = 100
    data[:, 30:32] = 100
    data[at : at + door, 30:32] = 0
    rooms = np.where(np.arange(width) < 31, 1, 2)[None].repeat(50, 0).astype(np.uint16)
    types = LabelGrid(rooms.copy(), {1: "kitchen", 2: "office"})
    names = LabelGrid(rooms, {1: "room 7", 2: "room 8"})
    return LabelledMap(GridMap(data, 0.05), types, names, source="flat")


def connected(plan):
    homes = parts_of_labels(plan.grid_map.data == 0, plan.rooms.data)
    return homes.get(1) == homes.get(2) is not None


@pytest.mark.parametrize("at", range(8, 20))
def test_a_door_that_a_robot_fits_through_is_kept_wherever_it_lies(at):
    assert connected(pool_plan(two_rooms(12, at), 0.25))


def test_a_door_that_would_close_is_an_error_with_the_rooms_and_a_cell_that_works():
    plan = two_rooms(9)
    with pytest.raises(MapError, match=r"0\.5 m would cut off room 8 .*; --cell 0\.45") as caught:
        pool_plan(plan, 0.5)
    assert str(caught.value).startswith("flat: ")
    assert connected(pool_plan(plan, 0.45))


def test_the_advice_is_followed_without_another_error():
    for door in range(9, 14):
        plan, cell = two_rooms(door), 1.0
        try:
            pool_plan(plan, cell)
        except MapError as err:
            cell = float(str(err).split("--cell ")[1].split()[0])
        assert connected(pool_plan(plan, cell))


def test_a_crack_that_no_robot_fits_through_may_close():
    """Walls of scanned maps leak through single cells; nobody walks there."""
    assert not connected(pool_plan(two_rooms(2), 0.25))
    with pytest.raises(MapError, match="would cut off"):
        pool_plan(two_rooms(2), 0.25, robot_radius_m=0.0)


def test_without_rooms_the_parts_of_each_type_are_watched():
    plan = two_rooms(9)
    untold = LabelledMap(plan.grid_map, plan.types, source="flat")
    with pytest.raises(MapError, match="would cut off office "):
        pool_plan(untold, 0.5)


def test_a_map_without_labels_has_no_rooms_to_lose():
    plan = two_rooms(9)
    bare = LabelledMap(plan.grid_map, LabelGrid(np.zeros((50, 60), np.uint16)))
    assert pool_plan(bare, 0.5).grid_map.resolution == 0.5


@pytest.mark.parametrize("cell_m", [0.05, 0.02])
def test_its_own_cells_and_finer_ones_leave_a_plan_as_it_is(cell_m):
    plan = two_rooms(9)
    assert pool_plan(plan, cell_m) is plan


@pytest.mark.parametrize("cell_m", [0.0, -1.0, np.nan, np.inf])
def test_cells_of_no_size_are_refused(cell_m):
    with pytest.raises(ValueError, match="cell_m must be finite and > 0 m"):
        pool_plan(two_rooms(9), cell_m)


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.stem)
@pytest.mark.parametrize("cell_m", [0.25, 0.2])
def test_real_plans_keep_their_rooms_connected(path, cell_m):
    fine, coarse = load_floorplan(path), load_floorplan(path, cell_m=cell_m)
    assert coarse.grid_map.resolution == cell_m
    homes = parts_of_labels(coarse.grid_map.data == 0, coarse.rooms.data)
    counts = np.bincount(list(homes.values()))
    # All rooms of the floor hang together, in the coarse plan as in the fine one.
    assert counts.max() >= 0.9 * len(homes) and len(homes) >= 0.9 * len(fine.rooms.names)
    for item in coarse.objects:
        assert coarse.grid_map.data[item.cell] == 0
        assert coarse.rooms.names.get(int(coarse.rooms.data[item.cell])) == item.room

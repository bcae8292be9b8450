import numpy as np
import pytest
from adm_core._kernels.reference_sight_tree import grow_tree
from adm_core.grid import visible_cells
from adm_core.grid.sight_tree import TRIALS, SightTree
from hypothesis import given, settings
from hypothesis import strategies as st

SHAPE, ROOT = (20, 30), (10, 15)
ROOT_CELL = 10 * 30 + 15


def draw_grid(rng, walls=0.2):
    grid = np.where(rng.random(SHAPE) < walls, np.int8(100), np.int8(0))
    grid[rng.random(SHAPE) < 0.05] = -1
    grid[ROOT] = 0
    return grid


def grow(seed, nodes=25, step=4.0, rewire=6.0):
    rng = np.random.default_rng(seed)
    grid = draw_grid(rng)
    allowed = rng.random(grid.size) < 0.9
    tree = SightTree(grid, allowed, ROOT_CELL, step, rewire)
    tree.grow(nodes, 20.0, rng)
    return grid, allowed, tree


def sees(grid, cell, other, reach=9.0):
    seen = visible_cells(
        grid, np.array([cell]), np.zeros(1), range_cells=reach, near_cells=reach
    ).cells
    return other[0] * SHAPE[1] + other[1] in seen


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([(2.0, 3.0), (4.0, 6.0), (3.0, 8.0)]))
def test_the_kernel_grows_the_tree_of_its_slow_twin(seed, lengths):
    grid, allowed, tree = grow(seed, 20, *lengths)
    rng = np.random.default_rng(seed)
    draw_grid(rng), rng.random(grid.size)
    angles = rng.uniform(0.0, 2 * np.pi, 20 * TRIALS)
    radii = 20.0 * np.sqrt(rng.uniform(0.0, 1.0, 20 * TRIALS))
    samples = np.stack([10 + radii * np.sin(angles), 15 + radii * np.cos(angles)], 1)
    cells, parents, costs = grow_tree(
        allowed.reshape(SHAPE) & (grid == 0), lambda a, b: sees(grid, a, b), samples, ROOT,
        *lengths, 21,
    )  # fmt: skip
    assert [divmod(cell, 30) for cell in tree.cells.tolist()] == cells
    assert tree.parents.tolist() == parents
    assert tree.costs == pytest.approx(costs)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_edges_are_in_sight_and_branches_as_long_as_they_cost(seed):
    grid, allowed, tree = grow(seed)
    assert len(set(tree.cells.tolist())) == len(tree)
    for node in range(1, len(tree)):
        cell, parent = (divmod(int(tree.cells[i]), 30) for i in (node, tree.parents[node]))
        assert grid[cell] == 0 and allowed[tree.cells[node]] and sees(grid, cell, parent)
        branch = np.array([divmod(int(tree.cells[i]), 30) for i in [0, *tree.branch(node)]], float)
        assert tree.costs[node] == pytest.approx(np.hypot(*np.diff(branch, axis=0).T).sum())


def test_a_graft_ends_where_it_is_blocked():
    grid = np.array([[0, 0, 0, 100, 0, 0]], np.int8)
    tree = SightTree(grid, np.ones(6, np.bool_), 0, 4.0, 6.0)
    tree.graft([2, 4, 5])
    assert tree.cells.tolist() == [0, 2] and tree.costs.tolist() == [0.0, 2.0]


def test_a_graft_takes_no_cell_twice():
    tree = SightTree(np.zeros((1, 6), np.int8), np.ones(6, np.bool_), 0, 4.0, 6.0)
    tree.graft([2, 0, 4])
    assert tree.cells.tolist() == [0, 2]


def test_a_tree_grows_on_from_a_graft():
    tree = SightTree(np.zeros(SHAPE, np.int8), np.ones(600, np.bool_), ROOT_CELL, 4.0, 6.0)
    tree.graft([ROOT_CELL + 3, ROOT_CELL + 6])
    tree.grow(10, 20.0, np.random.default_rng(0))
    assert len(tree) == 13 and len(set(tree.cells.tolist())) == 13


def test_a_walled_in_root_stays_alone():
    grid = np.full((5, 5), 100, np.int8)
    grid[2, 2] = 0
    tree = SightTree(grid, np.ones(25, np.bool_), 12, 4.0, 6.0)
    tree.grow(10, 20.0, np.random.default_rng(0))
    assert tree.cells.tolist() == [12] and tree.branch(0) == []


def test_a_root_that_is_not_free_can_be_left():
    grid = np.zeros((5, 5), np.int8)
    grid[2, 2] = 100
    tree = SightTree(grid, np.ones(25, np.bool_), 12, 2.0, 3.0)
    tree.grow(3, 5.0, np.random.default_rng(0))
    assert len(tree) == 4


def test_equal_generators_grow_equal_trees():
    assert np.array_equal(grow(7)[2].cells, grow(7)[2].cells)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"allowed": np.ones(3, np.bool_)}, "allowed"),
        ({"root": 25}, "root"),
        ({"root": -1}, "root"),
        ({"step": 0.0}, "step"),
        ({"step": np.nan}, "step"),
        ({"grid": np.zeros(25, np.int8)}, "grid"),
    ],
)
def test_wrong_arguments_are_named(change, message):
    right = {
        "grid": np.zeros((5, 5), np.int8), "allowed": np.ones(25, np.bool_), "root": 0,
        "step": 1.0, "rewire": 2.0,
    }  # fmt: skip
    with pytest.raises(ValueError, match=message):
        SightTree(**{**right, **change})

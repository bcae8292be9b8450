import numpy as np
import pytest
from adm_core.grid import visible_cells
from adm_core.search.baselines.view_tree import ViewTree
from hypothesis import given
from hypothesis import strategies as st


def grow(seed, nodes=25, walls=0.2):
    rng = np.random.default_rng(seed)
    free = np.where(rng.random((20, 30)) < walls, np.int8(100), np.int8(0))
    free[10, 15] = 0
    tree = ViewTree(free, np.ones(free.size, np.bool_), 10 * 30 + 15, 4.0, 6.0)
    tree.grow(nodes, 20.0, rng)
    return free, tree


@given(st.integers(0, 2**32 - 1))
def test_every_edge_is_in_sight_and_every_node_hangs_on_the_root(seed):
    free, tree = grow(seed)
    assert len(set(tree.cells)) == len(tree)
    for node in range(1, len(tree)):
        parent = tree.parents[node]
        cell = np.array([divmod(tree.cells[node], 30)])
        seen = visible_cells(free, cell, np.zeros(1), range_cells=6.0, near_cells=6.0).cells
        assert free.ravel()[tree.cells[node]] == 0 and tree.cells[parent] in seen
        assert 0 < len(tree.branch(node)) < len(tree)


@given(st.integers(0, 2**32 - 1))
def test_costs_are_the_lengths_of_the_branches(seed):
    _, tree = grow(seed)
    for node in range(1, len(tree)):
        cells = [tree.cells[0], *(tree.cells[i] for i in tree.branch(node))]
        where = np.array([divmod(cell, 30) for cell in cells], float)
        assert tree._costs[node] == pytest.approx(np.hypot(*np.diff(where, axis=0).T).sum())


def test_scores_add_up_along_a_branch():
    tree = ViewTree(np.zeros((1, 9), np.int8), np.ones(9, np.bool_), 0, 4.0, 6.0)
    tree.graft([2, 4])
    scores = tree.scores(np.array([50, 10, 20], np.int32), 0.5)
    assert scores[1] == pytest.approx(10 * np.exp(-1.0))
    assert scores[2] == pytest.approx(scores[1] + 20 * np.exp(-1.0))
    assert scores[0] == 0.0


def test_a_graft_ends_where_it_is_blocked():
    free = np.array([[0, 0, 0, 100, 0, 0]], np.int8)
    tree = ViewTree(free, np.ones(6, np.bool_), 0, 4.0, 6.0)
    tree.graft([2, 4, 5])
    assert tree.cells == [0, 2]


def test_a_walled_in_root_stays_alone():
    free = np.full((5, 5), 100, np.int8)
    free[2, 2] = 0
    tree = ViewTree(free, np.ones(25, np.bool_), 12, 4.0, 6.0)
    tree.grow(10, 20.0, np.random.default_rng(0))
    assert tree.cells == [12]


def test_equal_generators_grow_equal_trees():
    assert grow(7)[1].cells == grow(7)[1].cells

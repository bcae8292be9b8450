"""Windows carry exactly what changed."""

import numpy as np
import pytest
from adm_core.grid.windows import TILE, GridWindow, batches, changed_windows
from hypothesis import given
from hypothesis import strategies as st


def random_map(rng, shape):
    return rng.choice(np.array([-1, 0, 100], np.int8), shape)


@given(st.integers(1, 150), st.integers(1, 150), st.integers(0, 40), st.integers(0, 2**32 - 1))
def test_windows_turn_one_state_into_the_other(rows, cols, changes, seed):
    rng = np.random.default_rng(seed)
    before = random_map(rng, (rows, cols))
    after, types = before.copy(), np.zeros((rows, cols), np.uint16)
    for _ in range(changes):
        cell = rng.integers(rows), rng.integers(cols)
        after[cell], types[cell] = 100 - after[cell] % 100, rng.integers(3)
    map_, labels = before.copy(), np.zeros_like(types)
    windows = changed_windows(before, after, labels, types)
    for window in windows:
        map_[window.place], labels[window.place] = window.occupancy, window.label_image()
    assert np.array_equal(map_, after) and np.array_equal(labels, types)
    tiles = {(window.row // TILE, window.col // TILE) for window in windows}
    assert len(tiles) == len(windows)


def test_a_window_is_as_small_as_its_change():
    before = np.full((200, 300), -1, np.int8)
    after = before.copy()
    after[70:73, 130:132] = 0
    (window,) = changed_windows(before, after, corner=(1000, 2000))
    assert (window.row, window.col, window.occupancy.shape) == (1070, 2130, (3, 2))
    assert window.labels is None


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (4, 4)])
def test_nothing_changed_gives_no_window(shape):
    same = np.zeros(shape, np.int8)
    assert changed_windows(same, same.copy()) == []


def test_states_of_different_shape_are_refused():
    with pytest.raises(ValueError, match="after must have the shape"):
        changed_windows(np.zeros((2, 2), np.int8), np.zeros((2, 3), np.int8))


def test_batches_keep_the_order_and_the_limit():
    windows = [
        GridWindow(0, k, np.zeros((1, size), np.int8)) for k, size in enumerate([3, 4, 9, 1])
    ]
    parts = list(batches(windows, 8))
    assert [[w.col for w in part] for part in parts] == [[0, 1], [2], [3]]
    assert list(batches([], 8)) == [[]]

"""Grids that property tests draw from, and shapes that broke somebody's frontier search once."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays


def grids(max_rows=12, max_cols=140, values=(-1, 0, 0, 100, 7, 64, 65, 127, -128)):
    """Draw int8 grids; rows longer than 128 cells reach over three words of a bit row."""
    shape = st.one_of(
        st.tuples(st.integers(0, max_rows), st.integers(0, max_cols)),
        st.tuples(st.integers(1, max_rows), st.integers(1, 9)),
        st.just((1, max_cols)),
        st.just((max_cols, 1)),
    )
    drawn = shape.flatmap(lambda s: arrays(np.int8, s, elements=st.sampled_from(values)))
    return st.one_of(drawn, patchy(max_rows, max_cols))


@st.composite
def patchy(draw, max_rows=12, max_cols=140):
    """Draw a free grid with some unknown and occupied cells: long searches, few frontiers."""
    rows, cols = draw(st.integers(1, max_rows)), draw(st.integers(1, max_cols))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    walls, holes = draw(st.sampled_from([0.0, 0.1, 0.4])), draw(st.sampled_from([0.01, 0.1, 0.5]))
    grid = np.where(rng.random((rows, cols)) < walls, 100, 0)
    return np.where(rng.random((rows, cols)) < holes, -1, grid).astype(np.int8)


def checkerboard(rows, cols, a=0, b=-1):
    """Return alternating values."""
    return np.where(np.indices((rows, cols)).sum(0) % 2, b, a).astype(np.int8)


def spiral(n):
    """Return a one-cell corridor that winds to the middle of n x n occupied cells."""
    grid = np.full((n, n), 100, np.int8)
    row, col, step = 0, 0, (0, 1)
    grid[0, 0] = 0
    for _ in range(2 * n):
        moved = False
        while True:
            near, far = (row + step[0], col + step[1]), (row + 2 * step[0], col + 2 * step[1])
            if not (0 <= near[0] < n and 0 <= near[1] < n):
                break
            if 0 <= far[0] < n and 0 <= far[1] < n and grid[far] == 0:
                break
            row, col = near
            grid[near], moved = 0, True
        step = (step[1], -step[0])
        if not moved:
            break
    return grid


def odd_grids():
    """Return named grids at the limits of what a map can be."""
    rng = np.random.default_rng(5)
    spiral_open = spiral(41)
    spiral_open[20, 20] = spiral_open[0, 0] = -1
    return {
        "no rows": np.zeros((0, 5), np.int8),
        "no columns": np.zeros((5, 0), np.int8),
        "one free cell": np.zeros((1, 1), np.int8),
        "all free": np.zeros((70, 130), np.int8),
        "all unknown": np.full((70, 130), -1, np.int8),
        "one row": np.array([[0, -1, 0, 100, 0, -1] * 30], np.int8),
        "one column": np.array([[0, -1, 0, 100, 0, -1] * 30], np.int8).T.copy(),
        "checkerboard": checkerboard(65, 129),
        "checkerboard of walls": checkerboard(65, 129, 0, 100),
        "spiral": spiral_open,
        "values 1 to 99": rng.integers(1, 100, (40, 90)).astype(np.int8),
        "every value": rng.integers(-128, 128, (40, 90)).astype(np.int8),
    }

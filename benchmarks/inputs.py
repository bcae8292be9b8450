"""Inputs of the benchmarks: generated office floors and real maps, the same on every run."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
from scipy import ndimage as ndi

UNKNOWN, FREE, OCCUPIED = -1, 0, 100
SEED = 20240607


def smooth_noise(rng, n, m):
    """m x m random values stretched bilinearly to n x n."""
    low = rng.standard_normal((m + 1, m + 1)).astype(np.float32)
    pos = np.linspace(0, m, n, endpoint=False)
    i = pos.astype(np.int64)
    f = (pos - i).astype(np.float32)
    rows = low[i] * (1 - f)[:, None] + low[i + 1] * f[:, None]
    return rows[:, i] * (1 - f) + rows[:, i + 1] * f


def floor_plan(n, seed=SEED, clutter=1.0, kinds=7):
    """Occupancy truth (0 or 100) and room types (1 corridor, 2.. rooms) of an office-like floor.

    `clutter` scales the number of pieces of furniture, `kinds` is the number of room types
    besides the corridor.
    """
    rng = np.random.default_rng([seed, n])
    occ = np.full((n, n), OCCUPIED, np.int8)
    typ = np.zeros((n, n), np.uint8)
    wall = 3

    def carve(y0, y1, x0, x1, t):
        occ[y0:y1, x0:x1] = FREE
        typ[y0:y1, x0:x1] = t

    shafts, x = [], wall  # vertical corridors
    while x < n:
        shafts.append(x)
        x += int(rng.integers(600, 900))
    y = wall
    while y < n - 200:
        top, cor, bottom = (
            int(rng.integers(70, 140)),
            int(rng.integers(28, 40)),
            int(rng.integers(70, 140)),
        )
        yc = y + top + wall  # corridor rows yc .. yc+cor
        yb = yc + cor + wall
        carve(yc, min(yc + cor, n - wall), wall, n - wall, 1)
        for y0, y1, door_y in ((y, y + top, yc - wall), (yb, yb + bottom, yc + cor)):
            y1 = min(y1, n - wall)
            x = wall
            while x < n - 40:
                w = int(rng.integers(60, 160))
                x1 = min(x + w, n - wall)
                if y1 - y0 > 20 and x1 - x > 30:
                    t = (
                        2 + int(rng.integers(2, 9) - 2) * kinds // 7
                        if kinds < 7
                        else int(rng.integers(2, 2 + kinds))
                    )
                    carve(y0, y1, x, x1, t)
                    if rng.random() < 0.2:  # open plan: two types in one room
                        typ[y0:y1, (x + x1) // 2 : x1] = 2 + (t - 1) % kinds
                    d = int(rng.integers(14, 20))
                    dx = int(rng.integers(x + 2, x1 - d - 2))
                    if door_y + wall < n:
                        carve(door_y, door_y + wall, dx, dx + d, t)
                    if rng.random() < 0.15 and x1 + wall < n - wall:
                        dy = int(rng.integers(y0 + 2, y1 - 18))
                        carve(dy, dy + 16, x1, x1 + wall, t)
                x = x1 + wall
        y = yb + bottom + wall
    for s in shafts:
        carve(wall, n - wall, s, min(s + 30, n - wall), 1)
    for _ in range(int(clutter * (n * n // 1500))):  # furniture
        cy, cx = rng.integers(0, n, 2)
        h, w = rng.integers(3, 14, 2)
        occ[cy : cy + h, cx : cx + w] = OCCUPIED
    k = n * n // 5000  # single-cell returns
    occ[rng.integers(0, n, k), rng.integers(0, n, k)] = OCCUPIED
    return occ, typ


def make_grid(n, seed=SEED, unexplored=0.45, clutter=1.0, kinds=7):
    """About half of the floor explored, with a ragged boundary and small holes.

    The explored free space is one connected region, as one robot team leaves it, plus islands."""
    occ, typ = floor_plan(n, seed, clutter, kinds)
    rng = np.random.default_rng([seed, n, 1])
    axis = np.linspace(-0.5, 0.5, n, dtype=np.float32)
    field = -2 * np.hypot(
        axis[:, None], axis[None] + 0.05
    )  # explored outwards from a start near the middle
    field += 0.25 * smooth_noise(rng, n, max(2, min(6, n // 350)))
    reach = min(1.0, 2000 / n)  # the ragged part keeps its width in cells
    field += 0.12 * reach * smooth_noise(rng, n, max(4, n // 60))
    field += 0.012 * reach * smooth_noise(rng, n, max(8, n // 7))
    field += 0.003 * reach * rng.standard_normal((n, n), dtype=np.float32)
    cut = np.quantile(field[::7, ::7], unexplored)
    grid = np.where(field > cut, occ, np.int8(UNKNOWN)).astype(np.int8)
    del field
    for _ in range(n * n // 2500):  # shadows behind clutter
        cy, cx = rng.integers(0, n, 2)
        h, w = rng.integers(2, 7, 2)
        grid[cy : cy + h, cx : cx + w] = UNKNOWN
    lab, k = ndi.label(grid == FREE)
    size = np.bincount(lab.ravel(), minlength=k + 1)
    size[0] = 0
    keep = rng.random(k + 1) < 0.02  # islands seen through glass or over furniture
    keep[0] = True
    keep[size.argmax()] = True
    grid[~keep[lab]] = UNKNOWN
    return grid, typ


def read_pgm(path):
    """Binary .pgm map as ROS map_server writes it (254 free, 0 occupied, 205 unknown)."""
    raw = Path(path).read_bytes()
    if raw[:2] != b"P5":
        raise ValueError("not a binary pgm")
    fields, pos = [], 2
    while len(fields) < 3:
        end = pos
        while raw[end : end + 1].isspace():
            end += 1
        if raw[end : end + 1] == b"#":
            pos = raw.index(b"\n", end)
            continue
        pos = end
        while not raw[end : end + 1].isspace():
            end += 1
        fields.append(int(raw[pos:end]))
        pos = end
    w, h, _ = fields
    img = np.frombuffer(raw, np.uint8, w * h, pos + 1).reshape(h, w)
    return np.where(img > 230, FREE, np.where(img < 90, OCCUPIED, UNKNOWN)).astype(np.int8)


def make_input(name, **options):
    """Grid, room types and 16 sources of distance: of generated size `name`, or of a .pgm file.

    A real map has no room types; it gets tiles of 90 x 110 cells in eight types.
    """
    if isinstance(name, int):
        grid, labels = make_grid(name, **options)
    else:
        grid = read_pgm(name)
        rows, cols = grid.shape
        tiles = np.add.outer(np.arange(rows) // 90 * 3, np.arange(cols) // 110)
        labels = (1 + tiles % 8).astype(np.uint8)
    grid = np.ascontiguousarray(grid)
    free = np.flatnonzero(grid.ravel() == FREE)
    if free.size < 16:
        raise ValueError(f"{name} has no free space")
    sources = np.sort(np.random.default_rng(SEED).choice(free, 16, replace=False))
    return SimpleNamespace(grid=grid, labels=labels, sources=sources.astype(np.int64))

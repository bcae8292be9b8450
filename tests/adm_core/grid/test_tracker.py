import numpy as np
import pytest
from adm_core._kernels import reference
from adm_core.grid import MapTracker, cluster_frontiers, frontier_cells
from hypothesis import given, settings
from hypothesis import strategies as st
from sizes import examples

GRID = np.array([[0, 0, -1], [0, 100, 0]], np.int8)
TYPES = np.array([[1, 2, 0], [1, 0, 2]], np.uint8)


class Scene:
    """A random map of patches, and random edits of it: the same for the same seed."""

    def __init__(self, seed):
        self.rng = rng = np.random.default_rng(seed)
        self.walls, self.holes = rng.choice([0.0, 0.1, 0.3]), rng.choice([0.005, 0.05, 0.3])
        self.block, self.kinds = int(rng.choice([1, 5, 30])), int(rng.choice([1, 3, 200]))
        self.dtype = rng.choice([np.uint8, np.uint16])
        shape = (int(rng.integers(0, 90)), int(rng.integers(0, 200)))
        self.options = {
            "c_max": int(rng.choice([0, 1, 3, 10, 20, 31, 40])),
            "border_is_unknown": bool(rng.integers(2)),
            "free_max": int(rng.choice([0, 0, 30])),
        }
        self.grid, self.types = self.cells(shape), self.rooms(shape)

    def cells(self, shape):
        noise = self.rng.random(shape)
        values = np.where(noise < self.walls, self.rng.choice([100, 30]), 0)
        return np.where(self.rng.random(shape) < self.holes, -1, values).astype(np.int8)

    def rooms(self, shape):
        size = (shape[0] // self.block + 1, shape[1] // self.block + 1)
        low = self.rng.integers(0, self.kinds, size)
        full = low.repeat(self.block, 0).repeat(self.block, 1)
        return np.ascontiguousarray(full[: shape[0], : shape[1]]).astype(self.dtype)

    def edit(self, tracker):
        if self.rng.random() < 0.15:
            self.reframe(tracker)
        elif self.grid.size:
            self.write(tracker)

    def write(self, tracker):
        rng, (rows, cols) = self.rng, self.grid.shape
        row, col = int(rng.integers(rows)), int(rng.integers(cols))
        high = min(rows - row, int(rng.integers(0, rng.choice([2, 8, 60]))))
        broad = min(cols - col, int(rng.integers(0, rng.choice([2, 8, 120]))))
        here = np.s_[row : row + high, col : col + broad]
        values, types = self.grid[here].copy(), self.types[here].copy()
        what = rng.integers(5)
        if what == 0:
            values[:] = rng.choice([-1, 0, 100])
        elif what < 4:
            values = self.cells(values.shape)
        if what > 2:
            types = self.rooms(values.shape)
        self.grid[here], self.types[here] = values, types
        tracker.update((row, col), values, types if what > 2 else None)

    def reframe(self, tracker):
        shift = tuple(self.rng.integers(-20, 70, 2).tolist())
        shape = tuple(
            (np.array(self.grid.shape) + self.rng.integers(-20, 70, 2)).clip(0, 200).tolist()
        )
        grid, types = np.full(shape, -1, np.int8), np.zeros(shape, self.dtype)
        for cell in np.ndindex(self.grid.shape) if self.grid.size < 200 else ():
            to = (cell[0] + shift[0], cell[1] + shift[1])
            if 0 <= to[0] < shape[0] and 0 <= to[1] < shape[1]:
                grid[to], types[to] = self.grid[cell], self.types[cell]
        if self.grid.size >= 200:  # the same by padding and cutting
            pad = 300
            wide = np.pad(self.grid, pad, constant_values=-1), np.pad(self.types, pad)
            cut = np.s_[pad - shift[0] :, pad - shift[1] :]
            grid, types = (w[cut][: shape[0], : shape[1]].copy() for w in wide)
        self.grid, self.types = grid, types
        tracker.reframe(shape, shift)


def check(tracker, scene, untyped, deep):
    np.testing.assert_array_equal(tracker.grid, scene.grid)
    np.testing.assert_array_equal(tracker.room_type, scene.types)
    border = scene.options["border_is_unknown"]
    want = frontier_cells(scene.grid, border_is_unknown=border, free_max=scene.options["free_max"])
    np.testing.assert_array_equal(tracker.frontier_cells(), want)
    got, full = tracker.clusters(), cluster_frontiers(scene.grid, **scene.options)
    for name in ("cells", "owner", "sizes", "centroids", "representatives", "seeds"):
        np.testing.assert_array_equal(getattr(got, name), getattr(full, name), err_msg=name)
    if deep:
        check_rooms(tracker, scene, untyped)


def check_rooms(tracker, scene, untyped):
    labels, edges = reference.room_instances(
        scene.grid, scene.types, untyped=untyped, free_max=scene.options["free_max"]
    )
    rooms = tracker.rooms()
    np.testing.assert_array_equal(tracker.label_image(), labels)
    assert [tuple(edge) for edge in rooms.edges.tolist()] == sorted(edges)
    areas = np.bincount(labels.ravel(), minlength=1)[1:]
    assert rooms.areas.tolist() == areas.tolist()
    for name, first in enumerate(rooms.first_cells.tolist(), 1):
        where = np.nonzero(labels == name)
        assert first == where[0][0] * labels.shape[1] + where[1][0]
        assert rooms.types[name - 1] == scene.types.ravel()[first]
        box = [where[0].min(), where[1].min(), where[0].max() + 1, where[1].max() + 1]
        assert rooms.boxes[name - 1].tolist() == box
        if name > 40:  # each further one costs a pass over the image
            break


@settings(max_examples=examples("tracker"), deadline=None)
@given(seed=st.integers(0, 2**32 - 1), untyped=st.booleans())
def test_tracker_equals_a_full_computation_after_every_edit(seed, untyped):
    scene = Scene(seed)
    tracker = MapTracker(scene.grid, scene.types, untyped=untyped, **scene.options)
    check(tracker, scene, untyped, deep=True)
    for step in range(8):
        scene.edit(tracker)
        check(tracker, scene, untyped, deep=step in (3, 7))


def winding(rows, cols):
    """Return one long corridor between unknown cells: every seed follows from the one before."""
    grid = np.full((rows, cols), -1, np.int8)
    grid[::2] = 0
    grid[1::4, -1] = grid[3::4, 0] = 0
    return grid


def test_a_chain_of_new_seeds_through_the_whole_map():
    grid = winding(80, 150)
    tracker = MapTracker(grid, c_max=10)
    for value in (100, 0, -1, 0):
        grid[0, 0] = value
        done = tracker.update((0, 0), grid[:1, :1])
        assert done.searches > 0
        want = cluster_frontiers(grid)
        np.testing.assert_array_equal(tracker.clusters().owner, want.owner)
        np.testing.assert_array_equal(tracker.clusters().representatives, want.representatives)


def test_a_wall_splits_a_room_and_a_door_joins_it():
    grid = np.zeros((150, 150), np.int8)
    tracker = MapTracker(grid, untyped=True)
    tracker.update((70, 0), np.full((1, 150), 100, np.int8))
    assert tracker.rooms().areas.tolist() == [70 * 150, 79 * 150]
    tracker.update((70, 149), np.zeros((1, 1), np.int8))
    assert tracker.rooms().areas.tolist() == [149 * 150 + 1]


def test_rooms_of_two_types_have_an_edge():
    rooms = MapTracker(GRID, TYPES, untyped=True).rooms()
    assert rooms.types.tolist() == [1, 2, 2]
    assert rooms.edges.tolist() == [[1, 2]]
    assert MapTracker(np.zeros((2, 2), np.int8)).rooms().areas.tolist() == []


def test_writing_the_same_values_changes_nothing():
    tracker = MapTracker(GRID, TYPES)
    assert tracker.update((0, 0), GRID, TYPES) == (0, 0, 0, 0, 0)


def test_the_box_of_an_update_holds_only_what_changed():
    tracker = MapTracker(np.zeros((9, 9), np.int8), np.zeros((9, 9), np.uint16))
    values, types = np.zeros((5, 5), np.int8), np.zeros((5, 5), np.uint16)
    values[1, 2], types[3, 1] = 100, 7
    assert tracker.update((2, 3), values, types)[:4] == (3, 6, 4, 6)


def test_the_trackers_arrays_are_its_own():
    grid, types = GRID.copy(), TYPES.copy()
    tracker = MapTracker(grid, types)
    grid[:], types[:] = 0, 0
    assert tracker.grid.tolist() == GRID.tolist()
    with pytest.raises(ValueError, match="read-only"):
        tracker.grid[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        tracker.room_type[0, 0] = 1


def test_small_clusters_and_robots_are_handled_on_request():
    tracker = MapTracker(GRID)
    want = cluster_frontiers(GRID, min_size=1, robots=[(0, 0)])
    assert tracker.clusters(robots=[(0, 0)]).reachable.tolist() == want.reachable.tolist()
    assert tracker.clusters(min_size=2).sizes.tolist() == []


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: MapTracker(GRID.astype(int)), "grid must be int8"),
        (lambda t: MapTracker(GRID, TYPES[:1]), r"room_type must be uint8 or uint16\[2, 3\]"),
        (lambda t: MapTracker(GRID, TYPES.astype(int)), "got int64"),
        (lambda t: MapTracker(GRID, c_max=-1), r"c_max must be >= 0"),
        (lambda t: MapTracker(GRID, free_max=70), "free_max"),
        (lambda t: t.update((0, 1), GRID), "window must lie on the map of 2 x 3"),
        (lambda t: t.update((-1, 0), GRID[:1]), "window must lie on the map"),
        (lambda t: t.update((0, 0), GRID.astype(int)), "grid must be int8"),
        (lambda t: t.update((0, 0), GRID, TYPES[:1]), "room_type must be uint8"),
        (lambda t: t.update((0, 0), GRID, TYPES.astype(np.uint16)), "got uint16"),
        (lambda t: t.reframe((-1, 4)), "shape must be >= 0"),
        (lambda t: t.clusters(min_size=0), "min_size must be >= 1"),
        (lambda t: t.clusters(robots=[(9, 9)]), "robots must lie on the grid"),
        (lambda t: t.label_image(np.empty((2, 3))), "out must be"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call(MapTracker(GRID, TYPES))

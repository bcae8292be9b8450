"""Case I: a window of a kept map changes; everything has to be up to date afterwards."""

import time

import adm
import numpy as np
from harness import OURS, Row, optional
from inputs import FREE, OCCUPIED, SEED, UNKNOWN

nb = optional("peers_numba") if optional("numba") else None

WINDOW = 200
C_MAX = 20


class Edits:
    """Windows of several kinds and what to write there, the same on every run."""

    def __init__(self, grid, labels):
        self.grid, self.labels = grid, labels
        self.rng = np.random.default_rng([SEED, 7])

    def place(self):
        """Return the origin of a window."""
        return tuple(int(self.rng.integers(0, n - WINDOW)) for n in self.grid.shape)

    def cut(self, origin):
        """Return copies of the map and the types in a window."""
        here = np.s_[origin[0] : origin[0] + WINDOW, origin[1] : origin[1] + WINDOW]
        return self.grid[here].copy(), self.labels[here].copy()

    def explore(self):
        """Another part of the floor: what a robot that enters new space would report."""
        here, (values, _) = self.place(), self.cut(self.place())
        return here, values, None

    def dust(self):
        """Single cells turn up and go; rooms stay as they are or nearly so."""
        here = self.place()
        values, _ = self.cut(here)
        values[self.rng.random(values.shape) < 0.002] = OCCUPIED
        return here, values, None

    def walls(self):
        """A wall through the middle in both directions: it splits rooms."""
        here = self.place()
        values, _ = self.cut(here)
        values[WINDOW // 2 - 2 : WINDOW // 2 + 2] = OCCUPIED
        values[:, WINDOW // 2 - 2 : WINDOW // 2 + 2] = OCCUPIED
        return here, values, None

    def doors(self):
        """A free lane with one type through the window: it joins rooms."""
        here = self.place()
        values, types = self.cut(here)
        values[WINDOW // 2 - 10 : WINDOW // 2 + 10] = FREE
        types[WINDOW // 2 - 10 : WINDOW // 2 + 10] = 1
        return here, values, types

    def types(self):
        """New room types, the map itself unchanged."""
        here = self.place()
        values, types = self.cut(here)
        return here, values, (1 + types % 8).astype(types.dtype)

    def nothing(self):
        """The same window again."""
        here = self.place()
        return here, *self.cut(here)

    def all(self, count):
        """Yield (kind, origin, values, types), `count` of each kind."""
        for _ in range(count):
            for kind in (self.explore, self.walls, self.doors, self.dust, self.types, self.nothing):
                yield kind.__name__, *kind()


def same_state(tracker, grid, labels, c_max):
    """Compare frontier, clusters, instances and edges with a full computation of ours."""
    want, got = adm.load("B")(grid, c_max=c_max), tracker.clusters()
    rooms, full = tracker.rooms(), adm.load("C")(grid, labels)
    pairs = [(tracker.frontier_cells(), adm.load("A-list")(grid))]
    pairs += [(getattr(got, n), getattr(want, n)) for n in ("owner", "sizes", "representatives")]
    pairs += [(getattr(got, n), getattr(want, n)) for n in ("seeds", "centroids")]
    pairs += [(getattr(rooms, n), getattr(full, n)) for n in ("types", "areas", "first_cells")]
    pairs += [(getattr(rooms, n), getattr(full, n)) for n in ("boxes", "edges")]
    return all(np.array_equal(a, b) for a, b in pairs)


def write(grid, labels, origin, values, types):
    """Write a window to the plain arrays that the full computation reads."""
    here = np.s_[origin[0] : origin[0] + values.shape[0], origin[1] : origin[1] + values.shape[1]]
    grid[here] = values
    if types is not None:
        labels[here] = types


def case_window(bench, size, x, threads, per_kind=10):
    """I: time each update and compare its state; then the two worst cases that we know."""
    if not (adm.has_adm("I") and adm.has_adm("C")):
        return
    grid, labels = x.grid.copy(), x.labels.copy()
    full_time(bench, size, x)
    tracker = adm.load("I")(grid, labels, c_max=C_MAX)
    spent, kinds, same, changed = [], [], True, 0
    for kind, origin, values, types in Edits(grid, labels).all(per_kind):
        before = tracker.rooms()
        begin = time.perf_counter()
        tracker.update(origin, values, types)
        spent.append(time.perf_counter() - begin)
        kinds.append(kind)
        write(grid, labels, origin, values, types)
        same = same_state(tracker, grid, labels, C_MAX) and same
        changed += len(before.areas) != len(tracker.rooms().areas)
    report(bench, size, np.array(spent), np.array(kinds), changed)
    enough = len(spent) >= 50 and changed >= 10 and kinds.count("nothing") >= 10
    bench.check("I", size, OURS, same and enough)
    reading(bench, size, tracker)
    worst_cases(bench, size, grid, labels)


def full_time(bench, size, x):
    """Time the full computation: the best exact peers of each part, and ours."""
    grid, labels = x.grid, x.labels
    if nb:

        def peers():
            cells = np.flatnonzero(nb.nb_mask(grid))
            return nb.nb_clusters(grid, cells, C_MAX), nb.nb_rooms(grid, labels)

        want = bench.time("I", size, "numba, full computation", peers)
    clusters, rooms = bench.time("I-full", size, OURS, lambda: adm.map_to_graph(x, C_MAX))
    same = len(clusters.cells) == len(adm.load("A-list")(grid))
    if nb:
        same &= np.array_equal(clusters.owner, want[0][0]) and len(rooms) == want[1][1]
    bench.check("I-full", size, OURS, same)


def report(bench, size, spent, kinds, changed):
    """Add the median row of the updates; print the tail and each kind."""
    note = (
        f"{len(spent)} windows, {changed} changed the number of rooms, "
        f"p99 {np.percentile(spent, 99) * 1e3:.3f} ms, worst {spent.max() * 1e3:.3f} ms"
    )
    median = float(np.median(spent))  # the quickest one changes nothing and says nothing
    bench.add(Row("I", size, OURS, 1, median, median, len(spent), True, note))
    for kind in dict.fromkeys(kinds.tolist()):
        part = spent[kinds == kind] * 1e3
        print(f"        {kind:9} median {np.median(part):.3f} ms, worst {part.max():.3f} ms")


def reading(bench, size, tracker):
    """Time the ordered results that are made on request."""
    for name, call in (
        ("frontier list", tracker.frontier_cells),
        ("clusters in order", tracker.clusters),
        ("rooms in order", tracker.rooms),
        ("label image", tracker.label_image),
    ):
        bench.time("I-read", size, f"{OURS}: {name}", call)


def worst_cases(bench, size, grid, labels):
    """A chain of new seeds through the whole map, and a split of the largest room."""
    n = grid.shape[0]
    # Frontier nearly everywhere in one open space, so that each seed follows from those before.
    lattice = np.full((n, n), FREE, np.int8)
    lattice[::6, ::6] = UNKNOWN
    worst_case(bench, size, "chain of new seeds", lattice, labels, (0, 1), (1, 3))
    room = np.full((n, n), FREE, np.int8)
    room[::97, ::89] = UNKNOWN
    one_type = np.ones((n, n), np.uint8)
    worst_case(bench, size, "split of the largest room", room, one_type, (n // 2, 0), (1, n))


def worst_case(bench, size, name, grid, labels, origin, shape):
    """Time one edit, there and back, against a full computation of the same map."""
    grid, labels = grid.copy(), labels.copy()
    tracker = adm.load("I")(grid, labels, c_max=C_MAX)
    spent, full, same = [], [], True
    for step in range(6):
        values = np.full(shape, FREE if step % 2 else OCCUPIED, np.int8)
        begin = time.perf_counter()
        tracker.update(origin, values)
        spent.append(time.perf_counter() - begin)
        write(grid, labels, origin, values, None)
        begin = time.perf_counter()
        adm.load("B")(grid, c_max=C_MAX), adm.load("C")(grid, labels)
        full.append(time.perf_counter() - begin)
        same = same_state(tracker, grid, labels, C_MAX) and same
    ratio = float(np.median(spent) / np.median(full))
    note = f"{name}: {ratio:.2f} of a full computation of ours ({np.median(full) * 1e3:.1f} ms)"
    bench.add(
        Row(
            "I-worst",
            size,
            f"{OURS}: {name}",
            1,
            float(np.median(spent)),
            min(spent),
            6,
            True,
            note,
        )
    )
    bench.check("I-worst", size, OURS, same and ratio <= 1.2)

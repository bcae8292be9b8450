# cython: language_level=3, boundscheck=False, wraparound=False
# cython: cdivision=True, initializedcheck=False
"""Frontier clusters that follow a changing grid. Private: call :mod:`adm_core.grid.tracker`.

A cell belongs to the first seed (row-major) within c_max moves, and is a seed if there is none.
So a change can only be felt through seeds: those whose search may reach a changed cell are
released first, then a sweep in row-major order handles the cells of a to-do plane. It makes seeds
of cells that nobody took, and each search takes what is free or belongs to a later seed. A seed
that is taken itself releases its cluster, which puts later cells on the to-do plane; nothing
before the sweep can change any more. The result is the one of a full computation.
"""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcmp, memcpy, memset

from adm_core._kernels.arrays cimport image_of
from adm_core._kernels.bitrows cimport bit_low, bit_ops, load_row, ring_row, words_of
from adm_core._kernels.live_list cimport (
    FREE, FRONTIER, PLANES, RANK, SEED, TODO, Live, Slot, put_todo, reserve, reserve_slots, rewrite,
    spot, spots_of_row,
)
from adm_core._kernels.search cimport nearest_reached, plane_row, reach, take_reached


cdef class LiveClusters:
    """Bit rows, sorted frontier list and clusters of one grid."""

    cdef Live m

    def __cinit__(self, int64_t rows, int64_t cols, int c_max, int free_max, bint border):
        self.m.s.ops, self.m.s.space = bit_ops(True), self.m.space
        self.m.s.rows, self.m.s.cols, self.m.s.c_max = rows, cols, c_max
        self.m.s.step = words_of(cols) + 2
        self.m.s.row_step = PLANES * self.m.s.step
        self.m.free_max, self.m.border = free_max, border
        self.m.s.planes = <uint64_t*>calloc(rows * self.m.s.row_step + 1, sizeof(uint64_t))
        self.m.first = <int64_t*>calloc(rows + 1, sizeof(int64_t))
        if self.m.s.planes == NULL or self.m.first == NULL:
            raise MemoryError()

    def __dealloc__(self):
        free(self.m.s.planes)
        free(self.m.first)
        free(self.m.cells)
        free(self.m.owner)
        free(self.m.slots)
        free(self.m.spare)

    @property
    def size(self):
        """Number of frontier cells."""
        return self.m.first[self.m.s.rows]

    @property
    def count(self):
        """Number of clusters."""
        return self.m.count

    @property
    def searches(self):
        """Number of searches that the last update took."""
        return self.m.searches

    def rebuild(self, const int8_t[:, ::1] grid):
        """Compute everything from the grid."""
        cdef bint ok
        if grid.shape[0] == 0 or grid.shape[1] == 0:
            return
        with nogil:
            ok = rebuild(&self.m, <const uint8_t*>&grid[0, 0])
        if not ok:
            raise MemoryError()

    def update(
        self,
        const int8_t[:, ::1] grid,
        int64_t row0, int64_t row1, int64_t col0, int64_t col1,
        int64_t limit,
    ):
        """Follow a change of the cells [row0, row1) x [col0, col1), which `grid` holds already.

        Starts again from the grid once more than `limit` searches were needed.
        """
        cdef int state
        with nogil:
            state = follow(&self.m, <const uint8_t*>&grid[0, 0], row0, row1, col0, col1, limit)
            if state == 0:
                state = rebuild(&self.m, <const uint8_t*>&grid[0, 0])
        if not state:
            raise MemoryError()

    def export_cells(self, int64_t[::1] cells):
        """Copy the sorted frontier list, `size` indices."""
        if self.size:
            memcpy(&cells[0], self.m.cells, self.size * sizeof(int64_t))

    def export_clusters(
        self,
        int32_t[::1] owner,
        int32_t[::1] sizes,
        double[:, ::1] centroids,
        int64_t[::1] representatives,
        int64_t[::1] seeds,
    ):
        """Copy the clusters, numbered row-major by seed: `size` owners, `count` of the others."""
        cdef:
            int64_t k, n = self.size
            int32_t number = 0, slot
            int32_t* name
            const Slot* t
        if n == 0:
            return
        name = <int32_t*>malloc(self.m.slot_room * sizeof(int32_t))
        if name == NULL:
            raise MemoryError()
        with nogil:
            for k in range(n):
                slot = self.m.owner[k]
                t = self.m.slots + slot
                if t.seed == self.m.cells[k]:  # comes before all other cells of its cluster
                    name[slot] = number
                    seeds[number], sizes[number] = t.seed, t.size
                    representatives[number] = t.representative
                    centroids[number, 0] = <double>t.sum_row / <double>t.size
                    centroids[number, 1] = <double>t.sum_col / <double>t.size
                    number += 1
                owner[k] = name[slot]
            free(name)


def write_window(
    target,  # INOUT: [rows, cols]
    values,  # IN: [h, w], items of the same size
    int64_t row,
    int64_t col,
):
    """Write `values` into `target` from cell (row, col) on; return the box of what changed.

    The box is row, end row, column, end column of `target`, all 0 if nothing changed.
    """
    cdef:
        int64_t rows = 0, cols = 0, h = 0, w = 0
        int size = target.itemsize
        uint8_t* cells = <uint8_t*>image_of(target, b"bBH", size, &rows, &cols)
        const uint8_t* new = <const uint8_t*>image_of(values, b"bBH", size, &h, &w)
        int64_t box[4]
    if not (0 <= row <= rows - h and 0 <= col <= cols - w):
        raise ValueError("window off the map")
    if w == 0:
        return 0, 0, 0, 0
    with nogil:
        write_rows(cells + (row * cols + col) * size, new, h, w * size, cols * size, box)
    if box[1] == 0:
        return 0, 0, 0, 0
    return (
        row + box[0], row + box[1], col + box[2] // size, col + (box[3] + size - 1) // size
    )


cdef void write_rows(
    uint8_t* old, const uint8_t* new, int64_t h, int64_t n, int64_t pitch, int64_t* box
) noexcept nogil:
    # In bytes: rows of n, `pitch` apart in the target.
    cdef int64_t r, a, b
    box[0], box[1], box[2], box[3] = 0, 0, n, 0
    for r in range(h):
        if memcmp(new, old, n) != 0:
            a, b = 0, n
            while new[a] == old[a]:
                a += 1
            while new[b - 1] == old[b - 1]:
                b -= 1
            memcpy(old + a, new + a, b - a)
            box[0], box[1] = r if box[1] == 0 else box[0], r + 1
            box[2], box[3] = min(box[2], a), max(box[3], b)
        old += pitch
        new += n


cdef bint rebuild(Live* m, const uint8_t* grid) noexcept nogil:
    cdef:
        int64_t words = m.s.step - 2, r, k, total = 0
        uint64_t* row
        uint64_t* ring = <uint64_t*>malloc(4 * m.s.step * sizeof(uint64_t))
    if ring == NULL:
        return False
    for r in range(-1, m.s.rows + 1):
        row = plane_row(&m.s, FREE, r) if 0 <= r < m.s.rows else NULL
        load_row(m.s.ops, grid, m.s.rows, m.s.cols, r, m.free_max, m.border, row,
                 ring_row(ring, words, r))
        if r > 0:
            row = plane_row(&m.s, FRONTIER, r - 1)
            m.s.ops.edge_row(
                plane_row(&m.s, FREE, r - 1), ring_row(ring, words, r - 2),
                ring_row(ring, words, r - 1), ring_row(ring, words, r), words, row,
            )
            memcpy(plane_row(&m.s, TODO, r - 1), row, words * sizeof(uint64_t))
            memset(plane_row(&m.s, SEED, r - 1), 0, words * sizeof(uint64_t))
            m.first[r - 1] = total
            total += m.s.ops.rank_row(row, words, 0, plane_row(&m.s, RANK, r - 1))
    free(ring)
    m.first[m.s.rows] = total
    if not reserve(m, total):
        return False
    for r in range(m.s.rows):
        m.s.ops.list_row(plane_row(&m.s, FRONTIER, r), words, r * m.s.cols, m.cells + m.first[r])
    if total:
        memset(m.owner, 255, total * sizeof(int32_t))
    m.spares = 0
    for k in range(m.slot_room - 1, -1, -1):
        m.spare[m.spares] = <int32_t>k
        m.spares += 1
    m.count = m.searches = 0
    return first_sweep(m)


cdef bint first_sweep(Live* m) noexcept nogil:
    # As sweep() below, where nothing has an owner yet: all that is reached and to do is taken.
    cdef:
        int64_t r, w, at
        uint64_t* todo
        Slot* t
    for r in range(m.s.rows):
        todo = plane_row(&m.s, TODO, r)
        for w in range(m.s.step - 2):
            while todo[w]:
                at = spot(m, r, 64 * w + bit_low(todo[w]))
                if not start(m, at):
                    return False
                t = m.slots + m.owner[at]
                reach(&m.s, r, m.cells[at] - r * m.s.cols)
                take_reached(&m.s, m.owner[at], m.owner, m.first)
                t.size = <int32_t>m.s.count
                t.sum_row = m.s.sum_row + m.s.count * m.s.top
                t.sum_col = m.s.sum_col + m.s.count * m.s.left
                t.representative = nearest_reached(&m.s)
                t.stale = 0
                m.searches += 1
    return True


cdef int follow(
    Live* m, const uint8_t* grid, int64_t row0, int64_t row1, int64_t col0, int64_t col1,
    int64_t limit,
) noexcept nogil:
    # 1 done, 0 too many searches or no memory.
    cdef int64_t c = m.s.c_max
    row0, row1 = max(0, row0 - 1), min(m.s.rows, row1 + 1)  # the frontier beside the change too
    col0, col1 = max(0, col0 - 1), min(m.s.cols, col1 + 1)
    m.searches, m.todo_end = 0, row1
    visit_seeds(m, row0, row1, col0, col1, c, -1, True)
    if not rewrite(m, grid, row0, row1, col0, col1):
        return 0
    # A released cell lies at most 2 c away, so a seed that may take it lies within 3 c.
    visit_seeds(m, row0, row1, col0, col1, 3 * c, -1, False)
    return sweep(m, max(0, row0 - 3 * c), limit)


cdef void visit_seeds(
    Live* m, int64_t row0, int64_t row1, int64_t col0, int64_t col1, int64_t reach_cells,
    int64_t after, bint let_go,
) noexcept nogil:
    # Release, or put on the to-do plane, the seeds behind cell `after` whose distance from the
    # box [row0, row1) x [col0, col1), counted in moves, is at most `reach_cells`.
    cdef:
        int64_t top = max(0, row0 - reach_cells), bottom = min(m.s.rows, row1 + reach_cells)
        int64_t lo, hi, slack, r, w, col
        uint64_t left
        uint64_t* seeds
    for r in range(max(top, after // m.s.cols if after >= 0 else 0), bottom):
        slack = reach_cells - (row0 - r if r < row0 else r - row1 + 1 if r >= row1 else 0)
        lo, hi = max(0, col0 - slack), min(m.s.cols, col1 + slack)
        seeds = plane_row(&m.s, SEED, r)
        for w in range(lo >> 6, ((hi - 1) >> 6) + 1):
            left = seeds[w]
            while left:
                col = 64 * w + bit_low(left)
                left &= left - 1
                if col < lo or col >= hi or r * m.s.cols + col <= after:
                    continue
                if let_go:
                    release(m, m.owner[spot(m, r, col)])
                else:
                    put_todo(m, r, col)


cdef void release(Live* m, int32_t slot) noexcept nogil:
    # Dissolve a cluster: its cells, all behind the seed, have no owner and are to do.
    cdef:
        int64_t seed = m.slots[slot].seed, c = m.s.c_max, row = seed // m.s.cols, r, n, k
        int64_t left = seed % m.s.cols - c, cell
        int64_t found[64]
        uint64_t mask = (<uint64_t>2 << 2 * c) - 1
    for r in range(row, min(m.s.rows, row + c + 1)):
        n = spots_of_row(m, r, left, mask, found)
        for k in range(n):
            if m.owner[found[k]] == slot:
                m.owner[found[k]] = -1
                cell = m.cells[found[k]]
                put_todo(m, r, cell - r * m.s.cols)
    plane_row(&m.s, SEED, row)[(seed % m.s.cols) >> 6] &= ~(
        <uint64_t>1 << (seed % m.s.cols & 63)
    )
    m.spare[m.spares] = slot
    m.spares += 1
    m.count -= 1


cdef int sweep(Live* m, int64_t row, int64_t limit) noexcept nogil:
    # 1 all done, 0 stopped: too many searches or no memory.
    cdef:
        int64_t r = row, w, col, at
        uint64_t* todo
    while r < m.todo_end:
        todo = plane_row(&m.s, TODO, r)
        for w in range(m.s.step - 2):
            while todo[w]:
                col = 64 * w + bit_low(todo[w])
                todo[w] &= todo[w] - 1
                at = spot(m, r, col)
                if m.owner[at] < 0 and not start(m, at):
                    return 0
                if m.slots[m.owner[at]].seed == m.cells[at]:
                    if m.searches == limit:
                        return 0
                    expand(m, r, col, m.owner[at])
        r += 1
    return 1


cdef bint start(Live* m, int64_t at) noexcept nogil:
    # A cell that no earlier seed took is a seed.
    cdef:
        int64_t cell = m.cells[at], r = cell // m.s.cols, col = cell % m.s.cols
        Slot* t
    if not reserve_slots(m):
        return False
    m.spares -= 1
    m.owner[at] = m.spare[m.spares]
    t = m.slots + m.owner[at]
    t.seed, t.size, t.sum_row, t.sum_col, t.stale = cell, 1, r, col, 1
    plane_row(&m.s, SEED, r)[col >> 6] |= <uint64_t>1 << (col & 63)
    m.count += 1
    return True


cdef void expand(Live* m, int64_t row, int64_t col, int32_t slot) noexcept nogil:
    # Search from a seed: take the cells in reach that have no owner or a later one.
    cdef:
        Slot* t = m.slots + slot
        int64_t r, n, k
        int64_t found[64]
        int64_t first = max(0, row - m.s.c_max), last = min(m.s.rows, row + m.s.c_max + 1)
    m.searches += 1
    reach(&m.s, row, col)
    for r in range(first, last):
        if m.s.reached[r - m.s.top] == 0:
            continue
        n = spots_of_row(m, r, m.s.left, m.s.reached[r - m.s.top], found)
        for k in range(n):
            if m.owner[found[k]] != slot:
                take(m, found[k], r, slot)
    if t.stale:
        m.s.count = t.size
        m.s.sum_row = t.sum_row - t.size * m.s.top
        m.s.sum_col = t.sum_col - t.size * m.s.left
        t.representative = nearest_reached(&m.s)
        t.stale = 0


cdef inline void take(Live* m, int64_t at, int64_t r, int32_t slot) noexcept nogil:
    cdef:
        int32_t before = m.owner[at]
        int64_t cell = m.cells[at], col = cell - r * m.s.cols
        Slot* t = m.slots + slot
    if before >= 0:
        if m.slots[before].seed < t.seed:
            return
        lose(m, before, cell, r, col)
    m.owner[at] = slot
    t.size += 1
    t.sum_row += r
    t.sum_col += col
    t.stale = 1


cdef void lose(Live* m, int32_t slot, int64_t cell, int64_t r, int64_t col) noexcept nogil:
    # A cluster loses a cell to an earlier seed; without its seed it dissolves.
    cdef Slot* t = m.slots + slot
    if t.seed == cell:
        release(m, slot)
        # Its cells lie within c_max, so seeds that may take them lie within twice that.
        visit_seeds(m, r, r + 1, col, col + 1, 2 * m.s.c_max, cell, False)
        return
    t.size -= 1
    t.sum_row -= r
    t.sum_col -= col
    t.stale = 1
    put_todo(m, t.seed // m.s.cols, t.seed % m.s.cols)

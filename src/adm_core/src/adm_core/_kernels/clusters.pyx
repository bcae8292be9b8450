# cython: language_level=3, boundscheck=False, wraparound=False
# cython: cdivision=True, initializedcheck=False
"""Depth-limited frontier clusters. Private: call :mod:`adm_core.grid.clusters`."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

from adm_core._kernels.arrays cimport image_of, items_of, made, out_of
from adm_core._kernels.bitrows cimport (
    BIT_MAX_STEPS, bit_nearer, bit_ops, load_row, ring_row, words_of,
)
from adm_core._kernels.search cimport (
    SEARCH_SPACE, Search, nearest_reached, plane_row, reach, take_reached,
)

from numpy import dtype, empty

cdef object INT32 = dtype("i4"), INT64 = dtype("i8")


cdef extern from "large.h" nogil:
    void* adm_alloc_reused(size_t)


cdef enum:
    RING = 5  # rows of unknown bits, and one of free bits that nobody needs


cdef struct Found:
    int64_t seed
    int64_t representative
    int64_t sum_row
    int64_t sum_col
    int32_t size


cdef class Planes:
    """The bit rows of a grid; made once, then clustered or flooded.

    Parameters
    ----------
    grid : int8[rows, cols], C-contiguous
    free_max : int
        A cell is free if its value is 0..`free_max`.
    border : bool
        Whether the outside of the array is unknown.
    wide : bool
        Whether the SIMD variant may be used.
    whole : bool
        Whether to read the grid at once; else :meth:`pack` does it strip by strip.

    Attributes
    ----------
    size : int
        Number of frontier cells.

    Notes
    -----
    Four planes, one bit a cell each: free, frontier, open (a second copy of the frontier, cleared
    as clusters take it) and, one word for each 64 cells, the list index of the first frontier
    cell. A row of a plane has a word of zeros at both ends: the rim.
    """

    cdef:
        Search s
        readonly int64_t size
        Found* found

    def __cinit__(self, grid, int free_max, bint border, bint wide=True, bint whole=True):
        cdef:
            Search* s = &self.s
            const uint8_t* cells = <const uint8_t*>image_of(grid, b"b", 1, &s.rows, &s.cols)
        s.ops = bit_ops(wide)
        s.step = words_of(s.cols) + 2
        s.row_step = 4 * s.step
        # Behind the rows: room for those that packing looks at.
        s.planes = <uint64_t*>adm_alloc_reused((s.rows * 4 + RING) * s.step * sizeof(uint64_t))
        if s.planes == NULL:
            raise MemoryError()
        if whole:
            with nogil:
                self.size = pack(
                    s, cells, free_max, border, s.planes + s.rows * s.row_step, 0, s.rows
                )

    def pack(self, grid, int free_max, bint border, int64_t first, int64_t end):
        """Pack a strip of rows, for objects made with ``whole=False``; return its frontier cells.

        The strips of a map can be packed at the same time. Then :meth:`add` has to be called.
        """
        cdef:
            int64_t rows = 0, cols = 0, count
            const uint8_t* cells = <const uint8_t*>image_of(grid, b"b", 1, &rows, &cols)
            uint64_t* ring = <uint64_t*>malloc(RING * self.s.step * sizeof(uint64_t))
        if ring == NULL:
            raise MemoryError()
        with nogil:
            count = pack(&self.s, cells, free_max, border, ring, first, end)
            free(ring)
        return count

    def add(self, int64_t count, int64_t first, int64_t end):
        """Count in the `count` frontier cells of a strip that was packed, from the top down."""
        cdef:
            int64_t r, k
            uint64_t* rank
        with nogil:
            for r in range(first, end if self.size else 0):
                rank = plane_row(&self.s, 3, r)
                for k in range(self.s.step - 2):
                    rank[k] += self.size
        self.size += count

    def __dealloc__(self):
        free(self.s.planes)
        free(self.found)

    def cluster(self, int64_t c_max):
        """Group the frontier, once.

        Returns
        -------
        tuple
            owner int32[n], sizes int32[k], centroids float64[k, 2], representatives int64[k],
            seeds int64[k], cells int64[n] and None, as in ``FrontierClusters``. They are made
            here because their sizes come out here.
        """
        cdef:
            Deep d
            uint64_t space[SEARCH_SPACE]
            int64_t count
            object cells = empty(self.size, INT64), owner = empty(self.size, INT32)
            int64_t* listed = <int64_t*>made(cells)
            int32_t* owners = <int32_t*>made(owner)
        self.s.c_max, self.s.space = c_max, space
        open_deep(&d, &self.s)
        with nogil:
            list_cells(&self.s, listed)
            count = sweep(&self.s, &d, self.size, listed, owners, &self.found)
            free(d.queue)
            free(d.seen)
        if count < 0:
            raise MemoryError()
        sizes, centroids, nearest, seeds = self.export(count)
        return owner, sizes, centroids, nearest, seeds, cells, None

    cdef tuple export(self, int64_t count):
        cdef:
            object sizes = empty(count, INT32), centroids = empty((count, 2))
            object nearest = empty(count, INT64), seeds = empty(count, INT64)
            int32_t* size = <int32_t*>made(sizes)
            double* centroid = <double*>made(centroids)
            int64_t* representative = <int64_t*>made(nearest)
            int64_t* seed = <int64_t*>made(seeds)
            const Found* f = self.found
            int64_t k
        for k in range(count):
            seed[k], size[k], representative[k] = f[k].seed, f[k].size, f[k].representative
            centroid[2 * k] = <double>f[k].sum_row / <double>f[k].size
            centroid[2 * k + 1] = <double>f[k].sum_col / <double>f[k].size
        return sizes, centroids, nearest, seeds

    def mark_reachable(self, starts, cells, reached):
        """Tell for each of `cells` whether 4-connected free space joins it to one of `starts`.

        `starts` and `cells` are flat indices, int64; `reached` is bool. The open plane is
        overwritten.
        """
        cdef:
            Flood f
            int64_t k, cols = self.s.cols, n = len(starts), m = len(cells)
            const int64_t* start = <const int64_t*>items_of(starts, b"lq", 8, n)
            const int64_t* cell = <const int64_t*>items_of(cells, b"lq", 8, m)
            uint8_t* mark = <uint8_t*>out_of(reached, b"?", 1, m)
            bint ok = True
        f.planes, f.rows, f.step = self.s.planes, self.s.rows, self.s.step
        f.size, f.room = 0, 0
        f.stack = NULL
        with nogil:
            for k in range(f.rows):
                memset(f.planes + (4 * k + 2) * f.step, 0, f.step * sizeof(uint64_t))
            for k in range(n):
                ok = ok and flood(&f, start[k] // cols, start[k] % cols)
            for k in range(m):
                mark[k] = in_plane(&f, 2, cell[k] // cols, cell[k] % cols)
            free(f.stack)
        if not ok:
            raise MemoryError()


cdef int64_t pack(
    Search* s, const uint8_t* grid, int free_max, bint border, uint64_t* ring, int64_t first,
    int64_t end,
) noexcept nogil:
    # Pack the rows first..end-1. Of the rows beside them only the unknown bits are needed.
    cdef:
        int64_t r, count = 0, words = s.step - 2
        uint64_t* row
    if words <= 0:
        return 0
    for r in range(first - 1, first + 2):
        pack_row(s, grid, free_max, border, ring, r, first <= r < end)
    for r in range(first, end):
        pack_row(s, grid, free_max, border, ring, r + 2, r + 2 < end)
        row = s.planes + r * s.row_step
        count = finish_row(
            s, row, s.ops.edge_row(
                row + 1, ring_row(ring, words, r - 1), ring_row(ring, words, r),
                ring_row(ring, words, r + 1), words, row + s.step + 1,
            ), count,
        )
    return count


cdef inline void pack_row(
    Search* s, const uint8_t* grid, int free_max, bint border, uint64_t* ring, int64_t r,
    bint inside,
) noexcept nogil:
    load_row(
        s.ops, grid, s.rows, s.cols, r, free_max, border,
        plane_row(s, 0, r) if inside else ring + 4 * s.step, ring_row(ring, s.step - 2, r),
    )


cdef inline int64_t finish_row(
    Search* s, uint64_t* row, uint64_t any_frontier, int64_t rank
) noexcept nogil:
    cdef int64_t k, step = s.step
    for k in range(4):
        row[k * step] = row[(k + 1) * step - 1] = 0
    if any_frontier == 0:  # ranks are read beside a frontier cell only
        memset(row + 2 * step, 0, step * sizeof(uint64_t))
        return rank
    memcpy(row + 2 * step, row + step, step * sizeof(uint64_t))
    return s.ops.rank_row(row + step + 1, step - 2, rank, row + 3 * step + 1)


cdef struct Deep:
    # The plain search, for depths that do not fit the window: cells in the order they were
    # reached and one bit for each cell seen.
    int64_t* queue
    int64_t queued
    uint64_t* seen


cdef int open_deep(Deep* d, Search* s) except -1:
    cdef int64_t size = s.rows * s.cols
    d.queue, d.seen = NULL, NULL
    if s.c_max > BIT_MAX_STEPS:
        d.queue = <int64_t*>malloc(size * sizeof(int64_t))
        d.seen = <uint64_t*>calloc(size // 64 + 1, sizeof(uint64_t))
        if d.queue == NULL or d.seen == NULL:
            free(d.queue)
            free(d.seen)
            raise MemoryError()
    return 0


cdef void search_deep(
    Search* s, Deep* d, int64_t row, int64_t col, int32_t id, int32_t* owner
) noexcept nogil:
    cdef:
        int64_t head = 0, tail = 1, end, depth = 0, cell, r, c
    s.top, s.left = row, col
    s.count = s.sum_row = s.sum_col = 0
    d.queue[0] = row * s.cols + col
    mark_seen(d, d.queue[0])
    while head < tail:
        end = tail
        while head < end:
            cell = d.queue[head]
            head += 1
            r, c = cell // s.cols, cell % s.cols
            take_cell(s, r, c, id, owner)
            if depth < s.c_max:
                tail = push_free(s, d, r - 1, c, tail)
                tail = push_free(s, d, r, c - 1, tail)
                tail = push_free(s, d, r, c + 1, tail)
                tail = push_free(s, d, r + 1, c, tail)
        depth += 1
    d.queued = tail
    for head in range(tail):
        d.seen[d.queue[head] >> 6] = 0


cdef inline bint mark_seen(Deep* d, int64_t cell) noexcept nogil:
    cdef uint64_t bit = <uint64_t>1 << (cell & 63)
    if d.seen[cell >> 6] & bit:
        return False
    d.seen[cell >> 6] |= bit
    return True


cdef inline int64_t push_free(
    Search* s, Deep* d, int64_t r, int64_t c, int64_t tail
) noexcept nogil:
    # The rim words of a plane are 0, so columns -1 and cols need no test.
    if r < 0 or r >= s.rows:
        return tail
    if not plane_row(s, 0, r)[c >> 6] >> (c & 63) & 1:
        return tail
    if mark_seen(d, r * s.cols + c):
        d.queue[tail] = r * s.cols + c
        return tail + 1
    return tail


cdef inline void take_cell(
    Search* s, int64_t r, int64_t c, int32_t id, int32_t* owner
) noexcept nogil:
    cdef:
        uint64_t* open = plane_row(s, 2, r) + (c >> 6)
        uint64_t bit = <uint64_t>1 << (c & 63)
    if open[0] & bit:
        s.ops.take(bit, (open - s.step)[0], open, (open + s.step)[0], id, owner)
        s.count += 1
        s.sum_row += r - s.top
        s.sum_col += c - s.left


cdef int64_t nearest_deep(Search* s, Deep* d) noexcept nogil:
    cdef:
        int64_t k, cell, dy, dx, best = -1, best_y = 0, best_x = 0
        int sign
    for k in range(d.queued):
        cell = d.queue[k]
        dy = s.count * (cell // s.cols - s.top) - s.sum_row
        dx = s.count * (cell % s.cols - s.left) - s.sum_col
        sign = -1 if best < 0 else bit_nearer(dy, dx, best_y, best_x)
        if sign < 0 or (sign == 0 and cell < best):
            best, best_y, best_x = cell, dy, dx
    return best


cdef void list_cells(Search* s, int64_t* cells) noexcept nogil:
    cdef int64_t r, n = 0
    for r in range(s.rows):
        n += s.ops.list_row(plane_row(s, 1, r), s.step - 2, r * s.cols, cells + n)


cdef int64_t sweep(
    Search* s, Deep* d, int64_t size, const int64_t* cells, int32_t* owner, Found** found,
) noexcept nogil:
    # Row-major over the frontier: the first cell without an owner is the next seed. Returns the
    # number of clusters, or -1 if memory is out.
    cdef:
        int64_t i, r = 0, row_end = s.cols, k = 0, room = 0
        Found* f
        bint narrow = s.c_max <= BIT_MAX_STEPS
    if size:
        memset(owner, 255, size * sizeof(int32_t))
    for i in range(size):
        if owner[i] >= 0:
            continue
        if k == room:
            room = 2 * room + 64
            f = <Found*>realloc(found[0], room * sizeof(Found))
            if f == NULL:
                return -1
            found[0] = f
        f = found[0] + k
        f.seed = cells[i]
        while f.seed >= row_end:
            r += 1
            row_end += s.cols
        if narrow:
            reach(s, r, f.seed - r * s.cols)
            take_reached(s, <int32_t>k, owner, NULL)
            f.representative = nearest_reached(s)
        else:
            search_deep(s, d, r, f.seed - r * s.cols, <int32_t>k, owner)
            f.representative = nearest_deep(s, d)
        f.size = <int32_t>s.count
        f.sum_row, f.sum_col = s.sum_row + s.count * s.top, s.sum_col + s.count * s.left
        k += 1
    return k


cdef struct Flood:
    uint64_t* planes
    int64_t rows
    int64_t step
    int64_t* stack  # pairs: row, column
    int64_t size
    int64_t room


cdef inline bint in_plane(Flood* f, int64_t plane, int64_t r, int64_t c) noexcept nogil:
    return f.planes[(4 * r + plane) * f.step + (c >> 6) + 1] >> (c & 63) & 1


cdef bint push_run(Flood* f, int64_t r, int64_t c) noexcept nogil:
    cdef int64_t* grown
    if f.size + 2 > f.room:
        f.room = 2 * f.room + 1024
        grown = <int64_t*>realloc(f.stack, f.room * sizeof(int64_t))
        if grown == NULL:
            return False
        f.stack = grown
    f.stack[f.size], f.stack[f.size + 1] = r, c
    f.size += 2
    return True


cdef bint flood(Flood* f, int64_t r, int64_t c) noexcept nogil:
    # Run by run: mark the whole free run of a cell, then one cell of each run that touches it.
    cdef int64_t first, last, k
    cdef bint ok = push_run(f, r, c) if in_plane(f, 0, r, c) else True
    while ok and f.size > 0:
        f.size -= 2
        r, c = f.stack[f.size], f.stack[f.size + 1]
        if in_plane(f, 2, r, c):
            continue
        first, last = c, c
        while in_plane(f, 0, r, first - 1):
            first -= 1
        while in_plane(f, 0, r, last + 1):
            last += 1
        for k in range(first, last + 1):
            f.planes[(4 * r + 2) * f.step + (k >> 6) + 1] |= <uint64_t>1 << (k & 63)
        ok = push_beside(f, r - 1, first, last) and push_beside(f, r + 1, first, last)
    return ok


cdef bint push_beside(Flood* f, int64_t r, int64_t first, int64_t last) noexcept nogil:
    cdef int64_t k
    cdef bint inside = False, now
    if r < 0 or r >= f.rows:
        return True
    for k in range(first, last + 1):
        now = in_plane(f, 0, r, k)
        if now and not inside and not in_plane(f, 2, r, k) and not push_run(f, r, k):
            return False
        inside = now
    return True

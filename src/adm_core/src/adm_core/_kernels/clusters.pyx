# cython: language_level=3, boundscheck=False, wraparound=False
# cython: cdivision=True, initializedcheck=False
"""Depth-limited frontier clusters. Private: call :mod:`adm_core.grid.clusters`."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

from adm_core._kernels.bitrows cimport (
    BIT_MAX_STEPS, BitOps, bit_low, bit_nearer, bit_ops, load_row, ring_row, words_of,
)
from adm_core._kernels.search cimport Search, nearest_reached, plane_row, reach, take_reached


def pack_planes(
    const int8_t[:, ::1] grid,  # IN
    int free_max,
    bint border,
    uint64_t[:, :, ::1] planes,  # OUT
    bint wide=True,
):
    """Write the bit rows of a grid and return its number of frontier cells.

    `planes` is ``uint64[rows, 4, ceil(cols / 64) + 2]``: free, frontier, open (a second
    copy of the frontier, cleared as clusters take it) and the list index of each word's
    first frontier cell. Word 0 and the last word of a plane are 0: the rim.
    """
    cdef:
        int64_t rows = grid.shape[0], cols = grid.shape[1], words = words_of(cols)
        int64_t step = words + 2, count
        uint64_t* ring = <uint64_t*>malloc(3 * step * sizeof(uint64_t))
    if ring == NULL:
        raise MemoryError()
    with nogil:
        count = pack(bit_ops(wide), <const uint8_t*>&grid[0, 0], rows, cols, free_max, border,
                     &planes[0, 0, 0], ring)
        free(ring)
    return count


cdef int64_t pack(
    const BitOps* ops, const uint8_t* grid, int64_t rows, int64_t cols, int free_max,
    bint border, uint64_t* planes, uint64_t* ring,
) noexcept nogil:
    cdef:
        int64_t words = words_of(cols), step = words + 2, r, count = 0
        uint64_t* row
    load_row(ops, grid, rows, cols, -1, free_max, border, NULL, ring_row(ring, words, -1))
    load_row(ops, grid, rows, cols, 0, free_max, border, planes + 1, ring_row(ring, words, 0))
    for r in range(rows):
        row = planes + 4 * step * r
        load_row(ops, grid, rows, cols, r + 1, free_max, border, row + 4 * step + 1,
                 ring_row(ring, words, r + 1))
        ops.edge_row(row + 1, ring_row(ring, words, r - 1), ring_row(ring, words, r),
                     ring_row(ring, words, r + 1), words, row + step + 1)
        count = finish_row(ops, row, step, count)
    return count


cdef inline int64_t finish_row(
    const BitOps* ops, uint64_t* row, int64_t step, int64_t rank
) noexcept nogil:
    cdef int64_t k
    for k in range(4):
        row[k * step] = row[(k + 1) * step - 1] = 0
    memcpy(row + 2 * step, row + step, step * sizeof(uint64_t))
    return ops.rank_row(row + step + 1, step - 2, rank, row + 3 * step + 1)


cdef struct Deep:
    # The plain search, for depths that do not fit the window: cells in the order they were
    # reached and one bit for each cell seen.
    int64_t* queue
    int64_t queued
    uint64_t* seen


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


def cluster(
    uint64_t[:, :, ::1] planes,  # INOUT
    int64_t cols,
    int64_t c_max,
    int64_t[::1] cells,  # OUT
    int32_t[::1] owner,  # OUT
    int64_t[::1] seeds,  # OUT
    int32_t[::1] sizes,  # OUT
    double[:, ::1] centroids,  # OUT
    int64_t[::1] representatives,  # OUT
    int64_t[::1] queue,  # scratch
    uint64_t[::1] seen,  # scratch, 0 on entry
    bint wide=True,
):
    """Cluster the frontier that :func:`pack_planes` found; return the number of clusters.

    `cells` and `owner` have one entry for each frontier cell, the other outputs have room
    for as many clusters. `queue` and `seen` are used only for depths above 31 and then have
    room for every free cell, as 64-bit index and as one bit.
    """
    cdef:
        Search s
        Deep d
        int64_t count
    s.ops = bit_ops(wide)
    s.planes = &planes[0, 0, 0]
    s.rows, s.cols, s.step = planes.shape[0], cols, planes.shape[2]
    s.row_step = 4 * s.step
    s.c_max = c_max
    d.queue = &queue[0] if c_max > BIT_MAX_STEPS else NULL
    d.seen = &seen[0] if c_max > BIT_MAX_STEPS else NULL
    with nogil:
        list_cells(&s, &cells[0])
        count = sweep(
            &s, &d, &owner[0], &seeds[0], &sizes[0], &centroids[0, 0], &representatives[0]
        )
    return count


cdef void list_cells(Search* s, int64_t* cells) noexcept nogil:
    cdef int64_t r, n = 0
    for r in range(s.rows):
        n += s.ops.list_row(plane_row(s, 1, r), s.step - 2, r * s.cols, cells + n)


cdef int64_t sweep(
    Search* s, Deep* d, int32_t* owner, int64_t* seeds, int32_t* sizes, double* centroids,
    int64_t* representatives,
) noexcept nogil:
    # Row-major over the open cells: the first one left is the next seed.
    cdef:
        int64_t r, w, col, k = 0
        uint64_t* open
        bint narrow = s.c_max <= BIT_MAX_STEPS
    for r in range(s.rows):
        for w in range(s.step - 2):
            open = plane_row(s, 2, r) + w
            while open[0]:
                col = 64 * w + bit_low(open[0])
                if narrow:
                    reach(s, r, col)
                    take_reached(s, <int32_t>k, owner, NULL)
                else:
                    search_deep(s, d, r, col, <int32_t>k, owner)
                seeds[k] = r * s.cols + col
                sizes[k] = <int32_t>s.count
                centroids[2 * k] = <double>(s.sum_row + s.count * s.top) / <double>s.count
                centroids[2 * k + 1] = <double>(s.sum_col + s.count * s.left) / <double>s.count
                representatives[k] = nearest_reached(s) if narrow else nearest_deep(s, d)
                k += 1
    return k


def mark_reachable(
    uint64_t[:, :, ::1] planes,  # INOUT: plane 2 is overwritten
    int64_t cols,
    const int64_t[::1] starts,  # IN
    const int64_t[::1] cells,  # IN
    uint8_t[::1] reached,  # OUT
):
    """Tell for each of `cells` whether 4-connected free space joins it to one of `starts`."""
    cdef:
        Flood f
        int64_t k
        bint ok = True
    f.planes = &planes[0, 0, 0]
    f.rows, f.step = planes.shape[0], planes.shape[2]
    f.size, f.room = 0, 0
    f.stack = NULL
    with nogil:
        for k in range(f.rows):
            memset(f.planes + (4 * k + 2) * f.step, 0, f.step * sizeof(uint64_t))
        for k in range(starts.shape[0]):
            ok = ok and flood(&f, starts[k] // cols, starts[k] % cols)
        for k in range(cells.shape[0]):
            reached[k] = in_plane(&f, 2, cells[k] // cols, cells[k] % cols)
        free(f.stack)
    if not ok:
        raise MemoryError()


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

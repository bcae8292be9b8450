# cython: language_level=3, boundscheck=False, wraparound=False
# cython: cdivision=True, initializedcheck=False
"""Geodesic distances over eight neighbours, and paths. Private: call ``grid.distance``.

The search runs on a byte image with a border of blocked cells, so that no neighbour needs a
border test. A queue entry holds two indices of one cell, in that image (upper half) and in
the caller's array (lower half); one addition moves both to a neighbour. A found cell is
always written to the queue and counted only if it is new: without branches to guess, this is
twice as fast as the usual loop.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memset

from adm_core._kernels.arrays cimport image_of, items_of, out_of

cdef enum:
    LEAD = 16       # zero bytes before the image: a step up from row 0 borrows from the upper half
    OPEN = 1        # not reached yet
    FREE = 2        # may be walked on
    UNIT_BITS = 40  # metric labels count 2**-40 of a cell

cdef int64_t STRAIGHT = <int64_t>1 << UNIT_BITS
# floor(sqrt(2) * 2**40). It is odd, so the number of diagonal moves in a label can be read
# back: multiply by the inverse modulo 2**40. Sums of integers do not depend on their order.
cdef int64_t DIAGONAL = 1554944255987
cdef uint64_t INVERSE = pow(1554944255987, -1, 1 << 40)
cdef double SQRT2 = 1.4142135623730951
cdef int64_t FAR = <int64_t>1 << 62

cdef struct Cells:
    uint64_t* item
    Py_ssize_t size, room


cdef inline int ensure(Cells* cells, Py_ssize_t more) noexcept nogil:
    """Make room for `more` entries; -1 if memory is out."""
    cdef Py_ssize_t room = cells.size + more
    cdef void* item
    if room <= cells.room:
        return 0
    room *= 2
    item = realloc(cells.item, room * sizeof(uint64_t))
    if item == NULL:
        return -1
    cells.item = <uint64_t*>item
    cells.room = room
    return 0


cdef inline Py_ssize_t push(
    uint64_t* item, Py_ssize_t n, uint64_t entry, uint8_t* state
) noexcept nogil:
    """Write `entry` as item `n`; return n + 1 if its cell was open, else n. Close the cell."""
    cdef uint8_t cell = state[entry >> 32]
    item[n] = entry
    state[entry >> 32] = cell & FREE
    return n + (cell & OPEN)


cdef inline Py_ssize_t push_corner(
    uint64_t* item, Py_ssize_t n, uint64_t entry, uint64_t side, uint64_t other, uint8_t* state
) noexcept nogil:
    """As :func:`push`, if both cells that the diagonal passes between are free."""
    cdef uint8_t cell = state[entry >> 32]
    cdef uint8_t new = cell & ((state[side >> 32] & state[other >> 32]) >> 1)
    item[n] = entry
    state[entry >> 32] = cell ^ new
    return n + new


cdef uint8_t* make_state(const int8_t* grid, Py_ssize_t rows, Py_ssize_t cols, int free_max):
    """Return the bordered image, or NULL if memory is out."""
    cdef:
        Py_ssize_t pitch = cols + 1, r, c
        uint8_t* state = <uint8_t*>calloc((rows + 2) * pitch + 2 * LEAD, 1)
        uint8_t* line
        const int8_t* cell
        int8_t top = <int8_t>free_max
    if state == NULL:
        return NULL
    with nogil:
        for r in range(rows):
            line = state + LEAD + (r + 1) * pitch
            cell = grid + r * cols
            for c in range(cols):
                line[c] = ((cell[c] >= 0) & (cell[c] <= top)) * <uint8_t>(OPEN | FREE)
    return state


cdef inline uint64_t entry_of(int64_t index, Py_ssize_t cols) noexcept nogil:
    """Return the queue entry of a flat index."""
    cdef int64_t row = index // cols
    return (<uint64_t>(LEAD + index + row + cols + 1) << 32) | <uint64_t>index


cdef Py_ssize_t expand(
    const uint64_t* now, Py_ssize_t size, uint64_t* then, uint8_t* state, int32_t* out,
    int32_t steps, Py_ssize_t cols,
) noexcept nogil:
    """Write `steps` for the cells of `now` and put their new neighbours into `then`."""
    cdef:
        uint64_t right = (<uint64_t>1 << 32) | 1
        uint64_t down = (<uint64_t>(cols + 1) << 32) | <uint64_t>cols
        uint64_t up, below, entry
        Py_ssize_t i, n = 0
    for i in range(size):
        entry = now[i]
        up = entry - down
        below = entry + down
        out[<uint32_t>entry] = steps
        n = push(then, n, up, state)
        n = push(then, n, entry - right, state)
        n = push(then, n, entry + right, state)
        n = push(then, n, below, state)
        n = push_corner(then, n, up - right, up, entry - right, state)
        n = push_corner(then, n, up + right, up, entry + right, state)
        n = push_corner(then, n, below - right, below, entry - right, state)
        n = push_corner(then, n, below + right, below, entry + right, state)
    return n


def count_diagonal_steps(
    const int8_t[:, ::1] grid,     # IN
    const int64_t[::1] sources,    # IN
    int32_t[:, ::1] out,           # OUT
    int free_max,
    int64_t limit,
    int64_t target,
):
    """As ``wavefront.count_steps``, over the eight neighbours, each move one step.

    A diagonal move needs both cells that it passes between to be free.

    Notes
    -----
    Time is linear in the cells; extra memory one byte a cell and the two rims.
    """
    cdef:
        Py_ssize_t rows = grid.shape[0], cols = grid.shape[1], i
        Cells now = Cells(NULL, 0, 0), then = Cells(NULL, 0, 0)
        uint8_t* state
        int32_t* flat
        int32_t steps = 0
        bint failed = False
    if rows == 0 or cols == 0:
        return
    state = make_state(&grid[0, 0], rows, cols, free_max)
    if state == NULL:
        raise MemoryError
    flat = &out[0, 0]
    try:
        with nogil:
            memset(flat, 0xFF, rows * cols * sizeof(int32_t))
            failed = ensure(&now, sources.shape[0] + 1) < 0
            for i in range(0 if failed else sources.shape[0]):
                if flat[sources[i]] < 0:
                    flat[sources[i]] = 0
                    now.item[now.size] = entry_of(sources[i], cols)
                    state[now.item[now.size] >> 32] &= ~OPEN
                    now.size += 1
            while now.size > 0 and steps <= limit and not failed:
                failed = ensure(&then, 8 * now.size + 1) < 0
                if failed:
                    break
                then.size = expand(now.item, now.size, then.item, state, flat, steps, cols)
                if target >= 0 and flat[target] >= 0:
                    break
                now, then = then, now
                then.size = 0
                steps += 1
    finally:
        free(now.item)
        free(then.item)
        free(state)
    if failed:
        raise MemoryError


cdef inline void relax(
    Cells* near, Cells* far, uint64_t entry, int64_t label, int64_t floor_now,
    int64_t limit, uint8_t* state, int64_t* labels,
) noexcept nogil:
    """Give `entry` a shorter label and put it into the bucket that the label belongs to."""
    cdef int64_t* old
    if not state[entry >> 32] & OPEN or label > limit:
        return
    old = &labels[<uint32_t>entry]
    if label >= old[0]:
        return
    old[0] = label
    if (label >> UNIT_BITS) == floor_now + 1:
        near.item[near.size] = entry
        near.size += 1
    else:
        far.item[far.size] = entry
        far.size += 1


cdef int settle(
    Cells* now, Cells* near, Cells* far, uint8_t* state, int64_t* labels,
    int64_t floor_now, int64_t limit, Py_ssize_t cols,
) noexcept nogil:
    """Settle the cells whose distance has the integer part `floor_now`; -1 if memory is out.

    Every move is one cell or longer, so within a bucket the order does not matter.
    """
    cdef:
        uint64_t right = (<uint64_t>1 << 32) | 1
        uint64_t down = (<uint64_t>(cols + 1) << 32) | <uint64_t>cols
        uint64_t entry
        int64_t label
        Py_ssize_t i
        bint n, s, w, e
    if ensure(near, 8 * now.size) < 0 or ensure(far, 8 * now.size) < 0:
        return -1
    for i in range(now.size):
        entry = now.item[i]
        label = labels[<uint32_t>entry]
        if not state[entry >> 32] & OPEN:
            continue                      # a second entry of a cell that is settled
        state[entry >> 32] &= ~OPEN
        n = (state[(entry - down) >> 32] & FREE) != 0
        w = (state[(entry - right) >> 32] & FREE) != 0
        e = (state[(entry + right) >> 32] & FREE) != 0
        s = (state[(entry + down) >> 32] & FREE) != 0
        relax(near, far, entry - down, label + STRAIGHT, floor_now, limit, state, labels)
        relax(near, far, entry - right, label + STRAIGHT, floor_now, limit, state, labels)
        relax(near, far, entry + right, label + STRAIGHT, floor_now, limit, state, labels)
        relax(near, far, entry + down, label + STRAIGHT, floor_now, limit, state, labels)
        label += DIAGONAL
        if n and w:
            relax(near, far, entry - down - right, label, floor_now, limit, state, labels)
        if n and e:
            relax(near, far, entry - down + right, label, floor_now, limit, state, labels)
        if s and w:
            relax(near, far, entry + down - right, label, floor_now, limit, state, labels)
        if s and e:
            relax(near, far, entry + down + right, label, floor_now, limit, state, labels)
    return 0


cdef inline double length_of(int64_t label) noexcept nogil:
    """Return straight + diagonal * sqrt(2) from a label."""
    cdef uint64_t low = (<uint64_t>1 << UNIT_BITS) - 1
    cdef int64_t diagonal = <int64_t>((<uint64_t>label * INVERSE) & low)
    return <double>((label - diagonal * DIAGONAL) >> UNIT_BITS) + diagonal * SQRT2


def measure_lengths(
    const int8_t[:, ::1] grid,     # IN
    const int64_t[::1] sources,    # IN
    double[:, ::1] out,            # OUT
    int free_max,
    double limit,
    int64_t target,
):
    """Measure the length of the shortest 8-connected path from the nearest source.

    As ``wavefront.count_steps``, but a straight move is 1 and a diagonal one sqrt(2), and a cell
    that is not reached holds infinity.

    Notes
    -----
    Dijkstra's search with buckets one cell wide, linear in the cells. Labels are integers
    that name (straight moves, diagonal moves) uniquely up to 500,000 diagonal moves, so
    the result is the same on every machine.
    """
    cdef:
        Py_ssize_t rows = grid.shape[0], cols = grid.shape[1], i
        Cells now = Cells(NULL, 0, 0), near = Cells(NULL, 0, 0), far = Cells(NULL, 0, 0)
        uint8_t* state
        int64_t* labels
        double* lengths
        int64_t floor_now = 0, top = FAR - 1
        bint failed = False
    if rows == 0 or cols == 0:
        return
    state = make_state(&grid[0, 0], rows, cols, free_max)
    if state == NULL:
        raise MemoryError
    lengths = &out[0, 0]
    labels = <int64_t*>lengths    # the caller's array holds the labels until the end
    if limit < 2.0 ** 21:
        top = <int64_t>(limit * <double>STRAIGHT)
    try:
        with nogil:
            for i in range(rows * cols):
                labels[i] = FAR
            failed = ensure(&now, sources.shape[0] + 1) < 0
            for i in range(0 if failed else sources.shape[0]):
                if labels[sources[i]] != 0 and top >= 0:
                    labels[sources[i]] = 0
                    now.item[now.size] = entry_of(sources[i], cols)
                    state[now.item[now.size] >> 32] |= OPEN
                    now.size += 1
            while now.size + near.size > 0 and not failed:
                failed = settle(&now, &near, &far, state, labels, floor_now, top, cols) < 0
                if target >= 0 and labels[target] >> UNIT_BITS <= floor_now:
                    break
                now, near, far = near, far, now
                far.size = 0
                floor_now += 1
            for i in range(rows * cols):
                lengths[i] = length_of(labels[i]) if labels[i] < FAR else INFINITY
    finally:
        free(now.item)
        free(near.item)
        free(far.item)
        free(state)
    if failed:
        raise MemoryError


cdef struct Map:
    const int8_t* grid
    int64_t rows
    int64_t cols
    int free_max


cdef inline bint is_free(const Map* m, int64_t r, int64_t c) noexcept nogil:
    """Tell whether (r, c) lies on the grid and is free."""
    return 0 <= r < m.rows and 0 <= c < m.cols and 0 <= m.grid[r * m.cols + c] <= m.free_max


ctypedef fused Value:
    int32_t
    double


cdef int64_t walk(
    const Map* m, const Value* field, int64_t start, int ways, int64_t* out, int64_t room
) noexcept nogil:
    cdef:
        int64_t r = start // m.cols, c = start % m.cols, q, p, n = 0
        int k
        double here, step, slack
        int* dr = [-1, 0, 0, 1, -1, -1, 1, 1]
        int* dc = [0, -1, 1, 0, -1, 1, -1, 1]
        bint moved = True
    while moved and n < room:
        out[2 * n], out[2 * n + 1] = r, c
        n += 1
        here = field[r * m.cols + c]
        moved = False
        for k in range(ways):
            q, p = r + dr[k], c + dc[k]
            if not (0 <= q < m.rows and 0 <= p < m.cols):
                continue
            step, slack = 1.0, 0.0
            if Value is double:
                step, slack = 1.0 if k < 4 else SQRT2, 1e-7
            if field[q * m.cols + p] < 0 or field[q * m.cols + p] > here - step + slack:
                continue
            if k > 3 and not (is_free(m, r, p) and is_free(m, q, c)):
                continue
            r, c = q, p
            moved = True
            break
    return n


def descend(
    grid,   # IN: int8[rows, cols]
    field,  # IN: int32[rows, cols] or float64[rows, cols]
    int64_t start,
    int free_max,
    bint diagonal,
    out,    # OUT: int64[n, 2]
):
    """Walk from `start` to the source that `field` was measured from; return the cells used.

    At each cell the first neighbour that lies on a shortest path is taken, in the order
    up, left, right, down (row - 1 is up), then up-left, up-right, down-left, down-right.
    """
    cdef:
        Map m
        int64_t room = len(out), n
        int64_t* path = <int64_t*>out_of(out, b"lq", 8, 2 * room)
        int size = field.itemsize, ways = 8 if diagonal else 4
        const void* values
    m.rows = m.cols = 0
    m.grid = <const int8_t*>image_of(grid, b"b", 1, &m.rows, &m.cols)
    m.free_max = free_max
    values = items_of(field, b"id", size, m.rows * m.cols)
    with nogil:
        if size == 4:
            n = walk[int32_t](&m, <const int32_t*>values, start, ways, path, room)
        else:
            n = walk[double](&m, <const double*>values, start, ways, path, room)
    return n

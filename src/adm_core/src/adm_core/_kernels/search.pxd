"""Depth-limited search inside a window of bit rows, shared by the kernels that cluster.

A search of at most 31 steps never leaves a window of 63 columns, so each of its rows is one
word and a step of the search is a few shifts for each row instead of a queue of cells.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memset

from adm_core._kernels.bitrows cimport (
    BIT_ROWS, BitOps, bit_count, bit_high, bit_low, bit_nearer, bit_window,
)


cdef struct Search:
    const BitOps* ops
    # Bit rows: the planes of a row follow each other, `step` words each with a rim word at both
    # ends; a row takes `row_step` words. Plane 0 is free, plane 1 the frontier.
    uint64_t* planes
    int64_t rows
    int64_t cols
    int64_t step
    int64_t row_step
    int64_t c_max
    # What the last search found, counted from cell (top, left): reached[0..2 * c_max] are the
    # visited cells, the rest belongs to the frontier cells that the caller took.
    int64_t top
    int64_t left
    int64_t count
    int64_t sum_row
    int64_t sum_col
    uint64_t* reached
    uint64_t space[3 * BIT_ROWS]


cdef inline uint64_t* plane_row(Search* s, int plane, int64_t row) noexcept nogil:
    # Word 0 of the row, behind the rim word.
    return s.planes + row * s.row_step + plane * s.step + 1


cdef inline void reach(Search* s, int64_t row, int64_t col) noexcept nogil:
    # Visit the free cells within c_max steps of a cell.
    cdef:
        int64_t c = s.c_max, r, first, last
        const uint64_t* word
        int shift
    s.top, s.left = row - c, col - c
    first, last = max(0, s.top), min(s.rows, row + c + 1)
    shift = <int>(s.left & 63)
    word = plane_row(s, 0, first) + (s.left >> 6)
    memset(s.space, 0, sizeof(s.space))
    for r in range(first, last):
        s.space[r - s.top + 1] = bit_window(word, shift)
        word += s.row_step
    s.reached = 1 + s.ops.grow(s.space, s.space + BIT_ROWS, s.space + 2 * BIT_ROWS, <int>c)
    s.count = s.sum_row = s.sum_col = 0


cdef inline void take_reached(
    Search* s, int32_t id, int32_t* owner, const int64_t* begin
) noexcept nogil:
    # Give the open frontier cells among those reached to a cluster. Planes 2 and 3 are the
    # open cells and the list index of each word's first frontier cell, counted from begin[row]
    # if there is a `begin`.
    cdef:
        int64_t r, first = max(0, s.top), last = min(s.rows, s.top + 2 * s.c_max + 1)
        uint64_t* word = plane_row(s, 2, first) + (s.left >> 6)
        uint64_t hit
        int shift = <int>(s.left & 63)
    for r in range(first, last):
        hit = s.reached[r - s.top] & bit_window(word, shift)
        if hit:
            take_row(s, word, hit, shift, id, owner + (begin[r] if begin != NULL else 0))
            s.sum_row += (r - s.top) * bit_count(hit)
            s.count += bit_count(hit)
        word += s.row_step


cdef inline void take_row(
    Search* s, uint64_t* open, uint64_t hit, int shift, int32_t id, int32_t* owner
) noexcept nogil:
    # A window row lies in two words of the plane.
    cdef:
        uint64_t low = hit << shift, high = hit >> 1 >> (63 - shift)
        const uint64_t* frontier = open - s.step
        const uint64_t* rank = open + s.step
        int64_t n
    if low:
        n = bit_count(low)
        s.sum_col += s.ops.take(low, frontier[0], open, rank[0], id, owner) - n * shift
    if high:
        n = bit_count(high)
        s.sum_col += s.ops.take(high, frontier[1], open + 1, rank[1], id, owner)
        s.sum_col += n * (64 - shift)


cdef inline int64_t nearest_reached(Search* s) noexcept nogil:
    # Rows outwards from the centroid; the closest cell of a row is the first set bit on one
    # of the two sides. Distances are kept times `count`, so that they stay whole numbers.
    cdef:
        int64_t n = s.count, side = 2 * s.c_max + 1, mid = s.sum_row // n, bit = s.sum_col // n
        int64_t reach, row, dy, best_y = 0, best_x = 0, best = -1
        int sign
    for reach in range(side + 1):
        if best >= 0 and bit_nearer(n * (reach - 1), 0, best_y, best_x) > 0:
            break
        for sign in range(2):
            row = mid + reach if sign else mid - reach
            if row < 0 or row >= side or (sign and reach == 0) or s.reached[row] == 0:
                continue
            dy = n * row - s.sum_row
            nearest_in_row(s, row, dy, bit, &best, &best_y, &best_x)
    return best


cdef inline void nearest_in_row(
    Search* s, int64_t row, int64_t dy, int64_t bit, int64_t* best, int64_t* best_y,
    int64_t* best_x,
) noexcept nogil:
    cdef:
        uint64_t here = s.reached[row], lower = here & ((<uint64_t>2 << bit) - 1)
        uint64_t upper = here & ~((<uint64_t>2 << bit) - 1)
    if lower:
        keep_nearer(s, row, bit_high(lower), dy, best, best_y, best_x)
    if upper:
        keep_nearer(s, row, bit_low(upper), dy, best, best_y, best_x)


cdef inline void keep_nearer(
    Search* s, int64_t row, int64_t col, int64_t dy, int64_t* best, int64_t* best_y,
    int64_t* best_x,
) noexcept nogil:
    cdef:
        int64_t dx = s.count * col - s.sum_col, cell = (s.top + row) * s.cols + s.left + col
        int sign = -1 if best[0] < 0 else bit_nearer(dy, dx, best_y[0], best_x[0])
    if sign < 0 or (sign == 0 and cell < best[0]):
        best[0], best_y[0], best_x[0] = cell, dy, dx

"""Depth-limited search inside a window of bit rows, shared by the kernels that cluster.

A search of at most 31 steps never leaves a window of 63 columns, so each of its rows is one
word and a step of the search is a few shifts for each row instead of a queue of cells.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memset

from adm_core._kernels.bitrows cimport (
    BitOps, bit_high, bit_low, bit_room, bit_window,
)


cdef enum:
    SEARCH_SPACE = 216  # 3 * BIT_ROWS


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
    uint64_t* space  # room for SEARCH_SPACE words


cdef inline uint64_t* plane_row(Search* s, int plane, int64_t row) noexcept nogil:
    # Word 0 of the row, behind the rim word.
    return s.planes + row * s.row_step + plane * s.step + 1


cdef inline void reach(Search* s, int64_t row, int64_t col) noexcept nogil:
    # Visit the free cells within c_max steps of a cell.
    cdef:
        int64_t c = s.c_max, room = bit_room(s.c_max), r, first, last
        const uint64_t* word
        int shift
    s.top, s.left = row - c, col - c
    first, last = max(0, s.top), min(s.rows, row + c + 1)
    shift = <int>(s.left & 63)
    word = plane_row(s, 0, first) + (s.left >> 6)
    memset(s.space, 0, room * sizeof(uint64_t))
    for r in range(first, last):
        s.space[r - s.top + 1] = bit_window(word, shift)
        word += s.row_step
    s.reached = 1 + s.ops.grow(s.space, s.space + room, s.space + 2 * room, <int>c)
    s.count = s.sum_row = s.sum_col = 0


cdef inline void take_reached(
    Search* s, int32_t id, int32_t* owner, const int64_t* begin
) noexcept nogil:
    # Give the open frontier cells among those reached to a cluster. None lies above the seed,
    # because seeds are taken row-major. Planes 2 and 3 are the
    # open cells and the list index of each word's first frontier cell, counted from begin[row]
    # if there is a `begin`.
    cdef:
        int64_t r, first = s.top + s.c_max, last = min(s.rows, first + s.c_max + 1)
        uint64_t* word = plane_row(s, 2, first) + (s.left >> 6)
        uint64_t hit
        int shift = <int>(s.left & 63)
    for r in range(first, last):
        hit = s.reached[r - s.top] & bit_window(word, shift)
        if hit:
            take_row(s, word, hit, shift, r - s.top, id, owner + (begin[r] if begin != NULL else 0))
        word += s.row_step


cdef inline void take_row(
    Search* s, uint64_t* open, uint64_t hit, int shift, int64_t row, int32_t id, int32_t* owner
) noexcept nogil:
    # A window row lies in two words of the plane.
    cdef:
        uint64_t low = hit << shift, high = hit >> 1 >> (63 - shift), got
        const uint64_t* frontier = open - s.step
        const uint64_t* rank = open + s.step
    if low:
        got = s.ops.take(low, frontier[0], open, rank[0], id, owner)
        add_taken(s, got, row, -shift)
    if high:
        got = s.ops.take(high, frontier[1], open + 1, rank[1], id, owner)
        add_taken(s, got, row, 64 - shift)


cdef inline void add_taken(Search* s, uint64_t got, int64_t row, int64_t offset) noexcept nogil:
    cdef int64_t n = <int64_t>(got >> 32)
    s.count += n
    s.sum_row += n * row
    s.sum_col += <int64_t>(got & 0xFFFFFFFFu) + n * offset


cdef struct Nearest:
    int64_t cell
    int64_t distance


cdef inline int64_t nearest_reached(Search* s) noexcept nogil:
    # The visited cell nearest to the centroid of those taken. Rows outwards from the centroid;
    # the closest cell of a row is the first set bit on one of its two sides. Coordinates are
    # kept times `count`, so that they stay whole numbers: below 2^17 in a window.
    cdef:
        int64_t n = s.count, side = 2 * s.c_max + 1, middle = s.sum_row // n, far
        Nearest best
    best.cell, best.distance = -1, 0
    for far in range(side + 1):
        if best.cell >= 0 and n * n * (far - 1) * (far - 1) > best.distance:
            break
        if middle >= far:
            nearest_in_row(s, middle - far, &best)
        if far > 0 and middle + far < side:
            nearest_in_row(s, middle + far, &best)
    return best.cell


cdef inline void nearest_in_row(Search* s, int64_t row, Nearest* best) noexcept nogil:
    cdef:
        uint64_t left = (<uint64_t>2 << s.sum_col // s.count) - 1, here = s.reached[row]
    if here & left:
        keep_nearer(s, row, bit_high(here & left), best)
    if here & ~left:
        keep_nearer(s, row, bit_low(here & ~left), best)


cdef inline void keep_nearer(Search* s, int64_t row, int64_t col, Nearest* best) noexcept nogil:
    cdef:
        int64_t dy = s.count * row - s.sum_row, dx = s.count * col - s.sum_col
        int64_t cell = (s.top + row) * s.cols + s.left + col, distance = dy * dy + dx * dx
    if (
        best.cell < 0
        or distance < best.distance
        or (distance == best.distance and cell < best.cell)
    ):
        best.cell, best.distance = cell, distance

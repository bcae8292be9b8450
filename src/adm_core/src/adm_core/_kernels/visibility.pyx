# cython: language_level=3, boundscheck=False, wraparound=False
# cython: cdivision=True, initializedcheck=False
"""Line of sight on a grid. Private: call :mod:`adm_core.grid.visibility`."""

from libc.math cimport cos, isfinite, sin
from libc.stdint cimport int32_t, int64_t, uint8_t

from adm_core._kernels.arrays cimport image_of, items_of, out_of


cdef struct Sight:
    const uint8_t* grid
    int64_t rows
    int64_t cols
    uint8_t free_max
    uint8_t through  # 255 if unknown cells let the sight pass, else 0


cdef inline bint blocks(const Sight* s, int64_t cell) noexcept nogil:
    # Free is 0..free_max and unknown 255 as unsigned bytes; a free cell is never 255.
    cdef uint8_t value = s.grid[cell]
    return value > s.free_max and (value != 255 or s.through == 0)


cdef bint clear_line(
    const Sight* s, int64_t cell, int64_t drow, int64_t dcol
) noexcept nogil:
    # Walk the cells that the segment between two cell centres passes through. `ahead` tells
    # which border comes next, in whole numbers: < 0 a column's, > 0 a row's, 0 a corner.
    cdef:
        int64_t down = s.cols if drow > 0 else -s.cols, right = 1 if dcol > 0 else -1
        int64_t tall = drow if drow > 0 else -drow, broad = dcol if dcol > 0 else -dcol
        int64_t ahead = tall - broad, left = tall + broad
    while left > 0:
        if ahead < 0:
            cell += right
            ahead += 2 * tall
            left -= 1
        elif ahead > 0:
            cell += down
            ahead -= 2 * broad
            left -= 1
        else:
            if blocks(s, cell + right) and blocks(s, cell + down):
                return False
            cell += right + down
            ahead += 2 * (tall - broad)
            left -= 2
        if left > 0 and blocks(s, cell):
            return False
    return True


cdef class Disc:
    """The cells within range of a sensor.

    Parameters
    ----------
    offsets : int32[n, 2]
        Their (row, col) from the sensor, sorted row-major.
    lengths : float64[n]
        Their distances.
    """

    cdef:
        const int32_t* offset
        const double* length
        readonly int64_t size
        object held

    def __init__(self, offsets, lengths):
        self.size, self.held = len(lengths), (offsets, lengths)
        self.offset = <const int32_t*>items_of(offsets, b"i", 4, 2 * self.size)
        self.length = <const double*>items_of(lengths, b"d", 8, self.size)


cdef struct View:
    int64_t row
    int64_t col
    double ahead_row
    double ahead_col
    double cos_half
    double near


cdef int64_t list_cells(
    const Sight* s, const View* v, const int32_t* offset, const double* length, int64_t size,
    int64_t* cells,
) noexcept nogil:
    cdef int64_t k, r, c, n = 0
    for k in range(size):
        r, c = v.row + offset[2 * k], v.col + offset[2 * k + 1]
        if r < 0 or r >= s.rows or c < 0 or c >= s.cols:
            continue
        if length[k] > v.near and (
            offset[2 * k] * v.ahead_row + offset[2 * k + 1] * v.ahead_col
            < v.cos_half * length[k] - 1e-9
        ):
            continue
        if clear_line(s, v.row * s.cols + v.col, offset[2 * k], offset[2 * k + 1]):
            cells[n] = r * s.cols + c
            n += 1
    return n


def list_visible(
    grid,       # IN: int8[rows, cols]
    positions,  # IN: int64[n, 2]
    headings,   # IN: float64[n]
    Disc disc,
    double cos_half,
    double near,
    int free_max,
    bint through,
    cells,      # OUT: int64[n * disc.size]
    ends,       # OUT: int64[n + 1]
):
    """List the cells seen from each position, one position after the other.

    ``cells[ends[i]:ends[i + 1]]`` are those of position i. Returns the number of positions done:
    it stops at one off the grid or with a heading that is not finite.
    """
    cdef:
        Sight s
        View v
        int64_t i = 0, n = len(positions)
        const int64_t* where = <const int64_t*>items_of(positions, b"lq", 8, 2 * n)
        const double* heading = <const double*>items_of(headings, b"d", 8, n)
        int64_t* seen = <int64_t*>out_of(cells, b"lq", 8, n * disc.size)
        int64_t* end = <int64_t*>out_of(ends, b"lq", 8, n + 1)
    s.rows = s.cols = 0
    s.grid = <const uint8_t*>image_of(grid, b"b", 1, &s.rows, &s.cols)
    s.free_max = <uint8_t>free_max
    s.through = 255 if through else 0
    v.cos_half, v.near = cos_half, near
    end[0] = 0
    with nogil:
        while i < n:
            v.row, v.col = where[2 * i], where[2 * i + 1]
            if not (0 <= v.row < s.rows and 0 <= v.col < s.cols and isfinite(heading[i])):
                break
            v.ahead_row, v.ahead_col = sin(heading[i]), cos(heading[i])
            end[i + 1] = end[i] + list_cells(
                &s, &v, disc.offset, disc.length, disc.size, seen + end[i]
            )
            i += 1
    return i

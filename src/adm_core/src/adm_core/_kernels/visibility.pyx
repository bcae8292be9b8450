# cython: language_level=3, boundscheck=False, wraparound=False
# cython: cdivision=True, initializedcheck=False
"""Line of sight on a grid. Private: call :mod:`adm_core.grid.visibility`."""

from libc.math cimport cos, isfinite, sin
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t


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


def list_visible(
    const int8_t[:, ::1] grid,  # IN
    const int64_t[:, ::1] positions,  # IN
    const double[::1] headings,  # IN
    const int32_t[:, ::1] offsets,  # IN
    const double[::1] lengths,  # IN
    double cos_half,
    double near,
    int free_max,
    bint through,
    int64_t[::1] cells,  # OUT
    int64_t[::1] ends,  # OUT
):
    """List the cells seen from each position, one position after the other.

    `offsets` (row, col), sorted row-major, are the cells in range and `lengths` their
    distances; `cells` has room for every offset of every position and ``ends[i]`` is set to
    the place behind the cells of position i. Returns the number of positions done: it stops
    at one off the grid or with a heading that is not finite.
    """
    cdef:
        Sight s
        int64_t i = 0, k, r, c, row, col, n = 0
        double ahead_row, ahead_col
    s.grid = <const uint8_t*>&grid[0, 0]
    s.rows, s.cols = grid.shape[0], grid.shape[1]
    s.free_max = <uint8_t>free_max
    s.through = 255 if through else 0
    with nogil:
        for i in range(positions.shape[0]):
            row, col = positions[i, 0], positions[i, 1]
            if row < 0 or row >= s.rows or col < 0 or col >= s.cols or not isfinite(headings[i]):
                break
            ahead_row, ahead_col = sin(headings[i]), cos(headings[i])
            for k in range(offsets.shape[0]):
                r, c = row + offsets[k, 0], col + offsets[k, 1]
                if r < 0 or r >= s.rows or c < 0 or c >= s.cols:
                    continue
                if lengths[k] > near and (
                    offsets[k, 0] * ahead_row + offsets[k, 1] * ahead_col
                    < cos_half * lengths[k] - 1e-9
                ):
                    continue
                if clear_line(&s, row * s.cols + col, offsets[k, 0], offsets[k, 1]):
                    cells[n] = r * s.cols + c
                    n += 1
            ends[i] = n
        else:
            i = positions.shape[0]
    return i

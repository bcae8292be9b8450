# cython: language_level=3, boundscheck=False, wraparound=False
# cython: cdivision=True, initializedcheck=False
"""Line of sight on a grid, and trees whose edges are such lines.

Private: call :mod:`adm_core.grid.visibility` and :mod:`adm_core.grid.sight_tree`.
"""

from libc.math cimport cos, hypot, isfinite, rint, sin
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t

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

    ``cells[ends[i]:ends[i + 1]]`` are those of position i. Returns the number of cells, or -1 - i
    if position i lies off the grid or its heading is not finite.
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
    return end[n] if i == n else -1 - i


cdef int64_t nearest_node(
    const int64_t[::1] nodes, int64_t count, int64_t cols, double row, double col
) noexcept nogil:
    # The first of the nodes nearest to a point.
    cdef:
        double best = 0.0, distance, drow, dcol
        int64_t i, found = 0
    for i in range(count):
        drow, dcol = row - nodes[i] // cols, col - nodes[i] % cols
        distance = drow * drow + dcol * dcol
        if i == 0 or distance < best:
            best, found = distance, i
    return found


cdef int64_t step_towards(
    int64_t rows, int64_t cols, int64_t start, double row, double col, double step
) noexcept nogil:
    # The cell at most `step` from cell `start` on the way to a point, -1 off the grid.
    cdef:
        double from_row = start // cols, from_col = start % cols
        double drow = row - from_row, dcol = col - from_col
        double length = hypot(drow, dcol), share = 1.0
    if length > step:
        share = step / length
    row, col = rint(from_row + drow * share), rint(from_col + dcol * share)
    if row < 0 or row >= rows or col < 0 or col >= cols:
        return -1
    return <int64_t>row * cols + <int64_t>col


cdef void shorten(
    const int64_t[::1] parents, double[::1] costs, uint8_t[::1] moved,
    int64_t count, int64_t node, double gain,
) noexcept nogil:
    # Take `gain` off the costs of `node` and of all nodes below it.
    cdef:
        bint more = True
        int64_t i
    for i in range(count):
        moved[i] = i == node
    costs[node] -= gain
    while more:
        more = False
        for i in range(count):
            if not moved[i] and parents[i] >= 0 and moved[parents[i]]:
                moved[i] = more = True
                costs[i] -= gain


def grow_tree(
    const int8_t[:, ::1] grid,  # IN
    const uint8_t[::1] allowed,  # IN
    const double[:, ::1] samples,  # IN
    double step,
    double rewire,
    int64_t wanted,
    int64_t count,
    int64_t[::1] nodes,  # INOUT
    int64_t[::1] parents,  # INOUT
    double[::1] costs,  # INOUT
    int32_t[::1] node_at,  # INOUT
    double[::1] reach,  # scratch
    uint8_t[::1] moved,  # scratch
):
    """Add nodes to a tree of `count` towards samples (row, col) until it has `wanted`.

    `node_at` holds the node of each cell or -1. Arrays of nodes have room for `wanted`, the
    scratch too. Returns the number of nodes: fewer than wanted if the samples ran out.
    """
    cdef:
        Sight s
        int64_t k, i, near, parent, cell, row, col, drow, dcol
        int64_t rows = grid.shape[0], cols = grid.shape[1]
        double cost = 0.0
    s.grid = <const uint8_t*>&grid[0, 0]
    s.rows, s.cols, s.free_max, s.through = rows, cols, 0, 0
    with nogil:
        for k in range(samples.shape[0]):
            if count >= wanted:
                break
            near = nearest_node(nodes, count, cols, samples[k, 0], samples[k, 1])
            cell = step_towards(rows, cols, nodes[near], samples[k, 0], samples[k, 1], step)
            if cell < 0 or not allowed[cell] or node_at[cell] >= 0:
                continue
            row, col, parent = cell // cols, cell % cols, -1
            drow, dcol = nodes[near] // cols - row, nodes[near] % cols - col
            if not clear_line(&s, cell, drow, dcol):
                continue
            for i in range(count):
                drow, dcol = nodes[i] // cols - row, nodes[i] % cols - col
                reach[i] = hypot(<double>drow, <double>dcol)
                if reach[i] > rewire or not clear_line(&s, cell, drow, dcol):
                    reach[i] = -1.0
                elif parent < 0 or costs[i] + reach[i] < cost:
                    parent, cost = i, costs[i] + reach[i]
            nodes[count], parents[count], costs[count] = cell, parent, cost
            node_at[cell] = <int32_t>count
            count += 1
            for i in range(count - 1):
                if reach[i] >= 0 and cost + reach[i] < costs[i] - 1e-9:
                    parents[i] = count - 1
                    shorten(parents, costs, moved, count, i, costs[i] - (cost + reach[i]))
    return count

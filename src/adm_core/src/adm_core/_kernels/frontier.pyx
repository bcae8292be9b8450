# cython: language_level=3, boundscheck=False, wraparound=False
# cython: cdivision=True, initializedcheck=False
"""Frontier cells of an occupancy grid. Private: call :mod:`adm_core.grid.frontiers`."""

from libc.stdint cimport int8_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc

from adm_core._kernels.bitrows cimport BitOps, bit_ops, load_row, ring_row, words_of


def mark_frontiers(
    const int8_t[:, ::1] grid,  # IN
    int free_max,
    bint border,
    uint8_t[:, ::1] mask,  # OUT
    bint wide=True,
):
    """Set `mask` to 1 on free cells with an unknown 4-neighbour and to 0 elsewhere.

    Both arrays are rows x cols and not empty. `border` makes the outside of the
    array unknown; `wide` allows the SIMD variant.
    """
    cdef:
        int64_t rows = grid.shape[0], cols = grid.shape[1], r
        const uint8_t* cells = <const uint8_t*>&grid[0, 0]
        uint8_t* out = &mask[0, 0]
        const BitOps* ops = bit_ops(wide)
    with nogil:
        for r in range(rows):
            mark_row(ops, cells, rows, cols, r, free_max, border, out + r * cols)


cdef void mark_row(
    const BitOps* ops,
    const uint8_t* cells,
    int64_t rows,
    int64_t cols,
    int64_t r,
    int free_max,
    bint border,
    uint8_t* out,
) noexcept nogil:
    # Off the map a cell stands in for its own neighbour: a free cell is never unknown.
    cdef:
        const uint8_t* mid = cells + r * cols
        const uint8_t* up = mid - cols if r > 0 else mid
        const uint8_t* down = mid + cols if r + 1 < rows else mid
        int64_t last = cols - 1, k
    if border and (r == 0 or r + 1 == rows):
        for k in range(cols):
            out[k] = mid[k] <= free_max
        return
    ops.mask_row(up, mid, down, cols, <uint8_t>free_max, out)
    out[0] = mid[0] <= free_max and (
        border or up[0] == 255 or down[0] == 255 or (last > 0 and mid[1] == 255)
    )
    out[last] = mid[last] <= free_max and (
        border or up[last] == 255 or down[last] == 255 or (last > 0 and mid[last - 1] == 255)
    )


def list_frontiers(
    const int8_t[:, ::1] grid,  # IN
    int free_max,
    bint border,
    int64_t first_row,
    int64_t count,
    int64_t[::1] cells,  # INOUT
    bint wide=True,
):
    """Append the row-major index of each frontier cell to `cells`, which holds `count`.

    Starts at row `first_row` and stops when the next row might not fit. Returns the row
    after the last one done and the new count.
    """
    cdef:
        int64_t rows = grid.shape[0], cols = grid.shape[1], words = words_of(cols)
        int64_t room = cells.shape[0] - cols, r
        const uint8_t* values = <const uint8_t*>&grid[0, 0]
        int64_t* out = &cells[0]
        const BitOps* ops = bit_ops(wide)
        uint64_t* ring = <uint64_t*>malloc((3 * (words + 2) + 3 * words) * sizeof(uint64_t))
        uint64_t* frees
        uint64_t* edge
    if ring == NULL:
        raise MemoryError()
    with nogil:
        frees = ring + 3 * (words + 2)
        edge = frees + 2 * words
        for r in range(first_row - 1, first_row + 1):
            load_row(ops, values, rows, cols, r, free_max, border,
                     frees + (r & 1) * words, ring_row(ring, words, r))
        r = first_row
        while r < rows and count <= room:
            load_row(ops, values, rows, cols, r + 1, free_max, border,
                     frees + ((r + 1) & 1) * words, ring_row(ring, words, r + 1))
            if ops.edge_row(
                frees + (r & 1) * words, ring_row(ring, words, r - 1), ring_row(ring, words, r),
                ring_row(ring, words, r + 1), words, edge,
            ):
                count += ops.list_row(edge, words, r * cols, out + count)
            r += 1
        free(ring)
    return r, count

# cython: language_level=3, boundscheck=False, wraparound=False
# cython: cdivision=True, initializedcheck=False
"""Frontier cells of an occupancy grid. Private: call :mod:`adm_core.grid.frontiers`."""

from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc

from adm_core._kernels.arrays cimport ANY, image_of, out_of
from adm_core._kernels.bitrows cimport BitOps, bit_ops, load_row, ring_row, words_of


def mark_frontiers(
    grid,  # IN: int8[rows, cols]
    int free_max,
    bint border,
    mask,  # OUT: bool[rows, cols]
    bint wide=True,
    int64_t first=0,
    int64_t end=-1,
):
    """Set `mask` to 1 on free cells with an unknown 4-neighbour and to 0 elsewhere.

    `border` makes the outside of the array unknown; `wide` allows the SIMD variant; `first` and
    `end` choose a strip of rows.
    """
    cdef:
        int64_t rows = 0, cols = 0, r
        const uint8_t* cells = <const uint8_t*>image_of(grid, b"b", 1, &rows, &cols)
        uint8_t* out = <uint8_t*>out_of(mask, b"?", 1, rows * cols)
        const BitOps* ops = bit_ops(wide)
    if rows == 0 or cols == 0:
        return
    if end < 0:
        end = rows
    with nogil:
        for r in range(first, end):
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
    grid,  # IN: int8[rows, cols]
    int free_max,
    bint border,
    int64_t row,
    int64_t count,
    cells,  # INOUT: int64[room], room >= cols
    bint wide=True,
    int64_t end=-1,
):
    """Append the row-major index of each frontier cell to `cells`, which holds `count`.

    Starts at `row` and stops at row `end`, or when the next row might not fit. Returns the row
    after the last one done and the new count.
    """
    cdef:
        int64_t rows = 0, cols = 0
        const uint8_t* values = <const uint8_t*>image_of(grid, b"b", 1, &rows, &cols)
        int64_t* out = <int64_t*>out_of(cells, b"lq", 8, ANY)
        int64_t last = cells.size - cols
        uint64_t* scratch = <uint64_t*>malloc((9 * words_of(cols) + 8) * sizeof(uint64_t))
    if scratch == NULL:
        raise MemoryError()
    if end < 0:
        end = rows
    with nogil:
        row = list_rows(
            bit_ops(wide), values, rows, cols, free_max, border, scratch, row, end, last, out,
            &count,
        )
        free(scratch)
    return row, count


cdef int64_t list_rows(
    const BitOps* ops, const uint8_t* values, int64_t rows, int64_t cols, int free_max,
    bint border, uint64_t* ring, int64_t r, int64_t end, int64_t last, int64_t* out,
    int64_t* count,
) noexcept nogil:
    # Four rows of unknown bits in turn, four of free bits and the frontier of one.
    cdef:
        int64_t words = words_of(cols), k
        uint64_t* frees = ring + 4 * (words + 2)
        uint64_t* edge = frees + 4 * words
    for k in range(r - 1, r + 2):
        load_row(ops, values, rows, cols, k, free_max, border, frees + (k & 3) * words,
                 ring_row(ring, words, k))
    while r < end and count[0] <= last:
        load_row(ops, values, rows, cols, r + 2, free_max, border, frees + ((r + 2) & 3) * words,
                 ring_row(ring, words, r + 2))
        if ops.edge_row(
            frees + (r & 3) * words, ring_row(ring, words, r - 1), ring_row(ring, words, r),
            ring_row(ring, words, r + 1), words, edge,
        ):
            count[0] += ops.list_row(edge, words, r * cols, out + count[0])
        r += 1
    return r

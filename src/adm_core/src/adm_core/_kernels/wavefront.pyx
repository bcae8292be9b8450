# cython: language_level=3, boundscheck=False, wraparound=False
# cython: cdivision=True, initializedcheck=False
"""Steps over edge neighbours, on boards of 8 x 8 cells. Private: call ``grid.distance``."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t

from adm_core._kernels.arrays cimport image_of, items_of, out_of

cdef extern from "wavefront.h" nogil:
    ctypedef struct adm_search:
        pass
    int adm_search_open(adm_search*, const int8_t*, int64_t rows, int64_t cols, int free_max)
    int adm_search_start(adm_search*, int64_t row, int64_t col)
    int adm_search_run(adm_search*, int64_t limit, int64_t target_row, int64_t target_col)
    void adm_search_write(const adm_search*, int32_t*, int64_t rows, int64_t cols)
    void adm_search_mark(const adm_search*, uint8_t* out, int64_t rows, int64_t cols)
    void adm_search_close(adm_search*)


def count_steps(
    grid,     # IN
    sources,  # IN
    out,      # OUT
    int free_max,
    int64_t limit,
    int64_t target,
):
    """Count the moves to edge neighbours from the nearest source to each free cell.

    Parameters
    ----------
    grid : int8[rows, cols]
        A cell is free if its value is 0..`free_max`.
    sources : int64[n]
        Flat indices on the grid, repeats allowed; they need not be free.
    out : int32[rows, cols] or bool[rows, cols]
        Overwritten whole: number of moves, -1 where not reached; or whether it was reached.
    free_max : int
        0..127.
    limit : int
        Cells farther than this are not reached.
    target : int
        Flat index of a cell at which the search may stop, or -1.

    Notes
    -----
    Time is linear in the cells; extra memory 1.5 bytes a cell.
    """
    cdef:
        int64_t rows = 0, cols = 0, n = len(sources)
        const int8_t* cells = <const int8_t*>image_of(grid, b"b", 1, &rows, &cols)
        const int64_t* source = <const int64_t*>items_of(sources, b"lq", 8, n)
        int32_t* steps = NULL
        uint8_t* mask = NULL
        adm_search search
        bint done
    if out.itemsize == 1:
        mask = <uint8_t*>out_of(out, b"?", 1, rows * cols)
    else:
        steps = <int32_t*>out_of(out, b"i", 4, rows * cols)
    if rows == 0 or cols == 0:
        return
    with nogil:
        done = (
            adm_search_open(&search, cells, rows, cols, free_max) == 0
            and start(&search, source, n, cols)
            and adm_search_run(
                &search, limit, target // cols if target >= 0 else -1, target % cols
            ) == 0
        )
        if done and mask != NULL:
            adm_search_mark(&search, mask, rows, cols)
        elif done:
            adm_search_write(&search, steps, rows, cols)
        adm_search_close(&search)
    if not done:
        raise MemoryError


cdef bint start(adm_search* search, const int64_t* source, int64_t n, int64_t cols) noexcept nogil:
    cdef int64_t k
    for k in range(n):
        if adm_search_start(search, source[k] // cols, source[k] % cols) < 0:
            return False
    return True

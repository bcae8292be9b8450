# cython: language_level=3, boundscheck=False, wraparound=False
# cython: cdivision=True, initializedcheck=False
"""Steps over edge neighbours, on boards of 8 x 8 cells. Private: call ``grid.distance``."""

from libc.stdint cimport int8_t, int32_t, int64_t

cdef extern from "wavefront.h" nogil:
    ctypedef struct adm_search:
        pass
    int adm_search_open(adm_search*, const int8_t*, int64_t rows, int64_t cols, int free_max)
    int adm_search_start(adm_search*, int64_t row, int64_t col)
    int adm_search_run(adm_search*, int64_t limit, int64_t target_row, int64_t target_col)
    void adm_search_write(const adm_search*, int32_t*, int64_t rows, int64_t cols)
    void adm_search_close(adm_search*)


def count_steps(
    const int8_t[:, ::1] grid,     # IN
    const int64_t[::1] sources,    # IN
    int32_t[:, ::1] out,           # OUT
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
    out : int32[rows, cols]
        Overwritten whole: number of moves, -1 where not reached.
    free_max : int
        0..127.
    limit : int
        Cells farther than this are left at -1.
    target : int
        Flat index of a cell at which the search may stop, or -1.

    Notes
    -----
    Time is linear in the cells; extra memory 1.5 bytes a cell.
    """
    cdef:
        Py_ssize_t rows = grid.shape[0], cols = grid.shape[1], i
        int64_t row = -1, col = -1
        adm_search search
        bint failed
    if rows == 0 or cols == 0:
        return
    if target >= 0:
        row = target // cols
        col = target % cols
    with nogil:
        failed = adm_search_open(&search, &grid[0, 0], rows, cols, free_max) < 0
        for i in range(0 if failed else sources.shape[0]):
            if adm_search_start(&search, sources[i] // cols, sources[i] % cols) < 0:
                failed = True
        if not failed:
            failed = adm_search_run(&search, limit, row, col) < 0
        if not failed:
            adm_search_write(&search, &out[0, 0], rows, cols)
        adm_search_close(&search)
    if failed:
        raise MemoryError

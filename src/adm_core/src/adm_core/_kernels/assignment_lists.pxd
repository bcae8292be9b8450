"""What a round of assignment works on: the problem, and each row's short list of columns.

The cheapest free columns of a row stay the cheapest ones from round to round until they are
taken, so a row reads its costs again only when its list is used up.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint8_t


cdef enum:
    LIST = 6        # cheapest free columns that a row remembers
    NOBODY = -1

cdef struct Problem:
    const double* cost       # rows x cols
    Py_ssize_t rows, cols
    double most              # costs from here on mean: impossible
    double slack             # differences up to here are rounding
    uint8_t* taken           # of cols + rows columns; those past cols cost nothing (no task)
    int32_t* open            # columns that may be free, ascending
    Py_ssize_t open_size, open_taken
    double* list_cost        # rows x LIST, sorted by cost, then by column
    int32_t* list_col
    int32_t* list_at         # first entry that may be free
    int32_t* list_size
    uint8_t* list_all        # whether the list holds all columns that were free
    int32_t* col             # of each row, or NOBODY
    double* u                # dual of each row
    double* v                # dual of the column of each row
    double* length           # of the shortest path to the column of each row
    int32_t* before          # row from which that path comes
    uint8_t* done
    Py_ssize_t spare         # columns without a task in this round


cdef inline double cost_of(const Problem* p, Py_ssize_t row, int32_t col) noexcept nogil:
    return p.cost[row * p.cols + col] if col < p.cols else 0.0


cdef inline void pack_open(Problem* p) noexcept nogil:
    """Drop the taken columns from the list of open ones."""
    cdef Py_ssize_t k, kept = 0
    for k in range(p.open_size):
        p.open[kept] = p.open[k]
        kept += not p.taken[p.open[k]]
    p.open_size = kept
    p.open_taken = 0


cdef inline void read_row(Problem* p, Py_ssize_t row) noexcept nogil:
    """List the cheapest free columns of a row."""
    cdef:
        const double* cost = p.cost + row * p.cols
        double* listed = p.list_cost + row * LIST
        int32_t* cols = p.list_col + row * LIST
        double worst = INFINITY, value
        Py_ssize_t k, at, size = 0
        int32_t col
    for k in range(p.open_size):
        col = p.open[k]
        value = cost[col]
        if value >= worst or p.taken[col]:
            continue
        at = size if size < LIST else LIST - 1
        while at > 0 and listed[at - 1] > value:
            listed[at] = listed[at - 1]
            cols[at] = cols[at - 1]
            at -= 1
        listed[at] = value
        cols[at] = col
        if size < LIST:
            size += 1
        if size == LIST:
            worst = listed[LIST - 1]
    p.list_at[row] = 0
    p.list_size[row] = <int32_t>size
    p.list_all[row] = size < LIST


cdef inline double cheapest(Problem* p, Py_ssize_t row, int32_t but, int32_t* col) noexcept nogil:
    """Find the cheapest free column of a row other than `but`; infinity if there is none."""
    cdef:
        Py_ssize_t k, first
        double best = INFINITY
    col[0] = NOBODY
    while True:
        first = p.list_at[row]
        while first < p.list_size[row] and p.taken[p.list_col[row * LIST + first]]:
            first += 1
        p.list_at[row] = <int32_t>first
        k = first
        while k < p.list_size[row] and (
            p.taken[p.list_col[row * LIST + k]] or p.list_col[row * LIST + k] == but
        ):
            k += 1
        if k < p.list_size[row]:
            best = p.list_cost[row * LIST + k]
            col[0] = p.list_col[row * LIST + k]
            break
        if p.list_all[row]:
            break
        read_row(p, row)
    if p.spare > 0 and best > 0:
        for k in range(p.cols, p.cols + p.spare):
            if not p.taken[k] and k != but:
                col[0] = <int32_t>k
                return 0.0
    return best


cdef inline void take(Problem* p, int32_t col) noexcept nogil:
    p.taken[col] = True
    if col < p.cols:
        p.open_taken += 1


cdef inline void release(Problem* p, int32_t col) noexcept nogil:
    """Make a column of this round free again, also in the lists of the rows."""
    cdef:
        Py_ssize_t row, k, at, size
        double value
        double* listed
        int32_t* cols
    p.taken[col] = False
    if col >= p.cols:
        return
    p.open_taken -= 1
    for row in range(p.rows):
        listed = p.list_cost + row * LIST
        cols = p.list_col + row * LIST
        size = p.list_size[row]
        value = cost_of(p, row, col)
        at = 0
        while at < size and (listed[at] < value or (listed[at] == value and cols[at] < col)):
            at += 1
        if at < size and cols[at] == col:          # listed, perhaps passed over since
            p.list_at[row] = min(p.list_at[row], <int32_t>at)
            continue
        if at == size and (size == LIST or not p.list_all[row]):
            p.list_all[row] = False                # beyond the list: found when it is used up
            continue
        if size < LIST:
            size += 1
        else:
            p.list_all[row] = False
        for k in range(size - 1, at, -1):
            listed[k] = listed[k - 1]
            cols[k] = cols[k - 1]
        listed[at] = value
        cols[at] = col
        p.list_size[row] = <int32_t>size
        p.list_at[row] = min(p.list_at[row], <int32_t>at)

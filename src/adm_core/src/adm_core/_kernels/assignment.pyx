# cython: language_level=3, boundscheck=False, wraparound=False
# cython: cdivision=True, initializedcheck=False
"""Rounds of optimal assignment. Private: call ``assignment.rounds``.

Shortest augmenting paths, kept small by two facts. Columns that have not been matched in a
round have the dual value 0, so of all of them a row can only want its cheapest one: a search
runs over rows, not over columns. And the cheapest free columns of a row stay the cheapest ones
from round to round until they are taken, so each row keeps a short sorted list of them and reads
its costs again only when the list is used up.
"""

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc

from adm_core._kernels.arrays cimport image_of, out_of

from adm_core._kernels.assignment_lists cimport (
    LIST,
    NOBODY,
    Problem,
    cheapest,
    cost_of,
    pack_open,
    read_row,
    release,
    take,
)

cdef void augment(Problem* p, Py_ssize_t root) noexcept nogil:
    """Match one more row along a shortest path of reduced costs."""
    cdef:
        Py_ssize_t rows = p.rows, row = root, r, nearest, last = root
        double reach = 0.0, there = INFINITY, length, least
        int32_t target = NOBODY, col, old
        double dual = 0.0, old_dual
    for r in range(rows):
        p.length[r] = INFINITY
        p.done[r] = False
    while True:
        length = reach + cheapest(p, row, NOBODY, &col) - p.u[row]
        if length < there:
            there = length
            target = col
            last = row
        nearest = NOBODY
        least = there
        for r in range(rows):
            if p.col[r] == NOBODY or p.done[r]:
                continue
            length = reach + cost_of(p, row, p.col[r]) - p.u[row] - p.v[r]
            if length < p.length[r]:
                p.length[r] = length
                p.before[r] = <int32_t>row
            if p.length[r] < least:
                least = p.length[r]
                nearest = r
        if nearest == NOBODY:
            break
        p.done[nearest] = True
        reach = least
        row = nearest
    p.u[root] += there
    for r in range(rows):
        if p.done[r]:
            p.u[r] += there - p.length[r]
            p.v[r] -= there - p.length[r]
    take(p, target)
    row = last
    while True:
        old = p.col[row]
        old_dual = p.v[row]
        p.col[row] = target
        p.v[row] = dual
        target = old
        dual = old_dual
        if row == root:
            break
        row = p.before[row]


cdef void match(Problem* p) noexcept nogil:
    """Match every row at the least total cost."""
    cdef:
        Py_ssize_t r
        int32_t col
    for r in range(p.rows):
        p.u[r] = cheapest(p, r, NOBODY, &p.before[r])
        p.v[r] = 0.0
        p.col[r] = NOBODY
    for r in range(p.rows):
        col = p.before[r]
        if not p.taken[col]:
            take(p, col)
            p.col[r] = col
    for r in range(p.rows):
        if p.col[r] == NOBODY:
            augment(p, r)


cdef inline bint is_tight(const Problem* p, Py_ssize_t row, Py_ssize_t owner) noexcept nogil:
    """Tell whether `row` may have the column of `owner` in some optimal assignment."""
    return cost_of(p, row, p.col[owner]) - p.u[row] - p.v[owner] <= p.slack


cdef inline int32_t rank_of(const Problem* p, Py_ssize_t row, int32_t col) noexcept nogil:
    """Return a task's index; for no task, or one that the row cannot do, a number past all."""
    return col if col < p.cols and cost_of(p, row, col) < p.most else <int32_t>p.cols


cdef inline bint is_settled(const Problem* p, Py_ssize_t other, Py_ssize_t row) noexcept nogil:
    """Tell whether the task of `other` is fixed while `row` chooses.

    A row before it that goes without a task may change what it does not have: no exchange
    gives it a task, or it would have got one when it chose.
    """
    return other <= row and (other == row or rank_of(p, other, p.col[other]) < p.cols)


cdef inline Py_ssize_t visit(
    Problem* p, Py_ssize_t node, Py_ssize_t at, int32_t* queue, Py_ssize_t tail
) noexcept nogil:
    """Put a node that is reached from `at` into the queue of :func:`reroute`."""
    p.done[node] = True
    p.before[node] = <int32_t>at
    queue[tail] = <int32_t>node
    return tail + 1


cdef bint reroute(Problem* p, Py_ssize_t row, Py_ssize_t owner, int32_t wanted) noexcept nogil:
    """Give `wanted` to `row` without a change in total cost, settled rows untouched.

    `owner` has the column now, or is ``rows`` if nobody has. The others move along a path of
    equal cost that ends at the column which `row` leaves. Node ``rows`` of the path stands for
    all free columns: it can take any column whose dual is 0. Returns False if there is none.
    """
    cdef:
        Py_ssize_t rows = p.rows, head = 0, tail = 0, at, r
        int32_t left = p.col[row], col, free_col = NOBODY
        double left_dual = p.v[row]
        int32_t* queue = <int32_t*>p.length    # both are scratch here
    for r in range(rows):
        p.done[r] = is_settled(p, r, row)
    p.done[rows] = False
    tail = visit(p, owner, owner, queue, tail)
    while head < tail:
        at = queue[head]
        head += 1
        if at == rows:
            if left_dual >= -p.slack:
                hand_over(p, row, owner, at, wanted, free_col)
                return True
            for r in range(rows):
                if not p.done[r] and p.v[r] >= -p.slack:
                    tail = visit(p, r, at, queue, tail)
            continue
        if cost_of(p, at, left) - p.u[at] - left_dual <= p.slack:
            hand_over(p, row, owner, at, wanted, free_col)
            return True
        for r in range(rows):
            if not p.done[r] and is_tight(p, at, r):
                tail = visit(p, r, at, queue, tail)
        if not p.done[rows] and cheapest(p, at, wanted, &col) - p.u[at] <= p.slack:
            free_col = col
            tail = visit(p, rows, at, queue, tail)
    return False


cdef void hand_over(
    Problem* p, Py_ssize_t row, Py_ssize_t owner, Py_ssize_t at, int32_t wanted, int32_t free_col
) noexcept nogil:
    """Walk the path back from `at`: each node takes the column that the next one leaves."""
    cdef:
        Py_ssize_t rows = p.rows
        int32_t moved = p.col[row], col
        double dual = p.v[row], wanted_dual = p.v[owner] if owner < rows else 0.0
    while True:
        if at == rows:
            release(p, moved)
            if at != owner:
                take(p, free_col)
            moved, dual = free_col, 0.0
        else:
            col = p.col[at]
            p.col[at] = moved
            moved = col
            dual, p.v[at] = p.v[at], dual
        if at == owner:
            break
        at = p.before[at]
    if owner == rows:
        take(p, wanted)
    p.col[row] = wanted
    p.v[row] = wanted_dual


cdef void settle_ties(Problem* p) noexcept nogil:
    """Of all optimal assignments take the one where row 0 has the lowest task, then row 1..."""
    cdef:
        Py_ssize_t row, r, owner
        int32_t wanted, tried, rank, col
        bint retry, may_idle = p.spare > 0 or p.most < INFINITY
    for row in range(p.rows):
        tried = NOBODY
        retry = True
        while retry:
            # The lowest task above `tried` and below the present one that costs no more.
            wanted = rank_of(p, row, p.col[row])
            owner = NOBODY
            for r in range(0 if may_idle else row + 1, p.rows):
                if (
                    tried < p.col[r] < wanted
                    and is_tight(p, row, r)
                    and not is_settled(p, r, row)
                ):
                    rank = rank_of(p, row, p.col[r])
                    if rank < wanted:
                        wanted = rank
                        owner = r
            if cheapest(p, row, NOBODY, &col) - p.u[row] <= p.slack and tried < col < wanted:
                rank = rank_of(p, row, col)
                if rank < wanted:
                    wanted = rank
                    owner = p.rows
            retry = owner != NOBODY and not reroute(p, row, owner, wanted)
            tried = wanted


cdef Py_ssize_t record(
    Problem* p, int32_t* owner, int32_t* rounds, int32_t step
) noexcept nogil:
    """Write down one round; return how many tasks were given."""
    cdef:
        Py_ssize_t row, given = 0
        int32_t col
    for row in range(p.rows):
        col = p.col[row]
        if rank_of(p, row, col) == p.cols:
            release(p, col)
        else:
            owner[col] = <int32_t>row
            rounds[col] = step
            given += 1
    return given


cdef int examine(const double* cost, Py_ssize_t size, double* largest) noexcept nogil:
    """Find the largest finite magnitude; return 1 if +inf occurs, 2 if NaN or -inf does."""
    cdef:
        Py_ssize_t i, k
        double most = 0.0, value
        double top[4]
        double odd[4]  # stays 0 unless a value is not finite
        bint endless = False, bad = False
    for k in range(4):
        top[k] = odd[k] = 0.0
    for i in range(0, size - 3, 4):  # four chains: each waits for its own maximum only
        for k in range(4):
            value = fabs(cost[i + k])
            top[k] = value if value > top[k] else top[k]
            odd[k] += value * 0.0
    for i in range(size & ~<Py_ssize_t>3, size):
        value = fabs(cost[i])
        top[0] = value if value > top[0] else top[0]
        odd[0] += value * 0.0
    largest[0] = max(max(top[0], top[1]), max(top[2], top[3]))
    if odd[0] + odd[1] + odd[2] + odd[3] == 0.0:
        return 0
    for i in range(size):
        value = fabs(cost[i])
        if value < INFINITY:
            most = value if value > most else most
        elif cost[i] > 0:
            endless = True
        else:
            bad = True
    largest[0] = most
    return 2 if bad else endless


def assign_rounds(
    costs,   # IN
    double most,
    double tie,
    owners,  # OUT
    steps,   # OUT
):
    """Assign columns to rows, at most one a row in each round, until none is left.

    Parameters
    ----------
    costs : float64[rows, cols]
        Values from `most` on mean that the row cannot have the column.
    most : float
        So large that no assignment pays for an avoidable impossible pair.
    tie : float
        Share of the largest cost up to which differences are rounding.
    owners, steps : int32[cols]
        Row of each column and the round in which it got it, -1 if none.

    Returns
    -------
    (int, float)
        0, or 1 if a cost is +inf, or 2 if one is NaN or -inf, and the largest finite
        magnitude. Nothing is assigned unless the code is 0.

    Notes
    -----
    Memory of the size of one row and of the short lists. Each round O(rows**2) after the
    reading of costs, plus O(rows**2) for each row that finds its cheapest column taken.
    """
    cdef:
        Problem p
        int64_t rows = 0, cols = 0
        Py_ssize_t k, left, given
        int32_t step = 0
        int code
        double largest = 0.0
        char* memory
        int32_t* owner
        int32_t* rounds
    p.cost = <const double*>image_of(costs, b"d", 8, &rows, &cols)
    owner = <int32_t*>out_of(owners, b"i", 4, cols)
    rounds = <int32_t*>out_of(steps, b"i", 4, cols)
    for k in range(cols):
        owner[k] = rounds[k] = NOBODY
    if rows == 0 or cols == 0:
        return 0, 0.0
    code = examine(p.cost, rows * cols, &largest)
    if code:
        return code, largest
    p.rows = rows
    p.cols = cols
    p.most = most
    p.slack = tie * largest
    # One block: doubles first, then 4-byte values, then bytes.
    k = 8 * (rows * LIST + 3 * rows + rows + 2) + 4 * (rows * LIST + 4 * rows + cols + 4)
    memory = <char*>malloc(k + (cols + rows) + rows + (rows + 1))
    if memory == NULL:
        raise MemoryError
    p.list_cost = <double*>memory
    p.u = p.list_cost + rows * LIST
    p.v = p.u + rows
    p.length = p.v + rows
    p.list_col = <int32_t*>(p.length + 2 * rows + 2)
    p.list_at = p.list_col + rows * LIST
    p.list_size = p.list_at + rows
    p.col = p.list_size + rows
    p.before = p.col + rows
    p.open = p.before + rows + 1
    p.taken = <uint8_t*>memory + k
    p.list_all = p.taken + cols + rows
    p.done = p.list_all + rows
    with nogil:
        for k in range(cols + rows):
            p.taken[k] = False
        for k in range(cols):
            p.open[k] = <int32_t>k
        p.open_size = cols
        p.open_taken = 0
        p.spare = 0
        for k in range(rows):
            read_row(&p, k)
        left = cols
        given = 1
        while left > 0 and given > 0:
            p.spare = rows - left if left < rows else 0
            match(&p)
            settle_ties(&p)
            given = record(&p, owner, rounds, step)
            step += 1
            left -= given
            if 4 * p.open_taken > p.open_size:
                pack_open(&p)
        free(memory)
    return 0, largest

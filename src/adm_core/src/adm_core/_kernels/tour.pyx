# cython: language_level=3, boundscheck=False, wraparound=False
# cython: cdivision=True, initializedcheck=False
"""Short open paths through points. Private: call ``assignment.tours``.

Up to 12 points by dynamic programming over subsets (Held and Karp), exactly. Beyond that an
iterated local search: 2-opt and or-opt moves between near points, started again from where two
neighbouring stretches of the path were exchanged, and undone if the path did not get shorter.

An open path from a fixed start is a closed tour through one more point, the gate, which costs
nothing to reach but must be next to the start.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc

from adm_core._kernels.tour_moves cimport NEAR, STRETCH, Tour, after, flip, gap, settle, turn, wake


cdef inline uint64_t draw(uint64_t* state) noexcept nogil:
    state[0] ^= state[0] << 13
    state[0] ^= state[0] >> 7
    state[0] ^= state[0] << 17
    return state[0]


cdef void search(Tour* t, int64_t trials) noexcept nogil:
    """Exchange neighbouring stretches, improve, and keep what is shorter."""
    cdef:
        uint64_t state = 0x9E3779B97F4A7C15
        Py_ssize_t longest = min(<Py_ssize_t>STRETCH, (t.size - 2) // 2), at, one, two
        int64_t _trial
        Py_ssize_t k
        int32_t a, b, c, d, e, f
        double gain
    for k in range(t.size):
        wake(t, <int32_t>t.order[k])
    settle(t)
    for _trial in range(trials):
        at = <Py_ssize_t>(draw(&state) % <uint64_t>t.size)
        one = 1 + <Py_ssize_t>(draw(&state) % <uint64_t>longest)
        two = 1 + <Py_ssize_t>(draw(&state) % <uint64_t>longest)
        # a | b..c | d..e | f -> a | d..e | b..c | f
        a = t.order[at]
        b = t.order[(at + 1) % t.size]
        c = t.order[(at + one) % t.size]
        d = t.order[(at + one + 1) % t.size]
        e = t.order[(at + one + two) % t.size]
        f = t.order[(at + one + two + 1) % t.size]
        t.logged = 0
        gain = gap(t, a, b) + gap(t, c, d) + gap(t, e, f)
        gain -= gap(t, a, d) + gap(t, e, b) + gap(t, c, f)
        turn(t, b, e)
        turn(t, e, d)
        turn(t, c, b)
        wake(t, a)
        wake(t, b)
        wake(t, c)
        wake(t, d)
        wake(t, e)
        wake(t, f)
        gain += settle(t)
        if gain < -t.least and t.logged <= t.room:
            for at in range(t.logged - 1, -1, -1):
                flip(t, t.log[2 * at], t.log[2 * at + 1])


cdef void find_near(Tour* t) noexcept nogil:
    """List the nearest points of each point; -1 fills up."""
    cdef:
        Py_ssize_t a, b, at, size
        int32_t* near
        double value
    for a in range(t.size):
        near = t.near + a * NEAR
        size = 0
        for b in range(t.size):
            value = t.dist[a * t.size + b]
            if b == a or (size == NEAR and value >= t.dist[a * t.size + near[NEAR - 1]]):
                continue
            at = size if size < NEAR else NEAR - 1
            while at > 0 and t.dist[a * t.size + near[at - 1]] > value:
                near[at] = near[at - 1]
                at -= 1
            near[at] = <int32_t>b
            if size < NEAR:
                size += 1
        while size < NEAR:
            near[size] = -1
            size += 1


cdef void construct(Tour* t, int32_t start) noexcept nogil:
    """Go to the nearest point that is left, ties to the lowest."""
    cdef:
        Py_ssize_t n = t.size - 1, k, b
        int32_t here = start, best
        double least
    for k in range(n):
        t.queued[k] = False
    for k in range(n):
        t.order[k] = here
        t.queued[here] = True
        best = 0
        least = INFINITY
        for b in range(n):
            if not t.queued[b] and gap(t, here, <int32_t>b) < least:
                least = gap(t, here, <int32_t>b)
                best = <int32_t>b
        here = best
    t.order[n] = <int32_t>n
    for k in range(n + 1):
        t.place[t.order[k]] = <int32_t>k
        t.queued[k] = False


def order_long(
    const double[:, ::1] dist,   # IN
    int32_t start,
    int64_t trials,
    int64_t[::1] out,            # OUT
):
    """Order many points by local search.

    Parameters
    ----------
    dist : float64[n + 1, n + 1]
        Symmetric distances; point n is the gate: 0 to all points, but so far below 0 to
        `start` that no better tour separates the two.
    start : int
    trials : int
        Number of exchanges to try.
    out : int64[n]
        Points in the order of visit, `start` first.
    """
    cdef:
        Tour t
        Py_ssize_t size = dist.shape[0], k, at
        double longest = 0.0
        char* memory
        bint forwards
    t.size = size
    t.dist = &dist[0, 0]
    t.room = 4 * size + 64
    memory = <char*>malloc(4 * (size * NEAR + 3 * size + 2 * t.room) + size)
    if memory == NULL:
        raise MemoryError
    t.near = <int32_t*>memory
    t.order = t.near + size * NEAR
    t.place = t.order + size
    t.queue = t.place + size
    t.log = t.queue + size
    t.queued = <uint8_t*>(t.log + 2 * t.room)
    t.head = t.waiting = t.logged = 0
    with nogil:
        for k in range(size * size):
            longest = max(longest, t.dist[k])
        t.least = 1e-10 * longest
        find_near(&t)
        construct(&t, start)
        search(&t, trials)
        at = t.place[start]
        forwards = after(&t, start) != size - 1
        for k in range(size - 1):
            out[k] = t.order[at]
            if forwards:
                at = at + 1 if at + 1 < size else 0
            else:
                at = at - 1 if at > 0 else size - 1
        free(memory)


def order_short(
    const double[:, ::1] dist,   # IN
    Py_ssize_t start,
    int64_t[::1] out,            # OUT
):
    """Order at most 12 points exactly; of equal paths the one found first.

    Parameters
    ----------
    dist : float64[n, n]
    start : int
    out : int64[n]
        Points in the order of visit, `start` first.
    """
    cdef:
        Py_ssize_t n = dist.shape[0], m = n - 1, i, j, mask, last, best
        Py_ssize_t[12] point
        double* length
        int32_t* came
        double value
    out[0] = start
    if m <= 0:
        return
    j = 0
    for i in range(n):
        if i != start:
            point[j] = i
            j += 1
    length = <double*>malloc((m << m) * sizeof(double))
    came = <int32_t*>malloc((m << m) * sizeof(int32_t))
    if length == NULL or came == NULL:
        free(length)
        free(came)
        raise MemoryError
    with nogil:
        for mask in range(1, 1 << m):
            for last in range(m):
                if not mask >> last & 1:
                    continue
                best = -1
                value = dist[start, point[last]]
                if mask != 1 << last:
                    value = INFINITY
                    for j in range(m):
                        if j != last and mask >> j & 1 and (
                            length[(mask ^ (1 << last)) * m + j] + dist[point[j], point[last]]
                            < value
                        ):
                            value = (
                                length[(mask ^ (1 << last)) * m + j]
                                + dist[point[j], point[last]]
                            )
                            best = j
                length[mask * m + last] = value
                came[mask * m + last] = <int32_t>best
        mask = (1 << m) - 1
        last = 0
        for j in range(1, m):
            if length[mask * m + j] < length[mask * m + last]:
                last = j
        for i in range(m, 0, -1):
            out[i] = point[last]
            j = came[mask * m + last]
            mask ^= 1 << last
            last = j
        free(length)
        free(came)

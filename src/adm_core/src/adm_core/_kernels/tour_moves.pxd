"""The path of a local search and its moves: 2-opt and or-opt between near points."""

from libc.stdint cimport int32_t, uint8_t


cdef enum:
    NEAR = 10        # points to which a point tries to connect
    STRETCH = 30     # longest stretch that is exchanged
    SEGMENT = 3      # longest segment that or-opt moves

cdef struct Tour:
    Py_ssize_t size          # points and the gate
    const double* dist       # size x size
    int32_t* near            # size x NEAR, nearest first
    int32_t* order
    int32_t* place           # of each point in `order`
    int32_t* queue           # ring of points whose surroundings have changed
    uint8_t* queued
    Py_ssize_t head, waiting
    int32_t* log             # pairs of places: stretches reversed since the last good tour
    Py_ssize_t logged, room
    double least             # smaller gains are rounding


cdef inline double gap(const Tour* t, int32_t a, int32_t b) noexcept nogil:
    return t.dist[a * t.size + b]


cdef inline int32_t after(const Tour* t, int32_t a) noexcept nogil:
    cdef Py_ssize_t at = t.place[a] + 1
    return t.order[at if at < t.size else 0]


cdef inline int32_t before(const Tour* t, int32_t a) noexcept nogil:
    cdef Py_ssize_t at = t.place[a] - 1
    return t.order[at if at >= 0 else t.size - 1]


cdef inline void flip(Tour* t, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    """Reverse the places i..j of the ring."""
    cdef:
        Py_ssize_t count = j - i + 1 if j >= i else j - i + 1 + t.size, _swap
        int32_t a, b
    for _swap in range(count // 2):
        a = t.order[i]
        b = t.order[j]
        t.order[i] = b
        t.place[b] = <int32_t>i
        t.order[j] = a
        t.place[a] = <int32_t>j
        i = i + 1 if i + 1 < t.size else 0
        j = j - 1 if j > 0 else t.size - 1


cdef inline void turn(Tour* t, int32_t first, int32_t last) noexcept nogil:
    """Reverse the tour from point `first` forwards to point `last`, and remember it."""
    cdef Py_ssize_t i = t.place[first], j = t.place[last]
    if t.logged < t.room:
        t.log[2 * t.logged] = <int32_t>i
        t.log[2 * t.logged + 1] = <int32_t>j
    t.logged += 1
    flip(t, i, j)


cdef inline void turn_either(Tour* t, int32_t first, int32_t last) noexcept nogil:
    """As :func:`turn`, or reverse all other points if they are fewer: the same tour."""
    cdef Py_ssize_t ahead = t.place[last] - t.place[first]
    if ahead < 0:
        ahead += t.size
    if 2 * ahead < t.size:
        turn(t, first, last)
    else:
        turn(t, after(t, last), before(t, first))


cdef inline void wake(Tour* t, int32_t a) noexcept nogil:
    cdef Py_ssize_t at
    if not t.queued[a]:
        at = t.head + t.waiting
        t.queue[at if at < t.size else at - t.size] = a
        t.waiting += 1
        t.queued[a] = True


cdef inline double two_opt(Tour* t, int32_t a) noexcept nogil:
    """Reconnect `a` to a nearer point; return the gain, or 0."""
    cdef:
        int32_t c, d, b = after(t, a)
        double length = gap(t, a, b), gain
        Py_ssize_t k
    for k in range(NEAR):                    # a b ... c d -> a c ... b d
        c = t.near[a * NEAR + k]
        if c < 0 or gap(t, a, c) >= length:
            break
        d = after(t, c)
        gain = length - gap(t, a, c) + gap(t, c, d) - gap(t, b, d)
        if gain > t.least:
            turn_either(t, b, c)
            wake(t, a)
            wake(t, b)
            wake(t, c)
            wake(t, d)
            return gain
    b = before(t, a)
    length = gap(t, a, b)
    for k in range(NEAR):                    # b a ... d c -> b d ... a c
        c = t.near[a * NEAR + k]
        if c < 0 or gap(t, a, c) >= length:
            break
        d = before(t, c)
        gain = length - gap(t, a, c) + gap(t, c, d) - gap(t, b, d)
        if gain > t.least:
            turn_either(t, a, d)
            wake(t, a)
            wake(t, b)
            wake(t, c)
            wake(t, d)
            return gain
    return 0.0


cdef inline bint within(
    const Tour* t, int32_t a, Py_ssize_t first, Py_ssize_t count
) noexcept nogil:
    """Tell whether point `a` lies in the `count` places from `first` on."""
    cdef Py_ssize_t at = t.place[a] - first
    if at < 0:
        at += t.size
    return at < count


cdef inline void carry(
    Tour* t, int32_t head, int32_t tail, int32_t left, int32_t right, bint keep
) noexcept nogil:
    """Move the segment head..tail (forwards) between `left` and its successor `right`.

    With `keep` it stays in its direction, otherwise it is reversed.
    """
    cdef:
        int32_t outer = after(t, tail), inner = before(t, head)
        Py_ssize_t ahead = t.place[left] - t.place[tail]
    if ahead < 0:
        ahead += t.size
    if 2 * ahead < t.size:       # S B -> B^r S^r -> B S^r, with B = outer..left
        turn(t, head, left)
        turn(t, left, outer)
        if keep:
            turn(t, tail, head)
    else:                        # B S -> S^r B^r -> S^r B, with B = right..inner
        turn(t, right, tail)
        turn(t, inner, right)
        if keep:
            turn(t, tail, head)


cdef inline double or_opt(Tour* t, int32_t a) noexcept nogil:
    """Move a short segment that ends in `a` next to a near point; return the gain, or 0."""
    cdef:
        int32_t head, tail, other, left, right, c, d
        double freed, gain
        Py_ssize_t k, first
        int count, side, way
    for side in range(2):
        other = a
        for count in range(1, SEGMENT + 1):
            if count > 1:
                other = before(t, other) if side == 0 else after(t, other)
            head = other if side == 0 else a
            tail = a if side == 0 else other
            left = before(t, head)
            right = after(t, tail)
            if left == tail or left == right:
                break
            first = t.place[head]
            freed = gap(t, left, head) + gap(t, tail, right) - gap(t, left, right)
            if freed <= t.least:
                continue
            for k in range(NEAR):
                c = t.near[a * NEAR + k]
                if c < 0 or gap(t, a, c) >= freed:
                    break
                if within(t, c, first, count):
                    continue
                for way in range(2):          # the other end goes after c, or before it
                    d = after(t, c) if way == 0 else before(t, c)
                    if within(t, d, first, count):
                        d = right if way == 0 else left
                    gain = freed + gap(t, c, d) - gap(t, a, c) - gap(t, other, d)
                    if gain <= t.least or (c == left and d == right) or (
                        c == right and d == left
                    ):
                        continue
                    # After the move: c a..other d if way is 0, else d other..a c.
                    if way == 0:
                        carry(t, head, tail, c, d, a == head)
                    else:
                        carry(t, head, tail, d, c, a == tail)
                    wake(t, a)
                    wake(t, other)
                    wake(t, left)
                    wake(t, right)
                    wake(t, c)
                    wake(t, d)
                    return gain
    return 0.0


cdef inline double settle(Tour* t) noexcept nogil:
    """Improve around the waiting points until nothing helps; return the total gain."""
    cdef:
        double total = 0.0, gain
        int32_t a
    while t.waiting > 0:
        a = t.queue[t.head]
        t.head = t.head + 1 if t.head + 1 < t.size else 0
        t.waiting -= 1
        t.queued[a] = False
        gain = two_opt(t, a)
        if gain == 0.0:
            gain = or_opt(t, a)
        if gain > 0.0:
            total += gain
            wake(t, a)
    return total

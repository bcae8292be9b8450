"""Bit rows and sorted frontier list of a map that changes; see ``live_clusters.pyx``."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memmove

from adm_core._kernels.bitrows cimport bit_count, bit_low
from adm_core._kernels.search cimport SEARCH_SPACE, Search, plane_row

cdef enum:
    FREE = 0
    FRONTIER = 1
    TODO = 2
    RANK = 3  # frontier cells in front of a word, counted in its row
    SEED = 4
    PLANES = 5


cdef struct Slot:
    int64_t seed
    int64_t representative
    int64_t sum_row
    int64_t sum_col
    int32_t size
    int32_t stale  # the representative has to be found again


cdef struct Live:
    Search s
    uint64_t space[SEARCH_SPACE]
    int free_max
    bint border
    int64_t* first  # list index of each row's first frontier cell; the last is the length
    int64_t* cells
    int32_t* owner  # slot of each frontier cell, -1 while it has none
    int64_t room
    Slot* slots
    int32_t* spare  # slots that are not in use
    int32_t spares
    int64_t slot_room
    int64_t todo_end  # row behind the last one with something to do
    int64_t searches  # of the last update
    int64_t count  # clusters


cdef inline bint reserve(Live* m, int64_t cells) noexcept nogil:
    # Room for a list of `cells` entries, and for as many clusters.
    cdef:
        int64_t room = cells + cells // 4 + 1024
        void* grown
    if cells <= m.room:
        return True
    grown = realloc(m.cells, room * sizeof(int64_t))
    if grown == NULL:
        return False
    m.cells = <int64_t*>grown
    grown = realloc(m.owner, room * sizeof(int32_t))
    if grown == NULL:
        return False
    m.owner = <int32_t*>grown
    m.room = room
    return True


cdef inline bint reserve_slots(Live* m) noexcept nogil:
    # At least one spare slot.
    cdef:
        int64_t room = m.slot_room + m.slot_room // 2 + 256, k
        void* grown
    if m.spares > 0:
        return True
    grown = realloc(m.slots, room * sizeof(Slot))
    if grown == NULL:
        return False
    m.slots = <Slot*>grown
    grown = realloc(m.spare, room * sizeof(int32_t))
    if grown == NULL:
        return False
    m.spare = <int32_t*>grown
    for k in range(room - 1, m.slot_room - 1, -1):
        m.spare[m.spares] = <int32_t>k
        m.spares += 1
    m.slot_room = room
    return True


cdef inline int64_t spot(Live* m, int64_t r, int64_t col) noexcept nogil:
    # List index of a frontier cell.
    cdef int64_t w = col >> 6
    return m.first[r] + <int64_t>plane_row(&m.s, RANK, r)[w] + bit_count(
        plane_row(&m.s, FRONTIER, r)[w] & ((<uint64_t>1 << (col & 63)) - 1)
    )


cdef inline void put_todo(Live* m, int64_t r, int64_t col) noexcept nogil:
    plane_row(&m.s, TODO, r)[col >> 6] |= <uint64_t>1 << (col & 63)
    m.todo_end = max(m.todo_end, r + 1)


cdef inline int64_t spots_of_row(
    Live* m, int64_t r, int64_t left, uint64_t mask, int64_t* out
) noexcept nogil:
    # List indices of the frontier cells of row r at columns left + k for the bits k of mask.
    cdef:
        int64_t n = 0, w = left >> 6, first = m.first[r]
        int shift = <int>(left & 63)
        const uint64_t* frontier = plane_row(&m.s, FRONTIER, r) + w
        const uint64_t* rank = plane_row(&m.s, RANK, r) + w
        uint64_t low = (mask << shift) & frontier[0]
        uint64_t high = (mask >> 1 >> (63 - shift)) & frontier[1]
    if low:
        n = m.s.ops.spots(low, frontier[0], first + <int64_t>rank[0], out)
    if high:
        n += m.s.ops.spots(high, frontier[1], first + <int64_t>rank[1], out + n)
    return n


cdef inline bint rewrite(
    Live* m, const uint8_t* grid, int64_t row0, int64_t row1, int64_t col0, int64_t col1
) noexcept nogil:
    # New bits and a new piece of the frontier list for the rows [row0, row1).
    cdef:
        int64_t w0 = col0 >> 6, w1 = ((col1 - 1) >> 6) + 1, span = w1 - w0 + 4, words = m.s.step - 2
        int64_t begin = m.first[row0], old = begin, n = 0, r, room, delta
        uint64_t* scratch = <uint64_t*>malloc((3 * span + words) * sizeof(uint64_t))
        int64_t* cells
        int32_t* owner
        bint ok
    room = m.first[row1] - begin + (row1 - row0) * (w1 - w0) * 64
    cells = <int64_t*>malloc((room + 1) * sizeof(int64_t))
    owner = <int32_t*>malloc((room + 1) * sizeof(int32_t))
    ok = scratch != NULL and cells != NULL and owner != NULL
    if ok:
        load_part(m, grid, row0 - 1, w0, w1, scratch + ((row0 + 2) % 3) * span)
        load_part(m, grid, row0, w0, w1, scratch + (row0 % 3) * span)
        for r in range(row0, row1):
            load_part(m, grid, r + 1, w0, w1, scratch + ((r + 1) % 3) * span)
            edge_part(m, r, w0, w1, scratch, span, scratch + 3 * span)
            splice_row(m, r, &old, scratch + 3 * span, cells, owner, &n)
        delta = begin + n - old
        ok = reserve(m, m.first[m.s.rows] + delta)
    if ok:
        if m.first[m.s.rows] > old:  # the lists may be empty, and their pointers null
            memmove(
                m.cells + old + delta, m.cells + old, (m.first[m.s.rows] - old) * sizeof(int64_t)
            )
            memmove(
                m.owner + old + delta, m.owner + old, (m.first[m.s.rows] - old) * sizeof(int32_t)
            )
        if n:
            memcpy(m.cells + begin, cells, n * sizeof(int64_t))
            memcpy(m.owner + begin, owner, n * sizeof(int32_t))
        for r in range(row0, row1):
            m.first[r + 1] = m.first[r] + <int64_t>m.s.ops.rank_row(
                plane_row(&m.s, FRONTIER, r), words, 0, plane_row(&m.s, RANK, r)
            )
        for r in range(row1 + 1, m.s.rows + 1):
            m.first[r] += delta
    free(scratch)
    free(cells)
    free(owner)
    return ok


cdef inline void load_part(
    Live* m, const uint8_t* grid, int64_t r, int64_t w0, int64_t w1, uint64_t* unknown
) noexcept nogil:
    # Pack words [w0 - 1, w1 + 1) of row r, as far as there are any. Word w0 goes to unknown[2];
    # a word outside the grid is unknown if the border is.
    cdef:
        int64_t words = m.s.step - 2, a = max(0, w0 - 1), b = min(words, w1 + 1)
        int64_t cols = min(m.s.cols, 64 * b) - 64 * a, k
        uint64_t rim = <uint64_t>-1 if m.border else 0
    for k in range(w1 - w0 + 4):
        unknown[k] = rim
    if r < 0 or r >= m.s.rows:
        return
    unknown += 2 + a - w0
    m.s.ops.pack_row(grid + r * m.s.cols + 64 * a, cols, m.free_max,
                     plane_row(&m.s, FREE, r) + a, unknown)
    if m.border and b == words and m.s.cols & 63:
        unknown[b - a - 1] |= <uint64_t>1 << (m.s.cols & 63)


cdef inline void edge_part(
    Live* m, int64_t r, int64_t w0, int64_t w1, uint64_t* ring, int64_t span, uint64_t* row
) noexcept nogil:
    # The new frontier bits of row r.
    cdef int64_t words = m.s.step - 2
    memcpy(row, plane_row(&m.s, FRONTIER, r), words * sizeof(uint64_t))
    m.s.ops.edge_row(
        plane_row(&m.s, FREE, r) + w0, ring + ((r + 2) % 3) * span + 2, ring + (r % 3) * span + 2,
        ring + ((r + 1) % 3) * span + 2, w1 - w0, row + w0,
    )


cdef inline void splice_row(
    Live* m, int64_t r, int64_t* old, const uint64_t* row, int64_t* cells, int32_t* owner,
    int64_t* n,
) noexcept nogil:
    # Append row r's cells and the owners that stay; cells that are new have none and are to do.
    cdef:
        int64_t w
        uint64_t both, low
        uint64_t* before = plane_row(&m.s, FRONTIER, r)
        uint64_t* todo = plane_row(&m.s, TODO, r)
    for w in range(m.s.step - 2):
        both = before[w] | row[w]
        while both:
            low = both & -both
            both ^= low
            if row[w] & low:
                cells[n[0]] = r * m.s.cols + 64 * w + bit_low(low)
                owner[n[0]] = m.owner[old[0]] if before[w] & low else -1
                n[0] += 1
            if before[w] & low:
                old[0] += 1
        if before[w] != row[w]:
            todo[w] = (todo[w] | (row[w] & ~before[w])) & row[w]
            before[w] = row[w]

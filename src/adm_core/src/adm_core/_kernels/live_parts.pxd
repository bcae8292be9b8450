"""The parts of one tile of a map that changes; see ``live_rooms.pyx``."""

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport realloc
from libc.string cimport memcpy, memset

from adm_core._kernels.bitrows cimport BitOps, bit_low


cdef extern from "tiles.h" nogil:
    enum: TILE
    enum: TILE_RUNS
    enum: TILE_LINKS
    uint64_t tile_changes(const uint8_t*, int64_t, int, uint64_t*) noexcept


cdef struct Part:
    int64_t first  # row-major index of its first cell
    int64_t area
    int32_t type
    int32_t row0
    int32_t row1
    int32_t col0
    int32_t col1


cdef struct Tile:
    Part* parts
    uint32_t* pairs  # parts of different type that meet inside the tile: two 16-bit numbers
    int32_t n_parts
    int32_t n_pairs
    int32_t room_parts
    int32_t room_pairs
    int32_t base  # parts of all tiles before
    int32_t n_right
    int32_t n_down
    uint32_t right[64]  # pairs of parts, own and next tile's
    uint32_t down[64]
    int16_t edge[4][64]  # part of each cell on the top, bottom, left, right border, or -1


cdef struct Work:
    # Runs of the tile that is labelled: cells [start, end) of a row.
    uint8_t start[TILE_RUNS]
    uint8_t end[TILE_RUNS]
    uint16_t type[TILE_RUNS]
    int16_t parent[TILE_RUNS]  # then the run's part
    int16_t begin[TILE + 1]  # first run of each row
    uint32_t pairs[4 * TILE_RUNS]
    int32_t n_pairs
    int32_t n_parts


cdef struct Mosaic:
    const BitOps* ops
    int64_t rows
    int64_t cols
    int64_t down
    int64_t across
    int free_max
    bint untyped  # whether free cells of type 0 form instances
    Tile* tiles
    Work* work
    int32_t* parent  # union-find over the parts of all tiles, then the instance of each
    Part* whole
    int64_t room
    uint64_t* table  # hash set of edges
    int64_t slots
    int64_t count
    int64_t edge_count
    uint64_t* edges
    int64_t edge_room


cdef inline void find_parts(
    Mosaic* m, const uint8_t* grid, const uint8_t* types, int bytes, int64_t tr, int64_t tc
) noexcept nogil:
    # Runs of equal type, joined with the row above; then numbers for the parts.
    cdef:
        Work* k = m.work
        int64_t row = tr * TILE, col = tc * TILE, r
        int64_t high = min(TILE, m.rows - row), broad = min(TILE, m.cols - col), at
        int32_t n = 0
    k.n_pairs = 0
    for r in range(high):
        k.begin[r] = <int16_t>n
        at = (row + r) * m.cols + col
        n = find_runs(m, grid + at, types + at * bytes, bytes, broad, n)
        if r > 0:
            join_rows(k, k.begin[r - 1], k.begin[r], n)
    for r in range(high, TILE + 1):
        k.begin[r] = <int16_t>n
    k.n_parts = 0
    for r in range(n):
        if k.parent[r] == r:
            k.parent[r] = <int16_t>(-1 - k.n_parts)  # below 0: a part's number
            k.n_parts += 1
        else:
            k.parent[r] = k.parent[k.parent[r]]  # parents come first and are numbered
    for r in range(n):
        k.parent[r] = <int16_t>(-1 - k.parent[r])


cdef inline int32_t find_runs(
    Mosaic* m, const uint8_t* grid, const uint8_t* types, int bytes, int64_t n, int32_t runs
) noexcept nogil:
    cdef:
        Work* k = m.work
        uint64_t frees, unknown, labelled, change = tile_changes(types, n, bytes, &labelled)
        uint64_t starts, ends
        int32_t before = runs
        int x
    m.ops.pack_row(grid, n, m.free_max, &frees, &unknown)
    if not m.untyped:
        frees &= labelled
    starts = frees & (~(frees << 1) | change)
    ends = frees & (~(frees >> 1) | (change >> 1))
    while starts:
        x = bit_low(starts)
        k.start[runs] = <uint8_t>x
        k.end[runs] = <uint8_t>(bit_low(ends) + 1)
        k.type[runs] = types[x] if bytes == 1 else (<const uint16_t*>types)[x]
        k.parent[runs] = <int16_t>runs
        if runs > before and k.end[runs - 1] == x:
            add_pair(k, runs - 1, runs)
        runs += 1
        starts &= starts - 1
        ends &= ends - 1
    return runs


cdef inline void add_pair(Work* k, int32_t a, int32_t b) noexcept nogil:
    k.pairs[k.n_pairs] = <uint32_t>a << 16 | <uint32_t>b
    k.n_pairs += 1


cdef inline void join_rows(Work* k, int32_t a, int32_t b, int32_t end) noexcept nogil:
    # Runs of one row are [a, middle), those of the next one [middle, end).
    cdef int32_t middle = b
    while a < middle and b < end:
        if k.start[a] < k.end[b] and k.start[b] < k.end[a]:
            if k.type[a] == k.type[b]:
                unite(k.parent, a, b)
            else:
                add_pair(k, a, b)
        if k.end[a] < k.end[b]:
            a += 1
        else:
            b += 1


cdef inline void unite(int16_t* parent, int32_t a, int32_t b) noexcept nogil:
    a, b = root16(parent, a), root16(parent, b)
    if a < b:
        parent[b] = <int16_t>a
    elif b < a:
        parent[a] = <int16_t>b


cdef inline int32_t root16(int16_t* parent, int32_t a) noexcept nogil:
    while parent[a] != a:
        parent[a] = parent[parent[a]]
        a = parent[a]
    return a


cdef inline bint keep_tile(Mosaic* m, int64_t tr, int64_t tc) noexcept nogil:
    # Store what find_parts found.
    cdef:
        Work* k = m.work
        Tile* t = m.tiles + tr * m.across + tc
        void* grown
        int32_t n
    if k.n_parts > t.room_parts:
        n = k.n_parts + k.n_parts // 2
        grown = realloc(t.parts, n * sizeof(Part))
        if grown == NULL:
            return False
        t.parts, t.room_parts = <Part*>grown, n
    t.n_parts = k.n_parts
    measure_parts(m, t, tr * TILE, tc * TILE)
    keep_borders(k, t, <int>min(TILE, m.rows - tr * TILE), <int>min(TILE, m.cols - tc * TILE))
    n = distinct_pairs(k)
    if n > t.room_pairs:
        grown = realloc(t.pairs, (n + n // 2) * sizeof(uint32_t))
        if grown == NULL:
            return False
        t.pairs, t.room_pairs = <uint32_t*>grown, n + n // 2
    t.n_pairs = n
    if n:
        memcpy(t.pairs, k.pairs, n * sizeof(uint32_t))
    return True


cdef inline void measure_parts(Mosaic* m, Tile* t, int64_t row, int64_t col) noexcept nogil:
    cdef:
        Work* k = m.work
        int64_t r, n
        int32_t x0, x1
        Part* p
    for n in range(t.n_parts):
        t.parts[n].area = 0
    for r in range(TILE):
        for n in range(k.begin[r], k.begin[r + 1]):
            p = t.parts + k.parent[n]
            x0, x1 = <int32_t>(col + k.start[n]), <int32_t>(col + k.end[n])
            if p.area == 0:
                p.first, p.type = (row + r) * m.cols + x0, k.type[n]
                p.row0, p.col0, p.col1 = <int32_t>(row + r), x0, x1
            p.row1 = <int32_t>(row + r + 1)
            p.col0, p.col1 = min(p.col0, x0), max(p.col1, x1)
            p.area += x1 - x0


cdef inline void keep_borders(Work* k, Tile* t, int high, int broad) noexcept nogil:
    cdef int32_t r, n, x
    memset(t.edge, 255, sizeof(t.edge))
    for n in range(k.begin[0], k.begin[1]):
        for x in range(k.start[n], k.end[n]):
            t.edge[0][x] = k.parent[n]
    for n in range(k.begin[high - 1], k.begin[high]):
        for x in range(k.start[n], k.end[n]):
            t.edge[1][x] = k.parent[n]
    for r in range(high):
        if k.begin[r] == k.begin[r + 1]:
            continue
        if k.start[k.begin[r]] == 0:
            t.edge[2][r] = k.parent[k.begin[r]]
        if k.end[k.begin[r + 1] - 1] == broad:
            t.edge[3][r] = k.parent[k.begin[r + 1] - 1]


cdef inline int32_t distinct_pairs(Work* k) noexcept nogil:
    # Pairs of runs to pairs of parts; the most recent ones are looked through for repeats.
    cdef:
        int32_t n = 0, i, j
        uint32_t a, b, pair
        bint known
    for i in range(k.n_pairs):
        a, b = <uint32_t>k.parent[k.pairs[i] >> 16], <uint32_t>k.parent[k.pairs[i] & 0xFFFFu]
        pair = min(a, b) << 16 | max(a, b)
        known = False
        for j in range(n - 1, max(-1, n - 9), -1):
            known = known or k.pairs[j] == pair
        if not known:
            k.pairs[n] = pair
            n += 1
    return n


cdef inline int32_t links(const int16_t* a, const int16_t* b, uint32_t* out) noexcept nogil:
    cdef:
        int32_t n = 0, k
        uint32_t pair
    for k in range(TILE):
        if a[k] >= 0 and b[k] >= 0:
            pair = <uint32_t>a[k] << 16 | <uint32_t>b[k]
            if n == 0 or out[n - 1] != pair:
                out[n] = pair
                n += 1
    return n

# cython: language_level=3, boundscheck=False, wraparound=False
# cython: cdivision=True, initializedcheck=False
"""Room instances that follow a changing grid. Private: call :mod:`adm_core.grid.tracker`.

The grid is cut into tiles of 64 x 64 cells. Each tile keeps its own 4-connected parts and how
they meet the next tiles, so a change costs the relabelling of the tiles that it touches. What
belongs together over the whole grid is then found again from the parts, of which there are few:
a split of the largest room costs no more than any other change.
"""

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

from adm_core._kernels.bitrows cimport BitOps, bit_low, bit_ops


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


cdef class LiveRooms:
    """Parts of every tile, and the instances and edges that they make."""

    cdef:
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
        readonly int64_t count
        readonly int64_t edge_count
        uint64_t* edges
        int64_t edge_room

    def __cinit__(self, int64_t rows, int64_t cols, int free_max, bint untyped):
        self.ops = bit_ops(True)
        self.rows, self.cols, self.free_max, self.untyped = rows, cols, free_max, untyped
        self.down, self.across = (rows + TILE - 1) // TILE, (cols + TILE - 1) // TILE
        self.tiles = <Tile*>calloc(self.down * self.across + 1, sizeof(Tile))
        self.work = <Work*>malloc(sizeof(Work))
        if self.tiles == NULL or self.work == NULL:
            raise MemoryError()

    def __dealloc__(self):
        cdef int64_t k
        if self.tiles != NULL:
            for k in range(self.down * self.across):
                free(self.tiles[k].parts)
                free(self.tiles[k].pairs)
        free(self.tiles)
        free(self.work)
        free(self.parent)
        free(self.whole)
        free(self.table)
        free(self.edges)

    def update(
        self,
        const int8_t[:, ::1] grid,
        const uint8_t[:, ::1] types,
        int64_t row0, int64_t row1, int64_t col0, int64_t col1,
    ):
        """Follow a change of the cells [row0, row1) x [col0, col1), which the arrays hold already.

        `types` are the bytes of the room types, one or two for each cell. The whole grid as
        the box computes everything.
        """
        cdef:
            bint ok
            int bytes = <int>(types.shape[1] // self.cols) if self.cols else 1
        if row0 >= row1 or col0 >= col1:
            return
        with nogil:
            ok = relabel(self, <const uint8_t*>&grid[0, 0], &types[0, 0], bytes,
                         row0 // TILE, (row1 - 1) // TILE + 1, col0 // TILE, (col1 - 1) // TILE + 1)
            ok = ok and join(self)
        if not ok:
            raise MemoryError()

    def export_instances(
        self, int32_t[::1] types, int64_t[::1] areas, int64_t[::1] firsts, int32_t[:, ::1] boxes
    ):
        """Copy the instances in the order of their internal numbers."""
        cdef int64_t k
        for k in range(self.count):
            types[k], areas[k], firsts[k] = (
                self.whole[k].type, self.whole[k].area, self.whole[k].first
            )
            boxes[k, 0], boxes[k, 1] = self.whole[k].row0, self.whole[k].col0
            boxes[k, 2], boxes[k, 3] = self.whole[k].row1, self.whole[k].col1

    def export_edges(self, int64_t[:, ::1] pairs):
        """Copy the edges as pairs of internal numbers, smaller one first, in no order."""
        cdef int64_t k
        for k in range(self.edge_count):
            pairs[k, 0] = <int64_t>(self.edges[k] >> 32)
            pairs[k, 1] = <int64_t>(self.edges[k] & 0xFFFFFFFFu)

    def export_labels(
        self,
        const int8_t[:, ::1] grid,
        const uint8_t[:, ::1] types,
        const uint32_t[::1] names,
        uint32_t[:, ::1] out,
    ):
        """Write ``names[instance]`` to every cell of an instance and 0 to all others."""
        cdef:
            int64_t tr, tc
            int bytes = <int>(types.shape[1] // self.cols) if self.cols else 1
        with nogil:
            for tr in range(self.down):
                for tc in range(self.across):
                    find_parts(self, <const uint8_t*>&grid[0, 0], &types[0, 0], bytes, tr, tc)
                    paint(self, tr, tc, &names[0], &out[0, 0])


cdef bint relabel(
    LiveRooms m, const uint8_t* grid, const uint8_t* types, int bytes,
    int64_t tr0, int64_t tr1, int64_t tc0, int64_t tc1,
) noexcept nogil:
    cdef int64_t tr, tc
    for tr in range(tr0, tr1):
        for tc in range(tc0, tc1):
            find_parts(m, grid, types, bytes, tr, tc)
            if not keep_tile(m, tr, tc):
                return False
    for tr in range(tr0, tr1):
        for tc in range(max(0, tc0 - 1), min(tc1, m.across - 1)):
            link_right(m, tr, tc)
    for tr in range(max(0, tr0 - 1), min(tr1, m.down - 1)):
        for tc in range(tc0, tc1):
            link_down(m, tr, tc)
    return True


cdef void find_parts(
    LiveRooms m, const uint8_t* grid, const uint8_t* types, int bytes, int64_t tr, int64_t tc
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


cdef int32_t find_runs(
    LiveRooms m, const uint8_t* grid, const uint8_t* types, int bytes, int64_t n, int32_t runs
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


cdef void join_rows(Work* k, int32_t a, int32_t b, int32_t end) noexcept nogil:
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


cdef bint keep_tile(LiveRooms m, int64_t tr, int64_t tc) noexcept nogil:
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


cdef void measure_parts(LiveRooms m, Tile* t, int64_t row, int64_t col) noexcept nogil:
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


cdef void keep_borders(Work* k, Tile* t, int high, int broad) noexcept nogil:
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


cdef int32_t distinct_pairs(Work* k) noexcept nogil:
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


cdef inline void link_right(LiveRooms m, int64_t tr, int64_t tc) noexcept nogil:
    cdef Tile* t = m.tiles + tr * m.across + tc
    t.n_right = links(t.edge[3], t[1].edge[2], t.right)


cdef inline void link_down(LiveRooms m, int64_t tr, int64_t tc) noexcept nogil:
    cdef Tile* t = m.tiles + tr * m.across + tc
    t.n_down = links(t.edge[1], t[m.across].edge[0], t.down)


cdef bint join(LiveRooms m) noexcept nogil:
    # Instances and edges of the whole grid from the parts of the tiles.
    cdef:
        int64_t k, n = 0, n_tiles = m.down * m.across, raw = 0
        Tile* t
    for k in range(n_tiles):
        t = m.tiles + k
        t.base = <int32_t>n
        n += t.n_parts
        raw += t.n_pairs + t.n_right + t.n_down
    if not reserve(m, n, raw):
        return False
    for k in range(n):
        m.parent[k] = <int32_t>k
    for k in range(n_tiles):
        t = m.tiles + k
        if t.n_right:
            unite_tiles(m, t, t + 1, t.right, t.n_right)
        if t.n_down:
            unite_tiles(m, t, t + m.across, t.down, t.n_down)
    gather(m)
    if m.slots:
        memset(m.table, 0, m.slots * sizeof(uint64_t))
    m.edge_count = 0
    for k in range(n_tiles):
        t = m.tiles + k
        connect(m, t, t, t.pairs, t.n_pairs)
        if t.n_right:
            connect(m, t, t + 1, t.right, t.n_right)
        if t.n_down:
            connect(m, t, t + m.across, t.down, t.n_down)
    return True


cdef bint reserve(LiveRooms m, int64_t parts, int64_t raw) noexcept nogil:
    cdef void* grown
    if parts > m.room:
        m.room = parts + parts // 2 + 256
        grown = realloc(m.parent, m.room * sizeof(int32_t))
        if grown == NULL:
            return False
        m.parent = <int32_t*>grown
        grown = realloc(m.whole, m.room * sizeof(Part))
        if grown == NULL:
            return False
        m.whole = <Part*>grown
    if raw > m.edge_room:
        m.edge_room = raw + raw // 2 + 256
        m.slots = 1024
        while m.slots < 2 * m.edge_room:
            m.slots *= 2
        grown = realloc(m.edges, m.edge_room * sizeof(uint64_t))
        if grown == NULL:
            return False
        m.edges = <uint64_t*>grown
        grown = realloc(m.table, m.slots * sizeof(uint64_t))
        if grown == NULL:
            return False
        m.table = <uint64_t*>grown
    return True


cdef inline int32_t root(int32_t* parent, int32_t a) noexcept nogil:
    while parent[a] != a:
        parent[a] = parent[parent[a]]
        a = parent[a]
    return a


cdef void unite_tiles(LiveRooms m, Tile* t, Tile* u, uint32_t* pairs, int32_t n) noexcept nogil:
    cdef int32_t k, a, b
    for k in range(n):
        a, b = <int32_t>(pairs[k] >> 16), <int32_t>(pairs[k] & 0xFFFFu)
        if t.parts[a].type == u.parts[b].type:
            a, b = root(m.parent, t.base + a), root(m.parent, u.base + b)
            if a < b:
                m.parent[b] = a
            elif b < a:
                m.parent[a] = b


cdef void gather(LiveRooms m) noexcept nogil:
    # Sum up the parts of each instance. Roots come before the rest of their set, so a parent
    # can be replaced by the instance's number on the way.
    cdef:
        int64_t k, j
        int32_t at, name
        Tile* t
        Part* p
        Part* w
    m.count = 0
    for k in range(m.down * m.across):
        t = m.tiles + k
        for j in range(t.n_parts):
            at, p = <int32_t>(t.base + j), t.parts + j
            if m.parent[at] == at:
                m.parent[at] = <int32_t>m.count
                m.whole[m.count] = p[0]
                m.count += 1
                continue
            name = m.parent[m.parent[at]]
            m.parent[at] = name
            w = m.whole + name
            w.area += p.area
            w.first = min(w.first, p.first)
            w.row0, w.row1 = min(w.row0, p.row0), max(w.row1, p.row1)
            w.col0, w.col1 = min(w.col0, p.col0), max(w.col1, p.col1)


cdef void connect(LiveRooms m, Tile* t, Tile* u, uint32_t* pairs, int32_t n) noexcept nogil:
    cdef:
        int32_t k
        uint64_t a, b, edge
        int64_t at
    for k in range(n):
        a = <uint64_t>m.parent[t.base + (pairs[k] >> 16)]
        b = <uint64_t>m.parent[u.base + (pairs[k] & 0xFFFFu)]
        if a == b:
            continue
        edge = min(a, b) << 32 | max(a, b)
        at = <int64_t>((edge * 0x9E3779B97F4A7C15u) >> 20) & (m.slots - 1)
        while m.table[at] != 0 and m.table[at] != edge:
            at = (at + 1) & (m.slots - 1)
        if m.table[at] == 0:  # an edge is never 0: the larger number is at least 1
            m.table[at] = edge
            m.edges[m.edge_count] = edge
            m.edge_count += 1


cdef void paint(
    LiveRooms m, int64_t tr, int64_t tc, const uint32_t* names, uint32_t* out
) noexcept nogil:
    cdef:
        Work* k = m.work
        Tile* t = m.tiles + tr * m.across + tc
        int64_t r, n, x, broad = min(TILE, m.cols - tc * TILE)
        uint32_t* row
        uint32_t name
    for r in range(min(TILE, m.rows - tr * TILE)):
        row = out + (tr * TILE + r) * m.cols + tc * TILE
        memset(row, 0, broad * sizeof(uint32_t))
        for n in range(k.begin[r], k.begin[r + 1]):
            name = names[m.parent[t.base + k.parent[n]]]
            for x in range(k.start[n], k.end[n]):
                row[x] = name

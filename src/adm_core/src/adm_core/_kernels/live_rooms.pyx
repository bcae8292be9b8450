# cython: language_level=3, boundscheck=False, wraparound=False
# cython: cdivision=True, initializedcheck=False
"""Room instances that follow a changing grid. Private: call :mod:`adm_core.grid.tracker`.

The grid is cut into tiles of 64 x 64 cells. Each tile keeps its own 4-connected parts and how
they meet the next tiles, so a change costs the relabelling of the tiles that it touches. What
belongs together over the whole grid is then found again from the parts, of which there are few:
a split of the largest room costs no more than any other change.
"""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memset

from adm_core._kernels.bitrows cimport bit_ops
from adm_core._kernels.live_parts cimport (
    TILE, Mosaic, Part, Tile, Work, find_parts, keep_tile, links,
)


cdef class LiveRooms:
    """Parts of every tile, and the instances and edges that they make."""

    cdef Mosaic m

    def __cinit__(self, int64_t rows, int64_t cols, int free_max, bint untyped):
        self.m.ops = bit_ops(True)
        self.m.rows, self.m.cols, self.m.free_max, self.m.untyped = rows, cols, free_max, untyped
        self.m.down, self.m.across = (rows + TILE - 1) // TILE, (cols + TILE - 1) // TILE
        self.m.tiles = <Tile*>calloc(self.m.down * self.m.across + 1, sizeof(Tile))
        self.m.work = <Work*>malloc(sizeof(Work))
        if self.m.tiles == NULL or self.m.work == NULL:
            raise MemoryError()

    def __dealloc__(self):
        cdef int64_t k
        if self.m.tiles != NULL:
            for k in range(self.m.down * self.m.across):
                free(self.m.tiles[k].parts)
                free(self.m.tiles[k].pairs)
        free(self.m.tiles)
        free(self.m.work)
        free(self.m.parent)
        free(self.m.whole)
        free(self.m.table)
        free(self.m.edges)

    @property
    def count(self):
        """Number of instances."""
        return self.m.count

    @property
    def edge_count(self):
        """Number of edges."""
        return self.m.edge_count

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
            int bytes = <int>(types.shape[1] // self.m.cols) if self.m.cols else 1
        if row0 >= row1 or col0 >= col1:
            return
        with nogil:
            ok = relabel(&self.m, <const uint8_t*>&grid[0, 0], &types[0, 0], bytes,
                         row0 // TILE, (row1 - 1) // TILE + 1, col0 // TILE, (col1 - 1) // TILE + 1)
            ok = ok and join(&self.m)
        if not ok:
            raise MemoryError()

    def export_instances(
        self, int32_t[::1] types, int64_t[::1] areas, int64_t[::1] firsts, int32_t[:, ::1] boxes
    ):
        """Copy the instances in the order of their internal numbers."""
        cdef int64_t k
        for k in range(self.m.count):
            types[k], areas[k], firsts[k] = (
                self.m.whole[k].type, self.m.whole[k].area, self.m.whole[k].first
            )
            boxes[k, 0], boxes[k, 1] = self.m.whole[k].row0, self.m.whole[k].col0
            boxes[k, 2], boxes[k, 3] = self.m.whole[k].row1, self.m.whole[k].col1

    def export_edges(self, int64_t[:, ::1] pairs):
        """Copy the edges as pairs of internal numbers, smaller one first, in no order."""
        cdef int64_t k
        for k in range(self.m.edge_count):
            pairs[k, 0] = <int64_t>(self.m.edges[k] >> 32)
            pairs[k, 1] = <int64_t>(self.m.edges[k] & 0xFFFFFFFFu)

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
            int bytes = <int>(types.shape[1] // self.m.cols) if self.m.cols else 1
        with nogil:
            for tr in range(self.m.down):
                for tc in range(self.m.across):
                    find_parts(&self.m, <const uint8_t*>&grid[0, 0], &types[0, 0], bytes, tr, tc)
                    paint(&self.m, tr, tc, &names[0], &out[0, 0])


cdef bint relabel(
    Mosaic* m, const uint8_t* grid, const uint8_t* types, int bytes,
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


cdef inline void link_right(Mosaic* m, int64_t tr, int64_t tc) noexcept nogil:
    cdef Tile* t = m.tiles + tr * m.across + tc
    t.n_right = links(t.edge[3], t[1].edge[2], t.right)


cdef inline void link_down(Mosaic* m, int64_t tr, int64_t tc) noexcept nogil:
    cdef Tile* t = m.tiles + tr * m.across + tc
    t.n_down = links(t.edge[1], t[m.across].edge[0], t.down)


cdef bint join(Mosaic* m) noexcept nogil:
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


cdef bint reserve(Mosaic* m, int64_t parts, int64_t raw) noexcept nogil:
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


cdef void unite_tiles(Mosaic* m, Tile* t, Tile* u, uint32_t* pairs, int32_t n) noexcept nogil:
    cdef int32_t k, a, b
    for k in range(n):
        a, b = <int32_t>(pairs[k] >> 16), <int32_t>(pairs[k] & 0xFFFFu)
        if t.parts[a].type == u.parts[b].type:
            a, b = root(m.parent, t.base + a), root(m.parent, u.base + b)
            if a < b:
                m.parent[b] = a
            elif b < a:
                m.parent[a] = b


cdef void gather(Mosaic* m) noexcept nogil:
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


cdef void connect(Mosaic* m, Tile* t, Tile* u, uint32_t* pairs, int32_t n) noexcept nogil:
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
    Mosaic* m, int64_t tr, int64_t tc, const uint32_t* names, uint32_t* out
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

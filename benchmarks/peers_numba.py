"""Plain numba versions of the map jobs: the fastest peers that give the same answers.

Simple loops as a good user would write them. `*_padded` are headroom probes and not counted as
peers. Imported only where numba is installed.
"""

import numpy as np
from numba import njit, prange


@njit(inline="always")
def _mask_row(grid, out, i):
    h, w = grid.shape
    mid = grid[i]
    up = grid[i - 1] if i > 0 else mid
    down = grid[i + 1] if i < h - 1 else mid
    o = out[i]
    lm, m, rm = mid[:-2], mid[1:-1], mid[2:]
    u, d, oo = up[1:-1], down[1:-1], o[1:-1]
    for j in range(m.shape[0]):
        oo[j] = (m[j] == 0) & ((u[j] == -1) | (d[j] == -1) | (lm[j] == -1) | (rm[j] == -1))
    o[0] = (mid[0] == 0) & ((up[0] == -1) | (down[0] == -1) | (mid[1] == -1))
    o[w - 1] = (mid[w - 1] == 0) & ((up[w - 1] == -1) | (down[w - 1] == -1) | (mid[w - 2] == -1))


@njit(cache=True)
def nb_mask(grid):
    out = np.empty(grid.shape, np.uint8)
    for i in range(grid.shape[0]):
        _mask_row(grid, out, i)
    return out


@njit(cache=True)
def nb_mask_into(grid, out):
    for i in range(grid.shape[0]):
        _mask_row(grid, out, i)


@njit(cache=True, parallel=True)
def nb_mask_par(grid):
    out = np.empty(grid.shape, np.uint8)
    for i in prange(grid.shape[0]):
        _mask_row(grid, out, i)
    return out


@njit(cache=True)
def nb_sum64(a):
    s = np.uint64(0)
    for i in range(a.shape[0]):
        s += a[i]
    return s


@njit(cache=True)
def nb_clusters(grid, cells, c_max):
    """cells: flat indices of the frontier, ascending. Seeds are taken in that order."""
    h, w = grid.shape
    g = grid.ravel()
    n = cells.shape[0]
    slot = np.zeros(h * w, np.int32)  # 1 + position in `cells`
    for k in range(n):
        slot[cells[k]] = k + 1
    stamp = np.zeros(h * w, np.int32)
    owner = np.full(n, -1, np.int32)
    size = np.zeros(n, np.int32)
    cent = np.zeros((n, 2), np.float64)
    rep = np.zeros(n, np.int64)
    queue = np.empty((2 * c_max + 1) ** 2, np.int64)
    count = 0
    for k in range(n):
        if owner[k] >= 0:
            continue
        cid = count
        count += 1
        queue[0] = cells[k]
        stamp[cells[k]] = cid + 1
        head, tail, depth = 0, 1, 0
        m, sy, sx = 0, 0, 0
        while head < tail:
            level_end = tail
            while head < level_end:
                c = queue[head]
                head += 1
                y, x = c // w, c % w
                s = slot[c] - 1
                if s >= 0 and owner[s] < 0:
                    owner[s] = cid
                    m += 1
                    sy += y
                    sx += x
                if depth == c_max:
                    continue
                if y > 0 and g[c - w] == 0 and stamp[c - w] != cid + 1:
                    stamp[c - w] = cid + 1
                    queue[tail] = c - w
                    tail += 1
                if y < h - 1 and g[c + w] == 0 and stamp[c + w] != cid + 1:
                    stamp[c + w] = cid + 1
                    queue[tail] = c + w
                    tail += 1
                if x > 0 and g[c - 1] == 0 and stamp[c - 1] != cid + 1:
                    stamp[c - 1] = cid + 1
                    queue[tail] = c - 1
                    tail += 1
                if x < w - 1 and g[c + 1] == 0 and stamp[c + 1] != cid + 1:
                    stamp[c + 1] = cid + 1
                    queue[tail] = c + 1
                    tail += 1
            depth += 1
        size[cid] = m
        cent[cid, 0], cent[cid, 1] = sy / m, sx / m
        best, best_d = queue[0], np.int64(1) << 62
        for q in range(tail):  # nearest visited cell, in whole numbers
            c = queue[q]
            d = (m * (c // w) - sy) ** 2 + (m * (c % w) - sx) ** 2
            if d < best_d or (d == best_d and c < best):
                best, best_d = c, d
        rep[cid] = best
    return owner, size[:count], cent[:count], rep[:count]


@njit(cache=True)
def nb_clusters_padded(grid, cells, c_max):
    """Probe for B: a padded state image, no divisions and no border tests in the search."""
    h, w = grid.shape
    p = w + 2
    state = np.zeros((h + 2) * p, np.int32)  # 0 blocked, 1 free, 2.. stamp of the last cluster + 2
    for i in range(h):
        row = state[(i + 1) * p + 1 : (i + 1) * p + 1 + w]
        g = grid[i]
        for j in range(w):
            row[j] = g[j] == 0
    n = cells.shape[0]
    slot = np.full((h + 2) * p, -1, np.int32)
    for k in range(n):
        slot[(cells[k] // w + 1) * p + cells[k] % w + 1] = k
    owner = np.full(n, -1, np.int32)
    size = np.zeros(n, np.int32)
    cent = np.zeros((n, 2), np.float64)
    rep = np.zeros(n, np.int64)
    queue = np.empty((2 * c_max + 1) ** 2, np.int32)
    count = 0
    for k in range(n):
        if owner[k] >= 0:
            continue
        mark = np.int32(count + 2)
        seed = (cells[k] // w + 1) * p + cells[k] % w + 1
        queue[0] = seed
        state[seed] = mark
        head, tail, depth = 0, 1, 0
        m, sy, sx = 0, 0, 0
        while head < tail:
            level_end = tail
            while head < level_end:
                c = np.int64(queue[head])
                head += 1
                s = slot[c]
                if s >= 0 and owner[s] < 0:
                    owner[s] = count
                    m += 1
                    sy += cells[s] // w
                    sx += cells[s] % w
                if depth < c_max:
                    for q in (c - p, c + p, c - 1, c + 1):
                        v = state[q]
                        if v != 0 and v != mark:
                            state[q] = mark
                            queue[tail] = q
                            tail += 1
            depth += 1
        size[count] = m
        cy, cx = sy / m, sx / m
        cent[count, 0], cent[count, 1] = cy, cx
        best, best_d, reach = -1, np.int64(1) << 62, 0  # rings around the centroid
        y0, x0 = round(cy), round(cx)
        while reach <= 2 * c_max and (best < 0 or (m * (reach - 1)) ** 2 <= best_d):
            for y in range(max(0, y0 - reach), min(h - 1, y0 + reach) + 1):
                step = 1 if y == y0 - reach or y == y0 + reach else max(1, 2 * reach)
                for x in range(x0 - reach, x0 + reach + 1, step):
                    if 0 <= x < w and state[(y + 1) * p + x + 1] == mark:
                        d = (m * y - sy) ** 2 + (m * x - sx) ** 2
                        c = y * w + x
                        if d < best_d or (d == best_d and c < best):
                            best, best_d = c, d
            reach += 1
        rep[count] = best
        count += 1
    return owner, size[:count], cent[:count], rep[:count]


@njit(cache=True)
def nb_bfs(grid, sources):
    h, w = grid.shape
    g = grid.ravel()
    dist = np.full(h * w, -1, np.int32)
    queue = np.empty(h * w, np.int32)
    tail = 0
    for s in sources:
        if dist[s] < 0:
            dist[s] = 0
            queue[tail] = s
            tail += 1
    head = 0
    while head < tail:
        c = np.int64(queue[head])
        head += 1
        d = dist[c] + 1
        y, x = c // w, c % w
        if y > 0 and g[c - w] == 0 and dist[c - w] < 0:
            dist[c - w] = d
            queue[tail] = c - w
            tail += 1
        if y < h - 1 and g[c + w] == 0 and dist[c + w] < 0:
            dist[c + w] = d
            queue[tail] = c + w
            tail += 1
        if x > 0 and g[c - 1] == 0 and dist[c - 1] < 0:
            dist[c - 1] = d
            queue[tail] = c - 1
            tail += 1
        if x < w - 1 and g[c + 1] == 0 and dist[c + 1] < 0:
            dist[c + 1] = d
            queue[tail] = c + 1
            tail += 1
    return dist.reshape(h, w)


@njit(cache=True)
def nb_bfs_padded(grid, sources):
    """Headroom probe for F: padded distance image that holds the walls too."""
    h, w = grid.shape
    p = w + 2
    dist = np.full((h + 2, p), -2, np.int32)
    nfree = 0
    for i in range(h):
        row, g = dist[i + 1, 1:-1], grid[i]
        for j in range(w):
            row[j] = -1 if g[j] == 0 else -2
            nfree += g[j] == 0
    d1 = dist.ravel()
    queue = np.empty(nfree + 1, np.int32)
    head, tail = 0, 0
    for s in sources:
        c = (s // w + 1) * p + s % w + 1
        if d1[c] == -1:
            d1[c] = 0
            queue[tail] = c
            tail += 1
    while head < tail:
        c = np.int64(queue[head])
        head += 1
        d = d1[c] + 1
        for q in (c - 1, c + 1, c - p, c + p):
            if d1[q] == -1:
                d1[q] = d
                queue[tail] = q
                tail += 1
    return dist  # with border; -2 is a wall


@njit(inline="always")
def _find(parent, a):
    while parent[a] != a:
        parent[a] = parent[parent[a]]
        a = parent[a]
    return a


@njit(cache=True)
def nb_rooms(grid, labels):
    """Two-pass union-find over cells; then the set of adjacent pairs."""
    h, w = grid.shape
    out = np.zeros((h, w), np.uint32)
    parent = np.empty(h * w // 2 + 2, np.uint32)
    nxt = np.uint32(1)
    for i in range(h):
        for j in range(w):
            if grid[i, j] != 0 or labels[i, j] == 0:
                continue
            t = labels[i, j]
            a = (
                out[i - 1, j]
                if i > 0 and grid[i - 1, j] == 0 and labels[i - 1, j] == t
                else np.uint32(0)
            )
            b = (
                out[i, j - 1]
                if j > 0 and grid[i, j - 1] == 0 and labels[i, j - 1] == t
                else np.uint32(0)
            )
            if a == 0 and b == 0:
                parent[nxt] = nxt
                out[i, j] = nxt
                nxt += np.uint32(1)
            elif a == 0 or b == 0 or a == b:
                out[i, j] = max(a, b)
            else:
                ra, rb = _find(parent, a), _find(parent, b)
                lo, hi = min(ra, rb), max(ra, rb)
                parent[hi] = lo
                out[i, j] = lo
    remap = np.zeros(nxt, np.uint32)
    count = np.uint32(0)
    for k in range(1, nxt):
        r = _find(parent, np.uint32(k))
        if r == k:
            count += np.uint32(1)
            remap[k] = count
        else:
            remap[k] = remap[r]
    pairs = set()
    pairs.add(np.uint64(0))
    last = np.uint64(0)
    for i in range(h):
        for j in range(w):
            v = remap[out[i, j]]
            out[i, j] = v
            if v == 0:
                continue
            if j > 0:
                u = out[i, j - 1]
                if u != 0 and u != v:
                    p = (np.uint64(min(u, v)) << np.uint64(32)) | np.uint64(max(u, v))
                    if p != last:
                        pairs.add(p)
                        last = p
            if i > 0:
                u = out[i - 1, j]
                if u != 0 and u != v:
                    p = (np.uint64(min(u, v)) << np.uint64(32)) | np.uint64(max(u, v))
                    if p != last:
                        pairs.add(p)
                        last = p
    edges = np.empty((len(pairs) - 1, 2), np.int64)
    k = 0
    for p in pairs:
        if p != 0:
            edges[k, 0] = np.int64(p >> np.uint64(32))
            edges[k, 1] = np.int64(p & np.uint64(0xFFFFFFFF))
            k += 1
    return out, count, edges

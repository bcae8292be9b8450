"""Plain numba versions of the jobs on lists: attention, assignment, tours."""

import numpy as np
from numba import njit, prange


@njit(inline="always")
def _keep(best_s, best_i, m, k, s, i):
    """Insert (s, i) in a list sorted by falling score, then rising index."""
    if m == k and not (s > best_s[k - 1] or (s == best_s[k - 1] and i < best_i[k - 1])):
        return m
    p = min(m, k - 1)
    while p > 0 and (s > best_s[p - 1] or (s == best_s[p - 1] and i < best_i[p - 1])):
        best_s[p], best_i[p] = best_s[p - 1], best_i[p - 1]
        p -= 1
    best_s[p], best_i[p] = s, i
    return min(m + 1, k)


@njit(cache=True)
def nb_topk(source, conf, age, dist, status, weights, tau, lam, k):
    bs, bi, m = np.empty(k), np.empty(k, np.int64), 0
    for i in range(conf.shape[0]):
        if status[i] == 0:
            s = weights[source[i]] * conf[i] * np.exp(-age[i] / tau) * np.exp(-dist[i] / lam)
            m = _keep(bs, bi, m, k, s, i)
    return bi[:m]


@njit(cache=True, parallel=True)
def nb_topk_par(source, conf, age, dist, status, weights, tau, lam, k):
    n, parts = conf.shape[0], 8
    bs, bi = np.empty((parts, k)), np.empty((parts, k), np.int64)
    m = np.zeros(parts, np.int64)
    for p in prange(parts):
        c = 0
        for i in range(n * p // parts, n * (p + 1) // parts):
            if status[i] == 0:
                s = weights[source[i]] * conf[i] * np.exp(-age[i] / tau) * np.exp(-dist[i] / lam)
                c = _keep(bs[p], bi[p], c, k, s, i)
        m[p] = c
    fs, fi, c = np.empty(k), np.empty(k, np.int64), 0
    for p in range(parts):
        for q in range(m[p]):
            c = _keep(fs, fi, c, k, bs[p, q], bi[p, q])
    return fi[:c]


@njit(cache=True)
def nb_topk_pruned(source, conf, age, dist, status, weights, tau, lam, k):
    """Headroom probe: the exponentials are at most 1, so most records need none."""
    bs, bi, m = np.empty(k), np.empty(k, np.int64), 0
    floor = -1.0
    for i in range(conf.shape[0]):
        if status[i] != 0:
            continue
        top = weights[source[i]] * conf[i]
        if top < floor:
            continue
        s = top * np.exp(-age[i] / tau)
        if s < floor:
            continue
        m = _keep(bs, bi, m, k, s * np.exp(-dist[i] / lam), i)
        if m == k:
            floor = bs[k - 1]
    return bi[:m]


@njit(cache=True)
def nb_hungarian_rows(cost, cols):
    """Shortest augmenting path with potentials for rows <= columns. Returns the column per row."""
    n, m = cost.shape[0], cols.shape[0]
    u, v = np.zeros(n), np.zeros(m)
    row_of = np.full(m, -1, np.int64)
    way = np.empty(m, np.int64)
    minv, used = np.empty(m), np.empty(m, np.bool_)
    for r in range(n):
        minv[:] = np.inf
        used[:] = False
        i, j_prev = r, -1
        tree = np.empty(n + 1, np.int64)  # columns in the tree
        size = 0
        while True:
            base = 0.0 if j_prev < 0 else minv[j_prev]
            best, jb = np.inf, -1
            ui = u[i]
            for j in range(m):
                if used[j]:
                    continue
                d = base + cost[i, cols[j]] - ui - v[j]
                if d < minv[j]:
                    minv[j] = d
                    way[j] = j_prev
                if minv[j] < best:
                    best, jb = minv[j], j
            used[jb] = True
            tree[size] = jb
            size += 1
            j_prev = jb
            if row_of[jb] < 0:
                break
            i = row_of[jb]
        delta = minv[j_prev]
        u[r] += delta
        for q in range(size - 1):
            j = tree[q]
            u[row_of[j]] += delta - minv[j]
            v[j] -= delta - minv[j]
        j = j_prev
        while True:
            p = way[j]
            if p < 0:
                row_of[j] = r
                break
            row_of[j] = row_of[p]
            j = p
    out = np.empty(n, np.int64)
    for j in range(m):
        if row_of[j] >= 0:
            out[row_of[j]] = j
    return out


@njit(cache=True)
def nb_iterative(cost):
    n, m = cost.shape
    robot = np.full(m, -1, np.int64)
    round_of = np.full(m, -1, np.int64)
    cols = np.arange(m)
    step = 0
    while cols.shape[0] >= n:
        pick = nb_hungarian_rows(cost, cols)
        taken = np.zeros(cols.shape[0], np.bool_)
        for r in range(n):
            robot[cols[pick[r]]] = r
            round_of[cols[pick[r]]] = step
            taken[pick[r]] = True
        cols = cols[~taken]
        step += 1
    if cols.shape[0] > 0:  # fewer frontiers than robots: transpose
        small = np.empty((cols.shape[0], n))
        for q in range(cols.shape[0]):
            for r in range(n):
                small[q, r] = cost[r, cols[q]]
        pick = nb_hungarian_rows(small, np.arange(n))
        for q in range(cols.shape[0]):
            robot[cols[q]] = pick[q]
            round_of[cols[q]] = step
    return robot, round_of


@njit(cache=True)
def nb_order(d):
    """Open path from node 0: nearest neighbour, then 2-opt and or-opt until no move helps."""
    n = d.shape[0]
    p = np.zeros(n, np.int64)
    left = np.ones(n, np.bool_)
    left[0] = False
    for k in range(1, n):
        best = -1
        for j in range(n):
            if left[j] and (best < 0 or d[p[k - 1], j] < d[p[k - 1], best]):
                best = j
        p[k] = best
        left[best] = False
    moved = True
    while moved:
        moved = False
        for i in range(1, n - 1):  # reverse p[i..j]
            for j in range(i + 1, n):
                old = d[p[i - 1], p[i]]
                new = d[p[i - 1], p[j]]
                if j + 1 < n:
                    old += d[p[j], p[j + 1]]
                    new += d[p[i], p[j + 1]]
                if new < old - 1e-9:
                    a, b = i, j
                    while a < b:
                        p[a], p[b] = p[b], p[a]
                        a += 1
                        b -= 1
                    moved = True
        for size in range(1, 4):  # move p[i..i+size) elsewhere
            i = 1
            while i + size <= n:
                e = i + size
                gain = d[p[i - 1], p[i]]
                if e < n:
                    gain += d[p[e - 1], p[e]] - d[p[i - 1], p[e]]
                best, at = 1e-9, -1
                for j in range(0, n):
                    if i - 1 <= j < e:
                        continue
                    add = d[p[j], p[i]]
                    if j + 1 < n:
                        add += d[p[e - 1], p[j + 1]] - d[p[j], p[j + 1]]
                    if gain - add > best:
                        best, at = gain - add, j
                if at >= 0:
                    seg = p[i:e].copy()
                    if at >= e:
                        for q in range(e, at + 1):
                            p[q - size] = p[q]
                        p[at + 1 - size : at + 1] = seg
                    else:
                        for q in range(i - 1, at, -1):
                            p[q + size] = p[q]
                        p[at + 1 : at + 1 + size] = seg
                    moved = True
                i += 1
    return p

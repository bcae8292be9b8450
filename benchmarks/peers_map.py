"""Library peers and readable references of the map jobs."""

from collections import deque

import numpy as np
from harness import optional
from inputs import FREE, UNKNOWN

cv2, ndi, cc3d = optional("cv2"), optional("scipy.ndimage"), optional("cc3d")
csgraph, sparse = optional("scipy.sparse.csgraph"), optional("scipy.sparse")
skgraph, dijkstra3d, skfmm = optional("skimage.graph"), optional("dijkstra3d"), optional("skfmm")


def np_mask(grid):
    unk = grid == UNKNOWN
    near = np.zeros(grid.shape, bool)
    near[1:] |= unk[:-1]
    near[:-1] |= unk[1:]
    near[:, 1:] |= unk[:, :-1]
    near[:, :-1] |= unk[:, 1:]
    near &= grid == FREE
    return near


def scipy_mask(grid):
    return ndi.binary_dilation(grid == UNKNOWN) & (grid == FREE)


CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], np.uint8)


def cv_mask(grid):
    unk = cv2.compare(grid, UNKNOWN, cv2.CMP_EQ)
    free = cv2.compare(grid, FREE, cv2.CMP_EQ)
    return cv2.bitwise_and(cv2.dilate(unk, CROSS), free)


def py_clusters(grid, cells, c_max):
    """Readable reference, same rule as nb_clusters."""
    h, w = grid.shape
    g = grid.ravel().tolist()
    owner, size, rep = {}, [], []
    frontier = set(cells.tolist())
    for seed in cells.tolist():
        if seed in owner:
            continue
        cid, seen, queue, mine = len(size), {seed: 0}, deque([seed]), []
        while queue:
            c = queue.popleft()
            if c in frontier and c not in owner:
                owner[c] = cid
                mine.append(c)
            if seen[c] == c_max:
                continue
            y, x = divmod(c, w)
            for ok, q in ((y > 0, c - w), (y < h - 1, c + w), (x > 0, c - 1), (x < w - 1, c + 1)):
                if ok and g[q] == FREE and q not in seen:
                    seen[q] = seen[c] + 1
                    queue.append(q)
        m, sy, sx = len(mine), sum(c // w for c in mine), sum(c % w for c in mine)
        size.append(len(mine))
        rep.append(min(seen, key=lambda c: ((m * (c // w) - sy) ** 2 + (m * (c % w) - sx) ** 2, c)))
    return np.array([owner[c] for c in cells.tolist()]), np.array(size), None, np.array(rep)


def room_key(grid, labels):
    return np.where(grid == FREE, labels, np.uint8(0))


def np_edges(lab):
    found = []
    for a, b in ((lab[:, :-1], lab[:, 1:]), (lab[:-1], lab[1:])):
        differ = (a != b) & (a != 0) & (b != 0)
        p, q = a[differ].astype(np.uint64), b[differ].astype(np.uint64)
        found.append((np.minimum(p, q) << np.uint64(32)) | np.maximum(p, q))
    u = np.unique(np.concatenate(found))
    return np.stack([u >> np.uint64(32), u & np.uint64(0xFFFFFFFF)], 1).astype(np.int64)


def cc3d_rooms(grid, labels):
    return cc3d.connected_components(
        room_key(grid, labels), connectivity=4, return_N=True, out_dtype=np.uint32
    )


def per_type(grid, labels, label_one):
    """Peers that label binary images only need one pass for each room type."""
    key = room_key(grid, labels)
    out, base = np.zeros(grid.shape, np.int32), 0
    for t in range(1, int(labels.max()) + 1):
        lab, n = label_one(key == t)
        np.add(lab, base, out=out, where=lab > 0)
        base += n
    return out, base


def cv_label(alg):
    def one(mask):
        n, lab, _, _ = cv2.connectedComponentsWithStatsWithAlgorithm(
            mask.view(np.uint8), 4, cv2.CV_32S, alg
        )
        return lab, n - 1

    return one


def same_partition(a, b, n):
    if (a > 0).tobytes() != (b > 0).tobytes():
        return False
    on = a > 0
    pair = np.unique(a[on].astype(np.uint64) << np.uint64(32) | b[on].astype(np.uint64))
    return len(pair) == n


def named_edges(lab, edges):
    """Edges with each instance named by its first cell, so that two numberings can be compared."""
    ids, first = np.unique(lab, return_index=True)
    name = dict(zip(ids.tolist(), first.tolist(), strict=True))
    return {tuple(sorted((name.get(int(u), -1), name.get(int(v), -1)))) for u, v in edges}


def sk_mcp(grid, sources):
    w = grid.shape[1]
    cost = np.where(grid == FREE, 1.0, -1.0)
    total, _ = skgraph.MCP(cost, fully_connected=False).find_costs(
        [divmod(int(s), w) for s in sources]
    )
    return total


def build_csr(grid):
    h, w = grid.shape
    free = grid == FREE
    node = np.cumsum(free.ravel()).reshape(h, w).astype(np.int32) - 1
    n = int(node[-1, -1]) + 1
    right, down = free[:, :-1] & free[:, 1:], free[:-1] & free[1:]
    a = np.concatenate([node[:, :-1][right], node[:-1][down]])
    b = np.concatenate([node[:, 1:][right], node[1:][down]])
    ones = np.ones(2 * a.size, np.int8)
    return sparse.csr_matrix(
        (ones, (np.concatenate([a, b]), np.concatenate([b, a]))), shape=(n, n)
    ), node


def cs_bfs(grid, sources, built=None):
    m, node = built or build_csr(grid)
    d = csgraph.dijkstra(m, unweighted=True, min_only=True, indices=node.ravel()[sources])
    out = np.full(grid.size, -1, np.int32)
    inside = grid.ravel() == FREE
    out[inside] = np.where(np.isfinite(d), d, -1).astype(np.int32)
    return out.reshape(grid.shape)


def d3d_field(grid, sources):
    w = grid.shape[1]
    weight = np.where(grid == FREE, np.float32(1), np.float32(np.inf))
    f = dijkstra3d.distance_field(
        weight, source=[divmod(int(s), w) for s in sources], connectivity=4
    )
    return np.where(np.isfinite(f), f, -1).astype(np.int32)


def fmm_field(grid, sources):
    phi = np.ones(grid.shape)
    phi.ravel()[sources] = 0
    return skfmm.distance(np.ma.MaskedArray(phi, grid != FREE))


def rooms_by_type(grid, labels):
    """Instances and edges from one labelling for each type: the slow reference of C."""
    lab, n = per_type(grid, labels, optional("scipy.ndimage").label)
    return lab, n, np_edges(lab)


def is_distance_field(grid, sources, dist):
    """Prove a distance field: 0 at the sources, steps of at most 1, and a way down everywhere."""
    free, reached, flat = grid == FREE, dist >= 0, dist.ravel()
    lower = np.zeros(grid.shape, bool)
    lower.ravel()[sources] = True
    smooth = True
    for axis in (0, 1):
        a, b = (np.s_[:-1], np.s_[1:]) if axis == 0 else (np.s_[:, :-1], np.s_[:, 1:])
        both = free[a] & free[b]
        smooth &= bool((np.abs(dist[a] - dist[b])[both] <= 1).all())
        smooth &= bool((reached[a] == reached[b])[both].all())
        lower[a] |= both & (dist[b] == dist[a] - 1)
        lower[b] |= both & (dist[a] == dist[b] - 1)
    right = (flat[sources] == 0).all() and (dist > 0).sum() + len(set(sources)) == reached.sum()
    return bool(smooth and right and not (reached & ~free).any() and lower[reached].all())


def scipy_labels(mask, cells):
    lab, n = ndi.label(mask, np.ones((3, 3)))
    at, w = lab.ravel()[cells], mask.shape[1]
    num = np.bincount(at, minlength=n + 1)[1:]
    return num, np.bincount(at, cells // w)[1:] / num, np.bincount(at, cells % w)[1:] / num


def cc3d_graph(grid, labels):
    lab, n = cc3d_rooms(grid, labels)
    return lab, n, cc3d.region_graph(lab, connectivity=4)


def cc3d_edges(grid, labels):
    lab, n = cc3d_rooms(grid, labels)
    return lab, n, np_edges(lab)


def sk_rooms(grid, labels):
    key = room_key(grid, labels)
    lab, n = optional("skimage.measure").label(key, background=0, connectivity=1, return_num=True)
    return lab, n, np_edges(lab)

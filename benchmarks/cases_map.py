"""Cases on one map: A frontier mask, A-list, B clusters, C rooms, F distances."""

import adm
import numpy as np
import peers_map as lib
from harness import OURS, optional
from inputs import FREE

numba, cv2, cc3d = optional("numba"), optional("cv2"), optional("cc3d")
ndi, skmeasure = optional("scipy.ndimage"), optional("skimage.measure")
nb = optional("peers_numba") if numba else None

#: Maps from here on are worth more than one thread of ours.
LARGE_CELLS = 8 << 20
#: Libraries that need seconds above this many cells are left out there.
SLOW_CELLS = 2000 * 2000


def case_mask(bench, size, x, threads):
    """A: free cells beside unknown ones."""
    grid, want = x.grid, lib.np_mask(x.grid)
    out = np.empty(grid.shape, np.uint8)
    peers = [("numpy shifts", lambda: lib.np_mask(grid), 1, True)]
    if ndi:
        peers.append(("scipy binary_dilation", lambda: lib.scipy_mask(grid), 1, True))
    if cv2:
        for count in dict.fromkeys((1, threads)):
            peers.append(("opencv compare + dilate", lambda: lib.cv_mask(grid), count, True))
    if nb:
        peers.append(("numba", lambda: nb.nb_mask(grid), 1, True))
        peers.append(("numba parallel", lambda: nb.nb_mask_par(grid), threads, True))
    if adm.has_adm("A"):
        peers.append((OURS, lambda: adm.mask(x), 1, True))
        if grid.size >= LARGE_CELLS:
            peers.append((OURS, lambda: adm.mask(x, threads), threads, True))
    for (peer, *_), got in zip(peers, bench.race("A", size, peers), strict=True):
        bench.check("A", size, peer, got is not None and np.array_equal(got != 0, want))
    kept = out.view(bool)
    peers = [("numba", lambda: nb.nb_mask_into(grid, out), 1, True)] if nb else []
    if adm.has_adm("A"):
        peers.append((OURS, lambda: adm.mask_into(x, kept), 1, True))
    for (peer, *_), got in zip(peers, bench.race("A-kept", size, peers), strict=True):
        bench.check("A-kept", size, peer, peer != OURS or np.array_equal(got, want))


def case_list(bench, size, x, threads):
    """A-list: the same as a sorted list of indices. NumPy is quick on masks of type bool only."""
    want = np.flatnonzero(lib.np_mask(x.grid))
    peers = [("numpy shifts + flatnonzero", lambda: np.flatnonzero(lib.np_mask(x.grid)), 1, True)]
    if cv2:
        call = lambda: np.flatnonzero(lib.cv_mask(x.grid) != 0)  # noqa: E731
        peers.append(("opencv + flatnonzero", call, 1, True))
    if nb:
        call = lambda: np.flatnonzero(nb.nb_mask(x.grid).view(bool))  # noqa: E731
        peers.append(("numba + flatnonzero", call, 1, True))
    if adm.has_adm("A-list"):
        peers.append((OURS, lambda: adm.cells(x), 1, True))
        if x.grid.size >= LARGE_CELLS:
            peers.append((OURS, lambda: adm.cells(x, threads), threads, True))
    for (peer, *_), got in zip(peers, bench.race("A-list", size, peers), strict=True):
        bench.check("A-list", size, peer, np.array_equal(got, want))


def same_clusters(got, want):
    """Compare owners, sizes, centroids and representatives."""
    return all(np.array_equal(a, b) for a, b in zip(got, want, strict=True))


def case_clusters(bench, size, x, threads, c_max):
    """B: depth-limited clusters with representatives. B' is 8-connected labelling, less work."""
    case, grid, mask = f"B{c_max}", x.grid, lib.np_mask(x.grid)
    cells = np.flatnonzero(mask)
    peers = []
    if nb:
        call = lambda: nb.nb_clusters(grid, cells, c_max)  # noqa: E731
        peers.append(("numba BFS", call, 1, True))
        call = lambda: nb.nb_clusters_padded(grid, cells, c_max)  # noqa: E731
        peers.append(("numba BFS padded (probe)", call, 1, True))
    if not nb or grid.size <= 500 * 500:
        call = lambda: lib.py_clusters(grid, cells, c_max)  # noqa: E731
        peers.append(("Python BFS", call, 1, True))
    if adm.has_adm("B"):
        peers.append((OURS, lambda: adm.clusters(x, c_max), 1, True))
        if grid.size >= LARGE_CELLS:
            peers.append((OURS, lambda: adm.clusters(x, c_max, threads), threads, True))
    answers = bench.race(case, size, peers)
    for (peer, *_), got in zip(peers, answers, strict=True):
        # Centroids of Python are of another kind, the padded probe rounds when it compares.
        picked = [0, 1, 2, 3] if nb and peer == OURS else [0, 1, 3]
        if got is None or "probe" not in peer:
            same = got is not None and same_clusters(
                [got[k] for k in picked], [answers[0][k] for k in picked]
            )
            bench.check(case, size, peer, same)
    for peer, call, count in other_clusters(mask, cells, threads):
        bench.time(case, size, peer, call, threads=count, exact=False)


def other_clusters(mask, cells, threads):
    """Yield library calls that label the mask, without depth limit and representative."""
    mask8 = mask.view(np.uint8)
    if cv2:
        for name in ("BBDT", "SPAGHETTI"):
            way = getattr(cv2, f"CCL_{name}")
            for count in dict.fromkeys((1, threads)):
                yield (
                    f"opencv labels of mask ({name})",
                    lambda way=way: cv2.connectedComponentsWithStatsWithAlgorithm(
                        mask8, 8, cv2.CV_32S, way
                    ),
                    count,
                )
    if cc3d:
        yield (
            "cc3d labels of mask + statistics",
            lambda: cc3d.statistics(
                cc3d.connected_components(mask, connectivity=8, out_dtype=np.uint32),
                no_slice_conversion=True,
            ),
            1,
        )
    if ndi:
        yield "scipy labels of mask + bincount", lambda: lib.scipy_labels(mask, cells), 1


def case_rooms(bench, size, x, threads):
    """C: 4-connected instances of equal type and the edges between them."""
    grid, labels = x.grid, x.labels
    peers = []
    if cc3d:
        peers.append(("cc3d + region_graph", lambda: lib.cc3d_graph(grid, labels), 1, True))
        peers.append(("cc3d + numpy edges", lambda: lib.cc3d_edges(grid, labels), 1, True))
    if nb:
        peers.append(("numba union-find + edges", lambda: nb.nb_rooms(grid, labels), 1, True))
    if skmeasure and grid.size <= 4000 * 4000:
        peers.append(("scikit-image + numpy edges", lambda: lib.sk_rooms(grid, labels), 1, True))
    if cv2:
        one = lib.cv_label(cv2.CCL_SPAGHETTI)
        for count in dict.fromkeys((1, threads)):
            peers.append(
                (
                    "opencv by type, labels only",
                    lambda: lib.per_type(grid, labels, one),
                    count,
                    False,
                )
            )
    if ndi:
        peers.append(
            ("scipy by type, labels only", lambda: lib.per_type(grid, labels, ndi.label), 1, False)
        )
    if adm.has_adm("C"):
        peers.append((OURS, lambda: adm.rooms(x), 1, True))
        if grid.size >= LARGE_CELLS:
            peers.append((OURS, lambda: adm.rooms(x, threads), threads, True))
    want = None
    if not any(exact and peer != OURS for peer, _, _, exact in peers):
        image, n, edges = lib.rooms_by_type(grid, labels)
        want = (image, n, lib.named_edges(image, edges))
    answers = bench.race("C", size, peers)
    for (peer, _, _, exact), got in zip(peers, answers, strict=True):
        if got is None or not exact:
            continue
        image, n, edges = np.asarray(got[0]), int(got[1]), got[2]
        named = lib.named_edges(image, edges)
        if want is None:
            want = (image.copy(), n, named)
        same = n == want[1] and named == want[2] and lib.same_partition(image, want[0], n)
        bench.check("C", size, peer, same)


def case_distance(bench, size, x, threads):
    """F: 4-connected steps over free cells from 16 sources."""
    grid, few = x.grid, x.grid.size <= SLOW_CELLS
    peers = []
    if nb:
        call = lambda: nb.nb_bfs_padded(grid, x.sources)[1:-1, 1:-1]  # noqa: E731
        peers.append(("numba BFS", lambda: nb.nb_bfs(grid, x.sources), 1, True))
        peers.append(("numba BFS padded (probe)", call, 1, True))
    if lib.csgraph and (few or not nb):
        peers.append(("scipy csgraph dijkstra", lambda: lib.cs_bfs(grid, x.sources), 1, True))
    if lib.dijkstra3d and few:
        peers.append(("dijkstra3d distance_field", lambda: lib.d3d_field(grid, x.sources), 1, True))
    if adm.has_adm("F"):
        peers.append((OURS, lambda: adm.distance(x), 1, True))
    for (peer, *_), got in zip(peers, bench.race("F", size, peers), strict=True):
        if got is not None:
            got = np.where(grid == FREE, np.maximum(got, -1), -1)
            bench.check("F", size, peer, lib.is_distance_field(grid, x.sources, got))
    if lib.skgraph and few:
        bench.time("F", size, "scikit-image MCP", lambda: lib.sk_mcp(grid, x.sources), exact=False)
    if lib.skfmm and few:
        bench.time(
            "F", size, "scikit-fmm (Euclidean)", lambda: lib.fmm_field(grid, x.sources), exact=False
        )

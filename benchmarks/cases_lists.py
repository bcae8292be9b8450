"""Cases on lists: D attention and top 8, E rounds of assignment, E2 open tours."""

from types import SimpleNamespace

import adm
import numpy as np
import peers_lists as lib
from harness import OURS, optional
from inputs import SEED

numba, numexpr = optional("numba"), optional("numexpr")
nb = optional("peers_numba_lists") if numba else None
scipy_optimize = optional("scipy.optimize")

WEIGHTS = np.array([1.0, 0.8, 0.6, 0.35])


def make_records(n):
    """Records of a memory, a twentieth of them equal so that the order of ties is tested."""
    rng = np.random.default_rng([SEED, n])
    x = SimpleNamespace(
        source=rng.integers(0, 4, n).astype(np.uint8),
        confidence=rng.random(n),
        age=rng.exponential(60, n),
        distance=rng.exponential(12, n),
        status=(rng.random(n) < 0.3).astype(np.uint8) * rng.integers(1, 4, n).astype(np.uint8),
        weights=WEIGHTS,
        tau=90.0,
        lam=15.0,
        k=8,
    )
    same = rng.integers(0, n, max(1, n // 20))
    for column in (x.source, x.confidence, x.age, x.distance, x.status):
        column[same] = column[0]
    x.status[0] = 0
    return x


def numpy_top_k(x):
    """Score all records with two exponentials and rank them."""
    score = (
        x.weights[x.source] * x.confidence * np.exp(-x.age / x.tau) * np.exp(-x.distance / x.lam)
    )
    score[x.status != 0] = -np.inf
    return lib.rank(score, x.k)


def numpy_top_k_fused(x):
    """The same with one exponential."""
    exponent = x.age * (-1 / x.tau) - x.distance * (1 / x.lam)
    score = x.weights[x.source] * x.confidence * np.exp(exponent)
    score[x.status != 0] = -np.inf
    return lib.rank(score, x.k)


def numexpr_top_k(x):
    """The same in numexpr."""
    names = {
        "w": x.weights[x.source], "c": x.confidence, "a": x.age, "d": x.distance, "st": x.status,
        "tau": x.tau, "lam": x.lam,
    }  # fmt: skip
    score = numexpr.evaluate(
        "where(st == 0, w * c * exp(-a / tau - d / lam), -1e300)", local_dict=names
    )
    return lib.rank(score, x.k)


def case_top_k(bench, n, threads):
    """D: the eight best of n records, ties by index."""
    size, x = str(n), make_records(n)
    peers = [
        ("numpy, two exponentials", lambda: numpy_top_k(x), 1),
        ("numpy, one exponential", lambda: numpy_top_k_fused(x), 1),
    ]
    if numexpr:
        peers.append(("numexpr + partition", lambda: numexpr_top_k(x), 1))
    if nb:
        columns = (
            x.source,
            x.confidence,
            x.age,
            x.distance,
            x.status,
            x.weights,
            x.tau,
            x.lam,
            x.k,
        )
        peers.append(("numba one pass", lambda: nb.nb_topk(*columns), 1))
        peers.append(("numba parallel", lambda: nb.nb_topk_par(*columns), threads))
        peers.append(("numba pruned (probe)", lambda: nb.nb_topk_pruned(*columns), 1))
    if adm.has_adm("D"):
        x.call = adm.prepare_top_k(x)
        peers.append((OURS, lambda: adm.top_k(x), 1))
    want = numpy_top_k(x)
    entries = [(peer, call, count, True) for peer, call, count in peers]
    for (peer, *_), got in zip(peers, bench.race("D", size, entries), strict=True):
        bench.check("D", size, peer, got is not None and np.array_equal(got, want))


def case_top_k_orders(bench, n):
    """D with scores that rise or fall along the array: a list that fills early saves little."""
    x = make_records(n)
    score = x.weights[x.source] * x.confidence * np.exp(-x.age / x.tau - x.distance / x.lam)
    for name, order in (("rising", np.argsort(score)), ("falling", np.argsort(-score))):
        y = SimpleNamespace(**vars(x))
        for column in ("source", "confidence", "age", "distance", "status"):
            setattr(y, column, getattr(x, column)[order].copy())
        size, want = f"{n} {name}", numpy_top_k(y)
        peers = []
        if nb:
            columns = (
                y.source, y.confidence, y.age, y.distance, y.status, y.weights, y.tau, y.lam, y.k
            )  # fmt: skip
            peers.append(("numba one pass", lambda c=columns: nb.nb_topk(*c), 1, True))
        if adm.has_adm("D"):
            y.call = adm.prepare_top_k(y)
            peers.append((OURS, lambda y=y: adm.top_k(y), 1, True))
        for (peer, *_), got in zip(peers, bench.race("D", size, peers), strict=True):
            bench.check("D", size, peer, got is not None and np.array_equal(got, want))


def make_costs(robots, frontiers):
    """Path costs of robots to frontiers on a plane, with detours."""
    rng = np.random.default_rng([SEED, robots, frontiers])
    a, b = rng.random((robots, 2)) * 200, rng.random((frontiers, 2)) * 200
    detour = 1 + 0.3 * rng.random((robots, frontiers))
    return np.ascontiguousarray(np.abs(a[:, None] - b[None]).sum(2) * detour)


def case_assign(bench, robots, frontiers, threads):
    """E: assign each robot at most one frontier, remove those, repeat until none is left."""
    size, cost = f"{robots}x{frontiers}", make_costs(robots, frontiers)
    x = SimpleNamespace(cost=cost)
    peers = [("scipy loop", lambda: lib.iterative(cost, scipy_optimize.linear_sum_assignment))]
    if nb:
        peers.append(("numba shortest augmenting path", lambda: nb.nb_iterative(cost)))
    if hasattr(lib.lap, "lapjvx") and frontiers <= 1000:
        peers.append(("lapx lapjvx loop", lambda: lib.iterative(cost, lib.solve_lapjvx)))
    ortools = lib.make_ortools_lsa() if frontiers <= 200 else None
    if ortools:
        peers.append(("ortools loop", lambda: lib.iterative(cost, ortools)))
    if adm.has_adm("E"):
        peers.append((OURS, lambda: adm.assign(x)))
    total = None
    answers = bench.race("E", size, [(peer, call, 1, True) for peer, call in peers])
    for (peer, _), got in zip(peers, answers, strict=True):
        if got is None:
            continue
        mine = cost[np.asarray(got[0]), np.arange(frontiers)].sum()
        total = mine if total is None else total
        slack = 1e-2 if peer.startswith("ortools") else 1e-9  # ortools rounds the costs
        bench.check("E", size, peer, abs(mine - total) <= slack * total)


def case_order(bench, n, threads):
    """E2: a short open path through n places from place 0."""
    rng = np.random.default_rng([SEED, n, 5])
    places = rng.random((n, 2)) * 200
    dist = np.abs(places[:, None] - places[None]).sum(2)
    x, lengths = SimpleNamespace(dist=dist), {}
    for peer, call in order_peers(dist, n) + (
        [(OURS, lambda: adm.order(x))] if adm.has_adm("E2") else []
    ):
        path = bench.time("E2", str(n), peer, call, exact=False)
        right = path is not None and sorted(np.asarray(path).tolist()) == list(range(n))
        bench.check("E2", str(n), peer, right and path[0] == 0)
        if right:
            lengths[peer] = lib.path_len(dist, np.asarray(path))
    shortest = min(lengths.values())
    for peer, length in lengths.items():
        row = bench.of("E2", str(n), peer)
        row.note = f"length {length:.1f}, {100 * (length / shortest - 1):.2f} % above the shortest"
        print(f"        E2 {n} {peer}: {row.note}")


def order_peers(dist, n):
    """List the peers of E2 that are installed and quick enough."""
    peers = []
    if nb:
        peers.append(("numba nearest + 2-opt + or-opt", lambda: nb.nb_order(dist)))
    if lib.elkai and n <= 200:
        peers.append(("elkai (LKH, runs=1)", lambda: lib.tsp_elkai(dist)))
    if lib.fast_tsp:
        for seconds in (0.01, 0.1) if n <= 200 else (0.1, 1.0):
            peers.append((f"fast_tsp {seconds} s", lambda s=seconds: lib.tsp_fast(dist, s, False)))
    if optional("ortools") and n <= 80:
        peers.append(("ortools routing, descent", lambda: lib.tsp_ortools(dist)))
    return peers

"""Library peers of the jobs on lists: attention, assignment, tours."""

import numpy as np
from harness import optional

lap, elkai, fast_tsp = optional("lap"), optional("elkai"), optional("fast_tsp")


def rank(score, k):
    """Indices of the k best: falling score, rising index. Minus infinity is never taken."""
    n = score.shape[0]
    if n > k:
        floor = np.partition(score, n - k)[n - k]
        cand = np.flatnonzero(score >= floor)
    else:
        cand = np.arange(n)
    cand = cand[score[cand] > -np.inf]
    return cand[np.lexsort((cand, -score[cand]))][:k]


def iterative(cost, solve):
    """Outer loop shared by the assignment peers. solve(sub) -> rows, columns."""
    m = cost.shape[1]
    robot, round_of = np.full(m, -1), np.full(m, -1)
    cols, step = np.arange(m), 0
    sub = cost
    while cols.size:
        r, c = solve(sub)
        robot[cols[c]] = r
        round_of[cols[c]] = step
        keep = np.ones(cols.size, bool)
        keep[c] = False
        cols, sub, step = cols[keep], np.ascontiguousarray(sub[:, keep]), step + 1
    return robot, round_of


def solve_lapjv(sub):
    _, x, _ = lap.lapjv(sub, extend_cost=True)
    r = np.flatnonzero(x >= 0)
    return r, x[r]


def solve_lapjvx(sub):
    _, r, c = lap.lapjvx(sub, extend_cost=True)
    return r, c


def solve_lapjvs(sub):
    _, r, c = lap.lapjvs(sub, extend_cost=True, prefer_float32=False)
    return r, c


def solve_lapjvc(sub):
    _, r, c = lap.lapjvc(sub)
    return np.asarray(r), np.asarray(c)


def make_ortools_lsa():
    try:
        from ortools.graph.python import linear_sum_assignment as ol
    except ImportError:
        return None

    def solve(sub):
        """Pad the short side: ortools wants integer costs and a perfect matching."""
        n, m = sub.shape
        k = max(n, m)
        full = np.zeros((k, k), np.int64)
        full[:n, :m] = np.round(sub * 1e3)
        left, right = np.divmod(np.arange(k * k), k)
        s = ol.SimpleLinearSumAssignment()
        s.add_arcs_with_cost(left, right, full.ravel())
        s.solve()
        mate = np.array([s.right_mate(i) for i in range(n)])
        r = np.flatnonzero(mate < m)
        return r, mate[r]

    return solve


def path_len(d, p):
    return float(d[p[:-1], p[1:]].sum())


def closed_form(d, scale):
    """Integer symmetric matrix of a tour problem whose best tour gives the open path from node 0.

    A dummy node sits next to node 0 for free; it costs one constant M to leave it anywhere else."""
    n = d.shape[0]
    big = int(d.max() * scale * 2)
    full = np.full((n + 1, n + 1), big, np.int64)
    full[:n, :n] = np.round(d * scale)
    full[n, 0] = full[0, n] = 0
    np.fill_diagonal(full, 0)
    return full


def open_path(tour, n):
    tour = [int(t) for t in tour]
    if tour[0] == tour[-1] and len(tour) > n + 1:
        tour = tour[:-1]
    at = tour.index(n)
    tour = tour[at + 1 :] + tour[:at]
    if tour[0] != 0:
        tour.reverse()
    return np.array(tour)


def tsp_elkai(d):
    return open_path(
        elkai.DistanceMatrix(closed_form(d, 100).tolist()).solve_tsp(runs=1), d.shape[0]
    )


def tsp_fast(d, seconds, stop):
    full = np.minimum(closed_form(d, 10), 60000)
    return open_path(
        fast_tsp.find_tour(full.tolist(), duration_seconds=seconds, stop_when_converged=stop),
        d.shape[0],
    )


def tsp_python_tsp(d):
    from python_tsp.heuristics import solve_tsp_local_search

    a = d.copy()
    a[:, 0] = 0  # free return makes the tour an open path
    perm, _ = solve_tsp_local_search(a, perturbation_scheme="two_opt")
    return np.array(perm)


def tsp_ortools(d, seconds=None):
    from ortools.constraint_solver import pywrapcp
    from ortools.constraint_solver import routing_enums_pb2 as en

    n = d.shape[0]
    a = np.round(d * 100).astype(np.int64)
    a[:, 0] = 0
    man = pywrapcp.RoutingIndexManager(n, 1, 0)
    model = pywrapcp.RoutingModel(man)
    model.SetArcCostEvaluatorOfAllVehicles(model.RegisterTransitMatrix(a.tolist()))
    par = pywrapcp.DefaultRoutingSearchParameters()
    par.first_solution_strategy = en.FirstSolutionStrategy.PATH_CHEAPEST_ARC
    if seconds:
        par.local_search_metaheuristic = en.LocalSearchMetaheuristic.GUIDED_LOCAL_SEARCH
        par.time_limit.FromMilliseconds(int(seconds * 1000))
    sol = model.SolveWithParameters(par)
    out, i = [], model.Start(0)
    while not model.IsEnd(i):
        out.append(man.IndexToNode(i))
        i = sol.Value(model.NextVar(i))
    return np.array(out)

"""Ratios against the best peers, and how they compare with what we ask of ourselves."""

from harness import OURS

#: Job -> smallest ratio of the best exact peer's time to ours, by side of the map or by name.
MUSTS = {
    "A": {"": 1.0},
    "A-list": {"": 2.5},
    "B10": {"": 5.0, "4000": 15.0, "8000": 15.0},
    "B20": {"": 5.0, "4000": 15.0, "8000": 15.0},
    "C": {"": 2.0, "2000": 2.6, "4000": 4.0, "8000": 4.0},
    "A+B+C": {"": 3.0, "2000": 4.0, "4000": 8.0, "8000": 8.0},
    "D": {"": 2.0, "100": None},
    "E": {"": 1.0},
    "F": {"": 2.0},
    "I": {"": 100.0},
}
GOALS = {"A+B+C": 10.0, "B10": 20.0, "B20": 20.0, "C": 5.0, "E": 1.5, "F": 4.0, "I": 300.0}


def must_of(case, size):
    """Return the ratio that a job must reach, or None."""
    rules = MUSTS.get(case)
    return None if rules is None else rules.get(size, rules[""])


def best_seconds(bench, case, size):
    """Return the best exact peer's median, or None."""
    row = bench.best_peer(case, size)
    return row and row.median


def pipeline_seconds(bench, size):
    """Return the sum of the best exact peers of the list, B at depth 20 and C, or None."""
    parts = [best_seconds(bench, case, size) for case in ("A-list", "B20", "C")]
    return None if None in parts else sum(parts)


def quickest_seconds(bench, row):
    """Return the quickest run of any exact peer of a row's job."""
    cases = ("A-list", "B20", "C") if row.case == "A+B+C" else (row.case,)
    total = 0.0
    for case in cases:
        runs = [
            peer.best
            for peer in bench.rows
            if (peer.case, peer.size, peer.threads) == (case, row.size, 1)
            and peer.exact
            and not peer.peer.startswith(OURS)
            and "probe" not in peer.peer
        ]
        total += min(runs, default=float("nan"))
    return total


def summarise(bench):
    """Print and return one line for each job of ours that has a peer."""
    lines = []
    print(
        "\nratios: the best peer with the same answer, one thread, against ours: medians, and in"
        "\nbrackets the quickest runs, which a busy machine disturbs less"
    )
    for row in [row for row in bench.rows if row.peer == OURS]:
        if row.case == "A+B+C":
            peer, seconds = "sum of the best of each part", pipeline_seconds(bench, row.size)
        else:
            best = bench.best_peer(row.case, row.size, exact=row.case != "E2")
            peer, seconds = (best.peer, best.median) if best else ("", None)
        if seconds is None or row.case == "E2":
            continue
        ratio, must = seconds / row.median, must_of(row.case, row.size)
        quick = quickest_seconds(bench, row) / row.best
        met = "" if must is None else "  met" if ratio >= must else "  MISSED"
        goal = "" if row.case not in GOALS else f", goal {GOALS[row.case]:g}"
        wanted = "" if must is None else f"  must {must:g}{goal}"
        line = (
            f"{row.case:7}{row.size:>11}  ours {row.median * 1e3:11.4f} ms  {peer:32}"
            f" {seconds * 1e3:11.4f} ms  {ratio:8.2f}x ({quick:.2f}x){wanted}{met}"
        )
        print(line)
        lines.append(line)
    return lines

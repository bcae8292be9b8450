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
#: The same against named peers: libraries, which may do a smaller job.
LIBRARY_MUSTS = [
    ("A", "opencv", {"": 4.0}),
    ("B10", "opencv labels", {}),
    ("C", "cc3d", {}),
    ("D", "numpy", {"": 6.0, "100": None}),
    ("D", "numexpr", {"": 6.0, "100": None}),
    ("E", "scipy", {"": 3.0}),
    ("F", "dijkstra3d", {"": 15.0}),
    ("A+B+C", "libraries only", {"": 5.0}),
]
GOALS = {"A+B+C": 10.0, "B10": 20.0, "B20": 20.0, "C": 5.0, "E": 1.5, "F": 4.0, "I": 300.0}


def must_of(case, size):
    """Return the ratio that a job must reach, or None."""
    return rule_of(MUSTS.get(case, {}), size)


def rule_of(rules, size):
    """Return the rule of a size, or the one of all sizes, or None."""
    return rules.get(size.split()[0], rules.get(""))


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


def library_row(bench, case, size, name):
    """Return name, median and quickest run of the fastest peer of a name, or None.

    "libraries only" is what exists without compiling anything oneself: the mask, 8-connected
    labels of it in place of depth-limited clusters, and the rooms.
    """
    if name == "libraries only":
        parts = [
            library_row(bench, part, size, names)
            for part, names in (
                ("A", ("opencv", "numpy", "scipy")),
                ("B20", ("opencv labels", "cc3d labels", "scipy labels")),
                ("C", ("cc3d",)),
            )
        ]
        return None if None in parts else (name, sum(p[1] for p in parts), sum(p[2] for p in parts))

    def is_meant(peer):
        return peer.startswith(name) and "labels only" not in peer

    row = bench.best_peer(case, size, exact=False, only=is_meant)
    return row and (row.peer, row.median, row.best)


def summarise(bench):
    """Print and return one line for each job of ours that has a peer."""
    lines = []
    print(
        "\nratios: the best peer with the same answer, one thread, against ours: medians, and in"
        "\nbrackets the quickest runs, which a busy machine disturbs less"
    )
    ours = [row for row in bench.rows if row.peer == OURS and row.threads == 1]
    for row in ours:
        if row.case == "A+B+C":
            peer, seconds = "sum of the best of each part", pipeline_seconds(bench, row.size)
        else:
            best = bench.best_peer(row.case, row.size, exact=row.case != "E2")
            peer, seconds = (best.peer, best.median) if best else ("", None)
        if seconds is None or row.case == "E2":
            continue
        found = (peer, seconds, quickest_seconds(bench, row))
        lines.append(line_of(row, found, must_of(row.case, row.size), GOALS.get(row.case)))
    lines.append("against named libraries, whether or not they do the whole job")
    for case, name, rules in LIBRARY_MUSTS:
        for row in [row for row in ours if row.case == case]:
            found = library_row(bench, case, row.size, name)
            if found:
                lines.append(line_of(row, found, rule_of(rules, row.size), None))
    lines += thread_lines(bench)
    print("\n".join(lines))
    return lines


def thread_lines(bench):
    """Return how much quicker ours is with more threads, one line a job."""
    lines = ["more threads against one, ours"]
    for many in [row for row in bench.rows if row.peer == OURS and row.threads > 1]:
        one = bench.of(many.case, many.size, OURS)
        lines.append(
            f"{many.case:7}{many.size:>14}  {many.threads} threads {many.median * 1e3:11.4f} ms"
            f"  {one.median / many.median:.2f}x ({one.best / many.best:.2f}x)"
        )
    return lines


def line_of(row, found, must, goal):
    """Return one line: ours, the peer's, their ratio and whether it is what we ask for."""
    peer, seconds, quickest = found
    ratio, quick = seconds / row.median, quickest / row.best
    wanted = ""
    if must is not None:
        wanted = f"  must {must:g}" + (f", goal {goal:g}" if goal else "")
        wanted += "  met" if ratio >= must else "  MISSED"
    return (
        f"{row.case:7}{row.size:>14}  ours {row.median * 1e3:11.4f} ms  {peer:34}"
        f" {seconds * 1e3:11.4f} ms  {ratio:8.2f}x ({quick:.2f}x){wanted}"
    )

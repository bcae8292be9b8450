"""Timing, answer checks and ratios, shared by all cases."""

import importlib
import statistics
import time
from dataclasses import asdict, dataclass, field

OURS = "adm_core"
#: A call of microseconds is repeated so many times, or for so long: caches and clocks settle.
QUICK_RUNS, QUICK_SECONDS = 1000, 0.05


def optional(name):
    """Return a module, or None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


@dataclass
class Row:
    """One measurement: seconds, lower is better. `exact` tells whether it is the same job."""

    case: str
    size: str
    peer: str
    threads: int
    median: float
    best: float
    runs: int
    exact: bool = True
    note: str = ""


@dataclass
class Bench:
    """Rows and checks of a run."""

    repeat: int = 9
    budget: float = 4.0
    machine: dict = field(default_factory=dict)
    summary: list = field(default_factory=list)
    rows: list = field(default_factory=list)
    checks: list = field(default_factory=list)

    def time(self, case, size, peer, call, threads=1, exact=True, note=""):
        """Warm up, then take `repeat` runs within the budget, at least 3; quick ones more often.

        A call slower than the budget counts with its only run. Returns what the call returned;
        a peer that cannot do the case is reported and gives None.
        """
        set_threads(threads)
        try:
            first, answer = timed(call)
        except Exception as err:  # a peer may fail in any way, and the run goes on
            print(f"{case:7}{size:>11} {peer:44} failed: {type(err).__name__}: {str(err)[:80]}")
            return None
        if first > self.budget / 8:  # it may have compiled itself
            first, answer = timed(call)
        runs = [first] if first > self.budget else []
        wanted = max(self.repeat, min(QUICK_RUNS, int(QUICK_SECONDS / max(first, 1e-9))))
        while first <= self.budget and len(runs) < wanted:
            if len(runs) >= 3 and sum(runs) > self.budget:
                break
            seconds, answer = timed(call)
            runs.append(seconds)
        self.add(
            Row(
                case,
                size,
                peer,
                threads,
                statistics.median(runs),
                min(runs),
                len(runs),
                exact,
                note,
            )
        )
        return answer

    def add(self, row):
        """Keep a row and print it."""
        self.rows.append(row)
        other = "" if row.exact else "  other job"
        print(
            f"{row.case:7}{row.size:>11} {row.peer:44} t={row.threads}"
            f" median {row.median * 1e3:11.4f} ms  best {row.best * 1e3:11.4f} ms"
            f"  n={row.runs}{other}  {row.note}",
            flush=True,
        )

    def check(self, case, size, peer, same):
        """Record whether an answer is the right one."""
        self.checks.append((case, size, peer, bool(same)))
        if not same:
            print(f"       {case} {size} {peer}: THE ANSWER DIFFERS", flush=True)

    def of(self, case, size, peer, threads=1):
        """Return the row of a peer, or None."""
        found = [
            row
            for row in self.rows
            if (row.case, row.size, row.peer, row.threads) == (case, size, peer, threads)
        ]
        return found[-1] if found else None

    def best_peer(self, case, size, exact=True, threads=1, only=None):
        """Return the fastest peer with the same job (or any), at most `threads` threads."""
        found = [
            row
            for row in self.rows
            if (row.case, row.size) == (case, size)
            and row.peer != OURS
            and "probe" not in row.peer
            and row.threads <= threads
            and (row.exact or not exact)
            and (only is None or only(row.peer))
        ]
        return min(found, key=lambda row: row.median, default=None)

    def different(self):
        """Return the checks that failed."""
        return [check[:3] for check in self.checks if not check[3]]

    def unchecked(self):
        """Return the cases and sizes without a row of ours and a check of it."""
        jobs = {(row.case, row.size) for row in self.rows}
        timed = {(row.case, row.size) for row in self.rows if row.peer.startswith(OURS)}
        checked = {(case, size) for case, size, peer, _ in self.checks if peer == OURS}
        return sorted(jobs - (timed & checked))

    def as_json(self):
        """Return everything for a file."""
        return {
            "machine": self.machine,
            "summary": self.summary,
            "rows": [asdict(row) for row in self.rows],
            "checks": self.checks,
        }


def timed(call):
    """Return the seconds that a call took and its answer."""
    begin = time.perf_counter()
    answer = call()
    return time.perf_counter() - begin, answer


def set_threads(count):
    """Give each peer that has a thread pool the same number of threads."""
    cv2, numba, numexpr = optional("cv2"), optional("numba"), optional("numexpr")
    if cv2:
        cv2.setNumThreads(count)
    if numba:
        numba.set_num_threads(min(count, numba.config.NUMBA_NUM_THREADS))
    if numexpr:
        numexpr.set_num_threads(count)

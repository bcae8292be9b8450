"""Timing, answer checks and ratios, shared by all cases."""

import importlib
import statistics
import time
from dataclasses import asdict, dataclass, field

OURS = "adm_core"
#: A call of microseconds is repeated so many times, or for so long: caches and clocks settle.
QUICK_RUNS, QUICK_SECONDS = 1000, 0.05
#: Such calls take turns of so many seconds, in caches that are warm from their own last call.
TURN_SECONDS = 0.01


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
        """Time one call, see :meth:`race`; return its answer."""
        return self.race(case, size, [(peer, call, threads, exact)], note)[0]

    def race(self, case, size, entries, note=""):
        """Time (peer, call, threads, exact) in turns, so that a busy moment disturbs them all.

        Each is warmed up and then takes `repeat` runs within the budget, at least 3; quick ones
        more, several in one turn. A call slower than the budget counts with its only run. Returns
        what the calls returned; a peer that cannot do the case is reported and gives None.
        """
        runners = [Runner(*entry) for entry in entries]
        for runner in runners:
            if not runner.warm_up(self.budget):
                print(f"{case:7}{size:>11} {runner.peer:44} failed: {runner.failure}")
        for runner in [runner for runner in runners if not runner.failure]:
            runner.plan(self.repeat, self.budget)
        while any(runner.left > 0 for runner in runners):
            for runner in runners:
                runner.take_turn(self.budget)
        for runner in [runner for runner in runners if not runner.failure]:
            median, best = statistics.median(runner.runs), min(runner.runs)
            number = len(runner.runs)
            entry = (runner.peer, runner.threads, median, best, number, runner.exact, note)
            self.add(Row(case, size, *entry))
        return [runner.answer for runner in runners]

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


@dataclass
class Runner:
    """One call of a race."""

    peer: str
    call: object
    threads: int = 1
    exact: bool = True
    runs: list = field(default_factory=list)
    left: int = 0
    first: float = 0.0
    failure: str = ""
    answer: object = None

    def warm_up(self, budget):
        """Call twice, or once if that is slow; False if it failed."""
        set_threads(self.threads)
        try:
            self.first, self.answer = timed(self.call)
            if self.first <= budget:  # a first call may compile itself, and its caches are cold
                self.first, self.answer = timed(self.call)
        except Exception as err:  # a peer may fail in any way, and the run goes on
            self.failure = f"{type(err).__name__}: {str(err)[:80]}"
        return not self.failure

    def plan(self, repeat, budget):
        """Decide how many runs to take."""
        if self.first > budget:
            self.runs = [self.first]
        else:
            quick = int(QUICK_SECONDS / max(self.first, 1e-9))
            self.left = max(repeat, min(QUICK_RUNS, quick))

    def take_turn(self, budget):
        """Take one run, or as many as fit a turn."""
        if self.left <= 0:
            return
        set_threads(self.threads)
        for _ in range(min(self.left, 1 + int(TURN_SECONDS / max(self.first, 1e-9)))):
            seconds, self.answer = timed(self.call)
            self.runs.append(seconds)
            self.left -= 1
        if len(self.runs) >= 3 and sum(self.runs) > budget:
            self.left = 0


def timed(call):
    """Return the seconds that a call took and its answer."""
    begin = time.perf_counter()
    answer = call()
    return time.perf_counter() - begin, answer


_threads_now = [0]


def set_threads(count):
    """Give each peer that has a thread pool the same number of threads."""
    if count == _threads_now[0]:
        return
    _threads_now[0] = count
    cv2, numba, numexpr = optional("cv2"), optional("numba"), optional("numexpr")
    if cv2:
        cv2.setNumThreads(count)
    if numba:
        numba.set_num_threads(min(count, numba.config.NUMBA_NUM_THREADS))
    if numexpr:
        numexpr.set_num_threads(count)

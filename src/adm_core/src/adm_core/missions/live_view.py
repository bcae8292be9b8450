"""Live view of a mission in a terminal: where the robot is, what it believes, what it plans."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TextIO

from adm_core.files import visible
from adm_core.memory.static import Mission
from adm_core.missions.summary import Summary
from adm_core.planning.progress import Snapshot

_BAR = 24
_USUAL = ("", "completed", "out_of_budget")
_FRAME_S = 0.05  # no terminal shows more than this often


class LiveView:
    """Redraw a small panel in place on a terminal; print events as lines elsewhere.

    Parameters
    ----------
    stream : text stream
        Where to draw.
    mission : Mission
        Goal and totals.
    clock : callable
        Monotonic seconds; limits how often the panel is drawn.
    header : str
        First line of the view.
    """

    def __init__(
        self, stream: TextIO, mission: Mission, clock: Callable[[], float], header: str
    ) -> None:
        self._stream = stream
        self._mission = mission
        self._clock = clock
        self._redraws = stream.isatty()
        self._drawn_lines = 0
        self._drawn_at = float("-inf")
        self._calls = self._delivered = 0
        self._pending: Snapshot | None = None
        self._write(header)

    def update(self, snapshot: Snapshot) -> None:
        """Show a snapshot."""
        if not self._redraws:
            self._print_events(snapshot)
            return
        self._pending = snapshot
        if self._clock() - self._drawn_at >= _FRAME_S:
            self._draw(snapshot)

    def note(self, text: str) -> None:
        """Write a line that stays; the panel goes on beneath it."""
        self._write(text)
        self._drawn_lines = 0

    def finish(self, summary: Summary | None) -> None:
        """Show the last state, and the summary if there is one."""
        if self._redraws and self._pending is not None:
            self._draw(self._pending)
        if summary is not None:
            self._write(summary_text(summary))

    # -- terminal -----------------------------------------------------------------------------

    def _draw(self, snapshot: Snapshot) -> None:
        columns, rows = self._size()
        panel = [visible(line).replace("\n", " ") for line in self._panel(snapshot)]
        lines = [line[: columns - 1] for line in panel][: max(rows - 1, 1)]
        if self._drawn_lines:
            self._stream.write(f"\x1b[{self._drawn_lines}F\x1b[J")
        self._stream.write("\n".join(lines) + "\n")
        self._stream.flush()
        self._drawn_lines = len(lines)
        self._drawn_at = self._clock()
        self._pending = None

    def _size(self) -> tuple[int, int]:
        """Return columns and rows: a wrapped or scrolled panel could not be drawn over."""
        try:
            columns, rows = os.get_terminal_size(self._stream.fileno())
        except OSError:
            return 80, 24
        return columns or 80, rows or 24  # some terminals do not know

    def _panel(self, snapshot: Snapshot) -> list[str]:
        total, budget = self._mission.expected, self._mission.budget_steps
        done = round(_BAR * snapshot.delivered / total)
        bar = "#" * done + "." * (_BAR - done)
        return [
            f"[{bar}] {snapshot.delivered}/{total} delivered   step {snapshot.step}/{budget}"
            f"   planning calls {snapshot.planner_calls}",
            f"robot   ({snapshot.robot.x:.2f}, {snapshot.robot.y:.2f}) m   "
            f"holds {snapshot.held_id or 'nothing'}   now {snapshot.activity}",
            f"why     {snapshot.reason}",
            f"plan    {' > '.join(map(str, snapshot.plan)) or '-'}",
            f"exposed {len(snapshot.exposed)} records",
            *self._exposed_lines(snapshot),
        ]

    def _exposed_lines(self, snapshot: Snapshot, most: int = 8) -> list[str]:
        lines = [
            f"  {item.id:<8} {item.label:<8} {item.status.value:<10} "
            f"q {item.confidence:.2f}  score {item.score:.3f}"
            for item in snapshot.exposed[:most]
        ]
        if len(snapshot.exposed) > most:
            lines.append(f"  ... and {len(snapshot.exposed) - most} more")
        return lines

    # -- elsewhere ----------------------------------------------------------------------------

    def _print_events(self, snapshot: Snapshot) -> None:
        if snapshot.planner_calls != self._calls:
            self._calls = snapshot.planner_calls
            top = ", ".join(f"{item.id}={item.score:.2f}" for item in snapshot.exposed[:3])
            self._write(
                f"step {snapshot.step:>4}  plan {self._calls} ({snapshot.reason}): "
                f"{len(snapshot.exposed)} records [{top}] -> "
                f"{snapshot.planned[-1] if snapshot.planned else 'search'}"
            )
        if snapshot.delivered != self._delivered:
            self._delivered = snapshot.delivered
            total = self._mission.expected
            self._write(f"step {snapshot.step:>4}  delivered {self._delivered}/{total}")

    def _write(self, text: str) -> None:
        self._stream.write(visible(text) + "\n")
        self._stream.flush()


def told(value: float | str | None, form: str = "") -> str:
    """Return a figure in a format; a question mark for one that nobody could tell."""
    return "?" if value is None else format(value, form)


def summary_text(summary: Summary) -> str:
    """Return the summary as a few lines for people."""
    verdict = "complete" if summary.success else "NOT complete"
    lines = [
        f"mission {summary.scenario} (method {summary.method}, seed {summary.seed}) {verdict}",
        *([f"  outcome        {summary.outcome}"] if summary.outcome not in _USUAL else []),
        f"  delivered      {summary.delivered} of {summary.containers}",
        f"  steps          {summary.steps} of {summary.budget_steps} "
        f"({told(summary.path_m, '.1f')} m)",
        f"  planning calls {summary.planner_calls} ({told(summary.context_units)} context units, "
        f"{len(summary.replans)} plans given up)",
        f"  vain visits    {told(summary.stale_visits)} stale, {told(summary.ghost_visits)} ghosts",
        f"  decisions      sha256 {told(summary.decision_sha256, '.16')}...",
        f"  wall time      {told(summary.wall_s, '.2f')} s",
        *_ledger_lines(summary),
        *summary.more_lines(),
    ]
    return "\n".join(lines)


def _ledger_lines(summary: Summary) -> list[str]:
    ledger = summary.ledger
    if ledger is None:
        return []
    verdicts = ", ".join(f"{count} {name}" for name, count in ledger["verdicts"].items())
    takeovers = ", ".join(f"{count} {name}" for name, count in ledger["takeovers"].items())
    tokens = ledger["tokens"]
    return [
        f"  planner        {summary.planner} ({ledger['model']}), {ledger['calls']} model calls, "
        f"{ledger['repairs']} of them repairs",
        f"  verdicts       {verdicts or '-'}",
        f"  taken over     {takeovers or '-'}",
        f"  tokens         {told(tokens['input'], 'g')} in, {told(tokens['output'], 'g')} out, "
        f"latency {told(ledger['latency_s']['mean'], 'g')} s a call",
    ]

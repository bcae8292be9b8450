"""A search on ROS 2 nodes, from parameters to run folder and exit code."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from adm_core.missions.coordinators import CoordinatorSetup
from adm_core.missions.run_folder import SUMMARY, RunFolder
from adm_core.missions.search import SearchMission, SearchResult, Setting
from adm_core.missions.search_setup import SearchSetup, method_of, set_up_search
from adm_core.search.coordinators import TYPED, HeuristicConfig, NoisyConfig, NoisyCoordinator
from adm_core.search.explorer import DONE, DONE_EXCEPT, FOUND
from adm_core.search.methods import Method, sagr, sagr_plus
from numpy.random import default_rng

from adm_interfaces.action import RunSearch
from adm_nodes.bringup.domain import use_private_domain
from adm_nodes.bringup.recycling import PARAMETERS, PROCESSES, RECORDING
from adm_nodes.bringup.search_nodes import SearchParameters, search_nodes, with_sensor
from adm_nodes.bringup.search_session import SearchSession
from adm_nodes.bringup.signals import Signalled, signals_raised
from adm_nodes.bringup.spec import NodeSpec, write_parameters
from adm_nodes.recording.mcap_file import require_mcap

#: What may be compared with a search without ROS; the rest is time and ROS.
SAME = ("state", "steps", "found_by", "coordinations", "given_up", "decision_sha256")


def run_search(
    given: SearchParameters,
    one_per_process: bool,
    runs: str | Path,
    stream: TextIO,
    compare: bool = True,
    record: bool = False,
) -> int:
    """Run a search on nodes; write its run folder; return the exit code.

    0 if it was found, or everything explored that can be reached, 1 if not, 128 + n if signal n
    ended the run.

    Parameters
    ----------
    given : SearchParameters
    one_per_process : bool
        Whether each node gets a process.
    runs : path
        Where run folders go.
    stream : text stream
        Progress and result.
    compare : bool
        Run the search again without ROS and say whether the decisions were the same.
    record : bool
        Put every message into `run.mcap` of the run folder.
    """
    if record:
        require_mcap()
    given = replace(given, search=with_sensor(given.search, given.sensor))
    setup = _setup(given)
    use_private_domain()
    name = f"search-{setup.scenario.name}-{given.mission.method}".replace("+", "p")
    folder = RunFolder.numbered(runs, name).path
    specs = search_nodes(given, setup)
    parameters = write_parameters(folder / PARAMETERS, specs)
    view = _View(stream, setup)
    number, session, started = 0, None, time.perf_counter()
    with signals_raised() as ignore_signals:
        try:
            recording = folder / RECORDING if record else None
            session = SearchSession(specs, parameters, folder, one_per_process, recording)
            _write(folder / PROCESSES, session.pids)
            view.begin(specs, session.pids)
            session.search(setup.task, given.mission.budget_steps, view.update, view.note)
        except Signalled as err:
            number = err.number
        finally:
            ignore_signals()
            if session is not None:
                session.end()
    wall_s = time.perf_counter() - started
    summary = summarize(given, setup, session, number, wall_s)
    _write(folder / SUMMARY, summary)
    if compare and given.pacing.lockstep and not number and session and session.outcome:
        summary["plain"] = _held_against(given, setup, summary)
        _write(folder / SUMMARY, summary)
    view.finish(summary, folder)
    if number:
        return 128 + number
    return 0 if summary["success"] else 1


def plain_search(given: SearchParameters, setup: SearchSetup) -> SearchResult:
    """Carry the same search out without ROS."""
    mission, noise = given.mission, given.pacing.noise

    def noisy(seed: int) -> Method:
        weights = TYPED if mission.method == "sagr+" else HeuristicConfig()
        coordinator = NoisyCoordinator(default_rng(seed), NoisyConfig(p=noise), weights)
        return (sagr_plus if mission.method == "sagr+" else sagr)(coordinator)

    method = method_of(mission.method, CoordinatorSetup("policy"))
    if noise and mission.method in ("sagr", "sagr+"):
        method = noisy
    setting = Setting(given.search, given.sensor, budget_steps=mission.budget_steps)
    return SearchMission(setup.scenario, method, setup.task, setting, mission.seed).finish()


def summarize(
    given: SearchParameters,
    setup: SearchSetup,
    session: SearchSession | None,
    number: int,
    wall_s: float,
) -> dict[str, Any]:
    """Return the result of a session that has ended, well or not, as plain data."""
    outcome = session.outcome if session else None
    truth = session.truth if session else None
    found = outcome is not None and outcome.found_by >= 0
    state = outcome.state if outcome else "interrupted" if number else "failed"
    explored = not setup.task.is_search and state in (DONE, DONE_EXCEPT)
    return {
        "scenario": setup.scenario.name,
        "task": setup.task.text,
        "method": given.mission.method,
        "seed": given.mission.seed,
        "robots": len(setup.scenario.starts),
        "ros": True,
        "lockstep": given.pacing.lockstep,
        "success": (setup.task.is_search and state == FOUND) or explored,
        "state": state,
        "failure": (session.failure if session else "") or (outcome.detail if outcome else ""),
        "steps": outcome.steps if outcome else 0,
        "found_by": outcome.found_by if outcome and found else None,
        "found": _point(outcome) if outcome and found else None,
        "coordinations": outcome.coordinations if outcome else 0,
        "given_up": outcome.given_up if outcome else 0,
        "unreachable": len(outcome.unreachable) if outcome else 0,
        "agreed": outcome.agreed if outcome else None,
        "decision_sha256": outcome.decision_sha256 if outcome else "",
        "seen_share": truth.share if truth else None,
        "path_cells": truth.path_cells if truth else None,
        "late_moves": truth.late_moves if truth else None,
        "wall_s": round(wall_s, 3),
        "messages": sum(item.messages_sent for item in session.statuses.values()) if session else 0,
        "processes": dict(session.pids) if session else {},
        "notes": list(setup.notes),
    }


def _setup(given: SearchParameters) -> SearchSetup:
    policy = CoordinatorSetup("policy")
    return set_up_search(given.mission, given.sensor, given.search.radius_cells, policy)


def _held_against(
    given: SearchParameters, setup: SearchSetup, summary: dict[str, Any]
) -> dict[str, Any]:
    """Return the same search without ROS, and whether everything was the same."""
    if given.llm.mode != "policy":
        return {}  # a model is asked once
    started = time.perf_counter()
    result = plain_search(given, setup)
    plain = {name: getattr(result, name) for name in SAME}
    return {
        **plain,
        "wall_s": round(time.perf_counter() - started, 3),
        "equal": plain == {name: summary[name] for name in SAME},
    }


def _point(outcome: RunSearch.Result) -> dict[str, float]:
    return {"x": round(outcome.target.x, 3), "y": round(outcome.target.y, 3)}


def _write(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


class _View:
    """Progress in one line, the result in a few."""

    def __init__(self, stream: TextIO, setup: SearchSetup) -> None:
        self._stream, self._setup = stream, setup
        self._lives = stream.isatty()

    def begin(self, specs: Sequence[NodeSpec], pids: dict[str, int]) -> None:
        """Say what runs."""
        shared = len(set(pids.values())) == 1
        where = "in this process" if shared else "in a process each"
        self._say(f"{self._setup.scenario.name}: {self._setup.task.text}")
        self._say(f"{len(specs)} nodes {where}: {', '.join(spec.path for spec in specs)}")

    def update(self, feedback: RunSearch.Feedback) -> None:
        """Show where the search is."""
        if self._lives:
            line = (
                f"step {feedback.steps}: {100 * feedback.known_share:.1f} % known, "
                f"{feedback.heard} robots heard; {feedback.plan}"
            )
            self._stream.write(f"\r\x1b[K{line[:118]}")
            self._stream.flush()

    def note(self, event: object) -> None:
        """Show what happened to a node."""
        self._say(f"node {event}")

    def finish(self, summary: dict[str, Any], folder: Path) -> None:
        """Show the result."""
        words = str(summary["state"]).replace("_", " ")
        why = f" ({summary['failure']})" if summary["failure"] else ""
        self._say(f"{words}{why} after {summary['steps']} steps, {summary['wall_s']:.1f} s")
        if summary["found"]:
            at = summary["found"]
            self._say(f"robot {summary['found_by']} saw it at x {at['x']:g} m, y {at['y']:g} m")
        plain = summary.get("plain")
        if plain:
            same = "the same decisions" if plain["equal"] else "OTHER decisions"
            self._say(f"without ROS {same} in {plain['wall_s']:.2f} s")
        self._say(f"written to {folder}")

    def _say(self, text: str) -> None:
        start = "\r\x1b[K" if self._lives else ""
        self._stream.write(f"{start}{text}\n")
        self._stream.flush()

"""A joint mission on ROS 2 nodes: searchers find what a manipulator brings to its stations."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from adm_core.memory.audit import AuditLog
from adm_core.missions.live_view import LiveView
from adm_core.missions.run_folder import SUMMARY, RunFolder
from adm_core.missions.setup import MissionConfig
from adm_core.missions.summary import Summary
from adm_core.missions.team import prepare_team, summarize_team, team_mission
from adm_core.missions.team_config import TeamConfig
from adm_core.missions.team_setup import TeamSetup

from adm_core import __version__
from adm_nodes.bringup.domain import use_private_domain
from adm_nodes.bringup.pacing import PacingConfig
from adm_nodes.bringup.recycling import PARAMETERS, PROCESSES, RECORDING
from adm_nodes.bringup.signals import Signalled, signals_raised
from adm_nodes.bringup.spec import write_parameters
from adm_nodes.bringup.summary import before_the_first_step, summarize
from adm_nodes.bringup.team_nodes import team_nodes
from adm_nodes.bringup.team_session import TeamSession
from adm_nodes.common.run_config import ExtrasConfig, RunConfig
from adm_nodes.common.world_facts import WorldFacts
from adm_nodes.recording.mcap_file import require_mcap

_NONE = ExtrasConfig()

#: What must be equal with and without ROS; the rest is time and ROS.
SAME = ("delivered", "steps", "planner_calls", "replans", "path_m", "decision_sha256")
SAME_SEARCH = ("searched_share", "searched_at", "sweeps", "first_seen")


def run_team(
    config: MissionConfig,
    joint: TeamConfig,
    pacing: PacingConfig,
    one_per_process: bool,
    runs: str | Path,
    stream: TextIO,
    pace_s: float = 0.0,
    compare: bool = True,
    extras: ExtrasConfig = _NONE,
    record: bool = False,
) -> int:
    """Run a joint mission on nodes; write its run folder; return the exit code.

    0 if every container is at its station, 1 if not, 128 + n if signal n ended the run. With
    `compare` the mission is run again without ROS, to say whether everything came out the same;
    with `record` the run folder gets `run.mcap`.
    """
    if record:
        require_mcap()
    setup = prepare_team(config, joint)
    use_private_domain()
    folder = RunFolder.numbered(runs, f"team-{setup.setup.name}-{config.seed}")
    with AuditLog(folder.audit) as audit:
        audit.run({"version": __version__, "mission": asdict(config), "ros": True})
    run = RunConfig(str(folder.audit.resolve()), pace_s)
    specs = team_nodes(config, joint, pacing, run, setup, extras)
    parameters = write_parameters(folder.path / PARAMETERS, specs)
    screen = LiveView(stream, setup.setup.mission, time.monotonic, setup.setup.mission.goal)
    session, number = None, 0
    with signals_raised() as ignore_signals:
        try:
            recording = folder.path / RECORDING if record else None
            session = TeamSession(specs, parameters, folder.path, one_per_process, recording)
            _write(folder.path / PROCESSES, session.pids)
            screen.note(f"nodes   {', '.join(spec.path for spec in specs)}")
            session.carry_out(screen.update, lambda event: screen.note(f"node {event}"))
        except Signalled as err:
            number = err.number
        finally:
            ignore_signals()
            if session is not None:
                session.end()
    if session is None:  # the nodes were still being started
        folder.write(before_the_first_step(setup.setup), setup.setup, WorldFacts(0, (), ()))
        return 128 + number
    summary = summarize(setup.setup, session, interrupted=bool(number))
    folder.write(summary, setup.setup, session.facts or WorldFacts(summary.delivered, (), ()))
    screen.finish(summary)
    found = {**summary.as_dict(), **_of_search(setup, joint, session)}
    if compare and summary.outcome in ("completed", "out_of_budget"):
        found["plain"] = _held_against(setup, found)
        same = "everything the same" if found["plain"]["equal"] else "OTHER decisions"
        print(f"  without ROS    {same}", file=stream)
    _write(folder.path / SUMMARY, found)
    print(f"  written to     {folder.path}", file=stream, flush=True)
    return 128 + number if number else _code(summary)


def _code(summary: Summary) -> int:
    return 0 if summary.success and summary.outcome == "completed" else 1


def _of_search(setup: TeamSetup, joint: TeamConfig, session: TeamSession) -> dict[str, Any]:
    """Return the searchers' half of the summary."""
    truth = session.truth
    found: dict[str, Any] = {
        "searchers": len(setup.building.starts),
        "search_method": joint.search_method,
    }
    if truth is None:
        return found
    return {
        **found,
        "searched_share": round(truth.share, 4),
        "searched_at": None if truth.searched_at < 0 else truth.searched_at,
        "sweeps": truth.sweeps,
        "first_seen": [None if step < 0 else step for step in truth.first_seen],
        "late_moves": truth.late_moves,
    }


def _held_against(setup: TeamSetup, found: dict[str, Any]) -> dict[str, Any]:
    """Return the same mission without ROS, and whether everything was the same."""
    mission = team_mission(setup)
    for _ in mission.run():
        pass
    names = (*SAME, *SAME_SEARCH)
    result = summarize_team(setup, mission, 0.0).as_dict()
    plain = {name: result[name] for name in names}
    return {**plain, "equal": plain == {name: found.get(name) for name in names}}


def _write(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")

"""A recycling mission on ROS 2 nodes, from parameters to run folder and exit code."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from itertools import chain, count
from pathlib import Path
from typing import TextIO

from adm_core.config import build
from adm_core.errors import MissionError
from adm_core.llm.config import LlmConfig
from adm_core.memory.audit import AuditLog
from adm_core.memory.stored import sound
from adm_core.missions.live_view import LiveView
from adm_core.missions.oracle_progress import OracleProgress
from adm_core.missions.recycling import prepare
from adm_core.missions.run_folder import SUMMARY, RunFolder
from adm_core.missions.setup import MissionConfig, MissionSetup
from adm_core.missions.summary import Summary
from adm_core.planning.llm_planner import LlmPlannerConfig

from adm_core import __version__
from adm_nodes.bringup import catalogue
from adm_nodes.bringup.domain import use_private_domain
from adm_nodes.bringup.restart import RestartConfig
from adm_nodes.bringup.session import Session
from adm_nodes.bringup.signals import Signalled, signals_raised
from adm_nodes.bringup.spec import NodeSpec, write_parameters
from adm_nodes.bringup.summary import before_the_first_step, price_of_ros, summarize
from adm_nodes.common.run_config import ExtrasConfig, RunConfig, SteeringConfig
from adm_nodes.common.world_facts import WorldFacts
from adm_nodes.manager import NodeEvent
from adm_nodes.mission_run import ENDED
from adm_nodes.recording.mcap_file import require_mcap

PROCESSES, PARAMETERS, RECORDING = "processes.json", "parameters.yaml", "run.mcap"
_NOTHING = ExtrasConfig()
_POLICY, _PLANNING, _UNSTEERED = LlmConfig(), LlmPlannerConfig(), SteeringConfig()


def run_recycling(
    config: MissionConfig,
    one_per_process: bool,
    runs: str | Path,
    stream: TextIO,
    pace_s: float = 0.0,
    extras: ExtrasConfig = _NOTHING,
    record: bool = False,
    restart: RestartConfig | None = None,
    llm: LlmConfig = _POLICY,
    planning: LlmPlannerConfig = _PLANNING,
    steering: SteeringConfig = _UNSTEERED,
) -> int:
    """Run a mission on nodes; write its run folder; return the exit code.

    With `record` the run folder gets `run.mcap`. `restart` says how often a node that dies is
    started again, if it has a process of its own. `llm` and `planning` say who plans, `steering`
    who approves and what becomes of requests that are not answered.

    0 if every container is at its station, 1 if not, 128 + n if signal n ended the run.
    """
    setup = _prepared(config)
    folder = RunFolder.numbered(runs, f"{setup.name}-{config.method}-{config.seed}")
    _note(
        folder,
        version=__version__,
        ros=True,
        mission=asdict(config),
        llm=asdict(llm),
        planning=asdict(planning),
        steering=asdict(steering),
    )
    specs = catalogue.recycling(
        config, RunConfig(str(folder.audit.resolve()), pace_s), extras, llm, planning, steering
    )
    return _carry_out(setup, folder, specs, one_per_process, stream, pace_s, record, restart, llm)


def resume_recycling(
    run: str | Path,
    one_per_process: bool,
    stream: TextIO,
    pace_s: float = 0.0,
    extras: ExtrasConfig = _NOTHING,
    record: bool = False,
    restart: RestartConfig | None = None,
) -> int:
    """Go on with the run in a folder, with the parameters that it was begun with.

    Nothing is done or planned again; a mission that had come to its end gives its result again.

    Raises
    ------
    MissionError
        If the folder holds no run of nodes.
    """
    folder = RunFolder.existing(run)
    with AuditLog(folder.audit) as audit:
        audit.check()
        facts = audit.facts()
        if not (facts.get("ros") and "steering" in facts):
            raise MissionError(f"{run} holds no run of 'adm up recycling' that could be resumed")
        audit.run({ENDED: ""})  # whatever it ended by, it goes on
    with sound(f"audit log {folder.audit}: what the run was asked for"):
        config = build(MissionConfig, facts["mission"])
        llm = build(LlmConfig, {**facts["llm"], "record": ""})
        planning = build(LlmPlannerConfig, facts["planning"])
        steering = build(SteeringConfig, facts["steering"])
    setup = _prepared(config)
    specs = catalogue.recycling(
        config, RunConfig(str(folder.audit.resolve()), pace_s), extras, llm, planning, steering
    )
    return _carry_out(setup, folder, specs, one_per_process, stream, pace_s, record, restart, llm)


def _prepared(config: MissionConfig) -> MissionSetup:
    progress = OracleProgress(sys.stderr, time.monotonic, config.containers)
    setup = prepare(config, watch=progress)
    progress.finish(setup.mission.budget_steps)
    return setup


def _carry_out(
    setup: MissionSetup,
    folder: RunFolder,
    specs: Sequence[NodeSpec],
    one_per_process: bool,
    stream: TextIO,
    pace_s: float,
    record: bool,
    restart: RestartConfig | None,
    llm: LlmConfig,
) -> int:
    """Start the nodes, follow the mission, write what came of it; return the exit code."""
    if record:
        require_mcap()
    use_private_domain()
    parameters = write_parameters(folder.path / PARAMETERS, specs)
    screen = LiveView(stream, setup.mission, time.monotonic, setup.mission.goal)
    with signals_raised() as ignore_signals:
        session, number = None, 0
        try:
            recording = _recording(folder) if record else None
            session = Session(specs, parameters, folder.path, one_per_process, recording, restart)
            _write_json(folder.path / PROCESSES, session.pids)  # for whoever signals them
            screen.note(f"nodes   {_process_list(session.pids)}")

            def on_event(event: NodeEvent) -> None:
                assert session is not None
                _write_json(folder.path / PROCESSES, session.pids)
                screen.note(f"node {event}")

            session.carry_out(screen.update, on_event)
        except Signalled as err:
            number = err.number
        finally:
            ignore_signals()
            if session is not None:
                session.end()
        if session is None:  # the nodes were still being started
            summary = before_the_first_step(setup)
            folder.write(summary, setup, WorldFacts(0, (), ()))
            _note(folder, outcome=summary.outcome)
            return 128 + number
        summary = summarize(setup, session, interrupted=bool(number))
        summary.planner = llm.mode
        folder.write(summary, setup, session.facts or WorldFacts(summary.delivered, (), ()))
        _note(folder, outcome=summary.outcome)
    screen.finish(summary)
    if summary.outcome in ("completed", "out_of_budget") and llm.mode == "policy":
        with suppress(KeyboardInterrupt):  # a comparison that may be skipped: all is written
            summary.ros_overhead = price_of_ros(setup, session, summary, pace_s)
            _write_json(folder.path / SUMMARY, summary.as_dict())
    print(_closing_lines(summary, session.restarts, folder), file=stream, flush=True)
    if number:
        return 128 + number
    return 0 if summary.success and summary.outcome == "completed" else 1


def _recording(folder: RunFolder) -> Path:
    """Return where to record to: a resumed run keeps what was recorded before."""
    first = folder.path / RECORDING
    later = (first.with_stem(f"{first.stem}-{number}") for number in count(2))
    return next(path for path in chain([first], later) if not path.exists())


def _note(folder: RunFolder, **facts: object) -> None:
    with AuditLog(folder.audit) as audit:
        audit.run(facts)


def _write_json(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def _process_list(pids: dict[str, int]) -> str:
    if len(set(pids.values())) == 1:
        return f"{', '.join(pids)} in process {next(iter(pids.values()))}"
    return ", ".join(f"{name} {pid}" for name, pid in pids.items())


def _closing_lines(summary: Summary, restarts: dict[str, int], folder: RunFolder) -> str:
    lines = [f"  outcome        {summary.outcome}"]
    if restarts:
        counts = ", ".join(f"{name} {count}" for name, count in restarts.items())
        lines.append(f"  restarts       {counts}")
    if summary.ros_overhead:
        cost = summary.ros_overhead
        same = "the same" if cost["decisions_equal"] else "OTHER"
        lines.append(
            f"  without ROS    {cost['plain_wall_s']:.2f} s and {same} decisions; ROS adds "
            f"{cost['ms_per_step']:.1f} ms and {cost['messages_per_step']:.1f} messages a step"
        )
    return "\n".join([*lines, f"  written to     {folder.path}"])

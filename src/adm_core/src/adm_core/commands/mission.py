"""``adm mission``: a recycling mission in this process, no ROS."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import asdict
from typing import TYPE_CHECKING

from adm_core import __version__
from adm_core.commands.options import add_config_arguments, config_from_args, duration
from adm_core.config import build
from adm_core.errors import ConfigError, MissionError

if TYPE_CHECKING:
    from adm_core.memory.audit import AuditLog
    from adm_core.missions.planners import PlannerSetup
    from adm_core.missions.run_folder import RunFolder
    from adm_core.missions.setup import MissionConfig
    from adm_core.missions.world_process import RemoteWorld

HELP = "run a container-recycling mission in this process, without ROS"
EXAMPLES = """examples:
  adm mission --scenario DN-14 --seed 0
  adm mission --scenario S-6 --method static --seed 3 --json
  adm mission --scenario S-6 --planner responses_strict --record s6.jsonl
  adm mission --scenario S-6 --planner replay --replay s6.jsonl
  adm mission --map building.yaml --containers 8 --stations 2 --save runs/building
  adm mission --resume runs/building
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    from adm_core.llm.config import LlmConfig
    from adm_core.missions.setup import MissionConfig
    from adm_core.planning.llm_planner import LlmPlannerConfig

    add_config_arguments(parser, MissionConfig)
    add_config_arguments(parser, LlmConfig, names={"mode": "planner"})
    add_config_arguments(parser, LlmPlannerConfig)
    add = parser.add_argument
    add("--json", action="store_true", help="print the summary as JSON only")
    add("--save", metavar="DIR", help="write summary, audit log and picture to DIR")
    add("--resume", metavar="DIR", help="finish the mission that was saved to DIR")
    add("--world", metavar="SOCKET", help="act in a world served by another process")
    add("--pace", type=duration, default=0.0, metavar="S", help="pause after each step, to watch")


def run(args: argparse.Namespace) -> int:
    """Run the mission: 0 if every container is delivered, 1 if not."""
    from contextlib import ExitStack

    from adm_core.memory.audit import AuditLog
    from adm_core.missions.live_view import LiveView
    from adm_core.missions.recycling import LocalMission, prepare
    from adm_core.missions.summary import summarize

    with ExitStack() as stack:
        folder = _folder(args)
        audit = stack.enter_context(AuditLog(folder.audit)) if folder else None
        setup = prepare(_config(args, audit))
        planners = stack.enter_context(_planners(args, audit))
        if folder and planners.ledger:  # of use above all for a mission that is held
            stack.callback(folder.write_ledger, planners.ledger)
        mission = LocalMission(setup, audit, world=_world(args), planners=planners)
        view = None
        if not args.json:
            view = LiveView(sys.stdout, setup.mission, time.monotonic, setup.mission.goal)
        started = time.perf_counter()
        for snapshot in mission.run():
            if view:
                view.update(snapshot)
            if args.pace:
                time.sleep(args.pace)
        facts = mission.world.facts()
        wall_s = time.perf_counter() - started
        summary = summarize(setup, mission.executor, facts, wall_s, planners)
        if folder and audit:
            audit.commit()
            folder.write(summary, setup, facts)
    if args.json:
        print(json.dumps(summary.as_dict()))
    elif view:
        view.finish(summary)
    return 0 if summary.success else 1


def _folder(args: argparse.Namespace) -> RunFolder | None:
    from adm_core.missions.run_folder import RunFolder

    if args.resume:
        return RunFolder.existing(args.resume)
    return RunFolder(args.save) if args.save else None


def _config(args: argparse.Namespace, audit: AuditLog | None) -> MissionConfig:
    """Return the parameters: of the options, or of the run that is resumed."""
    from adm_core.missions.setup import MissionConfig

    config = config_from_args(args, MissionConfig)
    if args.resume and audit:
        facts = audit.facts()
        if "mission" not in facts or facts.get("ros"):
            raise MissionError(f"{args.resume} holds no run of 'adm mission' that could be resumed")
        if config != MissionConfig():
            raise ConfigError("--resume takes the parameters of its run: give no others")
        return build(MissionConfig, facts["mission"])
    if audit:
        audit.run({"version": __version__, "mission": asdict(config)})
        audit.commit()
    return config


def _planners(args: argparse.Namespace, audit: AuditLog | None) -> PlannerSetup:
    """Return who plans: by the options, or as in the run that is resumed."""
    from adm_core.llm.config import LlmConfig
    from adm_core.missions.planners import set_up_planner
    from adm_core.planning.llm_planner import LlmPlannerConfig

    llm, planning = config_from_args(args, LlmConfig), config_from_args(args, LlmPlannerConfig)
    if args.resume and audit:
        facts = audit.facts()
        llm = build(LlmConfig, {**facts.get("llm", {}), "record": ""})
        planning = build(LlmPlannerConfig, facts.get("planning", {}))
    elif audit:
        audit.run({"llm": asdict(llm), "planning": asdict(planning)})
        audit.commit()
    planners = set_up_planner(llm, planning, os.environ, time.monotonic, time.sleep)
    if planners.warning:
        print(f"adm: warning: {planners.warning}", file=sys.stderr)
    return planners


def _world(args: argparse.Namespace) -> RemoteWorld | None:
    from adm_core.missions.world_process import RemoteWorld

    return RemoteWorld(args.world) if args.world else None

"""``adm mission``: a recycling mission in this process, no ROS."""

from __future__ import annotations

import argparse
import getpass
import json
import os
import signal
import sys
import time
from contextlib import ExitStack, suppress
from functools import partial
from typing import TYPE_CHECKING

from adm_core.commands.options import add_config_arguments, duration, given
from adm_core.errors import AdmError, AuditError, ConfigError, MissionError
from adm_core.files import visible

if TYPE_CHECKING:
    from adm_core.commands.terminal import Terminal
    from adm_core.memory.audit import AuditLog
    from adm_core.missions.live_view import LiveView
    from adm_core.missions.order import Order
    from adm_core.missions.planners import PlannerSetup
    from adm_core.missions.recycling import LocalMission
    from adm_core.missions.run_folder import RunFolder
    from adm_core.missions.setup import MissionSetup
    from adm_core.missions.summary import Summary
    from adm_core.missions.team_setup import TeamSetup
    from adm_core.missions.world_process import RemoteWorld

HELP = "run a container-recycling mission in this process, without ROS"
EXAMPLES = """examples:
  adm mission --scenario DN-14 --seed 0
  adm mission --example > my.yaml            a mission file with every parameter explained
  adm mission my.yaml --seed 3 --json        options win over the file
  adm mission --scenario S-6 --planner responses_strict --record s6.jsonl
  adm mission --scenario S-6 --planner replay --replay s6.jsonl
  adm mission --map building.yaml --containers 8 --stations 2 --save runs/building
  adm mission --resume runs/building
  adm mission --team --scale medium --seed 0     search and collect in an unknown apartment
  adm mission --world arena --seed 0 --png arena.png --mp4 arena.mp4     a body, on PyBullet
  adm mission my.yaml --approve interactive  ask before every skill; --step holds before each

Ctrl-C holds the mission and asks whether to continue, step or quit; without a terminal it ends
the mission in order. SIGUSR1 is an emergency stop: latched, until it is reset at the prompt or by
--reset-estop. Exit code: 0 complete, 1 not, 2 refused or held by an error, 128 + n for a signal.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    from adm_core.commands import arena
    from adm_core.llm.config import LlmConfig
    from adm_core.missions.setup import MissionConfig
    from adm_core.missions.team_config import TeamConfig
    from adm_core.planning.llm_planner import LlmPlannerConfig

    add = parser.add_argument
    add("file", nargs="?", metavar="FILE", help="mission file (YAML); see --example")
    add_config_arguments(parser, MissionConfig)
    add_config_arguments(parser, LlmConfig, names={"mode": "planner"})
    add_config_arguments(parser, LlmPlannerConfig)
    add("--team", action="store_true", help="searchers find the containers in an unknown building")
    add_config_arguments(parser, TeamConfig)
    arena.configure(parser)
    add("--json", action="store_true", help="print the summary as JSON only")
    add("--save", metavar="DIR", help="write summary, audit log and picture to DIR")
    add("--resume", metavar="DIR", help="finish the mission that was saved to DIR")
    add(
        "--world",
        metavar="WORLD",
        help="arena: the rigid-body arena; else the socket of a world in another process",
    )
    add("--pace", type=duration, default=0.0, metavar="S", help="pause after each step, to watch")
    add(
        "--example",
        nargs="?",
        const="",
        metavar="NAME",
        help="print a mission file: every parameter explained, or a shipped one",
    )
    people = parser.add_argument_group("people")
    people.add_argument(
        "--approve",
        metavar="WHO",
        help="trusted (default), interactive, reversible (ask about what cannot be undone), or the "
        "skills approved beforehand, as navigate,grasp",
    )
    people.add_argument("--step", action="store_true", help="hold before every skill")
    people.add_argument("--operator", metavar="NAME", help="name for the log (default: yours)")
    people.add_argument(
        "--reset-estop", action="store_true", help="lift the emergency stop of a resumed mission"
    )


def run(args: argparse.Namespace) -> int:
    """Run the mission: 0 if every container is delivered, 1 if not."""
    if args.example is not None:
        from adm_core.missions.mission_template import example

        print(example(args.example), end="")
        return 0
    with ExitStack() as stack:
        return _run(args, stack)


def _run(args: argparse.Namespace, stack: ExitStack) -> int:
    from adm_core.commands import arena
    from adm_core.commands.terminal import Terminal, signals_control
    from adm_core.memory.audit import AuditLog
    from adm_core.missions.recycling import LocalMission, LocalWorld
    from adm_core.planning.approval import Approval, approved_skills
    from adm_core.planning.controls import Controls

    if args.window:
        stack.enter_context(arena.chatter_apart())
    terminal = Terminal(args.operator or _user())
    if args.step and not terminal.is_there:
        raise MissionError("--step needs a terminal")
    folder = _folder(args)
    if folder:
        stack.enter_context(folder.kept_if_begun())
    audit = stack.enter_context(AuditLog(folder.audit)) if folder else None
    if audit and args.resume:
        audit.check()
    order = _order(args, audit)
    approval = Approval(approved_skills(order.approve), terminal.ask)
    body = arena.wanted(args, audit)
    if audit and not args.resume and not body:
        audit.run(order.facts(""))  # from here on the run can be resumed
        audit.commit()
    team = None if body else _team(order, args)
    if body:
        setup = arena.prepared(order, body, args, audit)
    else:
        setup = team.setup if team else _prepared(order, args)
    planners = stack.enter_context(_planners(order, folder))
    if audit and not args.resume:
        audit.run({**order.facts(setup.mission.map_id), **arena.facts(body, setup)})
        audit.commit()
    reset_by = terminal.operator if args.reset_estop else ""
    controls = Controls(terminal.on_hold, held=args.step, reset_by=reset_by)
    world = LocalWorld(team) if team else None if body else _world(args)
    mission = LocalMission(setup, audit, world, planners, controls, approval)
    if folder:
        folder.begun = True
    if body:
        stack.enter_context(arena.view(mission, args))
    came = stack.enter_context(signals_control(controls, terminal))
    summary = _carry_out(mission, setup, team, planners, folder, audit, terminal, args)
    if signal.SIGTERM in came:
        return 128 + signal.SIGTERM
    if signal.SIGINT in came and summary.outcome == "interrupted":
        return 128 + signal.SIGINT
    return 0 if summary.success else 1


def _carry_out(
    mission: LocalMission,
    setup: MissionSetup,
    team: TeamSetup | None,
    planners: PlannerSetup,
    folder: RunFolder | None,
    audit: AuditLog | None,
    terminal: Terminal,
    args: argparse.Namespace,
) -> Summary:
    """Run a mission to its end, whatever that is, and leave its summary."""
    from adm_core.missions.live_view import LiveView
    from adm_core.missions.summary import summarize
    from adm_core.missions.team import summarize_team

    view = None
    if not args.json:
        view = LiveView(sys.stdout, setup.mission, time.monotonic, setup.mission.goal)
        terminal.pause_view = partial(view.note, "")
    started = time.perf_counter()
    terminal.look = mission.executor.look
    ended, error = _follow(mission, view, args.pace)
    if error is not None and audit:
        audit.rollback()
    try:
        facts = mission.world.facts()
    except AdmError as err:
        raise (error or err) from None
    wall_s = time.perf_counter() - started
    summary: Summary
    if team:
        summary = summarize_team(team, mission, wall_s, planners, ended)
    else:
        summary = summarize(setup, mission.executor, facts, wall_s, planners, ended)
    if folder and audit:
        with suppress(*((AdmError, OSError) if error is not None else ())):
            audit.commit()
            folder.write(summary, setup, facts)
    if isinstance(error, AuditError) and folder:
        raise AuditError(
            f"{error}; the mission is held at its last commit: mend the cause, then "
            f"adm mission --resume {folder.path}"
        ) from error
    if error is not None:
        raise error
    if args.json:
        print(json.dumps(summary.as_dict()))
    elif view:
        view.finish(summary)
    return summary


def _follow(
    mission: LocalMission, view: LiveView | None, pace_s: float
) -> tuple[str, BaseException | None]:
    """Show a mission to its end; return why it ended before its time, and by which error."""
    try:
        for snapshot in mission.run():
            if view:
                view.update(snapshot)
            if pace_s:
                time.sleep(pace_s)
    except KeyboardInterrupt as err:
        return "interrupted", err
    except AdmError as err:
        return f"held: {err}", err
    return "", None


def _folder(args: argparse.Namespace) -> RunFolder | None:
    from adm_core.missions.run_folder import RunFolder

    if args.resume:
        return RunFolder.existing(args.resume)
    return RunFolder(args.save) if args.save else None


def _order(args: argparse.Namespace, audit: AuditLog | None) -> Order:
    """Return what is asked for: by file and options, or by the run that is resumed."""
    from adm_core.llm.config import LlmConfig
    from adm_core.missions.order import order_of, resumed_order
    from adm_core.missions.setup import MissionConfig
    from adm_core.missions.team_config import TeamConfig
    from adm_core.planning.llm_planner import LlmPlannerConfig

    options = {
        "mission": given(args, MissionConfig),
        "llm": given(args, LlmConfig),
        "planning": given(args, LlmPlannerConfig),
    }
    if args.team or given(args, TeamConfig):
        if not args.team:
            raise ConfigError(
                f"options of searchers need --team: {', '.join(given(args, TeamConfig))}"
            )
        options["team"] = given(args, TeamConfig)
    if args.resume and audit:
        if args.file:
            raise ConfigError("--resume takes the mission of its run: give no file")
        return resumed_order(audit, options, args.approve)
    return order_of(args.file or "", options, args.approve, arena=args.world == "arena")


def _prepared(order: Order, args: argparse.Namespace) -> MissionSetup:
    """Build the mission; show the oracle's run where it measures the budget."""
    from adm_core.missions.oracle_progress import OracleProgress
    from adm_core.missions.recycling import prepare

    progress = OracleProgress(sys.stderr, time.monotonic, order.mission.containers)
    watch = None if args.json and not sys.stderr.isatty() else progress
    setup = prepare(order.mission, spec=order.spec, watch=watch)
    progress.finish(setup.mission.budget_steps)
    return setup


def _team(order: Order, args: argparse.Namespace) -> TeamSetup | None:
    """Build the joint mission, if it is one."""
    from adm_core.missions.team import prepare_team

    if order.team is None:
        return None
    if args.world:
        raise ConfigError("--team makes its own world: --world cannot be used with it")
    return prepare_team(order.mission, order.team, spec=order.spec)


def _planners(order: Order, folder: RunFolder | None) -> PlannerSetup:
    """Return who plans, with every call of a model written down from the first one on."""
    from adm_core.missions.planners import set_up_planner

    planners = set_up_planner(order.llm, order.planning, os.environ, time.monotonic, time.sleep)
    if folder and planners.ledger:
        folder.keep_ledger(planners.ledger)
    if planners.warning:
        print(visible(f"adm: warning: {planners.warning}"), file=sys.stderr)
    return planners


def _world(args: argparse.Namespace) -> RemoteWorld | None:
    from adm_core.missions.world_process import RemoteWorld

    return RemoteWorld(args.world) if args.world else None


def _user() -> str:
    """Return the name of whoever is logged in; a plain word."""
    from adm_core.memory.records import is_word

    try:
        name = getpass.getuser()
    except (OSError, KeyError, ImportError):
        name = ""
    return name if is_word(name) else "operator"

"""``adm mission``: a recycling mission in this process, no ROS."""

from __future__ import annotations

import argparse
import json
import sys
import time

from adm_core.commands.options import add_config_arguments, config_from_args

HELP = "run a container-recycling mission in this process, without ROS"
EXAMPLES = """examples:
  adm mission --scenario DN-14 --seed 0
  adm mission --scenario S-6 --method static --seed 3 --json
  adm mission --map building.yaml --containers 8 --stations 2 --save runs/building
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    from adm_core.missions.setup import MissionConfig

    add_config_arguments(parser, MissionConfig)
    parser.add_argument("--json", action="store_true", help="print the summary as JSON only")
    parser.add_argument("--save", metavar="DIR", help="write summary, audit log and picture to DIR")
    parser.add_argument(
        "--pace", type=float, default=0.0, metavar="S", help="pause after each step, to watch"
    )


def run(args: argparse.Namespace) -> int:
    """Run the mission: 0 if every container is delivered, 1 if not."""
    from contextlib import ExitStack

    from adm_core.memory.audit import AuditLog
    from adm_core.missions.live_view import LiveView
    from adm_core.missions.recycling import LocalMission, prepare
    from adm_core.missions.run_folder import RunFolder
    from adm_core.missions.setup import MissionConfig
    from adm_core.missions.summary import summarize

    setup = prepare(config_from_args(args, MissionConfig))
    with ExitStack() as stack:
        folder = RunFolder(args.save) if args.save else None
        audit = stack.enter_context(AuditLog(folder.audit)) if folder else None
        mission = LocalMission(setup, audit)
        stream = sys.stderr if args.json else sys.stdout
        view = None
        if not args.json:
            view = LiveView(stream, setup.mission, time.monotonic, setup.mission.goal)
        started = time.perf_counter()
        for snapshot in mission.run():
            if view:
                view.update(snapshot)
            if args.pace:
                time.sleep(args.pace)
        wall_s = time.perf_counter() - started
        facts = mission.world.facts()
        summary = summarize(setup, mission.executor, facts, wall_s)
        if audit:
            audit.commit()
        if folder:
            folder.write(summary, setup, facts)
    if args.json:
        print(json.dumps(summary.as_dict()))
    elif view:
        view.finish(summary)
    return 0 if summary.success else 1

"""``adm search``: a team of robots explores a building, or finds something in it."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from typing import TYPE_CHECKING

from adm_core.commands.options import add_config_arguments, config_from_args
from adm_core.files import visible

if TYPE_CHECKING:
    from adm_core.commands.search_report import Film
    from adm_core.missions.coordinators import CoordinatorSetup
    from adm_core.missions.search import SearchMission, Setting
    from adm_core.missions.search_setup import SearchMissionConfig

#: Parameters of the methods that a mission takes from its robots' sensor.
_SENSED = ("turn_costs", "fov_deg", "range_cells")

HELP = "let a team of robots explore a building, or find something in it"
EXAMPLES = """examples:
  adm search --map floors/3ne.yaml --robots 3 --task "find the printer in the lab"
  adm search --map house.json --robots 2 --task explore --png out.png
  adm search --scale large --seed 7 --task "find my jacket left in my bedroom" --gif out.gif
  adm search --scale medium --radio-cells 20 --stops 1 --json
  adm search --scale large --coordinator chat_json_schema --base-url http://127.0.0.1:8000/v1

The map is the truth, which the robots do not know. Give --scale instead of --map for a
generated apartment. Exit code 0: found, or all explored that can be reached.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    from adm_core.simulation.search.radio import RadioConfig
    from adm_core.simulation.search.world import Faults

    add_search_arguments(parser)
    add = parser.add_argument
    add("--png", metavar="OUT.png", help="draw what was seen and where the robots went")
    add("--gif", metavar="OUT.gif", help="replay as an animation")
    add("--json", action="store_true", help="print the result as JSON only")
    for config in (Faults, RadioConfig):
        add_config_arguments(parser, config)


def add_search_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what a search has in this process and on ROS 2 nodes."""
    from adm_core.llm.config import LlmConfig
    from adm_core.search.config import SearchConfig
    from adm_core.search.coordinators.llm import LlmCoordinatorConfig
    from adm_core.search.methods import METHODS
    from adm_core.simulation.search.config import SCALES, ScenarioConfig

    add = parser.add_argument
    add("--map", metavar="FILE", help="floor plan: map_server .yaml, HouseExpo .json, floor.config")
    add("--rooms", metavar="LABELS", help="legend of a label image (default: what lies beside)")
    add("--scale", choices=tuple(SCALES), help="generate an apartment of this size")
    add("--robots", type=int, default=0, metavar="N", help="robots (default: 3; by the scale)")
    add("--seed", type=int, default=0, metavar="N", help="of starts and chance (default 0)")
    add("--task", default="", help='"explore", or a sentence such as "find the cup in the kitchen"')
    add("--method", default="sagr+", choices=(*METHODS, "oracle"), help="default %(default)s")
    add("--cell", type=float, default=0.25, metavar="M", help="cells of the map (default 0.25 m)")
    add("--budget", type=int, default=20_000, metavar="STEPS", help="end after (default 20000)")
    add_config_arguments(parser, SearchConfig, without=_SENSED)
    add_config_arguments(parser, ScenarioConfig)
    add_config_arguments(parser, LlmConfig, names={"mode": "coordinator"})
    add_config_arguments(parser, LlmCoordinatorConfig)


def run(args: argparse.Namespace) -> int:
    """Run the search: 0 if it was found or all that can be reached is explored, else 1."""
    from adm_core.commands import search_report
    from adm_core.errors import ConfigError
    from adm_core.missions.search import SearchMission
    from adm_core.missions.search_setup import method_of, set_up_search

    for name in ("png", "gif"):
        if getattr(args, name) and not getattr(args, name).lower().endswith(f".{name}"):
            raise ConfigError(f"--{name} must end in .{name}, got {getattr(args, name)}")
    config = search_config(args)
    with _coordinators(args) as coordinators:
        setting = _setting(args)
        scenario, task, notes = set_up_search(
            config, setting.sensor, setting.search.radius_cells, coordinators
        )
        method = method_of(args.method, coordinators)
        mission = SearchMission(scenario, method, task, setting, args.seed)
        film = search_report.Film(mission, bool(args.gif))
        _carry_out(mission, film, args.json)
    result = search_report.report(mission, args.method, notes, coordinators)
    if args.png:
        film.draw(args.png, result)
    if args.gif:
        film.write_gif(args.gif)
    print(json.dumps(result) if args.json else search_report.as_text(result))
    return 0 if result["success"] else 1


def search_config(args: argparse.Namespace) -> SearchMissionConfig:
    """Return the parameters of the search; ConfigError if they do not fit together."""
    from adm_core.errors import ConfigError
    from adm_core.missions.search_setup import SearchMissionConfig

    if bool(args.map) == bool(args.scale):
        raise ConfigError("give either --map FILE or --scale small|medium|large")
    for name, least in (("robots", 0), ("seed", 0), ("budget", 1)):
        if getattr(args, name) < least:
            raise ConfigError(f"--{name} must be >= {least}, got {getattr(args, name)}")
    if args.robots > 64:
        raise ConfigError(f"--robots must be <= 64, got {args.robots}")
    if args.scale and args.robots:
        raise ConfigError("the scale fixes the number of robots: --robots goes with --map")
    if not args.cell > 0:
        raise ConfigError(f"--cell must be > 0 m, got {args.cell:g}")
    return SearchMissionConfig(
        map=args.map or "",
        rooms=args.rooms or "",
        scale=args.scale or "",
        robots=args.robots,
        seed=args.seed,
        task=args.task,
        method=args.method,
        cell_m=args.cell,
        budget_steps=args.budget,
    )


def _coordinators(args: argparse.Namespace) -> CoordinatorSetup:
    from adm_core.llm.config import LlmConfig
    from adm_core.missions.coordinators import set_up_coordinator
    from adm_core.search.coordinators.llm import LlmCoordinatorConfig

    setup = set_up_coordinator(
        config_from_args(args, LlmConfig),
        config_from_args(args, LlmCoordinatorConfig),
        os.environ,
        time.monotonic,
        time.sleep,
    )
    if setup.warning:
        print(visible(f"adm: warning: {setup.warning}"), file=sys.stderr)
    return setup


def _setting(args: argparse.Namespace) -> Setting:
    from adm_core.missions.search import Setting
    from adm_core.search.config import SearchConfig
    from adm_core.simulation.search.config import ScenarioConfig
    from adm_core.simulation.search.radio import RadioConfig
    from adm_core.simulation.search.world import Faults

    return Setting(
        config_from_args(args, SearchConfig),
        config_from_args(args, ScenarioConfig),
        config_from_args(args, Faults),
        config_from_args(args, RadioConfig),
        args.budget,
    )


def _carry_out(mission: SearchMission, film: Film, quiet: bool) -> None:
    """Run the mission with a line of progress on a terminal."""
    shows = not quiet and sys.stderr.isatty()
    for snapshot in mission.run():
        film.take(snapshot)
        if shows and snapshot.step % 10 == 0:
            line = f"step {snapshot.step}: {100 * snapshot.share:.1f} % seen, {snapshot.state}"
            print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)
    if shows:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)

"""``adm graph``: the area graph of a map, and what a language model would be told of it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from adm_core.commands.options import add_config_arguments, config_from_args
from adm_core.files import visible

if TYPE_CHECKING:
    from adm_core.grid.floorplans import LabelledMap

HELP = "show rooms, frontiers and edges of a map, and the text a model would get"
EXAMPLES = """examples:
  adm graph maps/office-medium-0.yaml --explored 0.5
  adm graph floors/3ne.yaml --explored 0.6 --robots 3 --task "find the printer in the lab"
  adm graph house.json --explored 0.4 --seed 2 --png graph.png
  adm graph cartographer.yaml --free-max 40 --json
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``adm graph``."""
    from adm_core.search.config import SearchConfig

    add = parser.add_argument
    add("map", metavar="MAP", help="map_server .yaml, HouseExpo .json, floor.config, or a folder")
    add(
        "--rooms",
        metavar="LABELS",
        help="label image or its legend (default: what lies beside the map)",
    )
    add("--explored", type=float, metavar="FRACTION", help="share explored from a random start")
    add("--robots", type=int, default=2, metavar="N", help="robots (default: %(default)s)")
    add("--task", default="explore", help='a sentence such as "find the cup in the kitchen"')
    add(
        "--seed",
        type=int,
        default=0,
        metavar="N",
        help="of start and robots (default: %(default)s)",
    )
    add(
        "--cell",
        type=float,
        default=0.25,
        metavar="M",
        help="cells in m, finer maps are pooled; 0: as is (default: %(default)s)",
    )
    add(
        "--free-max",
        type=int,
        default=0,
        metavar="V",
        help="largest occupancy of free cells (default: %(default)s)",
    )
    add(
        "--occupied-min",
        type=int,
        default=65,
        metavar="V",
        help="least occupancy of walls (default: %(default)s)",
    )
    add("--png", metavar="OUT.png", help="draw the graph")
    add("--json", action="store_true", help="print JSON")
    add_config_arguments(parser, SearchConfig, without=_others(SearchConfig))


def run(args: argparse.Namespace) -> int:
    """Build, print and draw the graph."""
    from adm_core.commands import graph_picture, graph_report
    from adm_core.search.config import SearchConfig
    from adm_core.search.query import search_query
    from adm_core.search.task_parser import parse_task
    from adm_core.simulation.search.reveal import partial_view

    _check(args)
    plan = _load(args)
    kinds = [item.kind for item in plan.objects if item.kind]
    task, warnings = parse_task(args.task, plan.types.names.values(), kinds)
    view = partial_view(
        plan,
        args.robots,
        args.seed,
        fraction=args.explored,
        task=task,
        config=config_from_args(args, SearchConfig),
    )
    graph = view.map.graph(view.robot_cells)
    shown = graph_report.Shown(
        plan, view, graph, search_query(graph, view), (*plan.notes, *warnings)
    )
    print(visible(graph_report.as_json(shown) if args.json else graph_report.as_text(shown)))
    if args.png:
        graph_picture.draw(args.png, shown)
    return 0


def _others(config: type) -> list[str]:
    """Return the parameters that no graph depends on."""
    from adm_core.config import parameters

    return [item.name for item in parameters(config) if item.name not in ("c_max", "min_size")]


def _check(args: argparse.Namespace) -> None:
    from adm_core.errors import ConfigError

    if args.explored is not None and not 0 <= args.explored <= 1:
        raise ConfigError(f"--explored must be between 0 and 1, got {args.explored:g}")
    if not 1 <= args.robots <= 64:
        raise ConfigError(f"--robots must be between 1 and 64, got {args.robots}")
    if args.seed < 0:
        raise ConfigError(f"--seed must be >= 0, got {args.seed}")
    if not 0 <= args.cell <= 10:
        raise ConfigError(f"--cell must be between 0 and 10 m, got {args.cell:g}")
    if not 0 <= args.free_max < args.occupied_min <= 100:
        raise ConfigError(
            "--free-max and --occupied-min must keep 0 <= free < occupied <= 100, "
            f"got {args.free_max} and {args.occupied_min}"
        )


def _load(args: argparse.Namespace) -> LabelledMap:
    """Return the plan in the cells that were asked for, with plain occupancies."""
    from dataclasses import replace

    from adm_core.grid.floorplans import load_floorplan
    from adm_core.grid.floorplans.pooled import pool_plan
    from adm_core.grid.values import simplify

    plan = load_floorplan(args.map, labels=args.rooms)
    grid_map = plan.grid_map
    data = simplify(grid_map.data, args.free_max, args.occupied_min)
    plan = replace(plan, grid_map=replace(grid_map, data=data, map_id=""))
    return pool_plan(plan, args.cell) if args.cell else plan

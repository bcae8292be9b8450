"""``adm world``: write a generated building as map and label files."""

from __future__ import annotations

import argparse
from pathlib import Path

from adm_core.commands.options import add_config_arguments, config_from_args, given
from adm_core.errors import ConfigError
from adm_core.files import visible
from adm_core.simulation.building.config import BuildingConfig

HELP = "generate a building: map_server files with room labels"
EXAMPLES = """examples:
  adm world --seed 0 --out maps/
  adm world --kind apartment --scale small --seed 3 --out maps/ --png
  adm world --size 24x16 --rooms 18 --seed 1 --out maps/ --json
  adm world --search large --seed 5001 --out maps/ --png
  adm world --search medium --seed 5001 --survey 100
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``adm world``."""
    add = parser.add_argument
    add("--seed", type=int, default=0, metavar="N", help="seed, >= 0 (default: %(default)s)")
    add("--out", default="maps", metavar="DIR", help="folder to write to (default: %(default)s)")
    add("--name", help="name of the files (default: from kind, size and seed)")
    add("--png", action="store_true", help="draw the building too")
    add("--json", action="store_true", help="print JSON")
    add(
        "--search",
        choices=("small", "medium", "large"),
        help="a world of the search experiments, with robots and target; takes no building options",
    )
    add("--survey", type=int, metavar="N", help="with --search: figures of N worlds, no files")
    add_config_arguments(parser, BuildingConfig)


def run(args: argparse.Namespace) -> int:
    """Generate, write and report a building."""
    import numpy as np

    from adm_core.commands import world_report
    from adm_core.grid.map_io import save_map
    from adm_core.simulation.building.generate import generate_building

    if args.name and Path(args.name).name != args.name:
        raise ConfigError(f"--name must be a plain file name, got {args.name!r}")
    if args.seed < 0:
        raise ConfigError(f"--seed must be >= 0, got {args.seed}")
    if args.survey is not None and (args.search is None or args.survey < 1):
        raise ConfigError(f"--survey needs --search and a number >= 1, got {args.survey}")
    if args.search:
        unused = sorted(given(args, BuildingConfig))
        if unused:
            raise ConfigError(f"--search takes no building options, got {', '.join(unused)}")
        return _survey(args) if args.survey else _search_world(args)
    config = config_from_args(args, BuildingConfig)
    building = generate_building(config, np.random.default_rng(args.seed))
    name = args.name or f"{config.kind}-{config.size or config.scale}-{args.seed}"
    path = save_map(building.grid_map, f"{args.out}/{name}.yaml", building.labels)
    picture = world_report.draw(building, path) if args.png else None
    render = world_report.as_json if args.json else world_report.as_text
    print(visible(render(building, path, picture)))
    return 0


def _search_world(args: argparse.Namespace) -> int:
    """Write and report one world of the search experiments."""
    from adm_core.commands import search_world_report as report
    from adm_core.grid.labels import LabelGrid
    from adm_core.grid.map_io import save_map
    from adm_core.simulation.search.scenario import make_scenario, world_of

    scenario = make_scenario(args.search, args.seed)
    labels = LabelGrid(scenario.room_type, scenario.names)
    name = args.name or f"search-{scenario.name}"
    path = save_map(scenario.truth, f"{args.out}/{name}.yaml", labels)
    building = world_of(args.search, args.seed)
    picture = report.draw(building, scenario, path) if args.png else None
    print(visible((report.as_json if args.json else report.as_text)(scenario, path, picture)))
    return 0


def _survey(args: argparse.Namespace) -> int:
    """Report the figures of many worlds of the search experiments."""
    from adm_core.commands import search_world_report as report
    from adm_core.simulation.search.statistics import survey

    figures = survey(args.search, range(args.seed, args.seed + args.survey))
    print((report.survey_json if args.json else report.survey_text)(args.search, figures))
    return 0

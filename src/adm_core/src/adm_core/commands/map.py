"""``adm map``: what a map file holds, and what is wrong with it."""

from __future__ import annotations

import argparse

from adm_core.files import visible

HELP = "show size, shares, free parts and traps of a map_server map"
EXAMPLES = """examples:
  adm map maps/office.yaml
  adm map maps/office.yaml --radius 0.35 --json
  adm map maps/office.yaml --png office.png
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``adm map``."""
    parser.add_argument("map", metavar="FILE.yaml", help="map_server file")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--png", metavar="OUT.png", help="draw the map")
    parser.add_argument(
        "--radius",
        type=float,
        default=0.20,
        metavar="M",
        help="robot radius in metres (default: %(default)s)",
    )


def run(args: argparse.Namespace) -> int:
    """Print the report of a map and draw it if told to."""
    from adm_core.commands import map_report
    from adm_core.errors import ConfigError
    from adm_core.grid.map_image import read_image
    from adm_core.grid.map_io import build_map
    from adm_core.grid.map_metadata import read_metadata
    from adm_core.grid.map_traps import find_traps
    from adm_core.grid.statistics import describe

    if not 0 <= args.radius <= 1e6:
        raise ConfigError(f"--radius must be between 0 and 1e6 m, got {args.radius:g}")
    meta = read_metadata(args.map)
    image = read_image(meta.image)
    grid_map = build_map(meta, image)
    figures = describe(grid_map, args.radius)
    traps = find_traps(meta, image, figures)
    render = map_report.as_json if args.json else map_report.as_text
    print(visible(render(args.map, meta, figures, traps)))
    if args.png:
        map_report.draw(args.png, args.map, grid_map, figures)
    return 0

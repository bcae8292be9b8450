"""``adm twin``: the whole system against a simulated robot on a real ROS 1 side."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict

from adm_core.errors import AdmError

HELP = "run a mission of the digital twin: ROS 1 robot, bridge, ROS 2 nodes, drone"
EXAMPLES = """examples:
  adm twin --seed 3
  adm twin --seed 3 --faults
  adm twin --bridge ros1_bridge     with ADM_ROS1_BRIDGE=/path/to/parameter_bridge
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--seed", type=int, default=0, help="layout (default 0)")
    parser.add_argument("--faults", action="store_true", help="let things go wrong")
    parser.add_argument("--bridge", choices=("relay", "ros1_bridge"), default="relay")
    parser.add_argument(
        "--rate", type=float, default=1.0, metavar="X", help="times real time (default 1)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object at the end")
    parser.add_argument(
        "--runs", default="runs", metavar="DIR", help="where run folders go (default runs)"
    )


def run(args: argparse.Namespace) -> int:
    """Run it: 0 if every container is delivered and nothing was unsafe, 1 if not."""
    try:
        from adm_nodes.bringup.twin import TwinOptions, run_twin
    except ImportError as err:
        raise AdmError(f"ROS 2 cannot be used ({err}): run '. scripts/env.sh' first") from err
    options = TwinOptions(args.seed, args.faults, args.bridge, args.rate)
    stream = sys.stderr if args.json else sys.stdout
    result, folder = run_twin(options, args.runs, stream)
    if args.json:
        print(json.dumps(asdict(result)))
    else:
        print(_closing_lines(result, folder))
    return 0 if result.passed else 1


def _closing_lines(result: object, folder: object) -> str:
    values = asdict(result)  # type: ignore[call-overload]
    seen = values["observer"].get("violations", [])
    lines = [
        f"  outcome        {values['outcome']}",
        f"  at stations    {values['delivered']} of {values['containers']}",
        f"  mission        {values['steps']} s, {values['planner_calls']} plans, "
        f"{values['path_m']} m",
        f"  failed skills  {'; '.join(values['failures']) or 'none'}",
        f"  observer       {'safe' if values['safe'] else f'{len(seen)} violations'}",
        f"  took           {values['wall_s']} s",
        f"  written to     {folder}",
    ]
    return "\n".join(lines)

"""``adm up``: missions on ROS 2 nodes, without the launch package."""

from __future__ import annotations

import argparse
import sys

from adm_core.commands.options import add_config_arguments, config_from_args, duration, given
from adm_core.errors import AdmError, ConfigError

from adm_nodes.commands import up_search, up_team
from adm_nodes.commands.watching import add_watching_arguments, extras_from

HELP = "run a mission on ROS 2 lifecycle nodes, in one process or one per node"
EXAMPLES = """examples:
  adm up recycling --scenario DN-14 --seed 0
  adm up recycling --scenario S-6 --method static --nodes process
  adm up recycling --map building.yaml --containers 8
  adm up recycling --planner responses_strict --approve reversible --nodes process
  adm up recycling --view --mcap --pace   0.2    markers to look at, and runs/latest/run.mcap
  adm up search --robots 3 --map floor.yaml --seed 0 --task "find the printer in the lab"
  adm up search --scale large --seed 7 --nodes process
  adm up team --scale small --containers 4 --seed 0
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the missions and their options."""
    from adm_core.llm.config import LlmConfig
    from adm_core.missions.setup import MissionConfig
    from adm_core.planning.llm_planner import LlmPlannerConfig

    from adm_nodes.bringup.restart import RestartConfig
    from adm_nodes.common.run_config import SteeringConfig

    missions = parser.add_subparsers(dest="mission", metavar="MISSION", required=True)
    up_search.configure(missions)
    up_team.configure(missions)
    recycling = missions.add_parser("recycling", help="bring containers to their stations")
    add_config_arguments(recycling, MissionConfig)
    recycling.add_argument(
        "--nodes",
        choices=("composed", "process"),
        default="composed",
        help="all nodes in this process, or each in its own (default composed)",
    )
    recycling.add_argument(
        "--pace", type=duration, default=0.0, metavar="S", help="pause after each step, to watch"
    )
    add_watching_arguments(recycling)
    add_config_arguments(recycling, LlmConfig, {"mode": "planner"})
    add_config_arguments(recycling, LlmPlannerConfig)
    add_config_arguments(recycling, SteeringConfig)
    add_config_arguments(recycling, RestartConfig)
    recycling.add_argument(
        "--resume", metavar="RUN", help="go on with the run in this folder, as it was begun"
    )
    recycling.add_argument(
        "--runs", default="runs", metavar="DIR", help="where run folders go (default runs)"
    )


def run(args: argparse.Namespace) -> int:
    """Run the mission: 0 if it came to its end, 1 if not."""
    if args.mission == "search":
        return up_search.run(args)
    if args.mission == "team":
        return up_team.run(args)
    from adm_core.llm.config import LlmConfig
    from adm_core.missions.setup import MissionConfig
    from adm_core.planning.llm_planner import LlmPlannerConfig

    from adm_nodes.bringup.restart import RestartConfig
    from adm_nodes.common.run_config import SteeringConfig

    config = config_from_args(args, MissionConfig)
    try:
        from adm_nodes.bringup.recycling import resume_recycling, run_recycling
    except ImportError as err:
        raise AdmError(f"ROS 2 cannot be used ({err}): run '. scripts/env.sh' first") from err
    how = {
        "pace_s": args.pace,
        "extras": extras_from(args),
        "record": args.mcap,
        "restart": config_from_args(args, RestartConfig),
    }
    if args.resume:
        fixed = (MissionConfig, LlmConfig, LlmPlannerConfig, SteeringConfig)
        others = sorted(set().union(*(given(args, cls) for cls in fixed)))
        if others:
            raise ConfigError(
                f"--resume takes the parameters of its run: give no others ({', '.join(others)})"
            )
        return resume_recycling(args.resume, args.nodes == "process", sys.stdout, **how)
    return run_recycling(
        config,
        args.nodes == "process",
        args.runs,
        sys.stdout,
        **how,
        llm=config_from_args(args, LlmConfig),
        planning=config_from_args(args, LlmPlannerConfig),
        steering=config_from_args(args, SteeringConfig),
    )

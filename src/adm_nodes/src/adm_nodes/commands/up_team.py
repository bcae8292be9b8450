"""``adm up team``: searchers and a manipulator in one building, on ROS 2 nodes."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from adm_core.commands.options import add_config_arguments, config_from_args
from adm_core.errors import AdmError

from adm_nodes.commands.up_search import add_run_arguments
from adm_nodes.commands.watching import extras_from


def configure(missions: Any) -> None:
    """Add the mission and its options to the parser of ``adm up``."""
    from adm_core.missions.setup import MissionConfig
    from adm_core.missions.team_config import TeamConfig

    from adm_nodes.bringup.pacing import PacingConfig

    team = missions.add_parser("team", help="search an unknown building and collect meanwhile")
    add_config_arguments(team, MissionConfig)
    add_config_arguments(team, TeamConfig)
    add_config_arguments(team, PacingConfig, without=("lockstep", "step_s"))
    add_run_arguments(team)


def run(args: argparse.Namespace) -> int:
    """Run the mission: 0 if every container is delivered, 1 if not."""
    from adm_core.missions.setup import MissionConfig
    from adm_core.missions.team_config import TeamConfig

    from adm_nodes.bringup.pacing import PacingConfig

    pacing = config_from_args(args, PacingConfig)
    try:
        from adm_nodes.bringup.team import run_team
    except ImportError as err:
        raise AdmError(f"ROS 2 cannot be used ({err}): run '. scripts/env.sh' first") from err
    return run_team(
        config_from_args(args, MissionConfig),
        config_from_args(args, TeamConfig),
        pacing,
        args.nodes == "process",
        args.runs,
        sys.stdout,
        pace_s=args.pace,
        compare=not args.no_compare,
        extras=extras_from(args),
        record=args.mcap,
    )

"""``adm up search``: a team searches a building, on ROS 2 nodes."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from adm_core.commands.options import add_config_arguments, config_from_args, duration
from adm_core.errors import AdmError, ConfigError

from adm_nodes.commands.watching import add_watching_arguments, extras_from


def configure(missions: Any) -> None:
    """Add the mission and its options to the parser of ``adm up``."""
    from adm_core.commands.search import add_search_arguments

    from adm_nodes.bringup.pacing import PacingConfig

    search = missions.add_parser("search", help="explore a building, or find something in it")
    add_search_arguments(search)
    add_config_arguments(search, PacingConfig)
    add_run_arguments(search)


def add_run_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what missions of a team have in common."""
    parser.add_argument(
        "--nodes",
        choices=("composed", "process"),
        default="composed",
        help="all nodes in this process, or each in its own (default composed)",
    )
    parser.add_argument(
        "--pace", type=duration, default=0.0, metavar="S", help="least time of a step, to watch"
    )
    add_watching_arguments(parser)
    parser.add_argument(
        "--runs", default="runs", metavar="DIR", help="where run folders go (default runs)"
    )
    parser.add_argument(
        "--no-compare", action="store_true", help="do not run it again without ROS at the end"
    )


def run(args: argparse.Namespace) -> int:
    """Run the search: 0 if it was found or all that can be reached is explored, else 1."""
    from adm_core.commands.search import search_config
    from adm_core.llm.config import LlmConfig
    from adm_core.search.config import SearchConfig
    from adm_core.search.coordinators.llm import LlmCoordinatorConfig
    from adm_core.simulation.search.config import ScenarioConfig

    from adm_nodes.bringup.pacing import PacingConfig
    from adm_nodes.bringup.search_nodes import SearchParameters

    if args.method == "oracle":
        raise ConfigError("--method oracle knows the building: there is no such robot")
    given = SearchParameters(
        search_config(args),
        config_from_args(args, ScenarioConfig),
        config_from_args(args, SearchConfig),
        config_from_args(args, LlmConfig),
        config_from_args(args, LlmCoordinatorConfig),
        config_from_args(args, PacingConfig),
        args.pace,
        extras_from(args),
    )
    try:
        from adm_nodes.bringup.search import run_search
    except ImportError as err:
        raise AdmError(f"ROS 2 cannot be used ({err}): run '. scripts/env.sh' first") from err
    return run_search(
        given,
        args.nodes == "process",
        args.runs,
        sys.stdout,
        compare=not args.no_compare,
        record=args.mcap,
    )

"""Options of ``adm up`` for people who want to look at a run."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adm_nodes.common.run_config import ExtrasConfig


def add_watching_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--view", action="store_true", help="viewer nodes, too: markers for RViz and Foxglove"
    )
    parser.add_argument(
        "--diagnostics", action="store_true", help="a node, too, that reports on /diagnostics"
    )
    parser.add_argument(
        "--mcap", action="store_true", help="every message into run.mcap of the run folder"
    )


def extras_from(args: argparse.Namespace) -> ExtrasConfig:
    """Return the extra nodes that were asked for."""
    from adm_nodes.common.run_config import ExtrasConfig

    return ExtrasConfig(args.view, args.diagnostics)

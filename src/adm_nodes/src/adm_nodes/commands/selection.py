"""Options that choose topics of a recording."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING

from adm_core.errors import AdmError

if TYPE_CHECKING:
    from adm_nodes.recording.recorder import Selection


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--topics", default="", metavar="REGEX", help="only topics whose name holds this"
    )
    parser.add_argument(
        "--exclude", default="", metavar="REGEX", help="no topics whose name holds this"
    )


def selection_from(args: argparse.Namespace) -> Selection:
    """Return what was chosen; raise AdmError for what is no regular expression."""
    for option, text in (("--topics", args.topics), ("--exclude", args.exclude)):
        try:
            re.compile(text)
        except re.error as err:
            raise AdmError(f"{option} {text!r} is no regular expression: {err}") from err
    try:
        from adm_nodes.recording.recorder import Selection
    except ImportError as err:
        raise AdmError(f"ROS 2 cannot be used ({err}): run '. scripts/env.sh' first") from err
    return Selection(args.topics, args.exclude)

"""``adm record``: what runs in a ROS domain, as one MCAP file."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from adm_core.commands.options import duration
from adm_core.errors import AdmError

from adm_nodes.commands.selection import add_selection, selection_from

HELP = "record the messages of a ROS domain into an MCAP file (Foxglove, rosbag2)"
EXAMPLES = """examples:
  ROS_DOMAIN_ID=42 adm up recycling &            a mission in a domain that you chose
  ROS_DOMAIN_ID=42 adm record -o run.mcap        until Ctrl-C
  adm record --topics 'mission|records' --duration 60
  adm replay run.mcap                            play it again
"""

_SHOW_S = 1.0


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("-o", "--out", metavar="FILE", help="new file (default run-DATE-TIME.mcap)")
    add_selection(parser)
    parser.add_argument("--duration", type=duration, metavar="S", help="stop after this time")
    parser.add_argument("--quiet", action="store_true", help="no progress")


def run(args: argparse.Namespace) -> int:
    """Record until interrupted: 0 if everything could be written."""
    selection = selection_from(args)
    try:
        import rclpy
        from rclpy.signals import SignalHandlerOptions

        from adm_nodes.recording.session import Recording
    except ImportError as err:
        raise AdmError(f"ROS 2 cannot be used ({err}): run '. scripts/env.sh' first") from err
    path = Path(args.out or time.strftime("run-%Y%m%d-%H%M%S.mcap"))
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    try:
        with Recording(path, selection) as recording:
            _wait(recording, args.duration, args.quiet)
    finally:
        rclpy.try_shutdown()
    writer = recording.writer
    size = f"{writer.data_bytes / 1e6:.1f} MB"
    print(f"{path}: {writer.messages} messages of {writer.topics} topics, {size}")
    if recording.failure is not None:
        raise recording.failure
    return 0


def _wait(recording, limit_s: float | None, quiet: bool) -> None:  # type: ignore[no-untyped-def]
    begin = time.monotonic()
    try:
        while limit_s is None or time.monotonic() - begin < limit_s:
            left = _SHOW_S if limit_s is None else limit_s - (time.monotonic() - begin)
            if recording.stopped.wait(max(0.0, min(_SHOW_S, left))):
                return
            if not quiet and sys.stderr.isatty():
                writer = recording.writer
                line = f"{writer.messages} messages of {writer.topics} topics"
                print(f"\r{time.monotonic() - begin:6.0f} s  {line}", end="", file=sys.stderr)
    except KeyboardInterrupt:
        pass  # the usual end
    finally:
        if not quiet and sys.stderr.isatty():
            print(file=sys.stderr)

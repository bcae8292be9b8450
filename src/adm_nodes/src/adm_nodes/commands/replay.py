"""``adm replay``: a recorded run on its topics again, or a list of what a file holds."""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path
from typing import Any

from adm_core.files import visible

from adm_nodes.commands.selection import add_selection, selection_from

HELP = "play an MCAP recording on its topics again, or tell what it holds"
EXAMPLES = """examples:
  adm replay run.mcap --info                 topics, types, numbers; --json for programs
  adm replay run.mcap --rate 4               four times as fast; --rate 0: as fast as possible
  adm replay run.mcap --topics markers --loop --clock
  adm replay run.mcap --rerun                as a Rerun scene; --rerun scene.rrd saves it
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("file", metavar="RUN.mcap", help="recording of adm record or rosbag2")
    parser.add_argument("--info", action="store_true", help="only tell what the file holds")
    parser.add_argument("--json", action="store_true", help="with --info: print JSON")
    parser.add_argument(
        "--rate", type=_rate, default=1.0, metavar="X", help="speed (default 1; 0: no pauses)"
    )
    parser.add_argument("--loop", action="store_true", help="begin again at the end")
    parser.add_argument("--clock", action="store_true", help="publish recorded time on /clock")
    parser.add_argument(
        "--rerun", nargs="?", const="", metavar="FILE", help="show in Rerun, or save for it"
    )
    add_selection(parser)


def run(args: argparse.Namespace) -> int:
    """Play the file, or tell what it holds."""
    selection = selection_from(args)
    path = Path(args.file)
    if args.info:
        from adm_nodes.recording.player import survey

        _tell(survey(path, selection), args.json)
        return 0
    if args.rerun is not None:
        from adm_nodes.recording.rerun_view import show

        count = show(path, selection, Path(args.rerun) if args.rerun else None)
        print(f"{count} messages shown" if not args.rerun else f"{args.rerun}: {count} messages")
        return 0
    return _play(args, path, selection)


def _play(args: argparse.Namespace, path: Path, selection: Any) -> int:
    import rclpy
    from rclpy.signals import SignalHandlerOptions

    from adm_nodes.recording.player import Player

    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    try:
        player = Player(path, selection, args.clock)
        show = _Progress(player.contents.duration_s)
        while True:
            player.play(args.rate, show)
            if not args.loop:
                break
        show.finish()
        print(f"{player.contents.messages} messages of {len(player.contents.topics)} topics played")
    finally:
        rclpy.try_shutdown()
    return 0


class _Progress:
    """One line on a terminal, at most ten times a recorded second."""

    def __init__(self, duration_s: float) -> None:
        self._duration_s, self._shown = duration_s, -1.0
        self._wanted = sys.stderr.isatty()

    def __call__(self, at: float) -> None:
        if self._wanted and not 0.0 <= at - self._shown < 0.1:
            self._shown = at
            print(f"\r{at:7.1f} of {self._duration_s:.1f} s", end="", file=sys.stderr)

    def finish(self) -> None:
        if self._wanted:
            print(file=sys.stderr)


def _tell(contents: Any, as_json: bool) -> None:
    topics = [
        {"topic": name, "type": topic.type_name, "messages": contents.counts[name]}
        for name, topic in contents.topics.items()
    ]
    if as_json:
        print(json.dumps({"duration_s": contents.duration_s, "topics": topics}))
        return
    print(f"{contents.messages} messages in {contents.duration_s:.1f} s")
    for item in topics:
        print(visible(f"  {item['messages']:>7}  {item['topic']:<28} {item['type']}"))


def _rate(text: str) -> float:
    """Return the speed; 0 stands for as fast as possible."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is no speed: a number from 0 on")
    return value or math.inf

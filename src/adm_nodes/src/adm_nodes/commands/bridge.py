"""``adm bridge``: between a ROS 1 robot and the ROS 2 nodes."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from adm_core.errors import AdmError

HELP = "relay topics to and from a ROS 1 robot, check both sides, write bridge files"
EXAMPLES = """examples:
  adm bridge relay
  adm bridge relay --config robot_1.yaml --stats 5
  adm bridge relay --listen 0.0.0.0:9091 --no-ros1
  adm bridge check
  adm bridge check --side ros1 --json
  adm bridge config --namespace robot_1 > robot_1.yaml
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the sub-commands and their options."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    _configure_relay(actions.add_parser("relay", help="both halves of the relay"))
    check = actions.add_parser("check", help="what is missing for the bridge, seen from here")
    _add_files(check)
    check.add_argument(
        "--side",
        choices=("both", "ros1", "ros2"),
        default="both",
        help="which side to look at (default both)",
    )
    check.add_argument(
        "--seconds", type=float, default=3.0, metavar="S", help="how long to look (default 3)"
    )
    check.add_argument("--json", action="store_true", help="print one JSON object")
    config = actions.add_parser("config", help="print the bridge file, checked")
    _add_files(config)
    config.add_argument(
        "--namespace", default="", metavar="NAME", help="put every topic and service under it"
    )


def _configure_relay(relay: argparse.ArgumentParser) -> None:
    _add_files(relay)
    relay.add_argument(
        "--listen",
        type=_address,
        default=("127.0.0.1", 0),
        metavar="HOST:PORT",
        help="where the ROS 1 half connects (default: a free port of this machine)",
    )
    relay.add_argument(
        "--no-ros1",
        action="store_true",
        help="do not start the ROS 1 half: it is started by hand, here or elsewhere",
    )
    relay.add_argument(
        "--ros1-python",
        default="/usr/bin/python3",
        metavar="FILE",
        help="Python that imports rospy (default %(default)s)",
    )
    relay.add_argument(
        "--ros1-setup",
        default="",
        metavar="FILE",
        help="shell file to source for it, like /opt/ros/noetic/setup.bash",
    )
    relay.add_argument(
        "--stats", type=float, default=0.0, metavar="S", help="print a table every S seconds"
    )


def _add_files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", metavar="FILE", help="bridge file (default: the built one)")
    parser.add_argument("--rules", metavar="FILE", help="mapping rules (default: the built ones)")


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    return host or "127.0.0.1", int(port)


def run(args: argparse.Namespace) -> int:
    """Do what the sub-command says; 0 if all is well."""
    try:
        return {"relay": _relay, "check": _check, "config": _config}[args.action](args)
    except ImportError as err:
        raise AdmError(f"the bridge cannot be used ({err}): run '. scripts/env.sh' first") from err


def _say(text: str) -> None:
    print(text, flush=True)


def _relay(args: argparse.Namespace) -> int:
    from adm_bridge.run import Options, run_relay

    options = Options(args.listen, not args.no_ros1, args.ros1_python, args.ros1_setup, args.stats)
    config, pairs = _files(args)
    return run_relay(config, pairs, options, _say)


def _check(args: argparse.Namespace) -> int:
    from adm_bridge.check import check

    config, pairs = _files(args)
    report = check(config, pairs, args.side, args.seconds)
    print(report.as_json() if args.json else report.as_text())
    return 0 if report.passed else 1


def _config(args: argparse.Namespace) -> int:
    from adm_bridge.entries import load
    from adm_bridge.files import default_config, in_namespace

    path = args.config or default_config()
    load(path)
    text = Path(path).read_text("utf-8")
    sys.stdout.write(in_namespace(text, args.namespace) if args.namespace else text)
    return 0


def _files(args: argparse.Namespace) -> tuple:
    from adm_bridge.entries import load
    from adm_bridge.files import default_config, default_rules
    from adm_bridge.pairs import Pairs

    return load(args.config or default_config()), Pairs.load(args.rules or default_rules())

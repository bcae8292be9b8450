"""``adm fake``: pretended hardware to try a set-up against."""

from __future__ import annotations

import argparse

HELP = "pretend to be hardware: a drone that the real djitellopy flies"
EXAMPLES = """examples:
  adm fake tello
  adm fake tello --arena 3 --fault battery:value=35 --fault "late:command=go *:value=9"
  adm fake tello --plan plan.png --box 0,6,0,4 --fault link:value=20:length=8
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    from adm_core.testing.tello_cli import add_arguments

    kinds = parser.add_subparsers(dest="kind", metavar="KIND", required=True)
    add_arguments(kinds.add_parser("tello", help="a Tello: UDP protocol, flight, video, faults"))


def run(args: argparse.Namespace) -> int:
    """Serve until interrupted."""
    from adm_core.testing.tello_cli import serve

    return serve(args)

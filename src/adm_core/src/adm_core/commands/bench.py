"""``adm bench``: our kernels beside their peers."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

HELP = "time the compiled kernels, alone or beside every installed peer, and compare answers"
EXAMPLES = """examples:
  adm bench kernels --peers                             every case at the sizes of the README
  adm bench kernels --peers --cases A,B --sizes 500     a quick look
  adm bench kernels --json > kernels.json
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``adm bench``."""
    kinds = parser.add_subparsers(dest="bench", metavar="WHAT", required=True)
    add_options(kinds.add_parser("kernels", help=HELP, description=HELP))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that ``benchmarks/run.py`` has too."""
    parser.add_argument("--peers", action="store_true", help="time every installed peer as well")
    parser.add_argument(
        "--cases",
        default="A,A-list,B,C,D,E,E2,F,I",
        help="frontier mask, list, clusters, rooms, attention, assignment, tours, distances, "
        "incremental (default: %(default)s)",
    )
    parser.add_argument(
        "--sizes", default="500,2000,4000,8000", help="sides of generated maps: %(default)s"
    )
    parser.add_argument("--maps", type=Path, help="folder with .pgm maps; the 8 largest are run")
    parser.add_argument("--growth", action="store_true", help="how cost and memory grow, instead")
    parser.add_argument("--repeat", type=int, default=9, help="runs each (default: %(default)s)")
    parser.add_argument(
        "--budget", type=float, default=4.0, help="seconds for one measurement: %(default)s"
    )
    parser.add_argument(
        "--threads", type=int, default=os.cpu_count(), help="threads of parallel peers: %(default)s"
    )
    parser.add_argument("--json", action="store_true", help="print rows and checks as JSON")
    parser.add_argument("--save", type=Path, help="folder for kernels.json and plots")


def run(args: argparse.Namespace) -> int:
    """Run the benchmarks of a checkout; 1 if an answer differs or a case has no row of ours."""
    folder = find_benchmarks()
    sys.path.insert(0, str(folder))
    try:
        import run as benchmarks

        return int(benchmarks.run(args))
    finally:
        sys.path.remove(str(folder))


def find_benchmarks() -> Path:
    """Return the folder ``benchmarks`` of the checkout around here or around this file."""
    from adm_core.errors import AdmError

    for start in (Path.cwd(), Path(__file__).resolve().parent):
        for folder in (start, *start.parents):
            if (folder / "benchmarks" / "run.py").is_file():
                return folder / "benchmarks"
    raise AdmError(
        "the benchmarks belong to a checkout and are not installed: run adm bench inside one"
    )

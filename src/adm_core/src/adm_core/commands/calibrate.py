"""``adm calibrate``: search memory parameters on training seeds, report on held-out ones."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from adm_core.commands.experiment import add_run_arguments, run_and_print
from adm_core.commands.options import add_config_arguments

HELP = "search better memory parameters; judged on seeds that chose nothing"
EXAMPLES = """examples:
  adm calibrate --candidates 64 --episodes 50
  adm calibrate --scenario D-10 --profile robust --json

Writes the best parameters to best.yaml in the folder given by --out; use them with
'adm experiment memory --profile DIR/best.yaml'.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    from adm_core.experiments.calibrate import CalibrationConfig

    add_config_arguments(parser, CalibrationConfig)
    add_run_arguments(parser, "runs/calibrate")


def run(args: argparse.Namespace) -> int:
    """Search and report: 0 when it is done."""
    from adm_core.experiments.calibrate import CalibrationConfig, conduct

    report = run_and_print(args, "calibrate", CalibrationConfig, conduct)
    path = Path(args.out) / "best.yaml"
    report.write_profile(path)
    print(f"best parameters: {path}", file=sys.stderr)
    return 0

"""``adm doctor``: what is installed, what is missing, and what each missing piece would enable."""

from __future__ import annotations

import argparse

from adm_core.files import visible

HELP = "tell what is installed, what is missing and what it would enable"
EXAMPLES = """examples:
  adm doctor
  adm doctor --json

exit code: 0 if the core works, 1 if a required piece is missing or broken
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``adm doctor``."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Examine every piece, print the findings and return 0 if all required ones work."""
    from adm_core.commands import doctor_report
    from adm_core.commands.doctor_pieces import PIECES, examine

    findings = examine(PIECES)
    render = doctor_report.as_json if args.json else doctor_report.as_text
    print(visible(render(findings)))
    return 0 if doctor_report.healthy(findings) else 1

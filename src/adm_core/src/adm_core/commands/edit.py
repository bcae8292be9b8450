"""``adm edit``: an operator's word about an entity, for a mission under way or to be resumed."""

from __future__ import annotations

import argparse
import json

from adm_core.errors import ConfigError

HELP = "relabel, move, dismiss or pin an entity of a run, by an operator's word"
EXAMPLES = """examples:
  adm edit runs/first --operator ada --relabel e003 bottle
  adm edit runs/first --operator ada --move e003 2.5 4.0
  adm edit runs/first --operator ada --dismiss e004 --pin e005

The edit waits in the run's log. A mission under way takes it in before its next action, one that
was interrupted when it goes on (adm mission --resume runs/first). `adm audit runs/first --entity
e003` shows it with the operator's name, and whether it was accepted.
"""
_TAKES = {
    "relabel": (2, ("ID", "CLASS"), "give an entity another class"),
    "move": (3, ("ID", "X", "Y"), "say where it is, in metres of the map"),
    "dismiss": (1, ("ID",), "leave it alone for good"),
    "restore": (1, ("ID",), "take a dismissal back"),
    "pin": (1, ("ID",), "always show it to the planner"),
    "unpin": (1, ("ID",), "take a pin back"),
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("run_folder", metavar="RUN", help="run folder of `adm mission --save`")
    parser.add_argument("--operator", required=True, metavar="NAME", help="who says so")
    parser.add_argument("--json", action="store_true", help="print JSON")
    for name, (count, metavar, text) in _TAKES.items():
        parser.add_argument(
            f"--{name}", nargs=count, action="append", metavar=metavar, help=text, default=[]
        )


def run(args: argparse.Namespace) -> int:
    """Leave the edits in the run's log."""
    from adm_core.memory.audit import AuditLog
    from adm_core.memory.audit_reader import AuditReader
    from adm_core.memory.edit_words import parse_edit
    from adm_core.missions.run_folder import RunFolder

    folder = RunFolder.existing(args.run_folder)
    reader = AuditReader(folder.audit)
    try:
        known, facts = reader.entities(), reader.overview()["run"]
    finally:
        reader.close()
    if facts.get("ros"):
        raise ConfigError(f"{args.run_folder} is a run on ROS nodes, which take no edits yet")
    if folder.ended:
        raise ConfigError(f"{args.run_folder} is complete ({folder.ended}): no edit would be read")
    map_id = facts.get("map_id", "")
    words = [[name, *values] for name in _TAKES for values in getattr(args, name)]
    if not words:
        raise ConfigError(f"give at least one of {', '.join(f'--{name}' for name in _TAKES)}")
    edits = [parse_edit(item, args.operator, map_id) for item in words]
    for edit in edits:
        if edit.entity_id not in known:
            raise ConfigError(
                f"nothing is known of entity {edit.entity_id!r}; entities: {', '.join(known)}"
            )
    with AuditLog(folder.audit) as audit:
        numbers = [audit.request_edit(edit.as_plain()) for edit in edits]
    if args.json:
        left = [
            {"number": number, **edit.as_plain()}
            for number, edit in zip(numbers, edits, strict=True)
        ]
        print(json.dumps(left))
    else:
        for edit in edits:
            print(f"left for the mission: {edit} (operator {edit.operator})")
    return 0

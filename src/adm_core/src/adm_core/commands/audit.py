"""``adm audit``: what did the robot believe then, and why."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from adm_core.commands.options import duration
from adm_core.errors import AuditError
from adm_core.files import visible

if TYPE_CHECKING:
    from adm_core.memory.audit_reader import AuditReader

HELP = "tell what a robot believed and decided, and why"
EXAMPLES = """examples:
  adm audit runs/latest                          overview
  adm audit runs/latest --at 97                  beliefs and last decision at step 97
  adm audit runs/latest --entity e006            everything that concerned one entity
  adm audit runs/latest --entity e006 --at 97 --json
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("run_folder", metavar="RUN", help="run folder, or its audit.sqlite")
    parser.add_argument("--entity", metavar="ID", help="history of one entity")
    parser.add_argument("--at", type=duration, metavar="STEP", help="at, or until, this step")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Print the answer."""
    from adm_core.memory.audit_reader import AuditReader
    from adm_core.memory.stored import sound

    reader = AuditReader(args.run_folder)
    try:
        with sound(f"audit log {reader.path}"):
            answer, text = _answer(reader, args)
    finally:
        reader.close()
    print(json.dumps(answer) if args.json else visible(text))
    return 0


def _answer(reader: AuditReader, args: argparse.Namespace) -> tuple[dict[str, Any], str]:
    if args.entity:
        return _entity(reader, args)
    return _overview(reader) if args.at is None else _instant(reader, args.at)


def _overview(reader: AuditReader) -> tuple[dict[str, Any], str]:
    answer = reader.overview()
    lines = [f"run of {answer['last_step']} steps", f"  parameters {json.dumps(answer['run'])}"]
    for name in ("evidence", "planning", "skills", "people"):
        counts = ", ".join(f"{count} {what}" for what, count in answer[name].items())
        if name == "people" and not counts:
            continue
        lines.append(f"  {name:<10} {counts}")
    return answer, "\n".join(lines)


def _instant(reader: AuditReader, at: float) -> tuple[dict[str, Any], str]:
    answer: dict[str, Any] = {
        "at": at,
        "beliefs": reader.beliefs(at),
        "decision": reader.decision(at),
        "people": reader.people(at),
    }
    lines = [f"beliefs at step {at:g}"]
    for item in answer["beliefs"]:
        mark = "" if item.get("supported") == "True" else "  not supported"
        lines.append(
            f"  {item['id']:<8} {item.get('label', ''):<8} {item.get('status', ''):<11} "
            f"at ({item.get('pose', '')})  confidence {float(item.get('confidence', 'nan')):.2f}  "
            f"{item.get('source', '')} of {item.get('stamp', '')}{mark}"
        )
    decision = answer["decision"]
    if decision:
        why = " ".join(filter(None, (decision["reason"], decision["entity"], decision["field"])))
        exposed = ", ".join(f"{name}={score:.3f}" for name, score in decision["exposed"])
        lines += [
            f"last decision at step {decision['step']} (call {decision['call']}): {why}",
            f"  exposed {exposed or 'nothing'}",
            f"  plan    {' > '.join(decision['plan']) or 'none: search'}",
        ]
    for row in answer["people"]:
        by = f" by {row['operator']}" if row["operator"] else ""
        lines.append(f"  step {row['step']:>4}  {row['word']}{by} {row['detail']}".rstrip())
    return answer, "\n".join(lines)


def _entity(reader: AuditReader, args: argparse.Namespace) -> tuple[dict[str, Any], str]:
    until = float("inf") if args.at is None else args.at
    rows = reader.history(args.entity, until)
    if not rows:
        known = ", ".join(reader.entities()) or "none"
        raise AuditError(f"nothing is known of entity {args.entity!r}; entities: {known}")
    lines = [f"history of {args.entity}"]
    lines += [f"  {row['now']:>6g}  {row['kind']:<8}  {row['text']}" for row in rows]
    return {"entity": args.entity, "history": rows}, "\n".join(lines)

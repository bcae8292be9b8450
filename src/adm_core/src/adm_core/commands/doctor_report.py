"""The findings of ``adm doctor`` as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from adm_core import __version__
from adm_core.commands.doctor_pieces import Finding
from adm_core.commands.doctor_probes import OK


def healthy(findings: Iterable[Finding]) -> bool:
    """Tell whether every required piece works."""
    return not broken_core(findings)


def broken_core(findings: Iterable[Finding]) -> list[str]:
    """Return the names of the required pieces that do not work."""
    return [f.piece.name for f in findings if f.piece.required and f.result.status != OK]


def as_json(findings: Sequence[Finding]) -> str:
    """Return ``{"version", "healthy", "pieces": [{"name", "status", ...}]}``."""
    rows = [
        {
            "name": item.piece.name,
            "status": item.result.status,
            "required": item.piece.required,
            "detail": item.result.detail,
            "enables": item.piece.enables,
            "remedy": item.piece.remedy,
        }
        for item in findings
    ]
    report = {"version": __version__, "healthy": healthy(findings), "pieces": rows}
    return json.dumps(report, indent=2)


def as_text(findings: Sequence[Finding]) -> str:
    """Return one line per piece that works, two more for each that does not."""
    lines = [f"adm {__version__}"]
    for item in findings:
        lines.append(f"  {item.result.status:8} {item.piece.name:19} {item.result.detail}")
        if item.result.status != OK:
            lines.append(f"{'':31}for: {item.piece.enables}")
            lines.append(f"{'':31}get: {item.piece.remedy}")
    faults = broken_core(findings)
    verdict = f"the core does not work: {', '.join(faults)}" if faults else "the core works"
    return "\n".join([*lines, verdict])

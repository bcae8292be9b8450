"""The audit log of a run: one file for each mission, whoever opens it."""

from __future__ import annotations

from pathlib import Path

from adm_core.memory.audit import AuditLog

RUN_ID = "run_id"


def open_run_log(path: str, run_id: str) -> AuditLog | None:
    """Return the log of mission `run_id`; None without a path.

    The first mission has the file itself, each later one a file beside it: a journal tells of
    one mission only.
    """
    if not path:
        return None
    audit = AuditLog(path)
    if audit.facts().get(RUN_ID, run_id) != run_id:
        audit.close()
        first = Path(path)
        audit = AuditLog(first.with_name(f"{first.stem}-{run_id}{first.suffix}"))
    audit.run({RUN_ID: run_id})
    audit.commit()
    return audit

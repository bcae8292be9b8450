"""What a check has found, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass

FAIL = "fail"  # this cannot work
WARN = "warn"  # this may not do what was meant
NOTE = "note"  # worth knowing
OK = "ok"
_ORDER = {FAIL: 0, WARN: 1, NOTE: 2, OK: 3}


@dataclass(frozen=True)
class Finding:
    """One sentence about one thing on one side."""

    level: str
    side: str  # ros1 | ros2
    subject: str  # a topic, service, node or setting
    text: str


@dataclass(frozen=True)
class Report:
    """All findings, in the order in which they were made."""

    findings: tuple[Finding, ...]
    clock_offset_s: float | None = None  # this machine's clock minus the robot's; None: unknown

    @property
    def passed(self) -> bool:
        """Whether nothing was found that cannot work."""
        return not any(item.level == FAIL for item in self.findings)

    def as_text(self) -> str:
        """Return lines for people: what is wrong first, what is the same in one line."""
        subjects: dict[tuple[str, str, str], list[str]] = {}
        for item in sorted(self.findings, key=lambda item: _ORDER[item.level]):
            subjects.setdefault((item.level, item.side, item.text), []).append(item.subject)
        lines = [
            f"{level:<5}{side:<6}{_listed(names)}: {text}"
            for (level, side, text), names in subjects.items()
        ]
        return "\n".join([*lines, self._summary()])

    def as_json(self) -> str:
        """Return one JSON object."""
        return json.dumps(
            {
                "passed": self.passed,
                "clock_offset_s": self.clock_offset_s,
                "findings": [asdict(item) for item in self.findings],
            }
        )

    def _summary(self) -> str:
        counts = {level: self._count(level) for level in (FAIL, WARN, NOTE, OK)}
        return ", ".join(f"{count} {level}" for level, count in counts.items())

    def _count(self, level: str) -> int:
        return sum(item.level == level for item in self.findings)


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{len(names)} names ({', '.join(names)})"


def joined(reports: Iterable[Report]) -> Report:
    """Return one report of several."""
    items = list(reports)
    offsets = [item.clock_offset_s for item in items if item.clock_offset_s is not None]
    findings = tuple(finding for item in items for finding in item.findings)
    return Report(findings, offsets[0] if offsets else None)

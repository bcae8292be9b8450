"""What Table I has to show: claims with their measured values, for tests and verification."""

from __future__ import annotations

from dataclasses import dataclass

from adm_core.experiments.ablation import AblationReport
from adm_core.experiments.long import LongReport
from adm_core.experiments.memory import MemoryReport


@dataclass(frozen=True)
class Claim:
    """A statement, what was measured, and whether it holds."""

    text: str
    measured: float
    holds: bool

    def __str__(self) -> str:
        return f"{'holds' if self.holds else 'FAILS'}: {self.text} (measured {self.measured:.4g})"


def paper_claims(report: MemoryReport) -> list[Claim]:
    """Return the claims on profile `paper`, 100 seeds or more."""
    dn14 = {name: report.cell("DN-14", name) for name in ("unfiltered", "attention")}
    gain = report.difference("DN-14", "attention", "static").success_points
    saving = 1.0 - dn14["attention"].context / dn14["unfiltered"].context
    return [
        _at_least("DN-14 attention success % >= 99", _percent(report, "DN-14", "attention"), 99.0),
        _at_least("DN-14 unfiltered success % >= 92", _percent(report, "DN-14", "unfiltered"), 92),
        _within("DN-14 static success % in 52..78", _percent(report, "DN-14", "static"), 52, 78),
        *_against_the_oracle(report, 1.03),
        _at_least(
            "D-10 attention - oracle success points >= -3",
            report.difference("D-10", "attention", "oracle").success_points.value,
            -3.0,
        ),
        _within(
            "S-6 attention - oracle success points = 0",
            report.difference("S-6", "attention", "oracle").success_points.value,
            0.0,
            0.0,
        ),
        _within(
            "DN-14 unfiltered context in 45..62 thousand", dn14["unfiltered"].context, 45e3, 62e3
        ),
        _within("DN-14 attention context <= 2800", dn14["attention"].context, 0.0, 2800.0),
        _at_least("DN-14 attention saves >= 94 % of the context", saving, 0.94),
        _at_least("DN-14 attention - static: interval above 0", gain.low, 1e-9),
    ]


def robust_claims(robust: MemoryReport, paper: MemoryReport) -> list[Claim]:
    """Return the claims on profile `robust` against `paper` on the same seeds, 1000 or more."""
    context = robust.cell("DN-14", "attention").context
    claims = [
        _at_least("DN-14 success % >= 99", _percent(robust, "DN-14", "attention"), 99.0),
        _within("DN-14 context <= 2600", context, 0.0, 2600.0),
        *_against_the_oracle(robust, 1.015),
    ]
    for scenario in ("S-6", "D-10", "DN-14"):
        points = _percent(robust, scenario, "attention") - _percent(paper, scenario, "attention")
        claims.append(_at_least(f"{scenario} robust - paper success points >= -1", points, -1.0))
    saved = paper.cell("DN-14", "attention").context - context
    return [*claims, _at_least("DN-14 context below paper's", saved, 1e-9)]


def association_claims(report: AblationReport) -> list[Claim]:
    """Return the claims on association, on and off, on the noisy tape.

    Duplicates, moved objects and ghosts all end in a PICK where nothing is.
    """
    levels = {item.level: item for item in report.effects if item.factor == "memory.association"}
    off, saved = levels["cell"].cell, levels["gated"].against_base.vain_visits
    vain = off.ghost_visits + off.stale_visits
    return [
        _at_least("association at least halves vain visits", -saved.value / vain, 0.5),
        _at_least("so does the end of the interval", -saved.high / vain, 0.5),
    ]


def long_claims(report: LongReport, k: int = 8) -> list[Claim]:
    """Return the claims on missions of 200 containers."""
    cells = {
        item.variant: item
        for item in report.cells
        if item.scenario == "L-200" and item.method == "attention"
    }
    ratio = next(
        item.steps_ratio
        for variant, item in report.differences
        if (item.scenario, item.a, variant) == ("L-200", "attention", "lost=0")
    )
    most = max(item.max_context_per_call for item in cells.values())
    return [
        _at_least("200: success % >= 99", 100.0 * cells["lost=0"].success.value, 99.0),
        _at_least("200, 90 % lost: success % >= 90", 100.0 * cells["lost=0.9"].success.value, 90.0),
        _within(f"200: context per call <= 48 + 18 * {k}", most, 0.0, 48.0 + 18.0 * k),
        _within("200: steps <= 1.05 x oracle", ratio, 0.0, 1.05),
    ]


def _against_the_oracle(report: MemoryReport, limit: float) -> list[Claim]:
    return [
        _within(
            f"{scenario} attention steps <= {limit} x oracle",
            report.difference(scenario, "attention", "oracle").steps_ratio,
            0.0,
            limit,
        )
        for scenario in ("S-6", "D-10", "DN-14")
    ]


def _percent(report: MemoryReport, scenario: str, method: str) -> float:
    return 100.0 * report.cell(scenario, method).success.value


def _at_least(text: str, measured: float, low: float) -> Claim:
    return Claim(text, measured, measured >= low)


def _within(text: str, measured: float, low: float, high: float) -> Claim:
    return Claim(text, measured, low <= measured <= high)

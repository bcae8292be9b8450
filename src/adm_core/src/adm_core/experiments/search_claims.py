"""What the search experiments are to show, checked against what came out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from adm_core.experiments.search_analysis import Comparison, SearchCell
from adm_core.experiments.search_episode import EXPLORE, SEARCH
from adm_core.experiments.statistics import Estimate

#: Forms of one published method: claims are made against the stronger one.
FORMS = {"AEP+DVC": ("aep_dvc", "aep_rrt"), "RACER": ("racer", "racer_hgrid")}


@dataclass(frozen=True)
class Claim:
    """One claim at one scale.

    Attributes
    ----------
    name : str
    scale : str
    against : str
        The method that it was held against.
    percent : Estimate
        Difference that came out.
    most : float
        Largest difference that meets the claim.
    below_zero : bool
        Whether the whole interval must lie below 0.
    """

    name: str
    scale: str
    against: str
    percent: Estimate
    most: float
    below_zero: bool

    @property
    def met(self) -> bool:
        """Whether the claim holds."""
        return self.percent.value <= self.most and not (self.below_zero and self.percent.high >= 0)

    def as_dict(self) -> dict[str, Any]:
        """Return the values as plain data."""
        return {**asdict(self), "percent": list(self.percent), "met": self.met}


def check_claims(cells: Sequence[SearchCell], comparisons: Sequence[Comparison]) -> list[Claim]:
    """Return the claims for which the methods were run."""
    book = _Book(cells, comparisons)
    claims: list[Claim | None] = [
        book.claim("sagr, search", SEARCH, "large", "sagr", book.stronger("AEP+DVC", "large"), -10),
        book.claim("sagr, search", SEARCH, "large", "sagr", "hungarian", -20),
    ]
    for scale in dict.fromkeys(cell.scale for cell in cells):
        claims += [
            book.claim("sagr+, search", SEARCH, scale, "sagr+", "nf_h", -15),
            book.claim("sagr+, exploration", EXPLORE, scale, "sagr+", book.best(scale), 8, False),
        ]
    claims += [
        book.claim("sagr+, search (goal)", SEARCH, "large", "sagr+", "nf_h", -25),
        book.claim("sagr+, search (goal)", SEARCH, "large", "sagr+", "oracle", 80, False),
    ]
    return [claim for claim in claims if claim is not None]


class _Book:
    """Looks figures up."""

    def __init__(self, cells: Sequence[SearchCell], comparisons: Sequence[Comparison]) -> None:
        self._means = {(cell.task, cell.scale, cell.method): cell.mean for cell in cells}
        self._percent = {(c.task, c.scale, c.a, c.b): c.percent for c in comparisons}

    def claim(
        self, name: str, task: str, scale: str, a: str, b: str, most: float, below: bool = True
    ) -> Claim | None:
        """Return the claim; None if one of the methods was not run."""
        found = self._percent.get((task, scale, a, b))
        return None if found is None else Claim(name, scale, b, found, most, below)

    def stronger(self, form: str, scale: str) -> str:
        """Return the form of a published method that needs fewer search steps."""
        return self._least(SEARCH, scale, FORMS[form])

    def best(self, scale: str) -> str:
        """Return the method, sagr+ and oracle apart, that explores in the fewest steps."""
        methods = [m for task, s, m in self._means if task == EXPLORE and s == scale]
        return self._least(EXPLORE, scale, [m for m in methods if m not in ("sagr+", "oracle")])

    def _least(self, task: str, scale: str, methods: Sequence[str]) -> str:
        run = [method for method in methods if (task, scale, method) in self._means]
        return min(run, key=lambda method: self._means[task, scale, method], default="")

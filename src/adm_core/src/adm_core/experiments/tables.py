"""Tables as aligned text, CSV and LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from adm_core.experiments.statistics import Estimate

_ESCAPES = str.maketrans({"%": r"\%", "_": r"\_", "&": r"\&", "#": r"\#", "λ": r"$\lambda$"})


@dataclass
class Table:
    """A table of formatted and of plain values.

    Attributes
    ----------
    title : str
        One line above it.
    columns : sequence of str
        Headings.
    rows : list of list
        Strings, numbers, Estimates or None.
    """

    title: str
    columns: Sequence[str]
    rows: list[Sequence[Any]] = field(default_factory=list)

    def text(self) -> str:
        """Return the table in aligned columns, words left and numbers right."""
        cells = [list(map(str, self.columns)), *[list(map(_shown, row)) for row in self.rows]]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [
            "  ".join(
                cell.ljust(width) if self._is_word(index) else cell.rjust(width)
                for index, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in cells
        ]
        rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
        return "\n".join([self.title, lines[0], rule, *lines[1:]])

    def csv(self) -> str:
        """Return the table as CSV; an interval takes three columns."""
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(name for index in range(len(self.columns)) for name in self._names(index))
        for row in self.rows:
            writer.writerow(
                value for index, cell in enumerate(row) for value in self._values(index, cell)
            )
        return stream.getvalue()

    def latex(self) -> str:
        """Return the table as a LaTeX tabular."""
        kinds = "".join("l" if self._is_word(index) else "r" for index in range(len(self.columns)))
        body = [
            " & ".join(_shown(cell).translate(_ESCAPES) for cell in row) + r" \\"
            for row in self.rows
        ]
        head = " & ".join(name.translate(_ESCAPES) for name in self.columns) + r" \\"
        lines = [rf"\begin{{tabular}}{{{kinds}}}", r"\hline", head, r"\hline", *body, r"\hline"]
        return "\n".join([*lines, r"\end{tabular}", ""])

    def _is_word(self, index: int) -> bool:
        return all(isinstance(row[index], str) for row in self.rows)

    def _has_interval(self, index: int) -> bool:
        return any(isinstance(row[index], Estimate) for row in self.rows)

    def _names(self, index: int) -> list[str]:
        name = self.columns[index]
        return [name, f"{name} low", f"{name} high"] if self._has_interval(index) else [name]

    def _values(self, index: int, cell: Any) -> list[Any]:
        if not self._has_interval(index):
            return ["" if cell is None else cell]
        return list(cell) if isinstance(cell, Estimate) else ["" if cell is None else cell, "", ""]


def _shown(cell: Any) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, Estimate):
        return f"{_number(cell.value)} [{_number(cell.low)}, {_number(cell.high)}]"
    if isinstance(cell, float):
        return _number(cell)
    return f"{cell:,}" if isinstance(cell, int) and not isinstance(cell, bool) else str(cell)


def _number(value: float) -> str:
    size = abs(value)
    if size >= 1000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if size >= 20 else f"{value:.3f}" if 0 < size < 0.1 else f"{value:.2f}"

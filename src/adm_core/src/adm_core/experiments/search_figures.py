"""Figures of the search experiments; they need the extra ``figures``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from adm_core.experiments.figures import FORMATS, require_figures
from adm_core.experiments.search_analysis import SearchCell

_COLOURS = {
    "hungarian": "#9aa0a6",
    "racer": "#e69f00",
    "racer_hgrid": "#f3c26b",
    "aep_dvc": "#56b4e9",
    "aep_rrt": "#a9d6f2",
    "nf_h": "#cc79a7",
    "sagr": "#7fc8a9",
    "sagr+": "#009e73",
    "oracle": "#444444",
}


def draw_table(cells: Sequence[SearchCell], title: str, stem: Path) -> list[Path]:
    """Draw the mean steps of each method, scale by scale; return the files written."""
    plot = require_figures()
    figure, axis = plot.subplots(figsize=(9, 3.4), layout="constrained")
    scales = list(dict.fromkeys(cell.scale for cell in cells))
    methods = list(dict.fromkeys(cell.method for cell in cells))
    width = 0.8 / len(methods)
    for cell in cells:
        place = scales.index(cell.scale) - 0.4 + width * (methods.index(cell.method) + 0.5)
        label = cell.method if cell.scale == scales[0] else None
        axis.bar(place, cell.mean, width, color=_COLOURS.get(cell.method), label=label)
    axis.set_xticks(range(len(scales)), scales)
    axis.set_ylabel("mean steps")
    axis.set_title(title, fontsize=10)
    axis.legend(frameon=False, fontsize=8, ncols=3)
    return save(plot, figure, axis, stem)


def draw_ladder(
    groups: dict[str, list[tuple[str, float]]], label: str, title: str, stem: Path
) -> list[Path]:
    """Draw one row of bars a group: name and value each."""
    plot = require_figures()
    names = [f"{head}: {name}" for head, bars in groups.items() for name, _ in bars]
    values = [value for bars in groups.values() for _, value in bars]
    figure, axis = plot.subplots(figsize=(7, 0.26 * len(names) + 1.2), layout="constrained")
    axis.barh(range(len(names)), values, color="#009e73")
    axis.set_yticks(range(len(names)), names, fontsize=7)
    axis.invert_yaxis()
    axis.axvline(0.0, color="black", linewidth=0.8)
    axis.set_xlabel(label)
    axis.set_title(title, fontsize=10)
    return save(plot, figure, axis, stem)


def save(plot: Any, figure: Any, axis: Any, stem: Path) -> list[Path]:
    """Write a figure in all formats."""
    axis.spines[["top", "right"]].set_visible(False)
    paths = [stem.with_name(f"{stem.name}.{suffix}") for suffix in FORMATS]
    for path in paths:
        metadata = {"Date": None} if path.suffix == ".svg" else None
        figure.savefig(path, dpi=150, metadata=metadata)
    plot.close(figure)
    return paths

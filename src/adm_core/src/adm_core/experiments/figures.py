"""Figures of the experiments, drawn from their summaries; needs the extra ``figures``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from adm_core.experiments.analysis import Cell
from adm_core.experiments.store import ExperimentError

_COLOURS = {
    "none": "#9aa0a6",
    "static": "#e69f00",
    "unfiltered": "#56b4e9",
    "attention": "#009e73",
    "oracle": "#444444",
}
FORMATS = ("png", "svg")


def require_figures() -> Any:
    """Return matplotlib's pyplot without a display.

    Raises
    ------
    ExperimentError
        If matplotlib is not installed; says how to install it.
    """
    try:
        import matplotlib
    except ImportError as err:
        raise ExperimentError("figures need matplotlib: pip install matplotlib") from err
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "adm"  # the same rows give the same file
    from matplotlib import pyplot

    return pyplot


def draw_memory(cells: Sequence[Cell], stem: Path) -> list[Path]:
    """Draw success, context and length per scenario and method; return the files written."""
    plot = require_figures()
    figure, axes = plot.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
    scenarios = list(dict.fromkeys(item.scenario for item in cells))
    for item in cells:
        methods = [other.method for other in cells if other.scenario == item.scenario]
        width = 0.8 / len(methods)
        place = scenarios.index(item.scenario) - 0.4 + width * (methods.index(item.method) + 0.5)
        label = item.method if item.scenario == scenarios[0] else None
        bar = {"width": width, "color": _COLOURS.get(item.method), "label": label}
        share = item.success
        error = [[100 * (share.value - share.low)], [100 * (share.high - share.value)]]
        axes[0].bar(place, 100 * share.value, yerr=error, error_kw={"linewidth": 0.8}, **bar)
        axes[1].bar(place, item.context, **bar)
        axes[2].bar(place, item.steps, **bar)
    for axis, title in zip(
        axes, ("success [%]", "context units per episode", "steps per episode"), strict=True
    ):
        axis.set_xticks(range(len(scenarios)), scenarios)
        axis.set_ylabel(title)
        axis.spines[["top", "right"]].set_visible(False)
    axes[1].set_yscale("log")
    axes[2].legend(frameon=False, fontsize=8)
    return _save(plot, figure, stem)


def draw_lines(cells: Sequence[Cell], x: dict[str, float], x_label: str, stem: Path) -> list[Path]:
    """Draw success, context per call and length over a number that names each variant.

    Parameters
    ----------
    cells : sequence of Cell
        Summaries; one line per method.
    x : dict
        Variant to its place on the horizontal axis.
    x_label : str
        What the number is.
    stem : Path
        File name without suffix.
    """
    plot = require_figures()
    figure, axes = plot.subplots(1, 3, figsize=(11, 3.2), layout="constrained")
    for method in dict.fromkeys(item.method for item in cells):
        line = sorted((item for item in cells if item.method == method), key=lambda c: x[c.variant])
        places = [x[item.variant] for item in line]
        style = {"marker": "o", "color": _COLOURS.get(method), "label": method}
        axes[0].plot(places, [100 * item.success.value for item in line], **style)
        axes[1].plot(places, [item.context_per_call for item in line], **style)
        axes[2].plot(places, [item.steps for item in line], **style)
    for axis, title in zip(
        axes, ("success [%]", "context units per call", "steps per episode"), strict=True
    ):
        axis.set_xlabel(x_label)
        axis.set_ylabel(title)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylim(0, 103)
    axes[0].legend(frameon=False, fontsize=8)
    return _save(plot, figure, stem)


def draw_factors(factors: dict[str, list[tuple[str, float]]], stem: Path) -> list[Path]:
    """Draw, factor by factor, the extra length of each value against the profile's own."""
    plot = require_figures()
    figure, axis = plot.subplots(
        figsize=(7, 0.22 * sum(map(len, factors.values())) + 1.2), layout="constrained"
    )
    names, values = [], []
    for factor, levels in factors.items():
        names += [f"{factor} = {level}" for level, _ in levels]
        values += [extra for _, extra in levels]
    axis.barh(range(len(names)), values, color="#009e73")
    axis.set_yticks(range(len(names)), names, fontsize=7)
    axis.invert_yaxis()
    axis.axvline(0.0, color="black", linewidth=0.8)
    axis.set_xlabel("steps per episode, difference to the profile")
    axis.spines[["top", "right"]].set_visible(False)
    return _save(plot, figure, stem)


def draw_blocks(cells: Sequence[dict[str, Any]], blocks: Sequence[str], stem: Path) -> list[Path]:
    """Draw the input tokens of a planning call, stacked by part of the prompt.

    Parameters
    ----------
    cells : sequence of dict
        One bar each: scenario, method, ``observe below`` and ``blocks`` (part to tokens a call).
    blocks : sequence of str
        Parts in order.
    stem : Path
        File name without suffix.
    """
    plot = require_figures()
    size = (7, 0.34 * len(cells) + 1.4)
    figure, axis = plot.subplots(figsize=size, layout="constrained")
    names = [f"{item['scenario']}  {item['method']}  {item['observe below']}" for item in cells]
    left = [0.0] * len(cells)
    for name in blocks:
        widths = [item["blocks"].get(name) or 0.0 for item in cells]
        if any(widths):
            axis.barh(range(len(cells)), widths, left=left, label=name)
            left = [start + width for start, width in zip(left, widths, strict=True)]
    axis.set_yticks(range(len(cells)), names, fontsize=7)
    axis.invert_yaxis()
    axis.set_xlabel("input tokens per call (scenario, method, observed below)")
    if any(left):
        axis.legend(frameon=False, fontsize=7, ncols=3)
    axis.spines[["top", "right"]].set_visible(False)
    return _save(plot, figure, stem)


def _save(plot: Any, figure: Any, stem: Path) -> list[Path]:
    paths = [stem.with_name(f"{stem.name}.{suffix}") for suffix in FORMATS]
    for path in paths:
        metadata = {"Date": None} if path.suffix == ".svg" else None
        figure.savefig(path, dpi=150, metadata=metadata)
    plot.close(figure)
    return paths

"""Plots of a run: time against size for each case."""

import sys

from harness import OURS


def save_plots(bench, folder):
    """Save one figure for each case that ran at several sizes."""
    try:
        import matplotlib
    except ImportError:
        print("no plots: matplotlib is not installed", file=sys.stderr)
        return
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    folder.mkdir(parents=True, exist_ok=True)
    for case in dict.fromkeys(row.case for row in bench.rows):
        rows = [row for row in bench.rows if row.case == case and row.size.isdigit()]
        if len({row.size for row in rows}) < 2:
            continue
        figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
        for peer in dict.fromkeys((row.peer, row.threads) for row in rows):
            points = sorted(
                (int(row.size), row.median * 1e3) for row in rows if (row.peer, row.threads) == peer
            )
            ours = peer[0] == OURS
            axes.loglog(
                *zip(*points, strict=True), marker="o", lw=3 if ours else 1, ms=4,
                color="black" if ours else None, label=f"{peer[0]} ({peer[1]})",
            )  # fmt: skip
        axes.set(title=case, xlabel="size", ylabel="median, ms")
        axes.legend(fontsize=6)
        figure.savefig(folder / f"{case}.png", dpi=120)
        plt.close(figure)

"""Strips of rows that are worked on at the same time, by kernels that release the GIL."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from threading import Thread
from typing import Any

#: Cells that make up for the start of a thread (about 0.1 ms) where a cell costs half a
#: nanosecond, and where it costs a tenth of one.
CELLS_PER_THREAD, LIGHT_CELLS_PER_THREAD = 1 << 20, 1 << 22


def check_threads(threads: Any) -> None:
    """Raise ValueError unless `threads` is a whole number >= 1."""
    if threads != 1 and (not isinstance(threads, int) or threads < 1):
        raise ValueError(f"threads must be a whole number >= 1, got {threads!r}")


def strips(shape: tuple[int, int], threads: int, *, light: bool = False) -> list[tuple[int, int]]:
    """Cut rows into strips (first, end), one a thread; only one where more would not pay."""
    rows, cols = shape
    pays = LIGHT_CELLS_PER_THREAD if light else CELLS_PER_THREAD
    count = max(1, min(threads, rows * cols // pays, rows))
    edges = [rows * k // count for k in range(count + 1)]
    return list(pairwise(edges))


def run_strips(call: Callable[[int, int], Any], parts: list[tuple[int, int]]) -> list[Any]:
    """Return ``call(first, end)`` of each strip, the first of them done by this thread.

    An error in any of them is raised here once all have ended.
    """
    results: list[Any] = [None] * len(parts)
    errors: list[BaseException] = []

    def work(k: int) -> None:
        try:
            results[k] = call(*parts[k])
        except BaseException as err:  # raised again below
            errors.append(err)

    helpers = [Thread(target=work, args=(k,)) for k in range(1, len(parts))]
    for helper in helpers:
        helper.start()
    work(0)
    for helper in helpers:
        helper.join()
    if errors:
        raise errors[0]
    return results

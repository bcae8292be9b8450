"""Walks over large grids a few rows at a time, so that temporaries stay small."""

from __future__ import annotations

from collections.abc import Iterator

#: Cells of a block that stays in the cache.
CACHE_CELLS = 1 << 16


def row_blocks(shape: tuple[int, ...], cells: int = CACHE_CELLS) -> Iterator[slice]:
    """Yield slices of rows that cover `shape`, each of about `cells` cells."""
    rows, cols = shape[:2]
    step = max(1, cells // max(1, cols))
    for start in range(0, rows, step):
        yield slice(start, min(start + step, rows))

"""Types of the compiled module; its docstrings are in the source beside it."""

from typing import Any

def mark_frontiers(
    grid: Any,
    free_max: int,
    border: bool,
    mask: Any,
    wide: bool = True,
    first: int = 0,
    end: int = -1,
) -> None: ...
def list_frontiers(
    grid: Any,
    free_max: int,
    border: bool,
    row: int,
    count: int,
    cells: Any,
    wide: bool = True,
    end: int = -1,
) -> tuple[int, int]: ...

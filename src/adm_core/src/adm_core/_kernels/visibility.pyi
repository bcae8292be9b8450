"""Types of the compiled module; its docstrings are in the source beside it."""

from typing import Any

class Disc:
    size: int
    def __init__(self, offsets: Any, lengths: Any) -> None: ...

def list_visible(
    grid: Any,
    positions: Any,
    headings: Any,
    disc: Disc,
    cos_half: float,
    near: float,
    free_max: int,
    through: bool,
    cells: Any,
    ends: Any,
) -> int: ...

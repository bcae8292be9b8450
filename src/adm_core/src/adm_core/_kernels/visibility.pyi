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
def grow_tree(
    grid: Any,
    allowed: Any,
    samples: Any,
    step: float,
    rewire: float,
    wanted: int,
    count: int,
    nodes: Any,
    parents: Any,
    costs: Any,
    node_at: Any,
    reach: Any,
    moved: Any,
) -> int: ...

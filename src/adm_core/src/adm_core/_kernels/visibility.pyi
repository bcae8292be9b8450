from typing import Any

def list_visible(
    grid: Any,
    positions: Any,
    headings: Any,
    offsets: Any,
    lengths: Any,
    cos_half: float,
    near: float,
    free_max: int,
    through: bool,
    cells: Any,
    ends: Any,
) -> int: ...

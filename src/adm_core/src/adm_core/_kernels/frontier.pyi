from typing import Any

def mark_frontiers(
    grid: Any, free_max: int, border: bool, mask: Any, wide: bool = True
) -> None: ...
def list_frontiers(
    grid: Any,
    free_max: int,
    border: bool,
    first_row: int,
    count: int,
    cells: Any,
    wide: bool = True,
) -> tuple[int, int]: ...

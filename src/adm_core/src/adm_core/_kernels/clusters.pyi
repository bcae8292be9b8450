from typing import Any

def pack_planes(grid: Any, free_max: int, border: bool, planes: Any, wide: bool = True) -> int: ...
def cluster(
    planes: Any,
    cols: int,
    c_max: int,
    cells: Any,
    owner: Any,
    seeds: Any,
    sizes: Any,
    centroids: Any,
    representatives: Any,
    queue: Any,
    seen: Any,
    wide: bool = True,
) -> int: ...
def mark_reachable(planes: Any, cols: int, starts: Any, cells: Any, reached: Any) -> None: ...

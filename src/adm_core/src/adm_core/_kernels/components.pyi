"""Types of the compiled module; its docstrings are in the source beside it."""

from typing import Any

import numpy as np
import numpy.typing as npt

Types = npt.NDArray[np.uint8] | npt.NDArray[np.uint16]

class Runs:
    @property
    def labels(self) -> int: ...
    @property
    def edges(self) -> int: ...
    @property
    def size(self) -> int: ...
    def join(self, below: list[Runs], grid: npt.NDArray[np.int8], room_type: Types) -> None: ...
    def paint(self, out: npt.NDArray[np.int32], first: int = 0, end: int = -1) -> None: ...
    def measure(self, room_type: Types) -> tuple[npt.NDArray[Any], ...]: ...
    def read_labels(self, cells: npt.NDArray[np.int64], out: npt.NDArray[np.int32]) -> int: ...
    def read_overlaps(
        self, other: Runs, down: int, right: int, out: npt.NDArray[np.int64]
    ) -> int: ...

def find_runs(
    grid: npt.NDArray[np.int8],
    room_type: Types,
    free_max: int,
    untyped: bool,
    first: int = 0,
    end: int = -1,
) -> Runs: ...

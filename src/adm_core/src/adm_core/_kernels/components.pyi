"""Types of the compiled module; its docstrings are in the source beside it."""

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
    def paint(self, out: npt.NDArray[np.int32]) -> None: ...
    def read_edges(self, out: npt.NDArray[np.int32]) -> None: ...
    def read_components(
        self,
        room_type: Types,
        types: npt.NDArray[np.uint16],
        areas: npt.NDArray[np.int64],
        first_cells: npt.NDArray[np.int64],
        boxes: npt.NDArray[np.int32],
    ) -> None: ...
    def read_labels(self, cells: npt.NDArray[np.int64], out: npt.NDArray[np.int32]) -> None: ...
    def read_overlaps(
        self, other: Runs, down: int, right: int, out: npt.NDArray[np.int64]
    ) -> int: ...

def find_runs(
    grid: npt.NDArray[np.int8], room_type: Types, free_max: int, untyped: bool
) -> Runs: ...

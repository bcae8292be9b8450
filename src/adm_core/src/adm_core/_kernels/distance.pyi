"""Types of the compiled module; its docstrings are in the source beside it."""

import numpy as np
import numpy.typing as npt

def count_diagonal_steps(
    grid: npt.NDArray[np.int8],
    sources: npt.NDArray[np.int64],
    out: npt.NDArray[np.int32],
    free_max: int,
    limit: int,
    target: int,
) -> None: ...
def measure_lengths(
    grid: npt.NDArray[np.int8],
    sources: npt.NDArray[np.int64],
    out: npt.NDArray[np.float64],
    free_max: int,
    limit: float,
    target: int,
) -> None: ...
def descend(
    grid: npt.NDArray[np.int8],
    field: npt.NDArray[np.int32] | npt.NDArray[np.float64],
    start: int,
    free_max: int,
    diagonal: bool,
    out: npt.NDArray[np.int64],
) -> int: ...

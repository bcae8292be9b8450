"""Types of the compiled module; its docstrings are in the source beside it."""

import numpy as np
import numpy.typing as npt

def count_steps(
    grid: npt.NDArray[np.int8],
    sources: npt.NDArray[np.int64],
    out: npt.NDArray[np.int32],
    free_max: int,
    limit: int,
    target: int,
) -> None: ...

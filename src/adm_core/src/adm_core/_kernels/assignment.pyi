"""Types of the compiled module; its docstrings are in the source beside it."""

import numpy as np
import numpy.typing as npt

def assign_rounds(
    cost: npt.NDArray[np.float64],
    most: float,
    tie: float,
    owner: npt.NDArray[np.int32],
    rounds: npt.NDArray[np.int32],
) -> tuple[int, float]: ...

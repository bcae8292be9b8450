"""Types of the compiled module; its docstrings are in the source beside it."""

import numpy as np
import numpy.typing as npt

def order_long(
    dist: npt.NDArray[np.float64], start: int, trials: int, out: npt.NDArray[np.int64]
) -> None: ...
def order_short(dist: npt.NDArray[np.float64], start: int, out: npt.NDArray[np.int64]) -> None: ...

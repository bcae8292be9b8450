"""Types of the compiled module; its docstrings are in the source beside it."""

import numpy as np
import numpy.typing as npt

class Form:
    def __init__(
        self,
        decay: int,
        decay_scale: float,
        decay_factor: float,
        near: int,
        near_scale: float,
        sums: tuple[float, float, float] | None,
    ) -> None: ...
    def recency(self, age: float) -> float: ...

def select(
    form: Form,
    weight: npt.NDArray[np.float64],
    source: npt.NDArray[np.uint8] | None,
    quality: npt.NDArray[np.float64],
    stamp: npt.NDArray[np.float64],
    distance: npt.NDArray[np.float64],
    mask: npt.NDArray[np.bool_] | None,
    pinned: npt.NDArray[np.bool_] | None,
    ids: npt.NDArray[np.int64] | None,
    now: float,
    floor: float,
    index: npt.NDArray[np.int64],
    score: npt.NDArray[np.float64],
) -> int: ...

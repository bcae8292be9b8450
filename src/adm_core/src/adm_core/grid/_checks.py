"""Checks that the public functions of this room share: each names argument, rule and value."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from adm_core._kernels.checks import is_plain_grid

INT8 = np.dtype(np.int8)


def check_grid(grid: Any, free_max: int, occupied_min: int) -> npt.NDArray[np.int8]:
    """Return `grid` as the kernels read it: int8[rows, cols], C-contiguous (copied if it is not).

    Raises
    ------
    ValueError
        If `grid` is no int8 array of two dimensions, or the thresholds are not
        whole numbers with ``0 <= free_max < occupied_min <= 127``.
    """
    return (
        grid
        if is_plain_grid(grid, free_max, occupied_min)
        else _slow_grid(grid, free_max, occupied_min)
    )


def _slow_grid(grid: Any, free_max: Any, occupied_min: Any) -> npt.NDArray[np.int8]:
    if not isinstance(grid, np.ndarray):
        raise ValueError(f"grid must be a NumPy array int8[rows, cols], got {type(grid).__name__}")
    if grid.dtype != INT8 or grid.ndim != 2:
        raise ValueError(f"grid must be int8[rows, cols], got {grid.dtype}{list(grid.shape)}")
    if not 0 <= free_max < occupied_min <= 127 or free_max != int(free_max):
        raise ValueError(
            "free_max and occupied_min must be whole numbers with 0 <= free_max < occupied_min "
            f"<= 127, got {free_max} and {occupied_min}"
        )
    return np.ascontiguousarray(grid, INT8)


def check_out(out: Any, name: str, dtype: npt.DTypeLike, shape: tuple[int, ...]) -> Any:
    """Return `out` if a kernel can write to it, else raise ValueError."""
    if (
        not isinstance(out, np.ndarray)
        or out.dtype != dtype
        or out.shape != shape
        or not out.flags.carray
    ):
        raise ValueError(
            f"{name} must be a writable, C-contiguous {np.dtype(dtype)}{list(shape)} array, "
            f"got {describe(out)}"
        )
    return out


def describe(value: Any) -> str:
    """Return a short description of an argument for an error message."""
    if not isinstance(value, np.ndarray):
        return f"{type(value).__name__} {value!r}"[:80]
    notes = "" if value.flags.writeable else ", read-only"
    notes += "" if value.flags.c_contiguous else ", not contiguous"
    return f"{value.dtype}{list(value.shape)}{notes}"


def check_cell(cell: Any, name: str, shape: tuple[int, int]) -> int:
    """Return the flat index of `cell` = (row, col), or raise ValueError if it lies off the grid."""
    row, col = cell
    if not (0 <= row < shape[0] and 0 <= col < shape[1]):
        raise ValueError(f"{name} must lie on the grid of {shape[0]} x {shape[1]}, got {cell!r}")
    return int(row) * shape[1] + int(col)

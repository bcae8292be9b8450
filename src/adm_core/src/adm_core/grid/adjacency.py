"""Which labels of an image touch, and which hang together."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import ndimage


def touching(labels: npt.NDArray[Any]) -> list[tuple[int, int]]:
    """Return the pairs of labels > 0 that have 4-adjacent cells.

    Parameters
    ----------
    labels : uint16[rows, cols] or another type of whole numbers below 2**31

    Returns
    -------
    list of (int, int)
        Smaller label first, sorted, each pair once.
    """
    codes = []
    for a, b in ((labels[:, 1:], labels[:, :-1]), (labels[1:], labels[:-1])):
        meet = (a != b) & (a > 0) & (b > 0)
        low, high = np.minimum(a[meet], b[meet]), np.maximum(a[meet], b[meet])
        codes.append(low.astype(np.int64) << 32 | high.astype(np.int64))
    found = np.unique(np.concatenate(codes)).tolist()
    return [(code >> 32, code & 0xFFFFFFFF) for code in found]


def parts_of_labels(
    mask: npt.NDArray[np.bool_], labels: npt.NDArray[Any], diagonal: bool = False
) -> dict[int, int]:
    """Return for each label the part of `mask` in which most of its cells lie.

    Parameters
    ----------
    mask : bool[rows, cols]
        Its parts are 4-connected, or 8-connected if `diagonal`.
    labels : int[rows, cols]
        0 for none.

    Returns
    -------
    dict of int to int
        Part number from 1 of every label that has a cell in the mask; ties go to the part
        that comes first in row-major order.
    """
    parts, _ = ndimage.label(mask, np.ones((3, 3)) if diagonal else None)
    inside = mask & (labels > 0)
    if not inside.any():
        return {}
    codes = labels[inside].astype(np.int64) << 32 | parts[inside].astype(np.int64)
    found, counts = np.unique(codes, return_counts=True)
    homes: dict[int, int] = {}
    for code in found[np.lexsort((found, -counts))].tolist():
        homes.setdefault(code >> 32, code & 0xFFFFFFFF)
    return dict(sorted(homes.items()))

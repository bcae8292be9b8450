"""Which known entity an inexact detection belongs to, for a whole report at once."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.optimize import linear_sum_assignment

from adm_core.memory.records import Detection, Record

_TOO_FAR = 1e6


def associate(
    detections: Sequence[Detection], records: Sequence[Record], sigma_m: float, gate: float
) -> list[int]:
    """Match detections to records one to one at the least total distance.

    A pair is possible if the classes are equal and the Mahalanobis distance, the distance
    over `sigma_m`, lies within the gate. As many pairs as possible are made.

    Parameters
    ----------
    detections : sequence of Detection
        Of one report: no two of them are the same object.
    records : sequence of Record
        Entities that could have been seen.
    sigma_m : float
        Standard deviation of a reported position, metres, > 0.
    gate : float
        Largest distance in standard deviations.

    Returns
    -------
    list of int
        For each detection the index of its record, or -1.
    """
    matched = [-1] * len(detections)
    if not (detections and records):
        return matched
    cost = np.array([[_distance(item, record) for record in records] for item in detections])
    cost = np.where(cost / sigma_m <= gate, (cost / sigma_m) ** 2, _TOO_FAR)
    for row, col in zip(*linear_sum_assignment(cost), strict=True):
        if cost[row, col] < _TOO_FAR:
            matched[row] = int(col)
    return matched


def _distance(item: Detection, record: Record) -> float:
    if item.label != record.label:
        return math.inf
    return math.hypot(item.pose.x - record.pose.x, item.pose.y - record.pose.y)

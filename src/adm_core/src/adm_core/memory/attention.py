"""Attention-enhanced retrieval: Eq. 5 scores and the top K of them (section IV-C)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adm_core.config import Config, param
from adm_core.memory.records import Source

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class AttentionConfig(Config):
    """Parameters of Eq. 5."""

    k: int = param(8, "most records exposed to a planning call", min=1)
    decay_s: float = param(18.0, "age at which support has fallen to 1/e", unit="s", min=1e-6)
    floor: float = param(
        0.162, "support below which records are exposed only if none is above", min=0.0
    )
    distance_m: float = param(1.0, "distance that halves a score", unit="m", min=1e-6)
    weight_skill: float = param(1.0, "weight of skill outcomes", min=0.0, max=1.0)
    weight_operator: float = param(1.0, "weight of operator edits", min=0.0, max=1.0)
    weight_onboard: float = param(1.0, "weight of onboard sightings", min=0.0, max=1.0)
    weight_remote: float = param(0.8, "weight of remote reports", min=0.0, max=1.0)
    weight_static_prior: float = param(0.6, "weight of the initial map", min=0.0, max=1.0)

    def weight(self, source: Source) -> float:
        """Return w_o of a source; the simulator's truth weighs 1."""
        return float(getattr(self, f"weight_{source.value}", 1.0))


def decay(age: float, config: AttentionConfig) -> float:
    """Return exp(-age / lambda); negative ages count as none."""
    return math.exp(-max(0.0, age) / config.decay_s)


def top_k(
    weight: Floats,
    confidence: Floats,
    stamp: Floats,
    distance: Floats,
    *,
    now: float,
    config: AttentionConfig,
) -> tuple[npt.NDArray[np.int64], Floats]:
    """Return indices and scores of the K best records; ties: newer stamp, then smaller index."""
    support = weight * confidence * np.exp(-np.maximum(0.0, now - stamp) / config.decay_s)
    score = support / (1.0 + distance / config.distance_m)
    index = np.arange(len(score))
    above = support >= config.floor
    if above.any():
        index = index[above]
    order = np.lexsort((index, -stamp[index], -score[index]))[: config.k]
    return index[order], score[index[order]]

"""Attention-enhanced retrieval: Eq. 5 scores and the top K of them (section IV-C).

The score of record i at time t is ``w * q * decay(age) * proximity(d)``: w the weight of its
source, q its confidence, age = max(0, t - stamp), d its distance from the place of the active
task. The published form, and the default, is ``w * q * exp(-age / lambda) / (1 + d / d0)``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from adm_core._kernels import attention as _kernel
from adm_core.config import Config, param
from adm_core.errors import ConfigError
from adm_core.memory.records import Source

_DECAYS = {"exp": 0, "half_life": 0, "linear": 1, "none": 2}
# Looked up once: small memories are scored in about 2 us.
_FLOAT64, _INT64 = np.dtype(np.float64), np.dtype(np.int64)
_empty, _isfinite, _new, _select = np.empty, math.isfinite, tuple.__new__, _kernel.select
_NEARS = {"exp": 0, "rational": 1, "none": 2}


@dataclass(frozen=True)
class AttentionConfig(Config):
    """Parameters of Eq. 5: number of records shown, forms and scales, weights, decay floor.

    On a grid world a step lasts a second and a cell is a metre wide.
    """

    k: int = param(8, "most records exposed to a planning call", min=1, max=4096)
    decay: str = param(
        "exp",
        "decay with age: exp(-age/s), 2**(-age/s), max(0, 1 - age/s), or none",
        choices=tuple(_DECAYS),
    )
    decay_s: float = param(
        18.0, "time constant, half-life or lifetime of the decay", unit="s", min=1e-6
    )
    floor: float = param(
        0.162, "support below which records are exposed only if none is above", min=0.0
    )
    distance: str = param(
        "rational", "factor of distance: 1/(1 + d/m), exp(-d/m), or none", choices=tuple(_NEARS)
    )
    distance_m: float = param(1.0, "scale of the factor of distance", unit="m", min=1e-6)
    combine: str = param(
        "product",
        "product of the factors, or their weighted sum (baseline)",
        choices=("product", "sum"),
    )
    share_quality: float = param(1.0, "share of weight * confidence in the sum", min=0.0)
    share_decay: float = param(1.0, "share of recency in the sum", min=0.0)
    share_distance: float = param(1.0, "share of proximity in the sum", min=0.0)
    weight_skill: float = param(1.0, "weight of skill outcomes", min=0.0, max=1.0)
    weight_operator: float = param(1.0, "weight of operator edits", min=0.0, max=1.0)
    weight_onboard: float = param(1.0, "weight of onboard sightings", min=0.0, max=1.0)
    weight_remote: float = param(0.8, "weight of remote reports", min=0.0, max=1.0)
    weight_static_prior: float = param(0.6, "weight of the initial map", min=0.0, max=1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        total = self.share_quality + self.share_decay + self.share_distance
        if self.combine == "sum" and not total > 0:
            raise ConfigError("share_quality + share_decay + share_distance must be > 0, got 0")
        form = _kernel.Form(
            _DECAYS[self.decay],
            self.decay_s,
            math.log(2.0) if self.decay == "half_life" else 1.0,
            _NEARS[self.distance],
            self.distance_m,
            (self.share_quality / total, self.share_decay / total, self.share_distance / total)
            if self.combine == "sum"
            else None,
        )
        object.__setattr__(self, "_form", form)  # read once, not at every call
        weights = {item: float(getattr(self, f"weight_{item.value}", 1.0)) for item in Source}
        object.__setattr__(self, "_weights", weights)

    def weight(self, source: Source) -> float:
        """Return w_o of a source; the simulator's truth weighs 1."""
        return self._weights[source]  # type: ignore[attr-defined]

    def __getstate__(self) -> dict[str, Any]:
        """Leave what follows from the parameters out of copies and pickles."""
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()


def decay(age: float, config: AttentionConfig) -> float:
    """Return the factor of age (s), in [0, 1]; negative ages count as none.

    The same bits as in the scores of :func:`top_k`.
    """
    return config._form.recency(age)  # type: ignore[attr-defined]


class TopK(NamedTuple):
    """Records chosen by :func:`top_k`, best first.

    Attributes
    ----------
    indices : int64[m]
        Positions in the input arrays, m <= K.
    scores : float64[m]
        Their scores.
    """

    indices: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]


_DEFAULT = AttentionConfig()


def top_k(
    weight: npt.NDArray[np.float64],
    confidence: npt.NDArray[np.float64],
    stamp: npt.NDArray[np.float64],
    distance: npt.NDArray[np.float64],
    *,
    now: float,
    config: AttentionConfig = _DEFAULT,
    source: npt.NDArray[np.uint8] | None = None,
    mask: npt.NDArray[np.bool_] | None = None,
    pinned: npt.NDArray[np.bool_] | None = None,
    ids: npt.NDArray[np.int64] | None = None,
) -> TopK:
    """Choose the K records with the highest scores (Eq. 5 of the ADM paper).

    Equal scores are ordered by newer stamp, then smaller id. A record below the decay floor
    is chosen only if no candidate, pinned or not, reaches the floor.

    Parameters
    ----------
    weight : float64[n]
        Trust in the source of each record, >= 0; with `source`, the trust in each source
        (float64[m], m <= 256).
    confidence : float64[n]
        Confidence q of each record, >= 0.
    stamp : float64[n]
        Time of measurement tau; later than `now` counts as now.
    distance : float64[n]
        Distance from the point of attention, >= 0; infinity (no way there) scores 0 unless
        `config.distance` is "none".
    now : float
        Time t, finite.
    config : AttentionConfig
        K and the forms of decay, proximity and combination.
    source : uint8[n], optional
        Index of each record's source in `weight`.
    mask : bool[n] or uint8[n], optional
        Candidates (default: all). The values of other records are not looked at.
    pinned : bool[n] or uint8[n], optional
        Candidates that take their places among the K before all others, whatever they
        score; if there are more than K, the best K of them.
    ids : int64[n], optional
        Ids that decide ties (default: the position).

    Returns
    -------
    TopK
        Positions and scores, best first; empty if there is no candidate.

    Raises
    ------
    ValueError
        If an array has the wrong type or length, or a candidate that could be chosen has a
        NaN or a negative value.

    Notes
    -----
    One pass over the arrays, two if no record reaches the floor; no array of scores is made.
    The exponential is the library's own, so scores and order are the same on every machine;
    it is exact to about one unit in the last place and 0 for ages over 708 time constants.
    """
    if not _isfinite(now):
        raise ValueError(f"now must be finite, got {now}")
    k = config.k
    index, score = _empty(k, _INT64), _empty(k, _FLOAT64)
    try:
        count = _select(
            config._form,  # type: ignore[attr-defined]
            weight,
            source,
            confidence,
            stamp,
            distance,
            mask,
            pinned,
            ids,
            now,
            config.floor,
            index,
            score,
        )
    except (ValueError, TypeError, BufferError):
        _explain(weight, source, confidence, stamp, distance, mask, pinned, ids)
        raise
    if count < 0:
        raise ValueError(
            "weight, confidence, stamp and distance must be numbers >= 0 (stamp: any number), "
            f"got {_record(-1 - count, weight, source, confidence, stamp, distance)}"
        )
    if count < k:
        index, score = index[:count], score[:count]
    return _new(TopK, (index, score))


def _explain(
    weight: Any,
    source: Any,
    confidence: Any,
    stamp: Any,
    distance: Any,
    mask: Any,
    pinned: Any,
    ids: Any,
) -> None:
    """Raise the ValueError that names the array which the kernel cannot read."""
    _check(confidence, "confidence", None, "float64")
    size = len(confidence)
    for name, column in (("stamp", stamp), ("distance", distance)):
        _check(column, name, size, "float64")
    if source is None:
        _check(weight, "weight", size, "float64")
    else:
        _check(weight, "weight", None, "float64")
        if len(weight) > 256:
            raise ValueError(f"weight must have at most 256 entries with source, got {len(weight)}")
        _check(source, "source", size, "uint8")
    for name, column, dtypes in (
        ("mask", mask, ("bool", "uint8")),
        ("pinned", pinned, ("bool", "uint8")),
        ("ids", ids, ("int64",)),
    ):
        if column is not None:
            _check(column, name, size, *dtypes)


def _check(array: Any, name: str, size: int | None, *dtypes: str) -> None:
    rule = f"{name} must be a contiguous {' or '.join(dtypes)}[{'n' if size is None else size}]"
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{rule} array, got {type(array).__name__}")
    right_size = array.ndim == 1 and (size is None or len(array) == size)
    native = array.dtype.isnative and array.dtype.name in dtypes
    if not (right_size and native and array.flags.c_contiguous):
        layout = "" if array.flags.c_contiguous else ", not contiguous"
        raise ValueError(f"{rule} array, got {array.dtype}{list(array.shape)}{layout}")


def _record(
    i: int,
    weight: npt.NDArray[np.float64],
    source: npt.NDArray[np.uint8] | None,
    *columns: npt.NDArray[np.float64],
) -> str:
    at = i if source is None else source[i]
    trust = weight[at] if at < len(weight) else math.nan
    values = ", ".join(str(float(value)) for value in (trust, *(column[i] for column in columns)))
    return f"({values}) at position {i}"

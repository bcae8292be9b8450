"""Methods of exploration that the semantic area graph is compared with."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from adm_core.search.baselines.aep_dvc import AepDvc
from adm_core.search.baselines.aep_rrt import AepRrt
from adm_core.search.baselines.config import RACER_HGRID as RACER_HGRID
from adm_core.search.baselines.config import AepConfig as AepConfig
from adm_core.search.baselines.config import AepRrtConfig as AepRrtConfig
from adm_core.search.baselines.config import RacerConfig as RacerConfig
from adm_core.search.baselines.racer import Racer
from adm_core.search.strategy import Strategy


def make_racer(
    config: RacerConfig | None = None, rng: np.random.Generator | None = None
) -> Strategy:
    """Return RACER as in the main tables; it leaves nothing to chance."""
    return Racer(config or RacerConfig())


def make_racer_hgrid(
    config: RacerConfig | None = None, rng: np.random.Generator | None = None
) -> Strategy:
    """Return RACER after its publication; it leaves nothing to chance."""
    return Racer(config or RACER_HGRID)


def make_aep_dvc(
    config: AepConfig | None = None, rng: np.random.Generator | None = None
) -> Strategy:
    """Return AEP + DVC as in the main tables; `rng` draws its samples (default: seed 0)."""
    return AepDvc(config or AepConfig(), rng or np.random.default_rng(0))


def make_aep_rrt(
    config: AepRrtConfig | None = None, rng: np.random.Generator | None = None
) -> Strategy:
    """Return AEP + DVC after its publication; `rng` draws its samples (default: seed 0)."""
    return AepRrt(config or AepRrtConfig(), rng or np.random.default_rng(0))


#: Factories of the baselines with two forms; claims are made against the stronger one.
BASELINES: dict[str, Callable[..., Strategy]] = {
    "racer": make_racer,
    "racer_hgrid": make_racer_hgrid,
    "aep_dvc": make_aep_dvc,
    "aep_rrt": make_aep_rrt,
}

"""Event tape: every random event of a mission, the same for all methods of one seed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from adm_core.simulation.scenarios import Scenario, SensingConfig

_BLOCK = 256  # events drawn together; missions have no fixed length
_BATCH = 16


class _Stream(IntEnum):
    """Independent random streams; a number never changes its meaning."""

    LAYOUT = 0
    STEP = 1
    SCAN = 2
    JUMP = 3
    NOISE = 4
    LOOK = 5
    MOMENT = 6


class _StepBlock:
    """Draws for `_BLOCK` consecutive steps."""

    def __init__(self, rng: np.random.Generator, containers: int, config: SensingConfig) -> None:
        self.slip = rng.random(_BLOCK)
        self.relocate = rng.random(_BLOCK)
        self.index = rng.integers(containers, size=_BLOCK)
        self.glimpse = rng.random((_BLOCK, containers))


class _ScanBlock:
    """Draws for `_BLOCK` consecutive aerial scans."""

    def __init__(self, rng: np.random.Generator, containers: int, config: SensingConfig) -> None:
        self.detect = rng.random((_BLOCK, containers))
        shape = (_BLOCK, containers)
        self.confidence = rng.beta(config.true_alpha, config.true_beta, shape)
        self.ghost = rng.random(_BLOCK)
        self.ghost_place = rng.random(_BLOCK)
        self.ghost_class = rng.random(_BLOCK)
        self.ghost_confidence = rng.beta(config.ghost_alpha, config.ghost_beta, _BLOCK)


class _NoiseBlock:
    """Draws for `_BLOCK` consecutive scans that only noisy scenarios look at."""

    def __init__(self, rng: np.random.Generator, containers: int, config: SensingConfig) -> None:
        self.displace = rng.random((_BLOCK, containers))
        self.direction = rng.random((_BLOCK, containers))
        self.lose = rng.random(_BLOCK)


class EventTape:
    """Random events by step and by scan, drawn from the seed alone.

    Parameters
    ----------
    seed : int
        Seed of the mission, >= 0.
    scenario : Scenario
        Number of containers.
    config : SensingConfig
        Distributions of the reported confidences.
    """

    def __init__(self, seed: int, scenario: Scenario, config: SensingConfig) -> None:
        self._seed = seed
        self._containers = scenario.containers
        self._config = config
        self._steps: dict[int, _StepBlock] = {}
        self._scans: dict[int, _ScanBlock] = {}
        self._noise: dict[int, _NoiseBlock] = {}

    def layout_rng(self) -> np.random.Generator:
        """Return the generator of the initial layout."""
        return self._rng(_Stream.LAYOUT, 0)

    def slips(self, step: int, probability: float) -> bool:
        """Tell whether the action taken at `step` slips."""
        block, offset = self._step_block(step)
        return bool(block.slip[offset] < probability)

    def relocated(self, step: int, probability: float) -> int | None:
        """Return the index of the container that jumps at `step`, or None."""
        block, offset = self._step_block(step)
        return int(block.index[offset]) if block.relocate[offset] < probability else None

    def is_scheduled(self, step: int, rate: float) -> bool:
        """Tell whether the one jump of a period of ``1 / rate`` steps comes at `step`, >= 1.

        Periods follow each other from 0 on; each draws its moment by itself.
        """
        if rate <= 0:
            return False
        periods = {math.floor((step - 1) * rate), math.floor(step * rate)}
        moments = ((number + self._rng(_Stream.MOMENT, number).random()) for number in periods)
        return any(math.floor(moment / rate) == step - 1 for moment in moments)

    def jump_places(self, step: int, count: int) -> Iterator[int]:
        """Yield candidate places in [0, count) for the jump at `step`, without end."""
        rng = self._rng(_Stream.JUMP, step)
        while True:
            yield from rng.integers(count, size=_BATCH).tolist()

    def glimpsed(self, step: int, probability: float) -> npt.NDArray[np.bool_]:
        """Return for each container whether a look around at `step` would find it."""
        block, offset = self._step_block(step)
        return block.glimpse[offset] < probability

    def scan(self, number: int, probability: float) -> tuple[npt.NDArray, npt.NDArray]:
        """Return for each container whether scan `number` finds it, and how confidently."""
        block, offset = self._scan_block(number)
        return block.detect[offset] < probability, block.confidence[offset]

    def look(self, step: int, probability: float) -> tuple[npt.NDArray, npt.NDArray]:
        """Return for each container whether a look at `step` finds it, and how confidently."""
        rng = self._rng(_Stream.LOOK, step)
        found = rng.random(self._containers) < probability
        config = self._config
        return found, rng.beta(config.true_alpha, config.true_beta, self._containers)

    def ghost(self, number: int, probability: float) -> tuple[float, float, float] | None:
        """Return place and class in [0, 1) and confidence of the ghost of a scan, or None."""
        block, offset = self._scan_block(number)
        if block.ghost[offset] >= probability:
            return None
        return (
            float(block.ghost_place[offset]),
            float(block.ghost_class[offset]),
            float(block.ghost_confidence[offset]),
        )

    def displaced(self, number: int, probability: float) -> npt.NDArray[np.float64]:
        """Return for each container which way scan `number` errs, in [0, 1); NaN: not at all."""
        block, offset = self._noise_block(number)
        return np.where(block.displace[offset] < probability, block.direction[offset], np.nan)

    def loses(self, number: int, probability: float) -> bool:
        """Tell whether the report of scan `number` is lost on its way."""
        block, offset = self._noise_block(number)
        return bool(block.lose[offset] < probability)

    def _rng(self, stream: _Stream, number: int) -> np.random.Generator:
        return np.random.default_rng([self._seed, int(stream), number])

    def _step_block(self, step: int) -> tuple[_StepBlock, int]:
        number, offset = divmod(step, _BLOCK)
        if number not in self._steps:
            rng = self._rng(_Stream.STEP, number)
            self._steps[number] = _StepBlock(rng, self._containers, self._config)
        return self._steps[number], offset

    def _scan_block(self, scan: int) -> tuple[_ScanBlock, int]:
        number, offset = divmod(scan, _BLOCK)
        if number not in self._scans:
            rng = self._rng(_Stream.SCAN, number)
            self._scans[number] = _ScanBlock(rng, self._containers, self._config)
        return self._scans[number], offset

    def _noise_block(self, scan: int) -> tuple[_NoiseBlock, int]:
        number, offset = divmod(scan, _BLOCK)
        if number not in self._noise:
            rng = self._rng(_Stream.NOISE, number)
            self._noise[number] = _NoiseBlock(rng, self._containers, self._config)
        return self._noise[number], offset

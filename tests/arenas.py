"""Arenas for tests that need PyBullet; importing this skips the module where it is missing."""

import numpy as np
import pytest
from adm_core.simulation.rigid_body.arena import Arena
from adm_core.simulation.rigid_body.config import CONTROL_HZ, ArenaConfig
from adm_core.simulation.rigid_body.layout import arena_layout
from adm_core.simulation.scenarios import Scenario

pytest.importorskip("pybullet", reason="PyBullet is not installed (extra: rigid)")

SCENARIO = Scenario("arena", 0, 6, 300, 0.0, 0.0, 2, 1.0, 0.0)


def layout_of(seed=0, config=None):
    return arena_layout(config or ArenaConfig(), SCENARIO, np.random.default_rng(seed))


def make_arena(seed=0, **changes):
    config = ArenaConfig(**changes)
    return Arena(config, layout_of(seed, config), seed)


def run(arena, seconds):
    for _ in range(round(seconds * CONTROL_HZ)):
        arena.tick()

import itertools

import numpy as np
import pytest
from adm_core.simulation.scenarios import SCENARIOS, SensingConfig
from adm_core.simulation.tape import EventTape

DN14 = SCENARIOS["DN-14"]


def tape(seed=0):
    return EventTape(seed, DN14, SensingConfig())


def test_events_depend_on_seed_and_step_and_not_on_the_order_of_asking():
    forward, backward = tape(), tape()
    steps = [0, 3, 255, 256, 700]
    asked = {step: forward.slips(step, 0.5) for step in steps}
    assert {step: backward.slips(step, 0.5) for step in reversed(steps)} == asked
    first = list(itertools.islice(forward.jump_places(9, 62), 20))
    assert list(itertools.islice(backward.jump_places(9, 62), 20)) == first


def test_different_seeds_give_different_events():
    slips = [[tape(seed).slips(step, 0.5) for step in range(64)] for seed in (0, 1)]
    assert slips[0] != slips[1]


def test_rates_are_those_asked_for():
    events, steps = tape(5), 20_000
    slipped = np.mean([events.slips(step, 0.05) for step in range(steps)])
    jumps = [events.relocated(step, 0.025) for step in range(steps)]
    found = np.mean([events.scan(number, 0.68)[0] for number in range(4_000)])
    ghosts = [events.ghost(number, 0.3) for number in range(4_000)]
    assert abs(slipped - 0.05) < 0.006
    assert abs(np.mean([jump is not None for jump in jumps]) - 0.025) < 0.005
    assert {jump for jump in jumps if jump is not None} == set(range(14))
    assert abs(found - 0.68) < 0.01
    assert abs(np.mean([ghost is not None for ghost in ghosts]) - 0.3) < 0.03


def test_confidences_of_ghosts_and_objects_overlap_at_the_threshold():
    events = tape(7)
    true = np.concatenate([events.scan(number, 1.0)[1] for number in range(2_000)])
    ghost = np.array([events.ghost(number, 1.0)[2] for number in range(2_000)])
    assert abs(np.mean(true >= 0.55) - 0.93) < 0.01
    assert abs(np.mean(ghost >= 0.55) - 0.26) < 0.04


@pytest.mark.parametrize("period", [1, 2, 7, 60, 60.5])
def test_a_schedule_has_one_jump_in_every_period(period):
    events, periods = tape(3), 40
    due = [
        step
        for step in range(1, int(periods * period) + 1)
        if events.is_scheduled(step, 1 / period)
    ]
    assert [int((step - 0.5) / period) for step in due] == list(range(periods))


def test_a_schedule_favours_no_moment_of_its_period():
    events = [tape(seed) for seed in range(300)]
    moments = [next(s for s in range(1, 61) if item.is_scheduled(s, 1 / 60)) for item in events]
    assert abs(np.mean(moments) - 30.5) < 3
    assert min(moments) <= 3 and max(moments) >= 58


def test_without_a_rate_nothing_is_scheduled():
    assert not any(tape().is_scheduled(step, 0.0) for step in range(1, 200))

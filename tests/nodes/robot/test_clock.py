import pytest
from adm_nodes.robot.clock import RobotClock
from hypothesis import given
from hypothesis import strategies as st


@given(st.floats(-1e6, 1e6), st.lists(st.floats(0.0, 0.3), min_size=1, max_size=60))
def test_the_least_delay_is_all_that_is_not_found_out(offset, delays):
    clock = RobotClock()
    for number, delay in enumerate(delays):
        now = 0.1 * number + delay
        local = clock.local(0.1 * number + offset, now)
    least = min(delays)
    assert local == pytest.approx(0.1 * (len(delays) - 1) + least, abs=1e-6)


def test_a_clock_that_drifts_is_followed():
    clock = RobotClock(window_s=5.0)
    for second in range(100):
        local = clock.local(second * 0.999, float(second))
    assert local == pytest.approx(99.0, abs=0.01)


def test_a_picture_that_was_under_way_for_long_is_old():
    clock = RobotClock()
    for second in range(5):
        clock.local(float(second), second + 0.01)
    assert clock.local(5.0, 7.0) == pytest.approx(5.01)

"""Restarts: how soon, and how often."""

import pytest
from adm_nodes.bringup.restart import RestartConfig, RestartPolicy


def test_each_wait_is_twice_the_last_up_to_a_limit():
    policy = RestartPolicy(RestartConfig(restarts=5, backoff_s=1.0, backoff_max_s=3.0))
    assert [policy.delay_s("memory", float(i)) for i in range(6)] == [1.0, 2.0, 3.0, 3.0, 3.0, None]
    assert policy.counts == {"memory": 5}


def test_what_happened_before_the_window_is_forgotten():
    policy = RestartPolicy(RestartConfig(restarts=2, window_s=10.0, backoff_s=1.0))
    assert [policy.delay_s("memory", now) for now in (0.0, 1.0, 2.0)] == [1.0, 2.0, None]
    assert policy.delay_s("memory", 10.5) == 2.0  # one of them is over
    assert policy.delay_s("memory", 30.0) == 1.0


def test_nodes_are_counted_apart():
    policy = RestartPolicy(RestartConfig(restarts=1))
    assert policy.delay_s("memory", 0.0) is not None
    assert policy.delay_s("world", 0.0) is not None
    assert policy.delay_s("world", 0.1) is None


@pytest.mark.parametrize("restarts", [0])
def test_no_restarts_at_all(restarts):
    assert RestartPolicy(RestartConfig(restarts=restarts)).delay_s("memory", 0.0) is None

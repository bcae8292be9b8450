"""Without this, a machine on which nothing imports would skip all tests of the bridge silently."""

import pytest


def test_the_bridge_is_built(missing):
    if missing:
        pytest.skip(missing)
    from adm_bridge.entries import load
    from adm_bridge.files import default_config

    assert load(default_config()).topics

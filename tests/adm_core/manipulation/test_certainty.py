import numpy as np
import pytest
from adm_core.manipulation.certainty import place_confidence


@pytest.mark.parametrize("sigma", [0.05, 0.2, 1.0])
def test_confidence_is_the_share_of_places_within_the_tolerance(sigma):
    places = np.random.default_rng(0).normal(0, sigma, (40_000, 2))
    share = np.mean(np.hypot(*places.T) <= 0.3)
    assert place_confidence(np.eye(2) * sigma**2, 0.3) == pytest.approx(share, abs=0.01)
    assert place_confidence(np.zeros((2, 2)), 0.3) == 1.0

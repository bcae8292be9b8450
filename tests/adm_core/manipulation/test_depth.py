import numpy as np
import pytest
from adm_core.manipulation.depth import DepthConfig, robust_depth

CONFIG = DepthConfig()
MASK = np.zeros((40, 40), bool)
MASK[10:30, 10:30] = True


def scene(near=0.4, far=1.5):
    return np.where(MASK, near, far).astype(np.float32)


def test_holes_edges_and_noise_do_not_move_the_median():
    rng = np.random.default_rng(0)
    depth = scene() + rng.normal(0, 0.002, MASK.shape).astype(np.float32)
    depth[rng.random(MASK.shape) < 0.4] = 0.0
    depth[rng.random(MASK.shape) < 0.05] = np.nan
    depth[10:30, 10] = 1.5  # the background leaks in over the rim
    reading = robust_depth(depth, MASK, CONFIG)
    assert reading.depth_m == pytest.approx(0.4, abs=5e-4)
    assert reading.sigma_m == pytest.approx(0.002, rel=0.3)
    assert reading.share == pytest.approx(0.6 * 0.81, abs=0.1)


def test_flying_pixels_are_left_out():
    depth = scene()
    depth[12:28:5, 12:28] = 0.7
    reading = robust_depth(depth, MASK, CONFIG)
    assert reading.depth_m == pytest.approx(0.4)
    assert not reading.good[12, 12:28].any()


@pytest.mark.parametrize("depth", [np.zeros_like(scene()), scene(near=0.05), scene(near=5.0)])
def test_no_usable_depth_is_none(depth):
    assert robust_depth(depth, MASK, CONFIG) is None


def test_a_small_object_is_measured_with_its_rim():
    mask = np.zeros((40, 40), bool)
    mask[10:13, 10:13] = True
    reading = robust_depth(scene(0.4, 0.4), mask, DepthConfig(min_pixels=8))
    assert np.count_nonzero(reading.good) == 9


def test_half_and_half_is_one_of_the_two_or_nothing():
    depth = scene()
    depth[10:30, 10:20] = 0.9
    reading = robust_depth(depth, MASK, CONFIG)
    assert reading is None or min(abs(reading.depth_m - 0.4), abs(reading.depth_m - 0.9)) < 1e-3


def test_other_shapes_are_refused():
    with pytest.raises(ValueError, match="mask must have"):
        robust_depth(np.zeros((3, 3), np.float32), MASK, CONFIG)

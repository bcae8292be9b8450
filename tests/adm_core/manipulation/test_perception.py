import numpy as np
import pytest
from adm_core.manipulation.perception import find_targets, kinds_from, nearest_to
from rgbd_scene import BOTTLE, CAMERA, CAN, HOME, render

KINDS = (CAN, BOTTLE)


def disturbed(picture, depth, rng, colour=8.0, dropout=0.15, noise=0.004, light=1.0):
    picture = np.clip(picture * light + rng.normal(0, colour, picture.shape), 0, 255)
    depth = depth + rng.normal(0, 1, depth.shape) * noise * depth**2
    depth[rng.random(depth.shape) < dropout] = 0.0
    return picture.astype(np.uint8), depth.astype(np.float32)


def look(objects, rng, **disturbance):
    return find_targets(*disturbed(*render(objects), rng, **disturbance), CAMERA, HOME, KINDS)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.label)
def test_the_axis_is_found_within_millimetres(kind):
    rng = np.random.default_rng(7)
    errors = []
    for _ in range(40):
        place = (rng.uniform(0.27, 0.45), rng.uniform(-0.12, 0.12))
        (target,) = look([(kind, place)], rng)
        assert target.label == kind.label
        errors.append(np.hypot(*(target.position[:2] - place)))
    assert np.median(errors) < 0.002
    assert max(errors) < 0.01


@pytest.mark.parametrize(
    "disturbance",
    [{"dropout": 0.6}, {"noise": 0.02}, {"light": 0.6}, {"light": 1.25}, {"colour": 18.0}],
    ids=str,
)
def test_much_noise_costs_millimetres_not_the_target(disturbance):
    rng = np.random.default_rng(8)
    errors = []
    for _ in range(20):
        place = (rng.uniform(0.3, 0.4), rng.uniform(-0.1, 0.1))
        (target,) = look([(CAN, place)], rng, **disturbance)
        errors.append(np.hypot(*(target.position[:2] - place)))
    assert np.median(errors) < 0.01


def test_a_hole_in_the_depth_of_half_the_object_is_survived():
    picture, depth = render([(CAN, (0.35, 0.0))])
    depth[:, : CAMERA.width // 2] = 0.0
    (target,) = find_targets(picture, depth, CAMERA, HOME, KINDS)
    assert target.position[:2] == pytest.approx([0.35, 0.0], abs=0.005)
    assert target.depth_share < 0.7


def test_an_object_without_depth_is_not_reported():
    picture, depth = render([(CAN, (0.35, 0.0))])
    assert find_targets(picture, np.zeros_like(depth), CAMERA, HOME, KINDS) == []


def test_an_empty_floor_holds_nothing():
    assert look([], np.random.default_rng(9)) == []


def test_two_classes_are_told_apart_and_the_nearer_comes_first():
    found = look([(BOTTLE, (0.55, 0.1)), (CAN, (0.32, -0.06))], np.random.default_rng(10))
    assert [item.label for item in found] == ["can", "bottle"]


def test_a_cut_object_says_so_and_is_still_near_the_truth():
    found = look([(CAN, (0.36, 0.24))], np.random.default_rng(11))
    (target,) = found
    assert target.blob.cut
    assert target.position[:2] == pytest.approx([0.36, 0.24], abs=0.02)


def test_the_covariance_covers_the_error_and_grows_with_noise():
    rng = np.random.default_rng(12)
    calm = look([(CAN, (0.35, 0.0))], rng, noise=0.001)[0]
    wild = look([(CAN, (0.35, 0.0))], rng, noise=0.1)[0]
    assert calm.sigma_m < wild.sigma_m
    assert np.linalg.eigvalsh(calm.covariance)[0] >= 0.002**2 * 0.999
    errors = [look([(CAN, (0.35, 0.0))], rng)[0] for _ in range(40)]
    within = [np.hypot(*(item.position[:2] - [0.35, 0.0])) < 3 * item.sigma_m for item in errors]
    assert np.mean(within) > 0.95


def test_the_nearest_target_of_a_class_within_a_radius():
    found = look([(CAN, (0.32, -0.08)), (CAN, (0.45, 0.1))], np.random.default_rng(13))
    assert nearest_to(found, "can", (0.44, 0.1), 0.1).position[1] > 0
    assert nearest_to(found, "can", (0.9, 0.1), 0.1) is None
    assert nearest_to(found, "bottle", (0.44, 0.1), 1.0) is None


def test_a_picture_of_another_size_is_refused():
    picture, depth = render([])
    with pytest.raises(ValueError, match="depth must have"):
        find_targets(picture, depth[:-1], CAMERA, HOME, KINDS)
    with pytest.raises(ValueError, match="picture must have"):
        find_targets(picture[:-1], depth, CAMERA, HOME, KINDS)


def test_a_calibration_file_makes_kinds():
    item = {"ranges": [[[170, 1, 2], [10, 250, 255]]], "radius_m": 0.03, "height_m": 0.1}
    (kind,) = kinds_from({"can": item})
    assert (kind.label, kind.ranges[0].low, kind.radius_m) == ("can", (170, 1, 2), 0.03)
    with pytest.raises(ValueError, match="container can: KeyError"):
        kinds_from({"can": {"ranges": []}})

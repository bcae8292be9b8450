"""Signs that a map was begun anew, and what is none."""

import pytest
from adm_core.types import Pose2D
from adm_nodes.navigation.map_watch import MapWatch, MapWatchConfig


def grid(known, shape=(20, 20), resolution=0.05, origin=(0.0, 0.0)):
    return (*shape, resolution, Pose2D(*origin)), known


@pytest.fixture
def watch():
    return MapWatch(MapWatchConfig(), "s1")


def test_a_map_that_is_filled_in_stays_the_same(watch):
    for step, known in enumerate([0, 50, 120, 119, 200, 150, 399]):
        assert watch.on_map(*grid(known), 2.0 * step) is None
    assert watch.epoch.map_id == "slam.s1.1"


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (grid(100, shape=(30, 20)), "extent"),
        (grid(100, resolution=0.1), "extent"),
        (grid(100, origin=(1.0, 0.0)), "extent"),
        (grid(49), "known cells fell from 100 to 49"),
        (grid(0), "known cells fell from 100 to 0"),
    ],
)
def test_another_extent_or_a_loss_of_known_cells_is_another_map(watch, changed, reason):
    watch.on_map(*grid(100), 0.0)
    epoch = watch.on_map(*changed, 2.0)
    assert epoch is watch.epoch
    assert epoch.map_id == "slam.s1.2"
    assert reason in epoch.reason


def test_a_map_that_may_grow_is_judged_by_its_known_cells_alone():
    watch = MapWatch(MapWatchConfig(fixed_extent=False), "s1")
    watch.on_map(*grid(100), 0.0)
    assert watch.on_map(*grid(300, shape=(30, 40), origin=(-1.0, 0.0)), 2.0) is None
    assert watch.on_map(*grid(20, shape=(30, 40), origin=(-1.0, 0.0)), 4.0) is not None


@pytest.mark.parametrize(
    ("poses", "jumps"),
    [
        ([(0.0, 0.0, 0.0), (0.9, 0.0, 0.0)], False),
        ([(3.0, 2.0, 0.0), (0.0, 0.0, 0.0)], True),  # what a reset does
        ([(0.0, 0.0, 3.1), (0.0, 0.0, -3.1)], False),  # across the seam
        ([(0.0, 0.0, 0.0), (0.0, 0.0, 2.5)], True),
    ],
)
def test_a_pose_that_jumps_is_in_another_map(watch, poses, jumps):
    epochs = [watch.on_pose(Pose2D(*pose), 0.1 * step) for step, pose in enumerate(poses)]
    assert (epochs[-1] is not None) == jumps


def test_after_a_pause_the_base_may_be_elsewhere(watch):
    watch.on_pose(Pose2D(0.0, 0.0), 0.0)
    assert watch.on_pose(Pose2D(5.0, 0.0), 6.0) is None
    assert watch.on_pose(Pose2D(15.0, 0.0), 7.0) is not None


def test_all_signs_of_one_reset_make_one_new_map(watch):
    watch.on_map(*grid(300), 0.0)
    watch.on_pose(Pose2D(4.0, 4.0), 0.0)
    assert watch.on_reset("reset by syscommand", 1.0) is not None
    assert watch.on_pose(Pose2D(0.0, 0.0), 1.1) is None
    assert watch.on_map(*grid(10), 2.5) is None
    assert watch.epoch.map_id == "slam.s1.2"
    assert watch.on_reset("again", 20.0).map_id == "slam.s1.3"


def test_a_restart_of_the_watcher_is_another_map():
    first, second = (MapWatch(MapWatchConfig(), name).epoch.map_id for name in ("s1", "s2"))
    assert first != second

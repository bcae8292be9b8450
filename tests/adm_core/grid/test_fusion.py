"""Fusing changes gives what merging whole maps gives."""

import math

import numpy as np
import pytest
from adm_core.errors import MapError
from adm_core.grid.frames import GridFrame, frame_of
from adm_core.grid.fusion import MapFusion
from adm_core.grid.labels import LabelGrid
from adm_core.grid.merge import merge_maps
from adm_core.grid.windows import GridWindow, changed_windows
from adm_core.types import GridMap, Pose2D

NAMES = {1: "kitchen", 2: "corridor"}


class Follower:
    """Somebody who got the first map and then windows only."""

    def __init__(self):
        self.occupancy = self.labels = None

    def take(self, fusion):
        windows, grown = fusion.update()
        if grown or self.occupancy is None:
            self.occupancy = fusion.occupancy.copy()
            self.labels = np.zeros(self.occupancy.shape, np.uint16)
            if fusion.labels is not None:
                self.labels[:] = fusion.labels
        for window in windows:
            self.occupancy[window.place] = window.occupancy
            self.labels[window.place] = window.label_image()
        assert np.array_equal(self.occupancy, fusion.occupancy)
        if fusion.labels is not None:
            assert np.array_equal(self.labels, fusion.labels)


def put(fusion, source, data, resolution=1.0, x=0.0, y=0.0):
    fusion.put(source, GridFrame(data.shape, resolution, Pose2D(x, y)), data)


class Robot:
    """A map that changes at random."""

    def __init__(self, rng, x, y, yaw=0.0, shape=(60, 80)):
        self.rng, self.origin = rng, Pose2D(x, y, yaw)
        self.data, self.types = np.full(shape, -1, np.int8), np.zeros(shape, np.uint16)
        self.see()

    def see(self):
        before = self.data.copy(), self.types.copy()
        row, col = self.rng.integers(50), self.rng.integers(60)
        self.data[row : row + 15, col : col + 15] = self.rng.choice([0, 100])
        self.types[row : row + 15, col : col + 15] = self.rng.integers(3)
        return changed_windows(before[0], self.data, before[1], self.types)

    @property
    def map(self):
        return GridMap(self.data, 0.25, self.origin)

    @property
    def labels(self):
        return LabelGrid(self.types, NAMES)


@pytest.mark.parametrize("yaw", [0.0, math.pi / 2, 0.4])
def test_changes_fuse_as_whole_maps_merge(yaw):
    rng = np.random.default_rng(3)
    robots = [Robot(rng, 0.0, 0.0), Robot(rng, 3.25, -2.0, yaw), Robot(rng, -1.1, 4.3)]
    fusion, follower = MapFusion(), Follower()
    for name, robot in enumerate(robots):
        fusion.put(str(name), frame_of(robot.map), robot.data, robot.types, NAMES)
    follower.take(fusion)
    for _ in range(12):
        for name, robot in enumerate(robots):
            fusion.apply(str(name), robot.see())
        follower.take(fusion)
        merged = merge_maps(
            [robot.map for robot in robots],
            [robot.labels for robot in robots],
            frame=fusion.frame,
        )
        assert np.array_equal(fusion.occupancy, merged.grid_map.data)
        assert np.array_equal(fusion.labels, merged.labels.data)


def test_a_map_that_grows_on_all_sides_keeps_what_was_known():
    fusion, follower = MapFusion(), Follower()
    data = np.zeros((10, 10), np.int8)
    put(fusion, "a", data, 0.5)
    follower.take(fusion)
    grown = np.full((20, 20), -1, np.int8)
    grown[5:15, 5:15] = data
    grown[0, 0] = 100
    put(fusion, "a", grown, 0.5, -2.5, -2.5)
    assert follower.take(fusion) is None
    assert fusion.frame.shape == (20, 20)
    assert fusion.occupancy[0, 0] == 100 and (fusion.occupancy[5:15, 5:15] == 0).all()


def test_a_whole_map_that_says_less_takes_back_what_it_said():
    fusion = MapFusion()
    wall = np.full((8, 8), 100, np.int8)
    put(fusion, "a", wall)
    put(fusion, "b", np.zeros((8, 8), np.int8))
    fusion.update()
    put(fusion, "a", np.full((8, 8), -1, np.int8))
    windows, grown = fusion.update()
    assert not grown and len(windows) == 1 and (fusion.occupancy == 0).all()


def test_nothing_new_gives_no_window():
    fusion = MapFusion()
    assert fusion.update() == ([], False)
    put(fusion, "a", np.zeros((4, 4), np.int8))
    assert fusion.update().grown
    put(fusion, "a", np.zeros((4, 4), np.int8))
    assert fusion.update() == ([], False)


@pytest.mark.parametrize(
    ("window", "message"),
    [
        (GridWindow(0, 3, np.zeros((1, 2), np.int8)), "windows must lie on the map"),
        (GridWindow(-1, 0, np.zeros((1, 1), np.int8)), "windows must lie on the map"),
        (GridWindow(0, 0, np.zeros((1, 1), np.int8), np.full((1, 1), 9, np.uint16)), "name every"),
    ],
)
def test_a_window_that_does_not_fit_is_refused(window, message):
    fusion = MapFusion()
    put(fusion, "a", np.zeros((4, 4), np.int8))
    with pytest.raises(ValueError, match=message):
        fusion.apply("a", [window])


@pytest.mark.parametrize(
    ("data", "labels", "message"),
    [
        (np.zeros((4, 5), np.int8), None, "occupancy must be"),
        (np.zeros((4, 4), np.int8), np.zeros((4, 5), np.uint16), "labels must be"),
        (np.zeros((4, 4), np.int8), np.full((4, 4), 3, np.uint16), "name every label"),
    ],
)
def test_a_map_whose_parts_do_not_fit_is_refused(data, labels, message):
    with pytest.raises(ValueError, match=message):
        MapFusion().put("a", GridFrame((4, 4), 1.0, Pose2D(0.0, 0.0)), data, labels)


def test_a_change_without_a_map_is_refused():
    with pytest.raises(ValueError, match="must have sent a map before"):
        MapFusion().apply("a", [])


def test_a_map_far_away_is_refused_and_the_others_go_on():
    fusion = MapFusion(max_cells=10_000)
    put(fusion, "a", np.zeros((4, 4), np.int8))
    with pytest.raises(MapError, match="far away"):
        put(fusion, "b", np.zeros((4, 4), np.int8), 1.0, 1e5)
    fusion.update()
    assert fusion.frame.shape == (4, 4) and (fusion.occupancy == 0).all()

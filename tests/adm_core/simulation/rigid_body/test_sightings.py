import math

import numpy as np
import pytest
from adm_core.simulation.rigid_body.sightings import (
    drone_detections,
    onboard_detections,
    visible,
)
from adm_core.types import Pose2D
from arenas import make_arena, run

ALL, SURE = np.ones(6, bool), np.linspace(0.6, 0.9, 6)


@pytest.fixture
def arena():
    made = make_arena()
    yield made
    made.close()


def ahead_of(arena, metres):
    x, y, yaw = arena.robot.pose()
    return Pose2D(x + metres * math.cos(yaw), y + metres * math.sin(yaw))


def test_the_drone_reports_every_container_within_centimetres(arena):
    reports = drone_detections(arena, ALL, SURE)
    assert len(reports) == 6
    errors = []
    for thing, sure in zip(arena.things, SURE, strict=True):
        (report,) = [item for item in reports if item.confidence == pytest.approx(sure)]
        assert report.label == thing.label
        errors.append(math.dist(report.pose[:2], arena.place_of(thing)[:2]))
    assert max(errors) < 0.12


def test_the_drone_overlooks_what_the_tape_says(arena):
    found = ALL.copy()
    found[2] = False
    assert len(drone_detections(arena, found, SURE)) == 5


def test_nobody_reports_what_lies_at_a_station_or_is_held(arena):
    thing = arena.things[0]
    arena.move_thing(thing, arena.layout.slots(arena.layout.stations[0])[0])
    assert len(drone_detections(arena, ALL, SURE)) == 5
    assert not visible(arena, thing)


def test_the_wrist_camera_reports_what_is_ahead_where_it_is(arena):
    thing = arena.things[1]
    errors = []
    for metres in (0.45, 0.55, 0.65, 0.75):
        arena.move_thing(thing, ahead_of(arena, metres))
        run(arena, 0.1)
        reports = [item for item in onboard_detections(arena, 0.95) if item.label == "bottle"]
        errors.append(min(math.dist(item.pose[:2], arena.place_of(thing)[:2]) for item in reports))
    assert max(errors) < 0.06


def test_with_nothing_ahead_no_picture_is_taken(arena):
    for index, thing in enumerate(arena.things):
        arena.move_thing(thing, Pose2D(-1.0, -0.9 + 0.3 * index))
    before = arena.pictures
    assert onboard_detections(arena, 0.95) == []
    assert arena.pictures == before

"""A pretended drone and a software depth camera over the rigid-body arena: real renders."""

import math

import numpy as np
import pytest
from adm_core.aerial.config import FlightConfig
from adm_core.aerial.estimate import Pose3, standing
from adm_core.aerial.flight import FlightPlan, Look
from adm_core.aerial.geofence import Geofence
from adm_core.aerial.pilot import Pilot
from adm_core.aerial.sightings import Observer
from adm_core.manipulation.kinds import load_kinds
from adm_core.manipulation.perception import find_targets
from adm_core.simulation.rigid_body.bodies import is_on_tray
from adm_core.simulation.rigid_body.cameras import wrist_intrinsics
from adm_core.testing.direct_tello import DirectTello
from adm_core.testing.fake_realsense import SoftwareRealSense
from adm_core.testing.tello_flight import TelloBody
from adm_core.testing.tello_scene import film
from adm_core.types import Pose2D
from arenas import make_arena, run
from flights import camera

KINDS = load_kinds()
START = (-1.0, -1.0)


@pytest.fixture(scope="module")
def arena():
    made = make_arena(seed=4)
    yield made
    made.close()


def standing_things(arena):
    return [
        (thing.label, arena.place_of(thing)[:2])
        for thing in arena.things
        if not any(
            is_on_tray(arena.layout, station, *arena.place_of(thing)[:2])
            for station in arena.layout.stations
        )
    ]


def test_a_survey_of_the_arena_finds_every_container(arena):
    view = camera(480)
    side = arena.config.size_m / 2
    fence = Geofence(((-side, -side), (side, -side), (side, side), (-side, side)), 2.5)
    drone = DirectTello(film(arena.engine, view), body=TelloBody(Pose3(*START, 0.0, 0.0)))
    plan = FlightPlan(
        fence,
        standing(*START, 0.0, 0.03, 0.02),
        Observer(view, KINDS, attitude_rad=math.radians(1)),
        config=FlightConfig(settle_s=0.1, max_leg_m=3.0),
    )
    looks = [event for event in Pilot(drone, plan, drone).fly() if isinstance(event, Look)]
    seen = [item for look in looks for item in look.sightings]
    for label, place in standing_things(arena):
        own = [item for item in seen if item.label == label]
        nearest = min(own, key=lambda item: math.dist(item.place, place))
        off = np.array(nearest.place) - place
        assert np.hypot(*off) < 0.12
        assert off @ np.linalg.solve(nearest.covariance, off) < 16  # four sigma


def test_a_depth_camera_fed_from_the_arena_gives_the_targets_of_its_renders(arena):
    pytest.importorskip("pyrealsense2", reason="pyrealsense2 is not installed (extra: robots)")
    robot = arena.robot.pose()
    ahead = (robot.x + 0.5 * math.cos(robot.yaw), robot.y + 0.5 * math.sin(robot.yaw))
    arena.move_thing(arena.things[0], Pose2D(*ahead))
    run(arena, 0.2)
    device = SoftwareRealSense(wrist_intrinsics(arena.config))
    frames = []
    for index in range(4):
        frame = arena.look()
        device.feed(frame.picture, frame.depth, index / 30)
        got = device.next(2.0)
        frames += [] if got is None else [(frame, got)]
    device.close()
    frame, got = frames[-1]
    assert np.array_equal(got.picture, frame.picture)
    assert np.mean(np.abs(got.depth - frame.depth) < 0.002) > 0.8  # alignment moves some by a pixel
    both = [
        find_targets(item.picture, item.depth, got.camera, frame.mount, KINDS)
        for item in (frame, got)
    ]
    assert [item.label for item in both[0]] == [item.label for item in both[1]] != []
    for ours, theirs in zip(*both, strict=True):
        assert theirs.position == pytest.approx(ours.position, abs=0.006)

import math

import numpy as np
import pytest
from adm_core.manipulation.planar import bearing_to, in_map_frame, in_robot_frame
from adm_core.planning.body import Standoff
from adm_core.simulation.rigid_body.config import ArenaConfig
from adm_core.simulation.rigid_body.layout import OBSTACLE_M, arena_layout
from adm_core.simulation.rigid_body.navigation import Navigator, face, follow
from adm_core.simulation.scenarios import Scenario
from adm_core.types import Pose2D
from hypothesis import given
from hypothesis import strategies as st

CONFIG = ArenaConfig()
LAYOUT = arena_layout(CONFIG, Scenario("arena", 0, 6, 300), np.random.default_rng(0))
ORIGIN = Pose2D(0.0, 0.0, 0.0)


def clear_of_boxes(way):
    half = OBSTACLE_M / 2
    for x, y in way:
        for box in LAYOUT.obstacles:
            dx, dy = max(abs(x - box.x) - half, 0), max(abs(y - box.y) - half, 0)
            if math.hypot(dx, dy) < CONFIG.clearance_m - 0.06:
                return False
    return True


def drive(robot, way, seconds=40.0, config=CONFIG):
    for _ in range(int(seconds * 20)):
        twist = follow(robot, way, config)
        yaw = robot.yaw + twist.turn / 20
        robot = Pose2D(
            robot.x + (math.cos(yaw) * twist.ahead - math.sin(yaw) * twist.left) / 20,
            robot.y + (math.sin(yaw) * twist.ahead + math.cos(yaw) * twist.left) / 20,
            yaw,
        )
    return robot


def test_a_way_ends_before_the_target_and_keeps_clear():
    navigator = Navigator(CONFIG, LAYOUT)
    for spot in LAYOUT.spots:
        way = navigator.way_to_face(ORIGIN, (spot.x, spot.y), 0.0)
        assert math.dist(way[-1], spot[:2]) == pytest.approx(CONFIG.standoff_m)
        assert clear_of_boxes(way)
        assert max(map(abs, sum(way, ()))) < CONFIG.size_m / 2 - CONFIG.clearance_m + 0.06


def test_what_the_lidar_sees_is_driven_around_and_forgotten_once_rays_pass():
    navigator = Navigator(CONFIG, LAYOUT)
    straight = navigator.way_to_one(ORIGIN, [(0.9, 0.0)], 0.0)
    ranges = np.full(360, np.inf)
    ranges[:4] = ranges[-3:] = 0.5
    navigator.note_scan(ranges, ORIGIN, 1.0)
    around = navigator.way_to_one(ORIGIN, [(0.9, 0.0)], 1.0)
    assert min(math.dist(point, (0.5, 0.0)) for point in straight) < 0.1
    assert min(math.dist(point, (0.5, 0.0)) for point in around) > 0.15
    navigator.note_scan(np.full(360, np.inf), ORIGIN, 2.0)
    assert navigator.way_to_one(ORIGIN, [(0.9, 0.0)], 2.0) == straight
    navigator.note_scan(ranges, ORIGIN, 3.0)
    assert navigator.way_to_one(ORIGIN, [(0.9, 0.0)], 20.0) == straight


def test_where_no_way_leads_there_is_none():
    navigator = Navigator(CONFIG, LAYOUT)
    assert navigator.way_to_one(ORIGIN, [(5.0, 0.0)], 0.0) == []
    assert navigator.way_to_one(Pose2D(9.0, 0.0), [(0.0, 0.0)], 0.0) == []
    box = LAYOUT.obstacles[0]
    assert navigator.way_to_one(ORIGIN, [(box.x, box.y)], 0.0) == []


def test_a_robot_in_a_tight_place_can_leave_it():
    navigator = Navigator(CONFIG, LAYOUT)
    ranges = np.full(360, np.inf)
    ranges[85:95] = 0.18
    navigator.note_scan(ranges, ORIGIN, 1.0)
    assert navigator.way_to_one(ORIGIN, [(0.7, 0.0)], 1.0)


@pytest.mark.parametrize("base", ["differential", "mecanum"])
def test_the_follower_gets_there(base):
    config = ArenaConfig(base=base)
    navigator = Navigator(config, LAYOUT)
    way = navigator.way_to_one(ORIGIN, [(-1.2, 0.9)], 0.0)
    end = drive(ORIGIN, way, config=config)
    assert (end.x, end.y) == pytest.approx((-1.2, 0.9), abs=0.05)


def test_a_differential_base_never_goes_sideways_and_turns_before_it_drives():
    twist = follow(ORIGIN, [(-1.0, 0.1)], CONFIG)
    assert (twist.ahead, twist.left) == (0.0, 0.0)
    assert abs(twist.turn) == CONFIG.turn_rad_s
    assert face(ORIGIN, (0.0, -1.0), CONFIG).turn == -CONFIG.turn_rad_s


@pytest.mark.parametrize(
    "goal, near",
    [((0.5, 0.0), True), ((0.61, 0.0), True), ((0.7, 0.0), False), ((0.2, 0.0), False),
     ((0.4, 0.3), False), ((-0.5, 0.0), False)],
)  # fmt: skip
def test_arrived_means_ahead_and_near(goal, near):
    assert Standoff(0.5).arrived(ORIGIN, Pose2D(*goal)) is near


@given(
    st.tuples(st.floats(-3, 3), st.floats(-3, 3), st.floats(-4, 4)),
    st.tuples(st.floats(-3, 3), st.floats(-3, 3)),
)
def test_frames_there_and_back(robot, point):
    robot = Pose2D(*robot)
    ahead, left = in_robot_frame(robot, point)
    assert in_map_frame(robot, ahead, left) == pytest.approx(point, abs=1e-9)
    if math.hypot(ahead, left) > 1e-6:
        bearing = bearing_to(robot, point)
        assert math.remainder(bearing - math.atan2(left, ahead), 2 * math.pi) == pytest.approx(
            0, abs=1e-6
        )

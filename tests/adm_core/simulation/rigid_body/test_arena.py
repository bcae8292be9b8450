import math

import numpy as np
import pytest
from adm_core.manipulation.servo import Twist
from adm_core.simulation.rigid_body.cameras import drone_intrinsics, in_world, wrist_intrinsics
from adm_core.types import Pose2D
from arenas import make_arena, run


@pytest.fixture
def arena():
    made = make_arena(depth_noise=0.0, depth_dropout=0.0, colour_noise=0.0)
    yield made
    made.close()


def beside(arena, ahead, left=0.0):
    x, y, yaw = arena.robot.pose()
    return Pose2D(
        x + ahead * math.cos(yaw) - left * math.sin(yaw),
        y + ahead * math.sin(yaw) + left * math.cos(yaw),
    )


def test_containers_stand_where_the_layout_says(arena):
    run(arena, 1.0)
    for thing, spot in zip(arena.things, arena.layout.placed, strict=True):
        x, y, z = arena.place_of(thing)
        assert (x, y) == pytest.approx(arena.layout.spots[spot][:2], abs=2e-3)
        assert z == pytest.approx(thing.body.kind.height_m / 2, abs=2e-3)


@pytest.mark.parametrize("base, sideways", [("differential", 0.0), ("mecanum", 0.2)])
def test_the_base_drives_as_its_type_can(base, sideways):
    arena = make_arena(base=base)
    start = arena.robot.pose()
    arena.robot.drive(Twist(0.2, 0.2, 0.0))
    run(arena, 1.0)
    end = arena.robot.pose()
    assert end.x - start.x == pytest.approx(0.2, abs=0.02)
    assert end.y - start.y == pytest.approx(sideways, abs=0.02)
    arena.robot.drive(Twist(0.0, 0.0, 0.5))
    run(arena, 1.0)
    assert arena.robot.pose().yaw == pytest.approx(0.5, abs=0.05)
    arena.close()


def test_a_wall_stops_the_robot(arena):
    arena.robot.drive(Twist(0.6, 0.0, 0.0))
    run(arena, 5.0)
    assert arena.robot.pose().x == pytest.approx(1.75 - arena.arm.base.length / 2, abs=0.03)


def test_the_lidar_measures_the_walls_and_sees_containers(arena):
    arena.move_thing(arena.things[0], beside(arena, -0.6))
    run(arena, 0.2)
    x = arena.lidar_pose.x
    rays = len(arena.lidar)
    assert arena.lidar[0] == pytest.approx(1.75 - x, abs=0.05)
    assert arena.lidar[rays // 2] == pytest.approx(0.6 - 0.027, abs=0.05)
    assert arena.lidar[rays // 4] > 1.0


def test_depth_and_projection_agree_with_the_world(arena):
    thing = arena.things[0]
    arena.move_thing(thing, beside(arena, 0.5, 0.1))
    run(arena, 0.2)
    frame = arena.look()
    place = in_world(frame.mount, arena.robot.pose()).to_optical(arena.place_of(thing))
    column, row = wrist_intrinsics(arena.config).project(place)
    depth = frame.depth[round(row), round(column)]
    assert place[2] - thing.body.kind.radius_m * 1.3 < depth < place[2]
    blue, green, red = frame.picture[round(row), round(column)].astype(int)
    assert red > 3 * max(blue, green)


def test_the_drone_sees_every_container_where_it_is():
    arena = make_arena(drone_noise_m=0.0, colour_noise=0.0)
    picture, mount = arena.look_down()
    for thing in arena.things:
        top = arena.place_of(thing) + np.array([0, 0, thing.body.kind.height_m / 2])
        column, row = drone_intrinsics(arena.config).project(mount.to_optical(top))
        patch = picture[round(row) - 2 : round(row) + 3, round(column) - 2 : round(column) + 3]
        channel = 2 if thing.label == "can" else 0
        others = patch[..., [c for c in range(3) if c != channel]].max(axis=2)
        assert (patch[..., channel].astype(int) - others).max() > 60
    arena.close()


def test_noise_light_and_dropout_are_as_asked():
    arena = make_arena(depth_dropout=0.3, light=0.5, depth_max_m=0.6)
    frame = arena.look()
    assert np.mean(frame.depth == 0) > 0.3
    assert frame.depth.max() < 0.62
    bright = make_arena()
    assert frame.picture.mean() == pytest.approx(bright.look().picture.mean() / 2, rel=0.1)
    arena.close()
    bright.close()


def test_the_same_seed_and_commands_give_the_same_world():
    ends = []
    for _ in range(2):
        arena = make_arena(seed=5)
        arena.robot.drive(Twist(0.3, 0.0, 0.4))
        run(arena, 2.0)
        frame = arena.look()
        ends.append((arena.robot.pose(), arena.lidar.tolist(), frame.depth.tobytes()))
        arena.close()
    assert ends[0] == ends[1]


def test_only_what_lies_on_its_own_plate_is_delivered(arena):
    can, bottle = arena.things[0], arena.things[1]
    west, east = arena.layout.stations
    arena.move_thing(can, arena.layout.slots(west)[0])
    arena.move_thing(bottle, arena.layout.slots(west)[2])
    assert (arena.is_delivered(can), arena.is_delivered(bottle)) == (True, False)
    arena.move_thing(bottle, arena.layout.slots(east)[0])
    assert arena.is_delivered(bottle)


def test_what_is_behind_is_not_in_sight(arena):
    thing = arena.things[0]
    for place, seen in ((beside(arena, 0.6), True), (beside(arena, -0.6), False)):
        arena.move_thing(thing, place)
        assert arena.is_in_sight(thing) is seen

import math

import pytest
from adm_core.manipulation.servo import Twist
from adm_core.memory.records import FailureReason
from adm_core.planning.body import Standoff
from adm_core.simulation.rigid_body.skills import Skills
from adm_core.types import Pose2D
from arenas import make_arena, run


def place_ahead(arena, thing, metres, left=0.0):
    x, y, yaw = arena.robot.pose()
    spot = Pose2D(
        x + metres * math.cos(yaw) - left * math.sin(yaw),
        y + metres * math.sin(yaw) + left * math.cos(yaw),
    )
    arena.move_thing(thing, spot)
    run(arena, 0.1)
    return spot


@pytest.fixture(params=["differential", "mecanum"])
def arena(request):
    made = make_arena(base=request.param)
    yield made
    made.close()


@pytest.fixture
def skills(arena):
    return Skills(arena, arena.tick)


def centre_of(arena, thing):
    x, y, _ = arena.place_of(thing)
    robot = arena.robot.pose()
    dx, dy = x - robot.x, y - robot.y
    cos, sin = math.cos(robot.yaw), math.sin(robot.yaw)
    return cos * dx + sin * dy, cos * dy - sin * dx


def test_approach_grasp_and_deliver_move_a_real_container(arena, skills):
    thing = arena.things[0]
    spot = place_ahead(arena, thing, 0.55, 0.08)
    assert skills.approach(spot, "can") is FailureReason.NONE
    assert centre_of(arena, thing) == pytest.approx((0.35, 0.0), abs=0.03)
    assert skills.grasp(spot, "can") is FailureReason.NONE
    assert arena.is_held(thing)
    assert arena.place_of(thing)[2] > 0.2
    assert skills.verify(spot, "can") is FailureReason.NONE
    station = arena.layout.stations[0]
    assert skills.deliver(station, "can") is FailureReason.NONE
    run(arena, 1.0)
    assert arena.is_delivered(thing)
    assert arena.place_of(thing)[2] == pytest.approx(0.062, abs=0.01)  # upright on the plate


def test_a_robot_that_has_stood_for_another_skill_is_not_stuck(arena, skills):
    ahead = Pose2D(arena.robot.pose().x, arena.robot.pose().y - 1.0)
    while arena.now < 6.0:
        skills.step(Twist())
    assert skills.move(ahead, 0.2) is FailureReason.NONE


def test_an_empty_place_is_absent(arena, skills):
    x, y, _ = arena.robot.pose()
    assert skills.approach(Pose2D(x, y - 0.55), "bottle") is FailureReason.ABSENT
    assert skills.verify(Pose2D(x, y - 0.55), "bottle") is FailureReason.ABSENT


@pytest.mark.parametrize(
    "away, reason", [(2.0, FailureReason.LOST), (0.22, FailureReason.NONE)], ids=["far", "near"]
)
def test_what_leaves_before_the_eyes_of_the_robot_is_looked_for_once_more(away, reason):
    arena = make_arena()
    thing = arena.things[0]
    spot = place_ahead(arena, thing, 0.55)
    begun = []

    def carry():
        if arena.pictures == 4 and not begun:
            x, y, _ = arena.place_of(thing)
            begun.append(arena.now)
            arena.move_thing(thing, Pose2D(x, y - away))
        arena.tick()

    assert Skills(arena, carry).approach(spot, "can") is reason
    assert begun and arena.now - begun[0] < 8.0
    arena.close()


def test_what_stands_at_a_station_is_not_fetched_again():
    arena = make_arena()
    skills = Skills(arena, arena.tick)
    thing, station = arena.things[0], arena.layout.stations[1]  # wherever it stands, it stays
    slot = arena.layout.slots(station)[1]
    arena.move_thing(thing, slot)
    before = Pose2D(slot.x - 0.25, slot.y)  # where a report would have it
    while not Standoff(arena.config.standoff_m).arrived(arena.robot.pose(), before):
        assert skills.move(before, 1.0) is FailureReason.NONE
    assert skills.approach(before, "can") is FailureReason.ABSENT
    arena.close()


def test_a_container_that_is_taken_away_while_the_hand_closes_is_noticed():
    arena = make_arena()
    thing = arena.things[0]
    spot = place_ahead(arena, thing, 0.5)

    def steal():
        if arena.robot.state().width < 0.08 and arena.robot.grip is None:
            arena.move_thing(thing, Pose2D(-1.0, -1.0))
        arena.tick()

    skills = Skills(arena, steal)
    assert skills.grasp(spot, "can") is FailureReason.MISSED
    assert skills.held is None
    assert arena.robot.state().width > 0.08  # the hand is open again
    arena.close()


def test_a_container_that_falls_on_the_way_is_noticed_at_the_station():
    arena = make_arena()
    thing = arena.things[0]
    spot = place_ahead(arena, thing, 0.5)
    skills = Skills(arena, arena.tick)
    assert skills.grasp(spot, "can") is FailureReason.NONE
    arena.robot.release()
    arena.move_thing(thing, Pose2D(0.0, -1.0))
    run(arena, 0.5)
    reason = skills.deliver(arena.layout.stations[0], "can")
    assert reason is FailureReason.DROPPED
    assert reason.empties_hand
    assert skills.held is None
    arena.close()


def test_preconditions_are_checked_before_anything_moves():
    arena = make_arena()
    skills = Skills(arena, arena.tick)
    station = arena.layout.stations[0]
    here = Pose2D(0.5, 0.0)
    assert skills.deliver(station, "can") is FailureReason.PRECONDITION
    for label in ("cup", ""):
        assert skills.approach(here, label) is FailureReason.PRECONDITION
        assert skills.grasp(here, label) is FailureReason.PRECONDITION
        assert skills.verify(here, label) is FailureReason.PRECONDITION
    assert arena.ticks == 0
    arena.close()


def test_driving_ends_before_the_target_with_the_target_ahead():
    arena = make_arena()
    skills = Skills(arena, arena.tick)
    goal = arena.layout.spots[arena.layout.placed[3]]
    for _ in range(20):
        assert skills.move(goal, 1.0) is FailureReason.NONE
    assert centre_of(arena, arena.things[3])[0] == pytest.approx(0.5, abs=0.12)
    assert abs(centre_of(arena, arena.things[3])[1]) < 0.2
    arena.close()


def test_a_place_that_cannot_be_reached_is_refused():
    arena = make_arena()
    skills = Skills(arena, arena.tick)
    assert skills.move(Pose2D(6.0, 0.0), 1.0) is FailureReason.UNREACHABLE
    arena.close()

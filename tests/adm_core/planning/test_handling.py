"""What becomes of a skill when the robot cannot go on; the skills themselves: see rigid_body."""

import math

import pytest
from adm_core.memory.records import FailureReason
from adm_core.planning.handling import RobotError
from adm_core.simulation.rigid_body.skills import Skills
from adm_core.types import Pose2D
from arenas import make_arena, run


@pytest.fixture
def arena():
    made = make_arena(base="mecanum")
    yield made
    made.close()


@pytest.fixture
def skills(arena):
    return Skills(arena, arena.tick)


def put_ahead(arena, thing, metres=0.45):
    x, y, yaw = arena.robot.pose()
    spot = Pose2D(x + metres * math.cos(yaw), y + metres * math.sin(yaw))
    arena.move_thing(thing, spot)
    run(arena, 0.1)
    return spot


def failing(reason):
    def fail(*_):
        raise RobotError(reason, "as ordered")

    return fail


@pytest.mark.parametrize(
    ("part", "reason"),
    [
        ("look", FailureReason.NO_PICTURES),
        ("pose", FailureReason.NO_POSE),
        ("arm_state", FailureReason.NO_LINK),
    ],
)
def test_a_robot_that_cannot_go_on_ends_the_skill_with_its_reason(
    arena, skills, monkeypatch, part, reason
):
    spot = put_ahead(arena, arena.things[0])
    monkeypatch.setattr(skills, part, failing(reason))
    assert skills.grasp(spot, "can") is reason
    assert skills.hand.last_error == "as ordered"
    assert skills.held is None
    start = arena.robot.pose()
    run(arena, 1.0)
    assert math.dist(start[:2], arena.robot.pose()[:2]) < 0.02  # it stands


def test_a_container_that_was_let_go_of_at_its_station_is_delivered(arena, skills, monkeypatch):
    """The look after the release fails: what stands on the plate must not be sought again."""
    thing = arena.things[0]
    assert skills.grasp(put_ahead(arena, thing), "can") is FailureReason.NONE
    monkeypatch.setattr(skills, "look", failing(FailureReason.NO_PICTURES))
    station = arena.layout.stations[0]
    assert skills.deliver(station, "can") is FailureReason.NONE
    assert skills.held is None
    run(arena, 1.0)
    assert arena.is_delivered(thing)


def test_a_container_in_the_hand_stays_there_when_the_way_is_lost(arena, skills, monkeypatch):
    assert skills.grasp(put_ahead(arena, arena.things[0]), "can") is FailureReason.NONE
    monkeypatch.setattr(skills, "stand_before", failing(FailureReason.NO_POSE))
    assert skills.deliver(arena.layout.stations[0], "can") is FailureReason.NO_POSE
    assert skills.held is not None and arena.is_held(arena.things[0])

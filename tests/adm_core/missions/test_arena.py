"""Whole missions in the arena: the executor and memory of the grid on a robot's body."""

from dataclasses import replace
from itertools import pairwise

import pytest
from adm_core.errors import MissionError
from adm_core.memory.records import FailureReason, Source
from adm_core.missions.arena import prepare_arena
from adm_core.missions.profile import load_profile
from adm_core.missions.recycling import LocalMission
from adm_core.missions.setup import MissionConfig
from adm_core.planning.ports import Command, Primitive
from adm_core.types import Pose2D

pytest.importorskip("pybullet", reason="PyBullet is not installed (extra: rigid)")

SCENARIO = replace(load_profile("arena").scenario("arena"), containers=2)


def setup(seed=1, method="attention", **changes):
    scenario = replace(SCENARIO, **changes)
    return prepare_arena(MissionConfig(method=method, seed=seed), scenario=scenario)


def finish(prepared):
    mission = LocalMission(prepared)
    for _ in mission.run():
        pass
    return mission


def test_two_containers_end_at_their_stations():
    mission = finish(setup())
    facts = mission.world.facts()
    assert facts.delivered == 2
    assert mission.executor.complete
    assert mission.executor.step < SCENARIO.budget_steps
    assert mission.executor.tally.path_m > 1.0


def test_the_same_seed_gives_the_same_mission():
    digests = set()
    for _ in range(2):
        mission = finish(setup(seed=2, budget_steps=10))
        digests.add((mission.executor.digest.hexdigest(), mission.executor.tally.path_m))
    assert len(digests) == 1


def test_evidence_is_numbered_stamped_and_delayed():
    batches = []
    world = setup(seed=3).world(batches.append)
    world.start()
    for _ in range(6):
        report = world.act(Command(Primitive.WAIT, Pose2D(0.0, 0.0)))
    assert report.step == 6
    assert [batch.seq for batch in batches] == list(range(1, report.evidence_seq + 1))
    aerial = [batch for batch in batches if batch.source is Source.REMOTE]
    assert [batch.stamp for batch in aerial] == [0.0, 2.0, 4.0]  # each arrived 2 s later
    assert batches.index(aerial[0]) == 3  # after the map and the sightings of seconds 0 and 1
    assert len(aerial[0].detections) >= 1
    world.close()


def test_commands_without_sense_fail_with_a_reason():
    world = setup(seed=3).world(lambda batch: None)
    world.start()
    nowhere = world.act(Command(Primitive.PLACE, Pose2D(0.0, 0.0), "can"))
    assert nowhere.reason is FailureReason.PRECONDITION
    empty = world.act(Command(Primitive.PLACE, setup(3).mission.stations[0].pose, "can"))
    assert empty.reason is FailureReason.PRECONDITION
    assert (nowhere.step, empty.step) == (1, 2)
    world.close()


def test_a_vain_visit_to_a_place_that_never_held_anything_is_a_ghosts():
    world = setup(seed=3).world(lambda batch: None)
    report = world.start()
    beside = Pose2D(report.robot.x, report.robot.y - 0.5)
    assert world.act(Command(Primitive.APPROACH, beside, "can")).reason is FailureReason.ABSENT
    assert [visit.ghost for visit in world.facts().visits] == [True]
    world.close()


def test_relocations_come_by_schedule_and_only_to_what_stands():
    world = setup(seed=3, relocation=0.5).world(lambda batch: None)
    world.start()
    places = [[tuple(world.arena.place_of(thing)[:2]) for thing in world.arena.things]]
    for _ in range(8):
        world.act(Command(Primitive.WAIT, Pose2D(0.0, 0.0)))
        places.append([tuple(world.arena.place_of(thing)[:2]) for thing in world.arena.things])
    moved = [
        sum(abs(a[0] - b[0]) > 0.1 or abs(a[1] - b[1]) > 0.1 for a, b in zip(*pair, strict=True))
        for pair in pairwise(places)
    ]
    assert [a + b for a, b in zip(moved[::2], moved[1::2], strict=True)] == [1, 1, 1, 1]
    world.close()


def test_more_containers_than_places_are_refused():
    with pytest.raises(MissionError, match="room for 8"):
        setup(containers=20)

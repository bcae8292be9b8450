"""Active observation: a request to the aerial source, validated like any other skill."""

import dataclasses
from itertools import pairwise

import pytest
from adm_core.memory.attention import AttentionConfig
from adm_core.memory.method import Focus
from adm_core.memory.records import ExposedRecord, Exposure, Source, Status
from adm_core.memory.static import DEFAULT_SKILLS, Region
from adm_core.missions.recycling import LocalMission, LocalWorld, prepare
from adm_core.missions.setup import MissionConfig
from adm_core.planning.plan import Step
from adm_core.planning.plan_schema import plan_schema
from adm_core.planning.planner import Planner
from adm_core.planning.ports import Command, PlanRequest, Primitive
from adm_core.planning.query_text import query_text
from adm_core.planning.validator import Refusal, validate
from llm_doubles import query, record
from worlds import at, field, mission

CORNERS = ((0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0))
LOOKING = dataclasses.replace(
    mission(),
    skills=(*DEFAULT_SKILLS, "observe"),
    regions=(Region("hall", CORNERS),),
    observe_below=0.3,
)
FETCH = (
    Step("navigate", "e1"),
    Step("grasp", "e1"),
    Step("navigate", station_id="station_A"),
    Step("deliver", "e1", "station_A"),
)


@pytest.mark.parametrize("target", ["e1", "hall"])
def test_an_entity_or_a_region_may_be_observed(target):
    assert validate((Step("observe", target), *FETCH), query(of=LOOKING)) is None


HELD = record("e9", status=Status.GRASPED)


@pytest.mark.parametrize(
    ("step", "code"),
    [
        (Step("observe"), Refusal.MISSING_ARGUMENT),
        (Step("observe", "e1", "station_A"), Refusal.UNEXPECTED_ARGUMENT),
        (Step("observe", "e7"), Refusal.UNKNOWN_ENTITY),
        (Step("observe", "e3"), Refusal.TERMINAL_TARGET),
        (Step("observe", "e9"), Refusal.TARGET_HELD),
    ],
)
def test_a_request_is_validated(step, code):
    seen = query(held=HELD, terminal=[("e3", Status.DELIVERED)], of=LOOKING)
    assert validate((step,), seen).code is code


def test_to_observe_alone_is_no_progress():
    assert validate((Step("observe", "e1"),), query(of=LOOKING)).code is Refusal.NO_PROGRESS


def test_a_mission_that_does_not_allow_it_does_not_know_it():
    found = validate((Step("observe", "e1"), *FETCH), query())
    assert found.code is Refusal.UNKNOWN_SKILL
    assert "observe" not in str(plan_schema())
    assert "observe(" not in str(query_text(query(), 32_000).blocks)


def test_a_model_is_told_of_support_and_regions_where_it_may_observe():
    seen = dataclasses.replace(query(of=LOOKING), support=(0.125,))
    text = str(query_text(seen, 32_000).blocks)
    for word in ('"support":0.125', '"hall":[1,1]', '"observe_below":0.3', "observe(target_id)"):
        assert word in text


def plan_at(now, of=LOOKING):
    seen = ExposedRecord("e1", "can", at(1, 1), 0.9, Status.OBSERVED, 0.0, Source.REMOTE, 0.5)
    planner = Planner(of, field(), attention=AttentionConfig())
    request = PlanRequest(1, now, Focus(at(0, 0)), "none")
    return planner.plan(request, Exposure((seen,))).steps


@pytest.mark.parametrize(("now", "asks"), [(0.0, False), (15.0, False), (17.0, True)])
def test_the_policy_asks_once_the_support_of_its_target_is_low(now, asks):
    """0.8 x 0.9 x exp(-t / 18) falls below 0.3 between the 15th and the 17th second."""
    assert (plan_at(now)[0] == Step("observe", "e1")) is asks


def test_the_policy_never_asks_where_the_limit_is_zero():
    assert plan_at(99.0, dataclasses.replace(LOOKING, observe_below=0.0))[0].skill == "navigate"


class WatchedWorld(LocalWorld):
    def __init__(self, setup):
        super().__init__(setup)
        self.looks, self.told = [], []

    def act(self, number, command):
        report, batches = super().act(number, command)
        if command is not None and command.look is not None:
            self.looks.append((report.step, command.look))
        self.told += [
            (report.step, item)
            for item in batches
            if item.footprint and item.footprint.radius_m < 9
        ]
        return report, batches


def test_a_requested_look_is_reported_after_the_latency_and_one_is_in_flight():
    setup = prepare(MissionConfig(scenario="DN-14", seed=3, observe_below=0.5))
    world = WatchedWorld(setup)
    run = LocalMission(setup, world=world)
    for _ in run.run():
        pass
    assert run.executor.tally.observations >= len(world.looks) > 0
    latency = setup.scenario.latency
    asked = dict(world.looks)
    for step, batch in world.told:
        assert step - batch.stamp == latency
        area = batch.footprint
        assert (area.x, area.y) == asked[int(batch.stamp)][:2]
        assert all(area.covers(item.pose.x, item.pose.y) for item in batch.detections)
    stamps = [batch.stamp for _, batch in world.told]
    assert all(b - a > latency for a, b in pairwise(stamps))


def test_a_request_costs_no_step_and_changes_no_other_event():
    def trail(look):
        world = LocalWorld(prepare(MissionConfig(scenario="DN-14", seed=3)))
        world.act(0, None)
        for number in range(1, 40):
            command = Command(Primitive.MOVE, at(7, 7), look=look if number == 2 else None)
            report, _ = world.act(number, command)
        return report, world.facts()

    plain, asked = trail(None), trail(at(3, 3))
    assert plain[0].robot == asked[0].robot
    assert plain[0].step == asked[0].step
    assert asked[0].evidence_seq == plain[0].evidence_seq + 1
    assert plain[1] == asked[1]

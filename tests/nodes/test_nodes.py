"""Single nodes over DDS: what they serve, once, and only while they are active."""

import threading

import pytest
from adm_core.missions.setup import MissionConfig, make_setup
from adm_nodes.common import conversions, qos
from adm_nodes.memory import MemoryNode
from adm_nodes.planner import PlannerNode
from adm_nodes.world import WorldNode
from lifecycle_msgs.srv import GetState
from nav_msgs.msg import OccupancyGrid

from adm_interfaces.msg import EvidenceBatch, MapEpoch, Mission, ReplyStatus
from adm_interfaces.srv import Act, GetEvidence, GetWorldFacts, MakePlan, Retrieve, SyncMemory


def activate(spinning, node):
    for label in ("configure", "activate"):
        assert spinning.transition(node.get_name(), label)
    return node


@pytest.fixture
def world(spinning):
    return activate(spinning, spinning.add(WorldNode, {"scenario": "S-6"}))


def act(spinning, number, primitive, **more):
    """Have the world do something; client and mission count alike."""
    request = Act.Request(call=number, number=number, primitive=primitive, **more)
    return spinning.call(Act, "act", request)


class Announcer:
    """Stands in for the world: mission, map and evidence from the test."""

    def __init__(self, spinning):
        self.setup = make_setup(MissionConfig(scenario="S-6"))
        self.batches = []
        self.setup.world(self.batches.append).start()
        grid = self.setup.terrain.grid_map
        node = spinning.node
        node.create_publisher(OccupancyGrid, "map", qos.LATCHED).publish(
            conversions.grid_to_msg(grid)
        )
        self.missions = node.create_publisher(Mission, "mission", qos.LATCHED)
        self.announce("first")
        self.evidence = node.create_publisher(EvidenceBatch, "evidence", qos.EVIDENCE)

    def announce(self, run_id, mission=None):
        grid = self.setup.terrain.grid_map
        self.missions.publish(
            conversions.mission_to_msg(mission or self.setup.mission, grid, run_id)
        )

    def publish(self, *numbers):
        for number in numbers:
            self.evidence.publish(conversions.batch_to_msg(self.batches[number - 1]))

    def sync(self, call, evidence_seq, number=0):
        """Return a synchronisation; client and mission count alike unless `number` says other."""
        return SyncMemory.Request(
            call=call,
            number=number or call,
            previous=(number or call) - 1,
            evidence_seq=evidence_seq,
            focus=conversions.focus_to_msg(self.focus()),
        )

    def focus(self):
        from adm_core.memory.method import Focus

        return Focus(self.setup.terrain.pose(self.setup.layout.start))


@pytest.fixture
def announcer(spinning):
    return Announcer(spinning)


@pytest.fixture
def memory(spinning, announcer):
    node = activate(spinning, spinning.add(MemoryNode))
    spinning.wait(lambda: node._session is not None)
    return node


# -- world ----------------------------------------------------------------------------------


def test_the_world_acts_once_per_number(spinning, world):
    assert act(spinning, 1, "start").report.step == 0
    replies = [act(spinning, 2, "wait") for _ in range(3)]
    assert [reply.report.step for reply in replies] == [1, 1, 1]
    assert act(spinning, 3, "wait").report.step == 2


@pytest.mark.parametrize("primitive", ["fly", ""])
def test_the_world_refuses_what_it_does_not_know(spinning, world, primitive):
    reply = act(spinning, 1, primitive)
    assert reply.status.code == ReplyStatus.REFUSED
    assert "is not a valid" in reply.status.message


def test_a_repeated_number_of_another_client_gets_the_first_report(spinning, world):
    act(spinning, 1, "start")
    first = act(spinning, 2, "wait")
    again = spinning.call(Act, "act", Act.Request(call=9, number=2, primitive="wait"))
    assert (again.report, again.report.step) == (first.report, 1)
    other = spinning.call(Act, "act", Act.Request(call=10, number=2, primitive="pick"))
    assert other.status.code == ReplyStatus.REFUSED
    assert "command 2 was another one" in other.status.message


def test_a_world_that_lost_its_past_says_so(spinning, world):
    reply = spinning.call(Act, "act", Act.Request(call=1, number=7, primitive="wait"))
    assert reply.status.code == ReplyStatus.REFUSED
    assert "not been started here" in reply.status.message


def test_the_world_gives_its_evidence_again(spinning, world):
    act(spinning, 1, "start")
    reply = spinning.call(GetEvidence, "get_evidence", GetEvidence.Request(first=1, last=99))
    assert [item.seq for item in reply.batches] == list(range(1, len(reply.batches) + 1))
    assert len(reply.batches) == world._evidence._sent[-1].seq


def test_a_mission_starts_once(spinning, world):
    act(spinning, 1, "start")
    reply = act(spinning, 2, "start")
    assert reply.status.code == ReplyStatus.REFUSED


def test_an_inactive_world_does_not_move(spinning, world):
    act(spinning, 1, "start")
    assert spinning.transition("world", "deactivate")
    reply = act(spinning, 2, "wait")
    assert reply.status.code == ReplyStatus.INACTIVE
    assert world._world.step == 0


def test_the_world_knows_the_truth(spinning, world):
    act(spinning, 1, "start")
    act(spinning, 2, "pick", label="unheard_of")
    reply = spinning.call(GetWorldFacts, "world_facts", GetWorldFacts.Request(call=3))
    assert reply.delivered == 0
    assert [(visit.step, visit.ghost) for visit in reply.visits] == [(1, True)]


# -- memory ---------------------------------------------------------------------------------


def test_memory_waits_for_evidence_and_stays_responsive(spinning, announcer, memory):
    replies = []
    announcer.publish(2)  # out of order: the first is missing
    asking = threading.Thread(
        target=lambda: replies.append(
            spinning.call(SyncMemory, "sync_memory", announcer.sync(1, 2))
        )
    )
    asking.start()
    spinning.wait(lambda: memory._waiting)
    state = spinning.call(GetState, "memory/get_state", GetState.Request())
    assert state.current_state.label == "active"
    assert not replies
    announcer.publish(1, 1, 2)  # and twice
    asking.join(10.0)
    assert replies[0].status.code == ReplyStatus.OK
    assert len({change.entity for change in replies[0].changes}) == 6


def test_evidence_from_before_the_memory_came_is_not_lost(spinning, announcer):
    announcer.publish(1, 2)
    activate(spinning, spinning.add(MemoryNode))
    reply = spinning.call(SyncMemory, "sync_memory", announcer.sync(1, 2))
    while reply.status.code == ReplyStatus.INACTIVE:
        reply = spinning.call(SyncMemory, "sync_memory", announcer.sync(1, 2))
    assert reply.changes


def test_a_repeated_request_changes_memory_once(spinning, announcer, memory):
    announcer.publish(1, 2)
    first = spinning.call(SyncMemory, "sync_memory", announcer.sync(1, 2))
    again = spinning.call(SyncMemory, "sync_memory", announcer.sync(1, 2))
    assert first.changes and again.changes == first.changes
    restarted = spinning.call(SyncMemory, "sync_memory", announcer.sync(9, 2, number=1))
    assert restarted.changes == first.changes  # of another client, under the mission's number
    assert not spinning.call(SyncMemory, "sync_memory", announcer.sync(2, 2)).changes


def test_after_a_new_map_everything_has_to_be_seen_again(spinning, announcer, memory):
    announcer.publish(1, 2)
    epochs = spinning.node.create_publisher(MapEpoch, "map_epoch", qos.LATCHED)
    epochs.publish(MapEpoch(map_id="slam.1"))  # the first is the one of the mission
    spinning.wait(lambda: memory._map_id == "slam.1")
    reply = spinning.call(SyncMemory, "sync_memory", announcer.sync(1, 2))
    assert len({change.entity for change in reply.changes}) == 6
    epochs.publish(MapEpoch(map_id="slam.2"))
    spinning.wait(lambda: memory._map_id == "slam.2")
    reply = spinning.call(SyncMemory, "sync_memory", announcer.sync(2, 2))
    assert [(item.field, item.new_value) for item in reply.changes] == [("supported", "False")] * 6


def test_a_memory_that_lost_its_past_says_so(spinning, announcer, memory):
    announcer.publish(1, 2)
    reply = spinning.call(SyncMemory, "sync_memory", announcer.sync(1, 2, number=5))
    assert reply.status.code == ReplyStatus.REFUSED
    assert "memory stands at request 0, the mission at 4" in reply.status.message


def test_memory_asks_for_evidence_that_did_not_arrive(spinning, announcer, memory):
    def again(request, response):
        asked.append((request.first, request.last))
        response.batches = [conversions.batch_to_msg(announcer.batches[0])]
        return response

    asked = []
    spinning.node.create_service(GetEvidence, "get_evidence", again)
    announcer.publish(2)
    reply = spinning.call(SyncMemory, "sync_memory", announcer.sync(1, 2))
    assert reply.status.code == ReplyStatus.OK
    assert asked[0] == (1, 2)


def test_deactivating_lets_go_of_a_waiting_request(spinning, announcer, memory):
    replies = []
    asking = threading.Thread(
        target=lambda: replies.append(
            spinning.call(SyncMemory, "sync_memory", announcer.sync(1, 9))
        )
    )
    asking.start()
    spinning.wait(lambda: memory._waiting)
    assert spinning.transition("memory", "deactivate")
    asking.join(10.0)
    assert replies[0].status.code == ReplyStatus.INACTIVE


def test_malformed_evidence_does_not_hold_up_what_follows(spinning, announcer, memory):
    announcer.evidence.publish(EvidenceBatch(seq=1, source="rumour"))
    announcer.publish(2)
    reply = spinning.call(SyncMemory, "sync_memory", announcer.sync(1, 2))
    assert reply.status.code == ReplyStatus.OK


def test_a_repeated_announcement_changes_nothing(spinning, announcer, memory):
    session = memory._session
    announcer.announce("first")
    announcer.announce("second")
    announcer.publish(1)
    assert spinning.call(SyncMemory, "sync_memory", announcer.sync(1, 1)).changes
    assert memory._session is session


# -- planner --------------------------------------------------------------------------------


def test_the_planner_plans_on_what_memory_exposes(spinning, announcer, memory):
    planner = activate(spinning, spinning.add(PlannerNode))
    spinning.wait(lambda: planner._planner is not None)
    announcer.publish(1, 2)
    spinning.call(SyncMemory, "sync_memory", announcer.sync(1, 2))
    focus = conversions.focus_to_msg(announcer.focus())
    exposure = spinning.call(Retrieve, "retrieve", Retrieve.Request(call=1, focus=focus)).exposure
    request = MakePlan.Request(call=1, planning_call=1, focus=focus)
    reply = spinning.call(MakePlan, "make_plan", request)
    assert reply.exposure == exposure
    assert reply.context_units == 48 + 18 * len(exposure.records)
    assert [step.skill for step in reply.steps] == [
        "navigate",
        "approach",
        "grasp",
        "navigate",
        "deliver",
    ]
    assert reply.planner == "policy"


def test_a_planner_without_mission_asks_for_patience(spinning):
    activate(spinning, spinning.add(PlannerNode))
    reply = spinning.call(MakePlan, "make_plan", MakePlan.Request(call=1))
    assert reply.status.code == ReplyStatus.INACTIVE

from dataclasses import replace

import numpy as np
import pytest
from adm_core.errors import MissionError
from adm_core.grid.terrain import Terrain
from adm_core.memory.records import FailureReason, Source, Status
from adm_core.memory.static import Mission
from adm_core.planning.ports import Command, Primitive
from adm_core.simulation.layout import Layout, far_ends, grid_layout, map_layout, open_field
from adm_core.simulation.recycling import RecyclingWorld
from adm_core.simulation.scenarios import SCENARIOS, SensingConfig, map_scenario
from adm_core.simulation.tape import EventTape
from adm_core.types import Cell, GridMap
from worlds import at, field, mission

QUIET = replace(
    SCENARIOS["S-6"],
    side=6,
    containers=2,
    relocation=0.0,
    false_report=0.0,
    failure=0.0,
    detection=1.0,
)


def world(scenario=QUIET, cells=(Cell(0, 2), Cell(4, 4)), labels=("can", "bottle"), **more):
    seen = []
    spec = mission(6)
    layout = Layout(spec.stations, Cell(0, 0), cells, labels)
    tape = EventTape(0, scenario, SensingConfig())
    made = RecyclingWorld(
        spec, field(), layout, scenario, SensingConfig(), tape, seen.append, **more
    )
    return made, seen


def move(made, row, col, times=1):
    for _ in range(times):
        report = made.act(Command(Primitive.MOVE, at(row, col)))
    return report


def act(made, primitive, label=""):
    return made.act(Command(primitive, at(0, 0), label))


def test_the_first_evidence_is_the_initial_map_then_what_the_robot_sees():
    made, seen = world()
    report = made.start()
    assert [batch.source for batch in seen] == [Source.STATIC_PRIOR, Source.ONBOARD]
    assert [batch.seq for batch in seen] == [1, 2]
    assert report.evidence_seq == 2
    assert {item.label for item in seen[0].detections} == {"can", "bottle"}


def test_an_aerial_report_arrives_late_with_the_stamp_of_its_scan():
    made, seen = world()
    made.start()
    arrived = {}
    for _ in range(6):
        move(made, 5, 0)
        for batch in seen:
            if batch.source is Source.REMOTE:
                arrived.setdefault(batch.stamp, made.step)
    assert arrived == {0.0: 2, 3.0: 5}


def test_pick_and_place_take_a_container_to_its_station():
    made, _ = world()
    made.start()
    assert move(made, 0, 2, 2).robot == at(0, 2)
    assert act(made, Primitive.PICK, "can").success
    move(made, 0, 0, 2)
    assert act(made, Primitive.PLACE).success
    assert made.facts().delivered == 1
    assert made.step == 6


@pytest.mark.parametrize(
    ("moves", "primitive", "label", "reason"),
    [
        (0, Primitive.PICK, "can", FailureReason.ABSENT),
        (2, Primitive.PICK, "bottle", FailureReason.ABSENT),
        (0, Primitive.PLACE, "", FailureReason.PRECONDITION),
    ],
)
def test_actions_that_cannot_work_cost_a_step_and_say_why(moves, primitive, label, reason):
    made, _ = world()
    made.start()
    if moves:
        move(made, 0, 2, moves)
    report = act(made, primitive, label)
    assert (report.success, report.reason, report.step) == (False, reason, moves + 1)


def test_hands_hold_one_container_and_stations_take_only_their_class():
    made, _ = world(cells=(Cell(0, 1), Cell(0, 2)))
    made.start()
    move(made, 0, 2, 2)
    assert act(made, Primitive.PICK, "bottle").success
    move(made, 0, 1)
    assert act(made, Primitive.PICK, "can").reason is FailureReason.PRECONDITION
    move(made, 0, 0)
    assert act(made, Primitive.PLACE).reason is FailureReason.PRECONDITION


def test_a_vain_pick_is_a_stale_visit_where_a_container_has_been_and_a_ghost_visit_elsewhere():
    made, _ = world()
    made.start()
    act(made, Primitive.PICK, "can")
    move(made, 0, 2, 2)
    act(made, Primitive.PICK, "can")
    made.containers[0].status = Status.DELIVERED
    act(made, Primitive.PICK, "can")
    assert [visit.ghost for visit in made.facts().visits] == [True]
    made._held = None
    act(made, Primitive.PICK, "can")
    assert [visit.ghost for visit in made.facts().visits] == [True, False]


def test_containers_never_share_a_cell_nor_jump_onto_robot_or_stations():
    wild = replace(QUIET, relocation=1.0, containers=20)
    free = [Cell(r, c) for r in range(6) for c in range(6)][1:21]
    made, _ = world(wild, tuple(free), ("can", "bottle") * 10)
    made.start()
    places = set()
    for _ in range(200):
        report = act(made, Primitive.WAIT)
        cells = [item.cell for item in made.containers]
        assert len(set(cells)) == len(cells)
        assert not {Cell(0, 0), Cell(5, 5)} & set(cells)
        assert report.robot == at(0, 0)
        places.add(tuple(cells))
    assert len(places) > 100


def test_held_and_delivered_containers_are_neither_seen_nor_moved():
    wild = replace(QUIET, relocation=1.0, containers=1)
    made, seen = world(wild, (Cell(0, 1),), ("can",))
    made.start()
    made.containers[0].cell = Cell(0, 0)
    assert act(made, Primitive.PICK, "can").success
    seen.clear()
    for _ in range(8):
        act(made, Primitive.WAIT)
    reports = [batch for batch in seen if batch.stamp >= 1.0]
    assert reports
    assert all(not batch.detections for batch in reports)


def test_the_robot_sees_its_own_cell_for_certain_and_neighbours_by_chance():
    blind = replace(QUIET, detection=0.0)
    made, seen = world(blind, (Cell(0, 0), Cell(0, 1)))
    made.start()
    assert [item.pose for item in seen[-1].detections] == [at(0, 0)]


def test_truth_is_published_only_when_asked_for():
    made, seen = world(show_truth=True)
    made.start()
    assert [item.entity_id for item in seen[-1].detections] == ["c01", "c02"]
    hidden, others = world()
    hidden.start()
    assert Source.TRUTH not in {batch.source for batch in others}


def test_on_a_fine_map_a_step_covers_its_length_of_path():
    data = np.zeros((40, 40), np.int8)
    terrain = Terrain.for_robot(GridMap(data, 0.05), 0.0)
    station = replace(mission().stations[0], pose=terrain.pose(Cell(0, 0)))
    spec = Mission("go", "m", (station,), 1, 100, 0.25, 0.0, True, 1.0)
    scenario = replace(map_scenario("m", 1), failure=0.0, relocation=0.0)
    layout = Layout((station,), Cell(0, 0), (Cell(30, 30),), ("can",))
    tape = EventTape(0, scenario, SensingConfig())
    made = RecyclingWorld(
        spec, terrain, layout, scenario, SensingConfig(), tape, lambda batch: None
    )
    made.start()
    goal, moved = terrain.pose(Cell(30, 30)), []
    while terrain.cell(made.start().robot) != Cell(30, 30):
        moved.append(made.act(Command(Primitive.MOVE, goal)).moved_m)
    length = 30 * 0.05 * 2**0.5
    assert sum(moved) == pytest.approx(length)
    assert len(moved) == int(np.ceil(length / 0.25))
    assert max(moved) <= 0.25 + 0.05 * 2**0.5


def test_stations_stand_at_the_far_ends():
    corridor = Terrain.for_robot(GridMap(np.zeros((1, 30), np.int8), 1.0), 0.0)
    assert set(far_ends(corridor, 2)) == {Cell(0, 0), Cell(0, 29)}
    assert len(set(far_ends(corridor, 6))) == 6


def test_layouts_put_every_container_on_a_cell_of_its_own_off_the_stations():
    rng = np.random.default_rng(3)
    for layout in (
        grid_layout(Terrain.for_robot(open_field(8), 0.0, False), SCENARIOS["DN-14"], rng),
        map_layout(field(6), map_scenario("m", 20), 3, rng),
    ):
        stations = {field(8).cell(item.pose) for item in layout.stations}
        assert len(set(layout.cells)) == len(layout.cells)
        assert not stations & set(layout.cells)
        assert set(layout.labels) == {label for item in layout.stations for label in item.accepts}


def test_too_many_containers_for_the_region_is_a_clear_error():
    with pytest.raises(MissionError, match="99 containers need as many free cells"):
        map_layout(field(6), map_scenario("m", 99), 2, np.random.default_rng(0))


def aerial(scenario, steps=60):
    made, seen = world(scenario)
    made.start()
    for _ in range(steps):
        act(made, Primitive.WAIT)
    return [batch for batch in seen if batch.source is Source.REMOTE]


def test_an_aerial_report_covers_the_whole_field():
    assert all(batch.footprint.covers(-9.0, 99.0) for batch in aerial(QUIET))


def test_a_displaced_report_is_one_cell_off_and_never_at_a_station():
    truth = {"can": at(0, 2), "bottle": at(4, 4)}
    off = [
        (item.pose.x - truth[item.label].x, item.pose.y - truth[item.label].y)
        for batch in aerial(replace(QUIET, displaced=1.0))
        for item in batch.detections
    ]
    assert len(off) == 2 * 20
    assert all(abs(x) + abs(y) == 1.0 for x, y in off)
    assert len(set(off)) > 2


def test_one_report_in_so_many_is_displaced():
    truth = {at(0, 2), at(4, 4)}
    scenario = replace(QUIET, displaced=0.3)
    poses = [item.pose for batch in aerial(scenario, 900) for item in batch.detections]
    assert sum(pose not in truth for pose in poses) / len(poses) == pytest.approx(0.3, abs=0.06)


def test_lost_reports_do_not_arrive_and_the_others_stay_the_same():
    all_reports = {batch.stamp: batch.detections for batch in aerial(QUIET, 900)}
    kept = {batch.stamp: batch.detections for batch in aerial(replace(QUIET, lost=0.9), 900)}
    assert 0.05 < len(kept) / len(all_reports) < 0.15
    assert all(all_reports[stamp] == seen for stamp, seen in kept.items())


def test_nothing_arrives_during_an_outage():
    scenario = replace(QUIET, outage_start=10, outage_steps=20)
    arrivals = [batch.stamp + scenario.latency for batch in aerial(scenario)]
    assert arrivals and not any(10 <= step < 30 for step in arrivals)
    assert any(step < 10 for step in arrivals) and any(step >= 30 for step in arrivals)

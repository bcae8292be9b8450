"""Search scenarios: what is drawn keeps the rules of the config file."""

import numpy as np
import pytest
from adm_core.errors import ConfigError, MissionError
from adm_core.grid.distance import distance_field
from adm_core.grid.floorplans import LabelledMap, PlanObject
from adm_core.grid.labels import LabelGrid
from adm_core.grid.regions import shrink
from adm_core.grid.visibility import visible_cells
from adm_core.simulation.search.config import SCALES, SENSITIVITY, TARGET_TYPES, ScenarioConfig
from adm_core.simulation.search.scenario import make_scenario, scenario_from_plan, with_room
from adm_core.types import Cell, GridMap, Pose2D

ALL = [(scale, seed) for scale in SCALES for seed in (0, 1, 2, 5001, 5002)]


def sees_at_start(scenario, config):
    seen = visible_cells(
        scenario.truth.data,
        np.array(scenario.starts),
        scenario.headings_rad,
        fov_rad=config.fov_rad,
        range_cells=config.range_cells,
        near_cells=config.near_cells,
    )
    return np.unravel_index(seen.cells, scenario.truth.shape)


@pytest.mark.parametrize("scale, seed", ALL)
def test_the_target_is_far_and_out_of_sight_in_a_room_of_its_type(scale, seed):
    config = ScenarioConfig()
    scenario = make_scenario(scale, seed, config)
    (target,) = scenario.targets
    assert scenario.target == target and scenario.target_name in TARGET_TYPES
    assert scenario.room_type[target] == scenario.target_type
    assert scenario.truth.data[target] == 0
    for start in scenario.starts:
        steps = distance_field(scenario.truth.data, start, diagonal="unit")
        assert steps[target] >= config.target_steps
    seen = np.zeros(scenario.truth.shape, bool)
    seen[sees_at_start(scenario, config)] = True
    assert not seen[target]


@pytest.mark.parametrize("scale, seed", ALL)
def test_robots_begin_together_at_an_end_of_the_corridor(scale, seed):
    scenario = make_scenario(scale, seed)
    assert len(set(scenario.starts)) == len(scenario.starts) == SCALES[scale].robots
    assert len(scenario.headings_rad) == SCALES[scale].robots
    corridor = next(label for label, name in scenario.names.items() if name == "corridor")
    cells = np.array(scenario.starts)
    assert (scenario.room_type[tuple(cells.T)] == corridor).all()
    assert np.ptp(cells, axis=0).max() <= 7 and np.ptp(cells, axis=0).min() <= 3
    rows, cols = np.nonzero(scenario.room_type == corridor)
    ends = [abs(cells[:, 0, None] - [rows.min(), rows.max()]).max(0)]
    ends += [abs(cells[:, 1, None] - [cols.min(), cols.max()]).max(0)]
    assert np.min(ends) <= 3


def test_equal_arguments_give_equal_scenarios():
    first, again = make_scenario("large", 7), make_scenario("large", 7)
    assert first.truth.map_id == again.truth.map_id
    assert (first.starts, first.headings_rad, first.targets) == (
        again.starts,
        again.headings_rad,
        again.targets,
    )
    assert np.array_equal(first.room_type, again.room_type)


def test_target_types_are_drawn_evenly():
    drawn = [make_scenario("medium", seed).target_name for seed in range(60)]
    counts = [drawn.count(name) for name in TARGET_TYPES]
    assert min(counts) >= 4 and max(counts) <= 24


@pytest.mark.parametrize("row", SENSITIVITY)
def test_sensitivity_rows_leave_the_world_as_it_is(row):
    plain, changed = make_scenario("small", 4), make_scenario("small", 4, SENSITIVITY[row])
    assert plain.truth.map_id == changed.truth.map_id
    assert SENSITIVITY[row] != ScenarioConfig()


def test_random_starts_are_all_over_the_floor():
    scenarios = [make_scenario("large", s, SENSITIVITY["random_starts"]) for s in range(20)]
    spans = [np.ptp(np.array(s.starts), axis=0).max() for s in scenarios]
    assert np.mean(spans) > 25


@pytest.mark.parametrize(
    "scale, seed, error", [("huge", 0, ConfigError), ("small", -1, ValueError)]
)
def test_bad_arguments_are_refused(scale, seed, error):
    with pytest.raises(error):
        make_scenario(scale, seed)


def plan(objects=()):
    """Return two rooms and a cupboard that nobody can get into."""
    data = np.zeros((9, 20), np.int8)
    data[:, 9] = 100
    data[4, 9] = 0
    data[7, :3] = data[7:, 2] = 100
    types = np.full(data.shape, 1, np.uint16)
    types[:, 10:] = 2
    rooms = LabelGrid(types.copy(), {1: "west", 2: "east"})
    labels = LabelGrid(types, {1: "kitchen/office", 2: "bathroom"})
    return LabelledMap(GridMap(data, 0.25), labels, rooms, tuple(objects), "flat")


def thing(name, kind, cell, room, room_type):
    return PlanObject(name, kind, Pose2D(0, 0), Cell(*cell), room, room_type)


CUP = thing("cup_1", "Cup", (2, 2), "west", "kitchen/office")
OTHER = thing("cup_2", "cup", (3, 15), "east", "bathroom")
SHUT_IN = thing("key_1", "key", (8, 0), "west", "kitchen/office")
THINGS = (CUP, OTHER, SHUT_IN)


def test_robots_on_a_plan_begin_side_by_side_on_its_largest_floor():
    for seed in range(10):
        scenario = scenario_from_plan(plan(), 4, seed)
        cells = np.array(scenario.starts)
        assert len(set(scenario.starts)) == 4
        assert np.ptp(cells, axis=0).max() <= 4
        assert not any(row > 7 and col < 2 for row, col in scenario.starts)
        assert scenario.targets == () and scenario.target is None


def test_an_object_is_looked_for_in_rooms_of_the_type():
    assert scenario_from_plan(plan(THINGS), 1, 0, object_kind="cups").targets == ((2, 2), (3, 15))
    washroom = scenario_from_plan(plan(THINGS), 1, 0, object_kind="cup", room="Toilet")
    assert washroom.targets == ((3, 15),) and washroom.target_name == "bathroom"
    assert washroom.notes == ()


def test_a_room_with_two_uses_answers_to_both():
    for room in ("kitchen", "office"):
        scenario = scenario_from_plan(plan(THINGS), 1, 0, object_kind="cup", room=room)
        assert scenario.targets == ((2, 2),)


def test_an_object_that_the_plan_does_not_know_is_put_somewhere_and_said_so():
    scenario = scenario_from_plan(plan(THINGS), 1, 3, object_kind="jacket", room="bathroom")
    (target,) = scenario.targets
    assert scenario.room_type[target] == 2 == scenario.target_type
    assert "jacket" in scenario.notes[-1]
    anywhere = scenario_from_plan(plan(), 1, 3, object_kind="")
    assert len(anywhere.targets) == 1 and anywhere.target_type == 0


@pytest.mark.parametrize("seed", range(12))
def test_a_drawn_place_is_out_of_sight_at_the_start_if_it_can_be(seed):
    scenario = scenario_from_plan(plan(), 2, seed, object_kind="jacket")
    seen = np.zeros(scenario.truth.shape, bool)
    seen[sees_at_start(scenario, ScenarioConfig())] = True
    assert not seen[scenario.targets[0]]
    crowd = scenario_from_plan(plan(), 120, seed, object_kind="jacket")  # nothing is hidden
    assert crowd.truth.data[crowd.targets[0]] == 0


@pytest.mark.parametrize(
    "kind, room, message",
    [
        ("cup", "garage", "no room of the plan is called 'garage'; it has bathroom"),
        ("key", "bathroom", "no key stands in any bathroom; the plan has some in west"),
        ("key", "", "no key can be reached"),
    ],
)
def test_what_cannot_be_found_is_refused(kind, room, message):
    with pytest.raises(MissionError, match=message):
        scenario_from_plan(plan(THINGS), 1, 0, object_kind=kind, room=room)


def test_a_team_too_large_for_the_floor_is_refused():
    with pytest.raises(MissionError, match="500 robots"):
        scenario_from_plan(plan(), 500, 0)


@pytest.mark.parametrize("robots, seed", [(0, 0), (1, -1)])
def test_numbers_out_of_range_are_refused(robots, seed):
    with pytest.raises(ValueError, match="robots must be >= 1 and seed >= 0"):
        scenario_from_plan(plan(), robots, seed)


def test_wide_robots_begin_where_they_fit():
    found = [make_scenario("small", seed) for seed in range(6)]
    moved = [with_room(scenario, 2.0) for scenario in found]
    for before, after in zip(found, moved, strict=True):
        room = shrink(before.truth.data == 0, 2.0)
        assert all(room[cell] for cell in after.starts)
        assert len(set(after.starts)) == len(before.starts)
        assert after.starts == before.starts or "begin elsewhere" in after.notes[-1]
        assert with_room(before, 0.0) is before
    assert any(a.starts != b.starts for a, b in zip(found, moved, strict=True))


def test_robots_that_fit_nowhere_are_refused():
    with pytest.raises(MissionError, match="radius of 30 cells fit nowhere"):
        with_room(make_scenario("small", 0), 30.0)

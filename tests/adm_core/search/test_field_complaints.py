"""What users of exploration packages complain about: each complaint, in its words, is a test."""

import math
import time

import numpy as np
import pytest
from adm_core.grid.regions import shrink
from adm_core.missions.search import SearchMission, Setting
from adm_core.search.config import SearchConfig
from adm_core.search.explorer import DONE, DONE_EXCEPT, FOUND, RUNNING, Explorer, Report
from adm_core.search.given_up import GivenUp
from adm_core.search.methods import METHODS
from adm_core.search.nearest import NearestFrontier
from adm_core.search.strategy import Waypoint
from adm_core.search.team_map import TeamMap
from adm_core.simulation.search.config import ScenarioConfig
from adm_core.simulation.search.scenario import make_scenario
from adm_core.simulation.search.world import Faults, remaining
from adm_core.types import Cell
from search_teams import EXPLORE, drawn, hall, mission

COLUMNS = """
###############
#.....#.......#
#..0..........#
#.....#.......#
#.....#.......#
###############
"""


def known_map(text, config=None):
    """Return a team map drawn as text: . free, # wall, ? unknown."""
    rows = text.split()
    grid = np.array([[{".": 0, "#": 100, "?": -1}[sign] for sign in row] for row in rows], np.int8)
    known = TeamMap(grid.shape, {}, config or SearchConfig())
    cells = np.flatnonzero(grid >= 0)
    known.observe(cells, grid.ravel()[cells], np.zeros(len(cells), np.uint16))
    return known


def explorer_for(known, robots=1, strategy=None):
    return Explorer(strategy or NearestFrontier(), robots, EXPLORE, known.config)


class Fixed:
    """A strategy that always offers the same waypoint."""

    def __init__(self, waypoint):
        self.waypoint = waypoint

    def coordinate(self, view):
        pass

    def next_waypoint(self, view, robot):
        return self.waypoint


# 1 -------------------------------------------------------------------------------------------


def test_the_robot_does_not_fit_where_the_laser_passes_and_exploration_still_ends():
    team = mission(drawn(COLUMNS), search=SearchConfig(radius_cells=1.0), budget_steps=500)
    result = team.finish()
    assert result.state == DONE_EXCEPT
    assert result.steps < 200
    assert any(cell.col > 6 for cell in result.unreachable)


def test_a_robot_that_fits_gets_through_the_same_columns():
    team = mission(drawn(COLUMNS))
    assert team.finish().state == DONE


# 2 -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("later", ["expiry", "map change"])
def test_places_given_up_are_not_given_up_for_ever(later):
    known, places = known_map(".....\n....?\n....."), GivenUp(near=1, steps=50)
    cell = np.array([1 * 5 + 3])
    places.add(0, Cell(1, 3), 0, known)
    assert places.holds(0, cell, 49, known)[0]
    assert not places.holds(1, cell, 49, known)[0]  # another robot may get there
    if later == "map change":
        known.observe(np.array([9]), np.array([0], np.int8), np.zeros(1, np.uint16))
    assert not places.holds(0, cell, 50 if later == "expiry" else 1, known)[0]


# 3 -------------------------------------------------------------------------------------------


def test_a_robot_on_a_cell_marked_by_mistake_still_finds_frontiers():
    known = known_map("......\n.#....\n.....?")
    (move,) = explorer_for(known).decide(known, [Report(Cell(1, 1), 0.0)])
    assert move.cell != (1, 1)


def test_a_robot_inside_a_smear_of_occupied_cells_starts_from_the_nearest_free_cell():
    known = known_map("........\n.###....\n.###....\n.###...?")
    explorer = explorer_for(known)
    cell = Cell(2, 2)
    for _ in range(12):
        (move,) = explorer.decide(known, [Report(cell, 0.0)])
        assert max(abs(move.cell[0] - cell[0]), abs(move.cell[1] - cell[1])) <= 1
        cell = move.cell
    assert cell.col >= 6


def test_every_place_is_tried_once_more_before_the_end_is_declared():
    known = known_map("....?")
    explorer = explorer_for(known)
    explorer._given_up.add(0, Cell(0, 3), 0, known)
    explorer.decide(known, [Report(Cell(0, 0), 0.0)])
    assert explorer.state == RUNNING
    (move,) = explorer.decide(known, [Report(Cell(0, 0), 0.0)])
    assert move.cell == (0, 1)


# 4 -------------------------------------------------------------------------------------------


def test_a_goal_that_is_never_reached_is_dropped_by_a_watchdog():
    known = known_map("........\n........")
    strategy = Fixed(Waypoint(Cell(0, 4), heading_rad=1.0))
    explorer = explorer_for(known, strategy=strategy)
    for step in range(200):  # there and back without end, never looking where it should
        explorer.decide(known, [Report(Cell(0, step % 2), 0.0)])
        if explorer.given_up:
            break
    assert 0 < step < 60


def test_states_are_named():
    assert mission(hall(6, 9)).finish().state == "done"
    assert mission(hall(9, 30), budget_steps=3).finish().state == "budget"


# 8 -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fov", [60.0, 75.0, 90.0])
def test_a_narrow_field_of_view_explores_everything(fov):
    team = mission(make_scenario("small", 21), sensor=ScenarioConfig(fov_deg=fov))
    assert team.finish().state == DONE
    assert remaining(team.scenario.truth.data, team.maps[0], team.scenario.starts) == 0


# 9 -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["nf_h", "hungarian", "sagr", "sagr+"])
def test_in_a_large_open_area_no_robot_is_dragged_to_a_seen_goal_or_its_own_place(method):
    team = mission(hall(40, 40, 2), method)
    for _ in team.run():
        for robot in team.explorers[0].view(team.maps[0]).robots:
            if robot.goal:
                assert robot.goal.cell != robot.cell or robot.goal.heading_rad is not None
    # One look along every third row is enough; going back and forth would take far longer.
    assert team.step < 40 * 40 / 3


# 10 ------------------------------------------------------------------------------------------


def test_a_goal_is_kept_until_it_is_reached_or_seen():
    team = mission(make_scenario("small", 22))
    explorer, before, open_then = team.explorers[0], {}, {}
    changes = 0
    for _ in team.run():
        known = team.maps[0]
        for robot in explorer.view(known).robots:
            old = before.get(robot.id)
            if old and robot.goal and robot.goal.cell != old.cell:
                changes += 1
                # The explorer decided on the map before this look, so that is the one that counts.
                assert not open_then[robot.id] or robot.cell == old.cell
            before[robot.id] = robot.goal
        open_then = {
            robot.id: robot.goal is not None
            and known.frontier_mask().ravel()[robot.goal.frontier].any()
            for robot in explorer.view(known).robots
        }
    assert changes > 10


# 11 ------------------------------------------------------------------------------------------


def test_goals_leave_room_for_the_footprint():
    radius = 1.5
    team = mission(make_scenario("small", 23), search=SearchConfig(radius_cells=radius))
    goals, tight = 0, {}
    for _ in team.run():
        known = team.maps[0]
        wide = shrink(known.grid <= 0, radius)
        for robot in team.explorers[0].view(known).robots:
            if robot.goal and robot.goal.cell != robot.cell:
                goals += 1
                # A wall may be seen beside a goal on the way: then the goal is left at once.
                assert tight.get(robot.id) != robot.goal.cell
                tight[robot.id] = None if wide[robot.goal.cell] else robot.goal.cell
    assert goals > 0
    assert team.state in (DONE, DONE_EXCEPT)


# 12 ------------------------------------------------------------------------------------------


def test_one_failed_move_does_not_end_the_exploration():
    known = known_map("?....\n.....\n....?")
    explorer = explorer_for(known)
    goals = []
    for _ in range(25):  # the robot never gets anywhere
        explorer.decide(known, [Report(Cell(1, 1), 0.0)])
        goal = explorer.view(known).robots[0].goal
        if goal and (not goals or goals[-1] != goal.cell):
            goals.append(goal.cell)
        assert explorer.state == RUNNING
    assert len(set(goals)) == 2  # the other place came next


def test_walls_met_because_of_a_wrong_map_do_not_end_the_mission():
    team = mission(make_scenario("medium", 24), faults=Faults(merge_error_cells=1.0))
    result = team.finish()
    assert result.state in (DONE, DONE_EXCEPT)
    assert team.world.share > 0.9


# 14 ------------------------------------------------------------------------------------------


def test_a_robot_off_the_map_is_skipped_and_gets_work_when_it_comes_on():
    known = known_map("....?")
    explorer = explorer_for(known, robots=2)
    off, on = Report(Cell(-4, 2), 0.0), Report(Cell(0, 1), 0.0)
    moves = explorer.decide(known, [off, Report(Cell(0, 0), 0.0)])
    assert moves[0] is None
    assert moves[1] is not None
    moves = explorer.decide(known, [on, Report(Cell(0, 0), 0.0)])
    assert moves[0] is not None


@pytest.mark.parametrize("method", sorted(METHODS))
def test_no_method_trips_over_a_robot_off_the_map(method):
    team = mission(make_scenario("small", 25), method)
    team._look()
    reports = [None if robot else Report(Cell(-3, 10_000), 0.0) for robot in range(2)]
    assert team.explorers[0].decide(team.maps[0], reports) == [None, None]


# 15 ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", sorted(METHODS))
def test_goals_are_known_free_cells(method):
    team = mission(make_scenario("small", 26), method, budget_steps=150)
    for _ in team.run():
        for robot in team.explorers[0].view(team.maps[0]).robots:
            if robot.goal:
                assert team.maps[0].grid[robot.goal.cell] == 0


def test_a_waypoint_in_unknown_space_is_not_gone_to():
    known = known_map("...?.")
    explorer = explorer_for(known, strategy=Fixed(Waypoint(Cell(0, 4))))
    explorer.decide(known, [Report(Cell(0, 0), 0.0)])
    assert explorer.view(known).robots[0].goal.cell == (0, 2)


# 21 ------------------------------------------------------------------------------------------


def test_many_robots_explore_together_and_faster():
    steps = [mission(hall(30, 70, robots)).finish().steps for robots in (1, 4, 9)]
    assert steps[0] > 1.5 * steps[1] > 1.5 * steps[2]


def test_sixty_four_robots_explore_one_building():
    scenario = make_scenario("large", 27)
    free = np.argwhere(scenario.room_type == scenario.room_type[scenario.starts[0]])[:64]
    starts = tuple(Cell(*cell) for cell in free.tolist())
    crowd = type(scenario)(
        "crowd", 0, scenario.truth, scenario.room_type, scenario.names, starts, (0.0,) * 64
    )
    result = mission(crowd, "sagr+").finish()
    assert result.state == DONE
    assert result.steps < 200


# 24 ------------------------------------------------------------------------------------------


def test_a_decision_on_36_000_cells_takes_milliseconds_not_16_seconds():
    team = mission(hall(190, 190, 3), "sagr+", budget_steps=200)
    start = time.process_time()
    team.finish()
    assert (time.process_time() - start) / team.step < 0.05


def test_ways_decide_not_straight_lines():
    known = known_map("?........\n#######..\n....?.#..\n......#..\n.........")
    explorer = explorer_for(known)
    explorer.decide(known, [Report(Cell(2, 0), 0.0)])
    goal = explorer.view(known).robots[0].goal.cell
    assert goal.row >= 2  # the frontier behind the wall is two cells off, but a long way


# 25 ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("silent", [False, True])
@pytest.mark.parametrize("method", ["nf_h", "hungarian", "sagr", "sagr+"])
def test_work_of_a_stuck_or_silent_robot_is_given_to_others(method, silent):
    team = mission(
        make_scenario("medium", 28), method, faults=Faults(stops=1, stops_at=40, silent=silent)
    )
    released = False
    for _ in team.run():
        robots = team.explorers[0].view(team.maps[0]).robots
        if not robots[-1].active:
            released = True
            assert robots[-1].goal is None
    assert released
    assert team.state == DONE
    assert remaining(team.scenario.truth.data, team.maps[0], team.scenario.starts) == 0


def test_a_robot_that_never_started_does_not_end_the_mission_early():
    team = mission(make_scenario("small", 29), faults=Faults(stops=1, stops_at=0))
    assert team.finish().state == DONE


def test_nothing_is_divided_anew_after_the_end():
    team = mission(hall(8, 12), "hungarian")
    team.finish()
    count = team.explorers[0].coordinations
    assert list(team.run()) != []  # only the last state again
    assert team.explorers[0].coordinations == count


def test_a_search_ends_for_the_whole_team_when_one_robot_sees_the_target():
    scenario = drawn("###########\n#0.......x#\n#1........#\n###########")
    team = SearchMission(scenario, "nf_h", None, Setting())
    assert team.task.is_search
    assert team.finish().state == FOUND
    assert math.isfinite(team.world.found_cell.row)

"""The explorer's interface; what users complained about is in test_field_complaints.py."""

import numpy as np
import pytest
from adm_core.grid.windows import GridWindow
from adm_core.search.candidates import reachable_frontier
from adm_core.search.config import SearchConfig
from adm_core.search.explorer import Explorer, Report
from adm_core.search.nearest import NearestFrontier, nearest_frontier
from adm_core.search.strategy import Candidates, Robot, TeamView, Waypoint
from adm_core.search.team_map import FREE, TIGHT, TeamMap
from adm_core.types import Cell
from search_teams import EXPLORE, hall, mission


def known_map(text, **config):
    rows = text.split()
    grid = np.array([[{".": 0, "#": 100, "?": -1}[sign] for sign in row] for row in rows], np.int8)
    known = TeamMap(grid.shape, {}, SearchConfig(**config))
    cells = np.flatnonzero(grid >= 0)
    known.observe(cells, grid.ravel()[cells], np.zeros(len(cells), np.uint16))
    return known


class Listed:
    """A strategy that offers waypoints one by one."""

    def __init__(self, *waypoints):
        self.waypoints = list(waypoints)

    def coordinate(self, view):
        pass

    def next_waypoint(self, view, robot):
        return self.waypoints.pop(0) if self.waypoints else None


def goal(explorer, known):
    return explorer.view(known).robots[0].goal


def test_reports_must_be_one_a_robot():
    known = known_map(".?")
    with pytest.raises(ValueError, match="one a robot, got 2"):
        Explorer(NearestFrontier(), 1, EXPLORE, known.config).decide(known, [None, None])
    with pytest.raises(ValueError, match="robots must be >= 1"):
        Explorer(NearestFrontier(), 0, EXPLORE, known.config)


def test_used_up_lists_give_way_to_the_fallback():
    known = known_map("?....")
    explorer = Explorer(Listed(), 1, EXPLORE, known.config)
    explorer.decide(known, [Report(Cell(0, 4), 0.0)])
    assert goal(explorer, known).cell == (0, 1)


def test_waypoints_that_are_seen_or_here_are_passed_over():
    known = known_map("?.....")
    seen = Waypoint(Cell(0, 2), None, np.array([3]))  # cell 3 is no frontier
    here, good = Waypoint(Cell(0, 5)), Waypoint(Cell(0, 3))
    explorer = Explorer(Listed(seen, here, good), 1, EXPLORE, known.config)
    explorer.decide(known, [Report(Cell(0, 5), 0.0)])
    assert goal(explorer, known).cell == (0, 3)


def test_turning_to_a_view_costs_a_step_unless_it_is_free():
    def headings(**config):
        known = known_map(".....", **config)
        explorer = Explorer(Listed(Waypoint(Cell(0, 2), 1.0)), 1, EXPLORE, known.config)
        cell, heading, found = Cell(0, 0), 0.0, []
        for _ in range(3):
            (move,) = explorer.decide(known, [Report(cell, heading)])
            cell, heading = move
            found.append((cell.col, heading))
        return found

    assert headings() == [(1, 0.0), (2, 0.0), (2, 1.0)]
    assert headings(turn_costs=False)[1] == (2, 1.0)


def test_robots_that_are_not_driven_are_only_listened_to():
    known = known_map("?...?")
    explorer = Explorer(NearestFrontier(), 2, EXPLORE, known.config, drives=[1])
    moves = explorer.decide(known, [Report(Cell(0, 1), 0.0), Report(Cell(0, 2), 0.0)])
    assert moves[0] is None
    assert moves[1] is not None


def test_frontier_near_another_goal_is_left_to_that_robot():
    known = known_map("?...........?")
    frontier = known.frontier()
    other = Robot(1, Cell(0, 4), 0.0, True, Waypoint(Cell(0, 1)))
    view = TeamView(0, known, (Robot(0, Cell(0, 5), 0.0), other), EXPLORE)
    steps = known.steps_from(Cell(0, 5)).ravel()[frontier]
    candidates = Candidates(frontier, frontier, steps)
    assert frontier[nearest_frontier(view, 0, candidates)] == 11
    alone = TeamView(0, known, (view.robots[0],), EXPLORE)
    assert frontier[nearest_frontier(alone, 0, candidates)] == 1


def test_a_wide_robot_stands_beside_the_frontier_at_a_wall():
    known = known_map("#####\n....?\n.....\n.....\n#####", radius_cells=1.0)
    found = reachable_frontier(known, Cell(2, 1))
    assert known.passable[1, 0] == TIGHT
    place = dict(zip(found.frontier.tolist(), found.cells.tolist(), strict=True))
    row, col = divmod(place[1 * 5 + 3], 5)
    assert (row, known.passable[row, col]) == (2, FREE)


def test_a_wall_that_appears_on_the_way_is_gone_around():
    known = known_map(".....\n.....\n....?")
    explorer = Explorer(NearestFrontier(), 1, EXPLORE, known.config)
    (move,) = explorer.decide(known, [Report(Cell(0, 0), 0.0)])
    assert move.cell != (0, 0)
    known.observe(np.array([move.cell[0] * 5 + move.cell[1]]), np.array([100], np.int8),
                  np.zeros(1, np.uint16))  # fmt: skip
    (other,) = explorer.decide(known, [Report(Cell(0, 0), 0.0)])
    assert known.grid[other.cell] == 0


def test_sweeping_sees_the_whole_of_a_waypoint():
    steps = [
        mission(hall(20, 20), "hungarian", search=SearchConfig(sweep=sweep)).finish().state
        for sweep in (False, True)
    ]
    assert steps == ["done", "done"]


def test_maps_merge_by_the_larger_value():
    a, b = known_map("..?"), known_map("#??")
    assert a.merge(b) == 1
    assert a.grid.tolist() == [[100, 0, -1]]
    assert a.merge(b) == 0
    with pytest.raises(ValueError, match="other must be a map of shape"):
        a.merge(known_map("...."))


def test_a_robot_that_never_moves_loses_its_work_though_other_goals_are_left():
    known = known_map("?.......?.......?\n.................\n?.......?.......?")
    explorer = Explorer(NearestFrontier(), 2, EXPLORE, known.config)
    for step in range(known.config.stuck_steps + 2):
        explorer.decide(known, [Report(Cell(1, 4), 0.0), Report(Cell(1, step % 2), 0.0)])
    assert [robot.active for robot in explorer.view(known).robots] == [False, True]


def outcome(known, report, steps):
    """Return the state after so many steps with the same report."""
    explorer = Explorer(NearestFrontier(), 1, EXPLORE, known.config)
    explorer.decide(known, [Report(Cell(0, 1), 0.0)])
    for _ in range(steps):
        explorer.decide(known, [report])
    return explorer.state, explorer.unreachable


@pytest.mark.parametrize(
    "report",
    [None, Report(Cell(0, 1), 0.0), Report(Cell(-3, 0), 0.0)],
    ids=["silent", "still", "off"],
)
def test_a_team_that_can_do_nothing_more_has_stopped_and_calls_nothing_unreachable(report):
    known = known_map("?....\n.....\n....?")
    assert outcome(known, report, 300) == ("stopped", ())


def test_robots_that_were_never_heard_are_waited_for():
    known = known_map("....?")
    explorer = Explorer(NearestFrontier(), 1, EXPLORE, known.config)
    for _ in range(300):
        explorer.decide(known, [None])
    assert explorer.state == "running"


def test_a_team_that_stops_after_all_is_seen_is_done():
    assert outcome(known_map("....."), None, 60) == ("done", ())


def test_a_robot_that_moves_again_revokes_the_end():
    known = known_map("?....\n.....\n....?")
    explorer = Explorer(NearestFrontier(), 1, EXPLORE, known.config)
    for _ in range(300):
        explorer.decide(known, [Report(Cell(1, 2), 0.0)])
    assert explorer.state == "stopped"
    explorer.decide(known, [Report(Cell(1, 3), 0.0)])
    assert explorer.state == "running"
    assert goal(explorer, known)


def believed(known):
    """Return two explorers of one team of two that have decided once, and their reports."""
    pair = [Explorer(NearestFrontier(), 2, EXPLORE, known.config) for _ in range(2)]
    reports = [Report(Cell(0, 3), 0.0), Report(Cell(0, 4), 0.0)]
    for explorer in pair:
        explorer.decide(known, reports)
    return pair, reports


def test_a_goal_that_a_robot_says_it_has_replaces_what_was_expected():
    known = known_map("?......?")
    (explorer, _), reports = believed(known)
    explorer.decide(known, reports, {1: Cell(0, 5)})
    assert explorer.view(known).robots[1].goal.cell == (0, 5)
    explorer.decide(known, reports, {1: Cell(9, 9)})  # off this map: nothing can be expected
    assert explorer.view(known).robots[1].goal.cell != (9, 9)


def test_to_say_what_is_expected_changes_no_decision():
    known = known_map("?......?")
    (told, alone), reports = believed(known)
    expected = {i: robot.goal.cell for i, robot in enumerate(told.view(known).robots)}
    assert told.decide(known, reports, expected) == alone.decide(known, reports)
    assert told.digest.hexdigest() == alone.digest.hexdigest()


def test_work_is_divided_when_it_is_due_whatever_the_step():
    known = known_map("?....")
    explorer = Explorer(NearestFrontier(), 1, EXPLORE, known.config)
    for due, coordinations in [(False, 1), (False, 1), (True, 2), (False, 2)]:
        explorer.due = due
        explorer.decide(known, [Report(Cell(0, 4), 0.0)])
        assert explorer.coordinations == coordinations


def test_the_digest_tells_searches_apart_that_differ_in_one_decision():
    def digest(robots=2, **setting):
        return mission(hall(8, 12, robots), **setting).finish().decision_sha256

    assert digest() == digest()
    assert len({digest(), digest(1), digest(method="hungarian"), digest(budget_steps=3)}) == 4


def test_a_window_replaces_what_was_known_and_counts_as_a_change_only_if_it_is_one():
    known = known_map("?..#")
    window = GridWindow(0, 0, np.array([[0, 0]], np.int8), np.array([[2, 0]], np.uint16))
    before = known.revision
    known.write(window)
    assert known.grid.tolist() == [[0, 0, 0, 100]] and known.room_type.tolist() == [[2, 0, 0, 0]]
    assert known.revision == before + 1
    known.write(window)
    assert known.revision == before + 1
    with pytest.raises(ValueError, match="must lie on the map"):
        known.write(GridWindow(0, 3, np.zeros((1, 2), np.int8)))

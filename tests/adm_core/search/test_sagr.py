"""SAGR in both forms: what the coordinator says, and what robots make of it."""

import numpy as np
import pytest
from adm_core.errors import ConfigError
from adm_core.search.config import SearchConfig
from adm_core.search.coordinators import Assignment
from adm_core.search.methods import METHODS, Method, make_method, sagr_plus
from adm_core.search.sagr import Sagr
from adm_core.search.sagr_plus import SagrPlus, SagrPlusConfig, type_bonuses
from adm_core.search.strategy import Candidates, Robot, TeamView, Waypoint
from adm_core.search.task import SearchTask
from adm_core.search.team_map import TeamMap
from adm_core.simulation.search.scenario import make_scenario
from adm_core.types import Cell
from search_teams import NAMES, mission

KITCHEN = SearchTask("find the cup in the kitchen", "cup", "kitchen")
TYPES = {"c": 1, "k": 2, "o": 3}
FLOOR = """
?kkk#ooo?
##k###o##
ccccccccc
"""


class Says:
    """A coordinator that always says the same."""

    def __init__(self, rooms):
        self.rooms, self.calls = rooms, 0

    def assign(self, graph, view, previous):
        self.calls += 1
        return Assignment(self.rooms, "", "test")


def known_floor(text=FLOOR):
    rows = text.split()
    signs = np.array([list(row) for row in rows])
    grid = np.select([signs == "?", signs == "#"], [-1, 100], 0).astype(np.int8)
    types = np.vectorize(lambda sign: TYPES.get(sign, 0))(signs).astype(np.uint16)
    known = TeamMap(grid.shape, NAMES, SearchConfig(c_max=2))
    cells = np.flatnonzero(grid >= 0)
    known.observe(cells, grid.ravel()[cells], types.ravel()[cells])
    return known


def view_of(known, *cells, task=KITCHEN, goals=()):
    robots = tuple(
        Robot(i, Cell(*cell), 0.0, True, goals[i] if i < len(goals) else None)
        for i, cell in enumerate(cells)
    )
    return TeamView(0, known, robots, task)


def room_id(known, kind):
    rooms, ids = known.rooms(), known.room_ids()
    return int(ids[rooms.types.tolist().index(kind)])


def test_sagr_visits_the_frontiers_of_its_room_only():
    known = known_floor()
    strategy = Sagr(Says({0: room_id(known, 3)}))
    view = view_of(known, (2, 0))
    strategy.coordinate(view)
    visited = []
    while waypoint := strategy.next_waypoint(view, 0):
        visited.append(int(known.room_type[waypoint.cell]))
    assert visited and set(visited) == {3}


def test_robots_of_one_room_share_its_frontiers():
    known = known_floor("?kkkkkkkkkkkk?\nkkkkkkkkkkkkkk")
    strategy = Sagr(Says({0: room_id(known, 2), 1: room_id(known, 2)}))
    view = view_of(known, (1, 0), (1, 13))
    strategy.coordinate(view)
    cells = [strategy.next_waypoint(view, robot).cell for robot in (0, 1)]
    assert cells[0].col < 7 <= cells[1].col


def test_a_room_that_is_gone_gives_no_work():
    known = known_floor()
    strategy = Sagr(Says({0: 999}))
    strategy.coordinate(view_of(known, (2, 0)))
    assert strategy.next_waypoint(view_of(known, (2, 0)), 0) is None


def test_the_paper_form_can_be_cut_to_first_waypoints():
    known = known_floor("?kkkkkkkkkkkkkkkkkkkkkk?")
    strategy = Sagr(Says({0: room_id(known, 2)}), first_only=True)
    view = view_of(known, (0, 5))
    strategy.coordinate(view)
    assert strategy.next_waypoint(view, 0).cell.col == 1
    assert strategy.next_waypoint(view, 0) is None


def pick(known, view, config=None, rooms=None, robot=0):
    strategy = SagrPlus(Says(rooms or {}), config or SagrPlusConfig())
    strategy.coordinate(view)
    frontier = known.frontier()
    steps = known.steps_from(view.robots[robot].cell).ravel()[frontier]
    candidates = Candidates(frontier, frontier, steps)
    cell = frontier[strategy.pick(view, robot, candidates)]
    return int(known.room_type.ravel()[cell]), strategy


def test_sagr_plus_walks_further_for_the_right_type():
    known = known_floor()
    at_office = view_of(known, (1, 6))
    assert pick(known, at_office)[0] == 2
    assert pick(known, view_of(known, (1, 6), task=SearchTask()))[0] != 2


def test_a_room_with_another_robots_goal_costs_more():
    known = known_floor("?kkkkkkkkoooooooo?")
    explore, goal = SearchTask(), Waypoint(Cell(0, 7))
    alone = view_of(known, (0, 7), (0, 8), task=explore)
    assert pick(known, alone)[0] == 2
    shared = view_of(known, (0, 7), (0, 8), task=explore, goals=(None, goal))
    assert pick(known, shared)[0] == 3


def test_the_assigned_room_is_a_wish_until_a_goal_in_it():
    known = known_floor("?kkkkkkkkoooooooo?")
    view = view_of(known, (0, 7), task=SearchTask())
    kind, strategy = pick(known, view, rooms={0: room_id(known, 3)})
    assert kind == 3
    frontier = known.frontier()
    steps = known.steps_from(Cell(0, 7)).ravel()[frontier]
    again = strategy.pick(view, 0, Candidates(frontier, frontier, steps))
    assert known.room_type.ravel()[frontier[again]] == 2


def test_bonuses_by_type():
    table = type_bonuses({1: "Hallway", 2: "kitchen", 3: "office"}, "kitchen", 9.0, 4.0)
    assert table.tolist() == [4.0, 4.0, 9.0, 0.0, 0.0]
    assert not type_bonuses({1: "corridor"}, "", 9.0, 4.0).any()


def test_no_candidates_no_pick():
    empty = np.empty(0, np.int64)
    strategy = SagrPlus(Says({}))
    view = view_of(known_floor(), (2, 0))
    assert strategy.pick(view, 0, Candidates(empty, empty, empty.astype(np.int32))) is None


def test_methods_are_made_by_name():
    assert {"hungarian", "nf_h", "sagr", "sagr+", "racer", "aep_dvc"} <= set(METHODS)
    assert make_method("sagr").strategy is not make_method("sagr").strategy
    with pytest.raises(ConfigError, match="method must be one of"):
        make_method("magic")


def test_the_coordinator_is_asked_every_fifty_steps():
    coordinator = Says({})

    def make(seed) -> Method:
        return sagr_plus(coordinator)

    team = mission(make_scenario("small", 47), make, budget_steps=120)
    team.finish()
    assert coordinator.calls == 3

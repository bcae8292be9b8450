import numpy as np
import pytest
from adm_core.grid.sight_tree import SightTree
from adm_core.search.baselines import AepConfig, AepRrtConfig, make_aep_dvc, make_aep_rrt
from adm_core.search.baselines.aep_dvc import AepDvc
from adm_core.search.baselines.aep_rrt import AepRrt, branch_scores
from adm_core.search.baselines.outlook import Outlook
from adm_core.search.config import SearchConfig
from adm_core.search.strategy import Robot, TeamView, Waypoint
from adm_core.search.task import SearchTask
from adm_core.search.team_map import TeamMap
from adm_core.types import Cell

BOTH = pytest.mark.parametrize("make", [make_aep_dvc, make_aep_rrt])


def make_view(grid, cells, goals=()):
    known = TeamMap(grid.shape, {}, SearchConfig())
    seen = np.flatnonzero(grid.ravel() >= 0)
    known.observe(seen, grid.ravel()[seen], np.zeros(len(seen), np.uint16))
    robots = tuple(
        Robot(i, Cell(*cell), 0.0, goal=Waypoint(Cell(*goals[i])) if goals else None)
        for i, cell in enumerate(cells)
    )
    return TeamView(0, known, robots, SearchTask())


def band():
    grid = np.full((64, 64), -1, np.int8)
    grid[24:40] = 0
    return grid


@BOTH
@pytest.mark.parametrize("seed", range(5))
def test_waypoints_are_free_reachable_places_of_the_own_region(make, seed):
    view = make_view(band(), [(32, 5), (32, 58)])
    strategy = make(rng=np.random.default_rng(seed))
    strategy.coordinate(view)
    for robot, own in ((0, range(32)), (1, range(32, 64))):
        waypoint = strategy.next_waypoint(view, robot)
        assert view.map.steps_from(view.robots[robot].cell)[waypoint.cell] > 0
        assert waypoint.cell.col in own and waypoint.heading_rad is not None


@BOTH
def test_equal_generators_give_equal_waypoints(make):
    def run():
        view = make_view(band(), [(32, 5), (32, 58)])
        strategy = make(rng=np.random.default_rng(3))
        strategy.coordinate(view)
        return [strategy.next_waypoint(view, robot) for robot in (0, 1, 0, 1)]

    assert run() == run()


@BOTH
def test_a_known_map_leaves_nothing_to_look_at(make):
    view = make_view(np.zeros((30, 30), np.int8), [(3, 3), (9, 9)])
    strategy = make()
    strategy.coordinate(view)
    assert strategy.next_waypoint(view, 0) is None


@BOTH
def test_a_walled_in_robot_has_nothing(make):
    grid = np.full((30, 30), -1, np.int8)
    grid[9:12, 9:12] = 100
    grid[10, 10] = 0
    view = make_view(grid, [(10, 10)])
    strategy = make()
    strategy.coordinate(view)
    assert strategy.next_waypoint(view, 0) is None


def test_views_look_at_the_unknown():
    view = make_view(band(), [(32, 32)])
    strategy = AepDvc(AepConfig(), np.random.default_rng(0))
    strategy.coordinate(view)
    cell, heading, _ = strategy.next_waypoint(view, 0)
    outwards = -1 if cell.row < 32 else 1
    assert np.sin(heading) * outwards > 0


def test_without_turns_no_heading_is_asked_for():
    view = make_view(band(), [(32, 32)])
    for strategy in (
        AepDvc(AepConfig(turn=False), np.random.default_rng(0)),
        AepRrt(AepRrtConfig(turn=False), np.random.default_rng(0)),
    ):
        strategy.coordinate(view)
        assert strategy.next_waypoint(view, 0).heading_rad is None


def test_a_robot_outside_its_region_samples_the_map_away_from_the_others_goals():
    grid = band()
    view = make_view(grid, [(32, 5), (32, 5)], goals=[(24, 10), (30, 30)])
    strategy = AepDvc(AepConfig(), np.random.default_rng(0))
    strategy.coordinate(view)  # robot 0 comes first everywhere, so robot 1 owns nothing
    waypoint = strategy.next_waypoint(view, 1)
    assert max(abs(waypoint.cell.row - 24), abs(waypoint.cell.col - 10)) > 5


def test_where_samples_show_nothing_a_remembered_place_is_taken():
    grid = np.zeros((40, 200), np.int8)
    grid[:20, 190:] = -1
    view = make_view(grid, [(20, 5)])
    strategy = AepDvc(AepConfig(samples=1), np.random.default_rng(0))
    strategy.coordinate(view)
    good = 10 * 200 + 185
    strategy._outlook.remember(np.array([good]))
    assert strategy.next_waypoint(view, 0).cell == Cell(10, 185)


def test_the_tree_jumps_to_the_nearest_good_place_when_all_around_is_known():
    grid = np.zeros((40, 200), np.int8)
    grid[:, 190:] = -1
    view = make_view(grid, [(20, 5)])
    strategy = AepRrt(AepRrtConfig(), np.random.default_rng(0))
    strategy.coordinate(view)
    strategy._outlook.remember(np.array([20 * 200 + 188, 20 * 200 + 185]))
    assert strategy.next_waypoint(view, 0).cell == Cell(20, 185)


def test_places_without_worth_and_the_oldest_are_forgotten():
    grid = band()
    grid[16:48] = 0
    view = make_view(grid, [(32, 32)])
    outlook = Outlook(most=2, turn=True)
    edge = [16 * 64 + col for col in (10, 20, 30)]
    outlook.remember(np.array(edge))
    assert outlook.review(view, 10)[0].tolist() == edge[1:]
    outlook.remember(np.array([32 * 64 + 32]))
    assert outlook.review(view, 10)[0].tolist() == edge[2:]
    assert outlook.review(view, 0)[0].tolist() == edge[2:]


def test_scores_add_up_along_a_branch():
    tree = SightTree(np.zeros((1, 9), np.int8), np.ones(9, np.bool_), 0, 4.0, 6.0)
    tree.graft([2, 4])
    scores = branch_scores(tree, np.array([50, 10, 20], np.int32), 0.5)
    one = 10 * np.exp(-1.0)
    assert scores == pytest.approx([0.0, one, one + 20 * np.exp(-1.0)])


def test_the_rest_of_the_last_branch_seeds_the_next_tree():
    view = make_view(band(), [(32, 5)])
    strategy = AepRrt(AepRrtConfig(), np.random.default_rng(0))
    strategy.coordinate(view)
    first = strategy.next_waypoint(view, 0).cell
    rest = strategy._branches[0]
    moved = make_view(band(), [first])
    tree = strategy._plant(moved, 0)
    assert tree.cells.tolist() == rest

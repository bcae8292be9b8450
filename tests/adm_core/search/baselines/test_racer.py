import numpy as np
import pytest
from adm_core.search.baselines import RACER_HGRID, RacerConfig
from adm_core.search.baselines.hgrid import NOBODY
from adm_core.search.baselines.racer import Racer
from adm_core.search.config import SearchConfig
from adm_core.search.strategy import Robot, TeamView, Waypoint
from adm_core.search.task import SearchTask
from adm_core.search.team_map import TeamMap
from adm_core.types import Cell


def make_view(grid, cells, silent=(), step=0, radius=0.0):
    known = TeamMap(grid.shape, {}, SearchConfig(radius_cells=radius))
    seen = np.flatnonzero(grid.ravel() >= 0)
    known.observe(seen, grid.ravel()[seen], np.zeros(len(seen), np.uint16))
    robots = tuple(
        Robot(i, Cell(*cell), 0.0, active=i not in silent) for i, cell in enumerate(cells)
    )
    return TeamView(step, known, robots, SearchTask())


def band():
    """Return a map whose middle rows are known: unknown above and below."""
    grid = np.full((64, 64), -1, np.int8)
    grid[24:40] = 0
    return grid


CORNERS = [(30, 2), (30, 61), (33, 2), (33, 61)]


def owners(racer, view):
    grid, tasks = racer._update(view)
    return tasks, grid.owner[tasks.ids]


def test_pairs_divide_all_their_tasks_and_keep_the_capacity():
    racer, view = Racer(RacerConfig()), make_view(band(), CORNERS[:2])
    racer.coordinate(view)
    tasks, owner = owners(racer, view)
    assert set(owner.tolist()) == {0, 1}
    share = tasks.demand[owner == 0].sum() / tasks.demand.sum()
    assert 0.25 <= share <= 0.75


def test_robots_get_what_is_near_them():
    grid = band()
    grid[40:] = 100
    racer, view = Racer(RacerConfig()), make_view(grid, CORNERS[:2])
    racer.coordinate(view)
    tasks, owner = owners(racer, view)
    cols = tasks.centres % 64
    assert cols[owner == 0].mean() < 32 < cols[owner == 1].mean()


def test_every_pair_meets_before_one_meets_again():
    racer, view = Racer(RacerConfig()), make_view(band(), CORNERS)
    for _ in range(3):
        racer.coordinate(view)
    assert sorted(racer._met) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]


def test_an_odd_robot_out_takes_part_in_the_next_round():
    racer, view = Racer(RacerConfig()), make_view(band(), CORNERS[:3])
    racer.coordinate(view)
    left_out = {0, 1, 2} - set(next(iter(racer._met)))
    racer.coordinate(view)
    assert any(left_out & set(pair) for pair in racer._met)


def test_all_pairs_meet_in_one_coordination_of_the_published_form():
    racer, view = Racer(RACER_HGRID), make_view(band(), CORNERS)
    racer.coordinate(view)
    assert len(racer._met) == 6


def test_at_first_robot_0_owns_everything_in_the_published_form():
    racer, view = Racer(RACER_HGRID), make_view(band(), CORNERS)
    assert set(owners(racer, view)[1].tolist()) == {0}


def test_tasks_of_a_silent_robot_are_released_and_done_by_the_others():
    """RACER 53, 58: a stuck or silent robot kept its tasks and the others went idle."""
    racer = Racer(RacerConfig())
    racer.coordinate(make_view(band(), CORNERS[:2]))
    view = make_view(band(), CORNERS[:2], silent=(1,), step=50)
    racer.coordinate(view)
    assert 1 not in racer._grid.owner
    assert racer.next_waypoint(view, 0) is not None
    _, owner = owners(racer, view)
    assert set(owner.tolist()) == {0}


def test_without_any_active_robot_nobody_owns_anything():
    racer, view = Racer(RacerConfig()), make_view(band(), CORNERS[:2], silent=(0, 1))
    racer.coordinate(view)
    assert (racer._grid.owner == NOBODY).all()


def test_a_robot_with_tasks_but_no_frontier_in_them_goes_to_the_nearest_one():
    """RACER 52: a grid cell without a viewpoint was an index error."""
    racer, view = Racer(RacerConfig()), make_view(band(), CORNERS[:2])
    racer.coordinate(view)
    tasks, _ = owners(racer, view)
    bare = np.setdiff1d(np.arange(len(tasks.ids)), tasks.cluster_task)
    racer._grid.owner[tasks.ids] = 1
    if not len(bare):  # every grid cell has a frontier here: take one out of the clusters' reach
        bare = np.array([0])
        racer._tasks = tasks._replace(
            cluster_task=np.where(tasks.cluster_task == 0, 1, tasks.cluster_task)
        )
    racer._grid.owner[tasks.ids[bare[0]]] = 0
    waypoint = racer.next_waypoint(view, 0)
    assert waypoint is not None and view.map.frontier_mask()[waypoint.cell]


@pytest.mark.parametrize("config", [RacerConfig(), RACER_HGRID])
def test_waypoints_are_frontier_cells_that_can_be_got_to(config):
    racer, view = Racer(config), make_view(band(), CORNERS)
    racer.coordinate(view)
    for robot in range(4):
        waypoint = racer.next_waypoint(view, robot)
        assert view.map.frontier_mask()[waypoint.cell]
        assert view.map.steps_from(view.robots[robot].cell)[waypoint.cell] > 0


def test_a_place_that_could_not_be_used_is_not_offered_twice_in_a_step():
    racer, view = Racer(RacerConfig()), make_view(band(), CORNERS[:2])
    racer.coordinate(view)
    offers = [racer.next_waypoint(view, 0) for _ in range(4)]
    assert len({waypoint.cell for waypoint in offers}) == 4


def test_a_known_map_leaves_nothing_to_do():
    racer, view = Racer(RacerConfig()), make_view(np.zeros((32, 32), np.int8), [(1, 1), (5, 5)])
    racer.coordinate(view)
    assert racer.next_waypoint(view, 0) is None


def test_equal_views_give_equal_waypoints():
    def run() -> list[Waypoint | None]:
        racer, view = Racer(RacerConfig()), make_view(band(), CORNERS)
        racer.coordinate(view)
        return [racer.next_waypoint(view, robot) for robot in range(4)]

    assert [w.cell for w in run() if w] == [w.cell for w in run() if w]


def test_a_map_that_grows_starts_a_new_grid():
    racer = Racer(RacerConfig())
    racer.coordinate(make_view(band(), CORNERS[:2]))
    wider = np.full((64, 80), -1, np.int8)
    wider[24:40] = 0
    view = make_view(wider, CORNERS[:2])
    racer.coordinate(view)
    assert racer.next_waypoint(view, 0) is not None


def test_wide_robots_get_places_where_they_fit():
    grid = np.full((40, 64), -1, np.int8)
    grid[10:30, :20] = 0
    grid[10, :] = grid[29, :] = 100
    racer, view = Racer(RacerConfig()), make_view(grid, [(20, 5), (24, 5)], radius=2.0)
    racer.coordinate(view)
    waypoint = racer.next_waypoint(view, 0)
    assert view.map.is_passable(waypoint.cell)
    assert view.map.frontier_mask().ravel()[waypoint.frontier].all()


def test_the_path_goes_through_the_nearest_own_tasks():
    racer, view = Racer(RacerConfig(horizon=3, leading=2)), make_view(band(), CORNERS[:1])
    tasks, _ = owners(racer, view)
    own = np.arange(len(tasks.ids))
    path = racer._order(racer._grid, tasks, view.robots[0], own)
    cols = tasks.centres % 64
    assert len(path) == 3 and cols[path].max() < np.median(cols)

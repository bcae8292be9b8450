"""The true world: legal moves only, sight, blocking, faults, the independent flood fill."""

import numpy as np
import pytest
from adm_core.errors import MissionError
from adm_core.search.config import SearchConfig
from adm_core.search.explorer import Move
from adm_core.search.methods import METHODS
from adm_core.search.team_map import TeamMap
from adm_core.simulation.search.config import ScenarioConfig
from adm_core.simulation.search.scenario import make_scenario
from adm_core.simulation.search.world import Faults, SearchWorld, remaining
from adm_core.types import Cell
from scipy import ndimage
from search_teams import drawn, mission

ROOM = """
######
#0..1#
#.#..#
######
"""


def world(text=ROOM, **faults):
    return SearchWorld(drawn(text), None, Faults(**faults))


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        (Cell(0, 1), "into the wall"),
        (Cell(1, 3), "in one step"),
        (Cell(2, 2), "into the wall"),
        (Cell(-1, 1), "in one step"),
    ],
)
def test_moves_that_are_not_legal_are_refused(cell, message):
    with pytest.raises(MissionError, match=message):
        world().move([Move(cell, 0.0), None])


def test_a_diagonal_needs_both_orthogonals():
    it = world("#####\n#0.##\n##..#\n#####")
    with pytest.raises(MissionError, match="into the wall"):
        it.move([Move(Cell(2, 2), 0.0)])
    it = world("#####\n#0..#\n#...#\n#####")
    it.move([Move(Cell(2, 2), 0.0)])
    assert it.cells == [Cell(2, 2)]


@pytest.mark.parametrize("method", [*sorted(METHODS), "oracle"])
@pytest.mark.parametrize("seed", range(2))
def test_every_method_makes_legal_moves_only(method, seed):
    """The world refuses any other, and this mission would not end well."""
    team = mission(make_scenario("small", 40 + seed), method, budget_steps=400)
    assert team.finish().state in ("done", "budget")


@pytest.mark.parametrize("method", sorted(METHODS))
def test_no_method_sees_what_the_robots_have_not_seen(method):
    """What differs out of sight, two cells and more from all that was seen, changes no step.

    Nearer cells may: sight passes a corner unless both cells beside it block.
    """
    scenario, steps = make_scenario("small", 44), 60
    team = mission(scenario, method, budget_steps=steps)
    track = [snapshot.cells for snapshot in team.run()]
    hidden = ~ndimage.binary_dilation(team.maps[0].grid >= 0, np.ones((3, 3)), 2)
    assert hidden.any()
    other = np.where(hidden, np.int8(100), scenario.truth.data)
    types = np.where(hidden, np.uint16(0), scenario.room_type)
    changed = type(scenario)(
        "other", scenario.seed, type(scenario.truth)(other, scenario.truth.resolution), types,
        scenario.names, scenario.starts, scenario.headings_rad,
    )  # fmt: skip
    again = mission(changed, method, budget_steps=steps)
    assert [snapshot.cells for snapshot in again.run()] == track


def test_robots_may_share_a_cell_unless_they_block_each_other():
    def meet(**faults):
        it = world("####\n#01#\n####", **faults)
        it.move([Move(Cell(1, 2), 0.0), None])
        return it.cells

    assert meet() == [Cell(1, 2), Cell(1, 2)]
    assert meet(blocking=True) == [Cell(1, 1), Cell(1, 2)]


def test_blocking_robots_that_meet_change_places():
    it = world("####\n#01#\n####", blocking=True)
    it.move([Move(Cell(1, 2), 0.0), Move(Cell(1, 1), 3.0)])
    assert it.cells == [Cell(1, 2), Cell(1, 1)]


def test_a_blocked_mission_still_ends():
    team = mission(make_scenario("medium", 45), faults=Faults(blocking=True))
    assert team.finish().state == "done"


def test_stopped_robots_stay_and_silent_ones_do_not_report():
    it = world(stops=1, stops_at=1, silent=True)
    stay = Move(Cell(1, 3), 0.0)
    it.move([None, stay])
    assert it.cells[1] == Cell(1, 3)
    it.move([None, Move(Cell(1, 4), 0.0)])
    assert it.cells[1] == Cell(1, 3)
    assert it.report(1) is None
    assert it.report(0) is not None


def test_frames_that_slip_move_reports_and_sight_together():
    it = SearchWorld(drawn(ROOM, seed=3), None, Faults(merge_error_cells=3.0))
    slip = np.subtract(it.report(1).cell, it.cells[1])
    assert slip.any()
    assert tuple(it.report(0).cell) == tuple(it.cells[0])


def test_sight_has_a_field_and_a_range():
    known = TeamMap((3, 22), {}, SearchConfig())
    text = "#" * 22 + "\n#0" + "." * 19 + "#\n" + "#" * 22
    SearchWorld(drawn(text, heading=0.0), ScenarioConfig()).sense(known)
    assert known.grid[1, 11] == 0
    assert known.grid[1, 12] == -1
    back = TeamMap((3, 22), {}, SearchConfig())
    SearchWorld(drawn(text, heading=np.pi), ScenarioConfig()).sense(back)
    assert back.grid[1, 3] == 0
    assert back.grid[1, 4] == -1


def test_unknown_cells_of_the_true_map_act_as_walls():
    team = mission(drawn("#####\n#0.?#\n#...#\n#####"))
    assert team.finish().state == "done"
    assert team.maps[0].grid[1, 3] == 100


def test_shares_count_what_can_be_reached():
    it = world("#######\n#0..#.#\n#######")
    assert it.reachable_cells == 3
    known = TeamMap((3, 7), {}, SearchConfig())
    it.sense(known)
    assert it.share == 1.0
    assert remaining(it.scenario.truth.data, known, it.scenario.starts) == 0


def test_the_flood_fill_counts_unknown_cells_within_reach_only():
    scenario = drawn("#######\n#0..#.#\n#######")
    nothing = TeamMap((3, 7), {}, SearchConfig())
    assert remaining(scenario.truth.data, nothing, scenario.starts) == 3


def test_the_flood_fill_counts_where_a_robot_of_the_radius_fits():
    # A wide room, a gap of one cell, another room: beyond the gap no wide robot can get.
    text = "#############\n#.....#.....#\n#.....#.....#\n#..0........#\n#.....#.....#\n"
    scenario = drawn(text + "#.....#.....#\n#############")
    nothing = TeamMap(scenario.truth.shape, {}, SearchConfig())
    counts = [
        remaining(scenario.truth.data, nothing, scenario.starts, radius) for radius in (0, 1, 2)
    ]
    assert counts == [51, 10, 2]  # beside the gap there is room for one more
    with pytest.raises(ValueError, match="starts must fit a radius of 3 cells"):
        remaining(scenario.truth.data, nothing, scenario.starts, 3)

"""Figures of search worlds, counted again by other means."""

from pathlib import Path

import numpy as np
import pytest
from adm_core.simulation.search.config import SCALES, ScenarioConfig
from adm_core.simulation.search.scenario import make_scenario, world_of
from adm_core.simulation.search.statistics import survey
from scipy import ndimage
from sizes import FULL


@pytest.fixture(scope="module")
def figures():
    """Return the figures of a dozen medium worlds."""
    return survey("medium", range(5001, 5013))


def test_rooms_are_counted_as_they_are_on_the_map(figures):
    counts = []
    for seed in range(5001, 5013):
        scenario = make_scenario("medium", seed)
        instances = [ndimage.label(scenario.room_type == kind)[1] for kind in scenario.names]
        counts.append(sum(instances) - 1)  # one is the corridor
    assert figures.rooms == tuple(np.percentile(counts, [5, 50, 95]))
    assert sum(figures.types.values()) == pytest.approx(np.mean(counts))
    assert sum(figures.targets.values()) == figures.worlds == 12


def test_spreads_are_in_order_and_near_the_nominal_figures(figures):
    nominal = SCALES["medium"]
    for name, value in vars(figures).items():
        if isinstance(value, tuple):
            assert value[0] <= value[1] <= value[2], name
    assert figures.rooms[0] <= nominal.rooms <= figures.rooms[2]
    assert figures.side_cells[0] >= 0.85 * nominal.side - 1
    assert figures.target_steps[0] >= ScenarioConfig().target_steps
    assert figures.reach_steps[2] >= figures.target_steps[2]
    assert 0.1 < figures.furnished < 0.5 and 0 < figures.at_corridor <= 1


def test_doors_of_one_world_are_its_plan():
    plan = world_of("large", 5001).plan
    figures = survey("large", [5001])
    assert figures.doors == (len(plan.doors),) * 3
    assert figures.loops == (len(plan.doors) - len(plan.rooms) + 1,) * 3
    assert figures.depth[1] in (2, 3)


def test_bare_rooms_have_no_furniture():
    assert survey("small", [1], ScenarioConfig(furniture=False)).furnished == 0.0


def test_no_seed_is_refused():
    with pytest.raises(ValueError, match="one seed or more"):
        survey("small", [])


@pytest.mark.parametrize("column, scale", list(enumerate(SCALES))[: 3 if FULL else 1])
def test_the_page_about_the_worlds_tells_their_figures(column, scale):
    page = (Path(__file__).parents[4] / "docs" / "search_worlds.md").read_text("utf-8")
    rows = [line.strip("| \n").split(" | ") for line in page.splitlines() if line.startswith("|")]
    told = {row[0]: row[1 + column] for row in rows if len(row) == 4}
    figures = survey(scale, range(5001, 5101))

    def spread(name, digits=0):
        return " / ".join(f"{value:.{digits}f}" for value in getattr(figures, name))

    assert told["sides, cells"] == spread("side_cells")
    assert told["rooms"] == spread("rooms")
    assert told["area of a room, m²"] == spread("room_m2", 1)
    assert told["side of a room, m"] == spread("room_side_m", 2)
    assert told["floor of the rooms under furniture"] == f"{100 * figures.furnished:.0f} %"
    assert told["doors"] == spread("doors")
    assert told["doors beyond a tree: ways around"] == spread("loops")
    assert told["doors from the spine to the deepest room"] == spread("depth")
    assert told["rooms with a door to a corridor"] == f"{100 * figures.at_corridor:.0f} %"
    assert told["free cells"] == spread("free_cells")
    assert told["steps to the farthest free cell"] == spread("reach_steps")
    assert told["steps to the target"] == spread("target_steps")

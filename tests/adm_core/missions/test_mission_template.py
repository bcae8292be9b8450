"""The template names every parameter, and the shipped examples run."""

import re

import numpy as np
import pytest
from adm_core.errors import ConfigError
from adm_core.grid.map_io import save_map
from adm_core.missions.mission_file import load_mission_file
from adm_core.missions.mission_schema import SECTIONS, known_keys, section_parameters
from adm_core.missions.mission_template import example, examples, template
from adm_core.missions.order import order_of
from adm_core.missions.recycling import LocalMission, prepare
from adm_core.missions.setup import MissionConfig
from adm_core.simulation.building.config import BuildingConfig
from adm_core.simulation.building.generate import generate_building


def test_the_template_is_a_mission_file_that_changes_nothing_but_the_goal(tmp_path):
    path = tmp_path / "t.yaml"
    path.write_text(template())
    assert order_of(str(path), {}).mission == MissionConfig()


@pytest.mark.parametrize("section", SECTIONS)
def test_the_template_holds_every_parameter_with_its_default(section, tmp_path):
    """Without the marks of comment a section is valid, and says what the defaults say."""
    text = template().split(f"# {section}:\n", 1)[1].split("\n\n", 1)[0]
    lines = [line for line in text.splitlines() if not line.startswith(("#   #", "#   classes"))]
    names = [re.match(r"#   (\w+): ", line).group(1) for line in lines]
    assert names == [item.name for item in section_parameters(section)]
    if section == "world":
        lines = [line for line in lines if not line.startswith("#   map:")]
    path = tmp_path / "t.yaml"
    path.write_text(f"{section}:\n" + "\n".join(line[2:] for line in lines) + "\n")
    found = load_mission_file(path)
    said = {**found.mission, **found.planner, **dict(found.spec.profile)}
    said |= dict(found.spec.scenario)
    for item in section_parameters(section):
        for name in (item.name, f"{section}.{item.name}"):
            assert said.get(name, item.default) == item.default


def test_every_key_of_a_file_is_in_the_template():
    text = template()
    assert all(re.search(rf"^(# )?{key}:", text, re.M) for key in known_keys(()))


def test_the_standard_scenarios_and_a_map_mission_are_shipped():
    assert examples() == ["D-10", "DN-14", "S-6", "office"]


@pytest.mark.parametrize("name", ["D-10", "DN-14", "S-6"])
def test_an_example_is_the_scenario_of_its_name(name, tmp_path):
    path = tmp_path / "e.yaml"
    path.write_text(example(name))
    order = order_of(str(path), {})
    assert order.mission == MissionConfig(scenario=name)
    by_file, plain = (LocalMission(item) for item in (
        prepare(order.mission, spec=order.spec), prepare(MissionConfig(scenario=name))
    ))  # fmt: skip
    for run in (by_file, plain):
        for _ in run.run():
            pass
    assert by_file.executor.digest.hexdigest() == plain.executor.digest.hexdigest()


def test_the_map_example_runs_on_the_map_that_it_names(tmp_path):
    building = generate_building(BuildingConfig(), np.random.default_rng(0))
    save_map(building.grid_map, f"{tmp_path}/maps/office-medium-0.yaml", building.labels)
    (tmp_path / "office.yaml").write_text(example("office"))
    order = order_of(str(tmp_path / "office.yaml"), {})
    run = LocalMission(prepare(order.mission, spec=order.spec))
    for _ in run.run():
        pass
    assert run.executor.complete
    assert order.approve == "reversible"


def test_an_unknown_example_is_refused_with_the_list():
    with pytest.raises(ConfigError, match="must be one of D-10, DN-14, S-6, office, got 'S-7'"):
        example("S-7")

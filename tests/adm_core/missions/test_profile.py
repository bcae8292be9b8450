from dataclasses import fields
from importlib import resources

import pytest
import yaml
from adm_core.errors import ConfigError
from adm_core.memory.attention import AttentionConfig
from adm_core.memory.dynamic import MemoryConfig
from adm_core.missions.profile import PROFILES, load_profile
from adm_core.missions.recycling import LocalMission, prepare
from adm_core.missions.setup import MissionConfig
from adm_core.simulation.scenarios import SCENARIOS, Scenario, SensingConfig

SECTIONS = {"memory": MemoryConfig, "attention": AttentionConfig, "sensing": SensingConfig}


def shipped(name):
    text = resources.files("adm_core").joinpath(f"profiles/{name}.yaml").read_text("utf-8")
    return text, yaml.safe_load(text)


@pytest.mark.parametrize("section", SECTIONS)
def test_the_paper_profile_names_every_parameter(section):
    _, document = shipped("paper")
    assert set(document[section]) == {item.name for item in fields(SECTIONS[section])}


def test_the_paper_profile_names_every_parameter_of_every_scenario():
    _, document = shipped("paper")
    names = {item.name for item in fields(Scenario)} - {"name"}
    assert document["scenarios"].keys() == SCENARIOS.keys()
    assert all(set(values) == names for values in document["scenarios"].values())


def test_the_defaults_of_the_code_are_the_paper_profile():
    profile = load_profile("paper")
    assert profile.memory == MemoryConfig()
    assert profile.attention == AttentionConfig()
    assert profile.sensing == SensingConfig()
    assert dict(profile.scenarios) == SCENARIOS


@pytest.mark.parametrize("name", PROFILES)
def test_shipped_files_give_a_reason_in_a_comment_for_each_section(name):
    text, document = shipped(name)
    for section in document:
        if section != "extends":
            body = text.split(f"\n{section}:", 1)[1].split("\n\n")[0]
            assert "#" in body, section


def test_robust_differs_from_paper_in_the_memory_only():
    paper, robust = load_profile("paper"), load_profile("robust")
    assert robust.memory.confirm == 2 and robust.memory.misses == 3
    assert robust.memory.association == "gated"
    assert (paper.attention, paper.sensing) == (robust.attention, robust.sensing)
    assert paper.scenarios == robust.scenarios


def test_a_file_extends_a_shipped_profile(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("extends: robust\nattention: {k: 3}\nscenarios: {DN-14: {lost: 0.5}, X: {}}\n")
    profile = load_profile(str(path))
    assert (profile.attention.k, profile.memory.confirm) == (3, 2)
    assert profile.scenario("DN-14").lost == 0.5
    assert profile.scenario("DN-14").containers == 14
    assert profile.scenario("X").name == "X"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- 1", "must be a mapping"),
        ("memory: {confirm: 0}", "confirm must be >= 1"),
        ("memory: {confrim: 2}", "no parameter confrim"),
        ("planner: {}", "unknown section planner"),
        ("extends: papre", "must be one of"),
        ("a: [", "not YAML"),
    ],
)
def test_a_malformed_file_is_refused_with_its_reason(tmp_path, text, message):
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=message):
        load_profile(str(path))


def test_variations_are_checked_like_files():
    profile = load_profile().varied({"attention.k": 4, "memory.confirm": 2})
    assert (profile.attention.k, profile.memory.confirm) == (4, 2)
    with pytest.raises(ConfigError, match=r"memory\.X"):
        load_profile().varied({"k": 4})
    with pytest.raises(ConfigError, match="k must be >= 1"):
        load_profile().varied({"attention.k": 0})


def test_a_mission_runs_with_the_memory_of_its_profile():
    setup = prepare(MissionConfig(scenario="S-6", seed=1, profile="robust"))
    assert LocalMission(setup).memory.config == load_profile("robust").memory


def test_an_unknown_scenario_is_refused_with_the_list():
    with pytest.raises(ConfigError, match="S-6, D-10, DN-14"):
        prepare(MissionConfig(scenario="S-7"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("extends: {path}", "extends itself"),
        ("extends: 5", "extends must be a name, got 5"),
        ("extends: [paper]", "extends must be a name"),
        ("scenarios: [a]", "scenarios must be a mapping of names"),
        ("scenarios: {S-6: 5}", "S-6 must be a mapping of names, got 5"),
        ("scenarios: {1: {}}", "scenarios must be a mapping of names, got the key 1"),
        ("1: {}", "unknown section 1; known are extends, memory"),
        ("1: {}\nfoo: {}", "unknown section 1, foo"),
        ("[" * 3000, "too deeply nested"),
        ("memory: 5", "memory must be a mapping of names, got 5"),
        ("memory: {1: 2, a: 3}", "memory must be a mapping of names, got the key 1"),
        ("a: 1\nmemory: [", "is not YAML: line 2: "),
        ("memory: !!bool maybe", "is not YAML: "),
        ('memory: {position_memory: "\\uD800"}', ""),
    ],
)
def test_a_wrong_profile_is_one_line(tmp_path, text, message):
    path = tmp_path / "p.yaml"
    path.write_text(text.replace("{path}", str(path)))
    with pytest.raises(ConfigError) as caught:
        load_profile(str(path))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_profiles_that_extend_each_other_are_refused(tmp_path):
    one, two = tmp_path / "1.yaml", tmp_path / "2.yaml"
    one.write_text(f"extends: {two}")
    two.write_text(f"extends: {one}")
    with pytest.raises(ConfigError, match="extends itself"):
        load_profile(str(one))


@pytest.mark.parametrize("name", ["\0", "nowhere.yaml", "/", "\ud800"])
def test_a_profile_that_is_no_file_is_one_line(name):
    with pytest.raises(ConfigError, match=r"\A[^\n]+\Z"):
        load_profile(name)

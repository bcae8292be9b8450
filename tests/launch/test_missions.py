"""Launch files start what `adm up` starts: the same nodes, parameters, names and arguments."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import launch_stand_in as stand_in
import pytest
import yaml
from adm_core.config import parameters
from adm_core.errors import ConfigError
from adm_nodes.bringup.arguments import (
    helpers_from,
    nodes_from,
    own_parameters,
    parameter_file,
)
from adm_nodes.bringup.recipes import RECIPES
from adm_nodes.bringup.spec import paths

LAUNCH = Path(__file__).parents[2] / "launch"
MISSIONS = list(RECIPES)
#: Nodes that a launch file adds: `adm up` has them in its own process.
OWN = ("manager", "watch", "seek")


#: Arguments of every launch file.
COMMON = ("namespace", "params_file", "use_sim_time", "log_level", "respawn", "exit_at_end")


def _as_text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def mission_nodes(launched):
    return [node for node in launched.nodes if node.name not in OWN]


@pytest.mark.parametrize("name", MISSIONS)
def test_every_parameter_is_a_described_argument(launch, name):
    arguments = launch(f"{name}.launch.py", **RECIPES[name].example).arguments
    count = 0
    for part in RECIPES[name].parts:
        for item in parameters(part.config):
            if item.name in part.without:
                continue
            argument = arguments[part.names.get(item.name, item.name)]
            assert item.help in argument.description
            assert argument.default_value == _as_text(item.default)
            assert tuple(argument.choices or ()) == item.choices
            count += 1
    assert count == len(set(arguments) - {*COMMON, "bridge"})  # no two parameters share a name
    assert all(argument.description for argument in arguments.values())


GIVEN = [
    ("recycling", {}),
    ("recycling", {"scenario": "S-6", "method": "static", "seed": "3", "approve": "interactive"}),
    ("recycling", {"view": "true", "diagnostics": "true"}),
    ("search", {"scale": "small"}),
    ("search", {"scale": "large", "seed": "7", "lockstep": "false", "c_max": "6"}),
    ("team", {"team_budget": "900"}),
    ("jetrover", {"mission": "mission.json"}),
    ("jetrover", {"mission": "m.json", "camera": "true", "navigator": "true"}),
    ("jetrover", {"mission": "m.json", "drone": "true", "fence": "0,0 3,0 3,3 0,3"}),
]


@pytest.mark.parametrize(("name", "given"), GIVEN)
@pytest.mark.parametrize("root", ["", "site"])
def test_the_nodes_are_those_of_adm_up(launch, name, given, root):
    launched = launch(f"{name}.launch.py", namespace=root, **given)
    specs = nodes_from(RECIPES[name], given)
    nodes = mission_nodes(launched)
    assert len(nodes) == len(specs)
    for node, spec in zip(nodes, specs, strict=True):
        assert (node.package, node.executable) == (spec.package, spec.executable)
        assert (node.name, node.namespace) == (spec.name, spec.full_namespace(root))
        assert node.remappings == spec.all_remappings(root)
        wanted = {**spec.parameters, "use_sim_time": False}
        assert node.effective_parameters() == wanted
        assert node.respawn == spec.respawn
    manager = launched.node("manager")
    assert manager.effective_parameters()["nodes"] == list(paths(specs))
    for helper in helpers_from(RECIPES[name], given):
        node = launched.node(helper.spec.name)
        assert node.effective_parameters() == {**helper.spec.parameters, "use_sim_time": False}
        assert node.namespace == manager.namespace == (f"/{root}" if root else "/")


@pytest.mark.parametrize("name", MISSIONS)
def test_what_all_launch_files_have_in_common(launch, name):
    common = {"use_sim_time": "true", "log_level": "debug", "respawn": "false"}
    launched = launch(f"{name}.launch.py", **common, **RECIPES[name].example)
    for node in launched.nodes:
        assert node.effective_parameters()["use_sim_time"] is True
        enclave = f"{node.namespace.rstrip('/')}/{node.name}"
        assert node.ros_arguments == ["--log-level", "debug", "--enclave", enclave]
        assert not node.respawn
        assert node.output == "screen"


@pytest.mark.parametrize(
    ("name", "ends", "goes_on"),
    [("recycling", "watch", ()), ("search", "seek", ()), ("team", "watch", ("seek",))],
)
def test_the_launch_ends_with_the_mission_if_asked_to(launch, name, ends, goes_on):
    example = RECIPES[name].example
    assert launch(f"{name}.launch.py", **example).node(ends).on_exit is None
    launched = launch(f"{name}.launch.py", exit_at_end="true", **example)
    (end,) = launched.node(ends).on_exit
    assert isinstance(end, stand_in.Shutdown)
    assert all(launched.node(other).on_exit is None for other in goes_on)


def test_a_search_needs_a_map_and_asks_for_the_task_that_it_is_given(launch):
    with pytest.raises(ConfigError, match="either a map or a scale"):
        launch("search.launch.py")
    launched = launch("search.launch.py", scale="small", task="explore", budget_steps="300")
    seek = launched.node("seek").effective_parameters()
    assert (seek["text"], seek["object"], seek["budget_steps"]) == ("explore", "", 300)
    explorers = [node.namespace for node in launched.nodes if node.executable == "explorer"]
    assert explorers == ["/robot_0", "/robot_1"]


def test_arguments_go_before_the_file_and_the_file_before_defaults(launch, tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text(
        "/**/world: {ros__parameters: {scenario: D-10, seed: 7, step_m: 0.5}}\n"
        "/**/memory: {ros__parameters: {attention: {k: 3}, method: static}}\n",
        encoding="utf-8",
    )
    launched = launch(
        "recycling.launch.py", params_file=str(file), scenario="DN-14", profile="robust"
    )
    world = launched.node("world").effective_parameters()
    assert world["scenario"] == "DN-14"  # given, although it is the default
    assert (world["seed"], world["step_m"]) == (7, 0.5)  # of the file
    assert world["containers"] == 8  # the default
    memory = launched.node("memory").effective_parameters()
    assert memory["method"] == "static"
    robust = nodes_from(RECIPES["recycling"], {"profile": "robust"})[1].parameters
    assert memory["memory"] == robust["memory"]  # follows the profile, which was given


@pytest.mark.parametrize(
    ("bridge", "command"),
    [
        ("relay", ["adm", "bridge", "relay"]),
        ("parameter_bridge", ["ros2", "run", "ros1_bridge", "parameter_bridge"]),
    ],
)
def test_the_bridge_is_a_process_without_ros_arguments(launch, bridge, command):
    launched = launch("jetrover.launch.py", mission="mission.json", bridge=bridge)
    (process,) = [item for item in launched.actions if isinstance(item, stand_in.ExecuteProcess)]
    assert process.cmd == command
    launched = launch("jetrover.launch.py", mission="mission.json")
    assert launched.actions == launched.nodes


def test_a_robot_needs_a_mission_and_a_drone_a_fence(launch):
    with pytest.raises(ConfigError, match="mission must name the file"):
        launch("jetrover.launch.py")
    with pytest.raises(ConfigError, match="fence must be given for a drone"):
        launch("jetrover.launch.py", mission="mission.json", drone="true")


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"seed": "-1"}, "seed must be >= 0"),
        ({"seed": "many"}, "seed must be of type int"),
        ({"view": "perhaps"}, "view must be of type bool"),
        ({"profile": "nowhere.yaml"}, "nowhere.yaml"),
    ],
)
def test_a_value_that_the_core_refuses_stops_the_launch(launch, given, match):
    with pytest.raises(ConfigError, match=match):
        launch("recycling.launch.py", **given)


@pytest.mark.parametrize("given", [{"method": "telepathy"}, {"log_level": "loud"}])
def test_a_value_that_is_none_of_the_choices_stops_the_launch(launch, given):
    with pytest.raises(RuntimeError, match=next(iter(given))):
        launch("recycling.launch.py", **given)


@pytest.mark.parametrize("name", MISSIONS)
def test_the_parameter_file_is_the_one_that_follows_from_the_config_dataclasses(name):
    shipped = (LAUNCH / "params" / f"{name}.yaml").read_text(encoding="utf-8")
    assert shipped == parameter_file(RECIPES[name])
    content = yaml.safe_load(shipped)
    recipe = RECIPES[name]
    wanted = {
        spec.name: own_parameters(recipe, spec) for spec in nodes_from(recipe, recipe.example)
    }
    assert content == {
        f"/**/{node}": {"ros__parameters": values} for node, values in wanted.items() if values
    }
    assert max(map(len, shipped.splitlines())) <= 100


def xml_nodes():
    tree = ET.parse(LAUNCH / "launch" / "recycling.launch.xml").getroot()
    arguments = {item.attrib["name"]: item.attrib for item in tree.iter("arg")}
    nodes = [
        {
            **node.attrib,
            "param": [dict(item.attrib) for item in node.iter("param")],
        }
        for node in tree.iter("node")
    ]
    return arguments, nodes


def yaml_nodes():
    text = (LAUNCH / "launch" / "recycling.launch.yaml").read_text(encoding="utf-8")
    items = yaml.safe_load(text)["launch"]
    arguments = {item["arg"]["name"]: item["arg"] for item in items if "arg" in item}
    nodes = [item["node"] for item in items if "node" in item]
    return arguments, nodes


@pytest.mark.parametrize("read", [xml_nodes, yaml_nodes])
def test_the_front_ends_start_the_same_nodes_from_the_parameter_file(read):
    arguments, nodes = read()
    specs = nodes_from(RECIPES["recycling"], {})
    assert all(argument["description"] for argument in arguments.values())
    assert arguments["params_file"]["default"].endswith("/params/recycling.yaml")
    names = [node["exec"] for node in nodes]
    assert names == [*(spec.executable for spec in specs), "manager", "watch"]
    for node in nodes:
        assert node["pkg"] == "adm_nodes" and node["namespace"] == "$(var namespace)"
        assert node["ros_args"] == "--log-level $(var log_level)"
        params = node["param"]
        assert {"name": "use_sim_time", "value": "$(var use_sim_time)"} in params
        assert ({"from": "$(var params_file)"} in params) == (node["exec"] not in OWN)
    variables = set(re.findall(r"\$\(var (\w+)\)", str(nodes)))
    assert variables == set(arguments)


def test_both_front_ends_are_the_same():
    assert xml_nodes() == yaml_nodes()

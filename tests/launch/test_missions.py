"""Launch files start what `adm up` starts: the same nodes, parameters, names and arguments."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import launch_stand_in as stand_in
import pytest
import yaml
from adm_core.config import parameters
from adm_core.errors import ConfigError
from adm_nodes.bringup.arguments import nodes_from, parameter_file
from adm_nodes.bringup.catalogue import RECIPES
from adm_nodes.bringup.spec import paths

LAUNCH = Path(__file__).parents[2] / "launch"
MISSIONS = list(RECIPES)
#: Nodes that a launch file adds: `adm up` has them in its own process.
OWN = ("manager", "watch")


def mission_nodes(launched):
    return [node for node in launched.nodes if node.name not in OWN]


@pytest.mark.parametrize("name", MISSIONS)
def test_every_parameter_is_a_described_argument(launch, name):
    arguments = launch(f"{name}.launch.py").arguments
    for cls in RECIPES[name].configs:
        for item in parameters(cls):
            argument = arguments[item.name]
            assert item.help in argument.description
            assert argument.default_value == str(item.default).replace("False", "false")
            assert tuple(argument.choices or ()) == item.choices
    assert all(argument.description for argument in arguments.values())


GIVEN = {
    "recycling": [{}, {"scenario": "S-6", "method": "static", "seed": "3"}, {"view": "true"}],
}


@pytest.mark.parametrize(("name", "given"), [(n, g) for n in MISSIONS for g in GIVEN.get(n, [{}])])
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
    assert manager.namespace == (root or "/")
    assert manager.effective_parameters()["nodes"] == list(paths(specs))


@pytest.mark.parametrize("name", MISSIONS)
def test_what_all_launch_files_have_in_common(launch, name):
    launched = launch(f"{name}.launch.py", use_sim_time="true", log_level="debug", respawn="false")
    for node in launched.nodes:
        assert node.effective_parameters()["use_sim_time"] is True
        enclave = f"{node.namespace.rstrip('/')}/{node.name}"
        assert node.ros_arguments == ["--log-level", "debug", "--enclave", enclave]
        assert not node.respawn
        assert node.output == "screen"


def test_the_launch_ends_with_the_mission_if_asked_to(launch):
    assert launch("recycling.launch.py").node("watch").on_exit is None
    (end,) = launch("recycling.launch.py", exit_at_end="true").node("watch").on_exit
    assert isinstance(end, stand_in.Shutdown)


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
    wanted = {spec.path: spec.parameters for spec in nodes_from(RECIPES[name], {})}
    for path, values in wanted.items():
        section = content.get(f"/**/{path}", {"ros__parameters": {}})
        assert section["ros__parameters"] == values
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
    assert names == [*(spec.executable for spec in specs), *OWN]
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

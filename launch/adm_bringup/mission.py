"""The launch description of a mission, from its recipe.

A node takes each parameter from the launch arguments that were given, else from `params_file`,
else from the default of the core's config dataclass.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from adm_nodes.bringup.arguments import arguments, changed, nodes_from
from adm_nodes.bringup.catalogue import RECIPES, Recipe
from adm_nodes.bringup.spec import NodeSpec, full_name, paths
from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction, Shutdown
from launch_ros.actions import Node

_RESPAWN_DELAY_S = 1.0

#: Arguments of every launch file: default, description, choices.
COMMON = {
    "namespace": ("", "put before the names of all nodes, topics and services", None),
    "params_file": ("", "ROS parameter file; arguments that are given override it", None),
    "use_sim_time": ("false", "whether time comes from the topic /clock", ["true", "false"]),
    "log_level": ("info", "of every node", ["debug", "info", "warn", "error", "fatal"]),
    "respawn": ("true", "start nodes again whose process ends", ["true", "false"]),
    "exit_at_end": ("false", "end everything when the mission has ended", ["true", "false"]),
}


def mission_description(name: str) -> LaunchDescription:
    """Return arguments, nodes and manager of the mission that is called `name`."""
    recipe = RECIPES[name]
    given: dict[str, str] = {}

    def remember(context: LaunchContext) -> None:
        given.update(context.launch_configurations)  # before defaults are filled in

    return LaunchDescription(
        [
            OpaqueFunction(function=remember),
            *_declarations(recipe),
            OpaqueFunction(function=partial(_start, recipe, given)),
        ]
    )


def _declarations(recipe: Recipe) -> list[DeclareLaunchArgument]:
    own = {
        item.name: (item.default, item.description, list(item.choices) or None)
        for item in arguments(recipe)
    }
    return [
        DeclareLaunchArgument(name, default_value=default, description=text, choices=choices)
        for name, (default, text, choices) in {**own, **COMMON}.items()
    ]


def _start(recipe: Recipe, given: dict[str, str], context: LaunchContext) -> list[Node]:
    common = {name: context.launch_configurations[name] for name in COMMON}
    specs = nodes_from(recipe, given)
    defaults = {spec.path: spec for spec in nodes_from(recipe, {})}
    nodes = [_node(spec, defaults.get(spec.path, spec), given, common) for spec in specs]
    manager = _helper("manager", {"nodes": list(paths(specs))}, common)
    return [*nodes, manager, _helper("watch", {}, common, on_exit=_end(common))]


def _node(spec: NodeSpec, default: NodeSpec, given: dict[str, str], common: dict[str, str]) -> Node:
    """Return one node; later entries of its parameters override earlier ones."""
    file = [common["params_file"]] if common["params_file"] else []
    overrides = changed(spec.parameters, default.parameters, given)
    return Node(
        package=spec.package,
        executable=spec.executable,
        name=spec.name,
        namespace=spec.full_namespace(common["namespace"]),
        parameters=[
            *_layers(spec.parameters),
            *file,
            *(_layers(overrides) if file else ()),
            _time(common),
        ],
        remappings=spec.all_remappings(common["namespace"]),
        ros_arguments=_ros_arguments(common, spec.enclave(common["namespace"])),
        respawn=spec.respawn and common["respawn"] == "true",
        respawn_delay=_RESPAWN_DELAY_S,
        output="screen",
    )


def _helper(name: str, own: dict[str, Any], common: dict[str, str], **more: Any) -> Node:
    """Return a node that `adm up` has in its own process: the manager, or what prints."""
    namespace = common["namespace"]
    return Node(
        package="adm_nodes",
        executable=name,
        name=name,
        namespace=namespace or "/",
        parameters=[*_layers(own), _time(common)],
        ros_arguments=_ros_arguments(common, full_name(namespace, name)),
        output="screen",
        **more,
    )


def _end(common: dict[str, str]) -> list[Shutdown] | None:
    return [Shutdown(reason="the mission has ended")] if common["exit_at_end"] == "true" else None


def _ros_arguments(common: dict[str, str], enclave: str) -> list[str]:
    return ["--log-level", common["log_level"], "--enclave", enclave]


def _layers(values: Any) -> list[dict[str, Any]]:
    return [dict(values)] if values else []


def _time(common: dict[str, str]) -> dict[str, bool]:
    return {"use_sim_time": common["use_sim_time"] == "true"}

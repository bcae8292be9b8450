"""The launch description of a mission, from its recipe.

A node takes each parameter from the launch arguments that were given, else from `params_file`,
else from the default of the core's config dataclass.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from adm_nodes.bringup.arguments import arguments, changed, nodes_from
from adm_nodes.bringup.catalogue import RECIPES, Recipe
from adm_nodes.bringup.spec import NodeSpec, paths
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
    return [*nodes, _manager(specs, common), _watch(common)]


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
        ros_arguments=["--log-level", common["log_level"]],
        respawn=spec.respawn and common["respawn"] == "true",
        respawn_delay=_RESPAWN_DELAY_S,
        output="screen",
    )


def _manager(specs: tuple[NodeSpec, ...], common: dict[str, str]) -> Node:
    """Return the manager, which configures and activates the others in their order."""
    return Node(
        package="adm_nodes",
        executable="manager",
        name="manager",
        namespace=common["namespace"] or "/",
        parameters=[{"nodes": list(paths(specs))}, _time(common)],
        ros_arguments=["--log-level", common["log_level"]],
        output="screen",
    )


def _watch(common: dict[str, str]) -> Node:
    """Return what prints the mission's progress and ends with it."""
    return Node(
        package="adm_nodes",
        executable="watch",
        name="watch",
        namespace=common["namespace"] or "/",
        parameters=[_time(common)],
        ros_arguments=["--log-level", common["log_level"]],
        output="screen",
        on_exit=[Shutdown(reason="the mission has ended")]
        if common["exit_at_end"] == "true"
        else None,
    )


def _layers(values: Any) -> list[dict[str, Any]]:
    return [dict(values)] if values else []


def _time(common: dict[str, str]) -> dict[str, bool]:
    return {"use_sim_time": common["use_sim_time"] == "true"}

"""The launch description of a mission, from its recipe.

A node takes each parameter from the launch arguments that were given, else from `params_file`,
else from the default of the core's config dataclass.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from adm_nodes.bringup.arguments import arguments, changed, helpers_from, nodes_from
from adm_nodes.bringup.recipes import RECIPES, Recipe
from adm_nodes.bringup.spec import NodeSpec, paths
from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction, Shutdown
from launch_ros.actions import Node

_RESPAWN_DELAY_S = 1.0
#: How long a node may take to end in order before it is told more sternly; launch's own 5 s are
#: short where a dozen processes end at once on a small machine.
_PATIENCE_S = "15"

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
    defaults = {spec.path: spec for spec in nodes_from(recipe, recipe.example)}
    nodes = [_node(spec, defaults.get(spec.path, spec), given, common) for spec in specs]
    manager = NodeSpec("adm_nodes.manager:Manager", parameters={"nodes": list(paths(specs))})
    helpers = [
        _helper(item.spec, common, on_exit=_end(common) if item.ends else None)
        for item in helpers_from(recipe, given)
    ]
    return [*nodes, _helper(manager, common), *helpers]


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
        sigterm_timeout=_PATIENCE_S,
    )


def _helper(spec: NodeSpec, common: dict[str, str], **more: Any) -> Node:
    """Return a node that `adm up` has in its own process: the manager, or what prints."""
    return Node(
        package=spec.package,
        executable=spec.executable,
        name=spec.name,
        namespace=spec.full_namespace(common["namespace"]),
        parameters=[*_layers(spec.parameters), _time(common)],
        ros_arguments=_ros_arguments(common, spec.enclave(common["namespace"])),
        output="screen",
        sigterm_timeout=_PATIENCE_S,
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

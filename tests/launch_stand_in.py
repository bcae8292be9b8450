"""A small stand-in of the launch API: records what a launch file asks for, starts nothing.

It has what our launch files use, with the keywords of launch and launch_ros (jazzy), so that an
argument that the real ones would refuse is refused here, too.
"""

import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import yaml


class LaunchContext:
    def __init__(self, given):
        self.launch_configurations = dict(given)


@dataclass
class LaunchDescription:
    entities: list


@dataclass
class DeclareLaunchArgument:
    name: str
    default_value: str | None = None
    description: str | None = None
    choices: list | None = None

    def visit(self, context):
        value = context.launch_configurations.setdefault(self.name, self.default_value)
        if value is None or (self.choices and value not in self.choices):
            raise RuntimeError(f"argument {self.name} got {value!r}, valid are {self.choices}")


@dataclass
class OpaqueFunction:
    function: Any

    def visit(self, context):
        return self.function(context)


@dataclass
class Shutdown:
    reason: str = ""


@dataclass
class ExecuteProcess:
    cmd: list
    name: str | None = None
    output: str = "log"
    condition: Any = None
    additional_env: dict | None = None

    def visit(self, _):
        return None


@dataclass
class Node:
    executable: str
    package: str | None = None
    name: str | None = None
    namespace: str | None = None
    parameters: list = field(default_factory=list)
    remappings: list = field(default_factory=list)
    ros_arguments: list = field(default_factory=list)
    arguments: list = field(default_factory=list)
    output: str = "log"
    respawn: bool = False
    respawn_delay: float | None = None
    on_exit: list | None = None
    sigterm_timeout: str = "5"

    def visit(self, _):
        return None

    def effective_parameters(self):
        """Return nested parameters: later layers win, files count where they name this node."""
        found: dict = {}
        for layer in self.parameters:
            merge(found, layer if isinstance(layer, dict) else self._from_file(layer))
        return found

    def _from_file(self, path):
        content = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
        found: dict = {}
        for pattern, section in content.items():
            if pattern in (f"/**/{self.name}", "/**", f"{self.namespace}{self.name}"):
                merge(found, section["ros__parameters"])
        return found


def merge(into, values):
    """Put nested `values` into a nested mapping."""
    for name, value in values.items():
        if isinstance(value, dict):
            merge(into.setdefault(name, {}), value)
        else:
            into[name] = value


def modules():
    """Return the stand-ins by the names of the real modules."""
    found = {name: ModuleType(name) for name in ("launch", "launch.actions", "launch_ros")}
    found["launch_ros.actions"] = ModuleType("launch_ros.actions")
    for cls in (LaunchContext, LaunchDescription):
        setattr(found["launch"], cls.__name__, cls)
    for cls in (DeclareLaunchArgument, ExecuteProcess, OpaqueFunction, Shutdown):
        setattr(found["launch.actions"], cls.__name__, cls)
    found["launch_ros.actions"].Node = Node
    return found


@dataclass
class Launched:
    """What a launch file asked for."""

    arguments: dict
    actions: list

    @property
    def nodes(self):
        return [item for item in self.actions if isinstance(item, Node)]

    def node(self, name):
        (found,) = [item for item in self.nodes if item.name == name]
        return found


def launch(description, **given):
    """Carry a description out as the launch service would: in order, depth first."""
    context = LaunchContext(given)
    done = Launched({}, [])
    pending = list(description.entities)
    while pending:
        action = pending.pop(0)
        if isinstance(action, DeclareLaunchArgument):
            done.arguments[action.name] = action
        elif not isinstance(action, OpaqueFunction):
            done.actions.append(action)
        pending[:0] = action.visit(context) or []
    return done


def forget(name):
    """Let a module be imported anew."""
    for known in [item for item in sys.modules if item == name or item.startswith(f"{name}.")]:
        del sys.modules[known]

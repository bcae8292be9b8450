"""What a stack of nodes consists of, told without ROS: one description for every way to start it.

A stack is a sequence of :class:`NodeSpec` in order of bring-up. `adm up` starts it through
:mod:`adm_nodes.bringup.stack` (in this process, or one process per node), `ros2 launch
adm_bringup ...` through launch_ros; both read the same description, so they cannot differ.

A mission joins with one entry in :mod:`adm_nodes.bringup.recipes`: a function that returns its
specs, from config dataclasses. Nodes are named by a string, so a package that is not built is
missed only when it is started, and this package imports no other one's nodes::

    NodeSpec("sagr_nodes.explorer:ExplorerNode", namespace="robot_2", shared=("map",),
             parameters=as_ros(ExplorerConfig(...)), respawn=True)

is node ``/robot_2/explorer``, run by hand as ``ros2 run sagr_nodes explorer``. It is known to the
manager, to its heartbeats and to the stack as ``robot_2/explorer``. Its relative names lie below
``/robot_2``, but for those in `shared`, which all nodes of the stack have in common.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from adm_core.config import parameters

#: Security enclave of a process that holds a whole mission; else each node has one of its name.
TOGETHER = "/all"

#: What every node shares with its stack, wherever it lives.
ALWAYS_SHARED = ("node_status",)


@dataclass(frozen=True)
class NodeSpec:
    """One lifecycle node.

    Parameters
    ----------
    target : str
        Its class, as ``package.module:Class``. The executable is the module's last name.
    name : str
        Node name; empty: the executable.
    namespace : str
        Below the namespace of the stack, without slashes around; empty: that namespace itself.
    parameters : mapping
        Nested as in a ROS parameter file.
    remappings : tuple of (str, str)
        Further names, from and to.
    shared : tuple of str
        Relative names that the stack's nodes have in common although this one has a namespace.
    respawn : bool
        Whether a process of it that ends is worth starting again.
    """

    target: str
    name: str = ""
    namespace: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    remappings: tuple[tuple[str, str], ...] = ()
    shared: tuple[str, ...] = ()
    respawn: bool = False

    def __post_init__(self) -> None:
        module, colon, cls = self.target.partition(":")
        if not (colon and cls and "." in module):
            raise ValueError(f"target must be package.module:Class, got {self.target!r}")
        if self.namespace.strip("/") != self.namespace:
            raise ValueError(f"namespace must have no outer slashes, got {self.namespace!r}")
        if not self.name:
            object.__setattr__(self, "name", self.executable)

    @property
    def module(self) -> str:
        """Module of the node, which runs it when called as a program."""
        return self.target.partition(":")[0]

    @property
    def package(self) -> str:
        """ROS package of the node."""
        return self.module.partition(".")[0]

    @property
    def executable(self) -> str:
        """Executable of the package, as in ``ros2 run``."""
        return self.module.rpartition(".")[2]

    @property
    def path(self) -> str:
        """Name below the namespace of the stack: ``world``, ``robot_2/explorer``."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    def enclave(self, root: str = "/") -> str:
        """Return the security enclave of a process that holds this node alone: its full name."""
        return full_name(root, self.path)

    def full_namespace(self, root: str = "/") -> str:
        """Return the namespace when the stack lives in `root`."""
        return full_name(root, self.namespace)

    def all_remappings(self, root: str = "/") -> list[tuple[str, str]]:
        """Return every remapping, shared names included, when the stack lives in `root`."""
        shared = (*ALWAYS_SHARED, *self.shared) if self.namespace else ()
        return [*((name, full_name(root, name)) for name in shared), *self.remappings]


def paths(specs: Iterable[NodeSpec]) -> tuple[str, ...]:
    """Return the names of nodes below their stack's namespace, in order.

    Raises
    ------
    ValueError
        If two nodes have the same name.
    """
    found = tuple(spec.path for spec in specs)
    twice = [name for name, count in Counter(found).items() if count > 1]
    if twice:
        raise ValueError(f"nodes must differ in name, got {', '.join(twice)} more than once")
    return found


def ros_args(spec: NodeSpec, parameter_file: Path | None = None, root: str = "/") -> list[str]:
    """Return the ROS arguments that make a node of `spec`, for a command line or one node."""
    rules = [
        ("__node", spec.name),
        ("__ns", spec.full_namespace(root)),
        *spec.all_remappings(root),
    ]
    args = ["--ros-args"]
    for source, target in rules:
        args += ["-r", f"{source}:={target}"]
    if parameter_file is not None:
        args += ["--params-file", str(parameter_file)]
    return args


def write_parameters(path: Path, specs: Sequence[NodeSpec], root: str = "/") -> Path:
    """Write the ROS parameter file of a stack; return it."""
    content = {
        full_name(root, spec.path): {"ros__parameters": dict(spec.parameters)}
        for spec in specs
        if spec.parameters
    }
    path.write_text(yaml.dump(content, Dumper=_Plain, sort_keys=False), encoding="utf-8")
    return path


class _Plain(yaml.SafeDumper):
    """Writes parts that several nodes share out for each: rcl reads no YAML aliases."""

    def ignore_aliases(self, data: object) -> bool:
        """Never refer to what was written before."""
        return True


def as_ros(config: object, prefix: str = "", names: Iterable[str] | None = None) -> dict[str, Any]:
    """Return a config dataclass as parameters of a node, nested by `prefix`; all, or `names`."""
    wanted = None if names is None else set(names)
    values = {
        item.name: getattr(config, item.name)
        for item in parameters(type(config))
        if wanted is None or item.name in wanted
    }
    return {prefix: values} if prefix else values


def full_name(root: str, name: str) -> str:
    """Return `name` below namespace `root`, with one slash before each part."""
    return "/" + "/".join(part for part in (*root.split("/"), *name.split("/")) if part)

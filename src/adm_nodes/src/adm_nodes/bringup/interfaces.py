"""What a running node has open: its topics, services and actions, as the ROS graph tells."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

from rclpy.action import (
    get_action_client_names_and_types_by_node,
    get_action_server_names_and_types_by_node,
)
from rclpy.node import Node

#: Part of every name of which an action consists.
_ACTION = "/_action/"


@dataclass(frozen=True)
class Interfaces:
    """Full names of what a node has open.

    Attributes
    ----------
    publish, subscribe : frozenset of str
        Topics.
    reply, request : frozenset of str
        Services that it serves, and that it calls.
    execute, call : frozenset of str
        Actions that it serves, and that it calls.
    """

    publish: frozenset[str] = frozenset()
    subscribe: frozenset[str] = frozenset()
    reply: frozenset[str] = frozenset()
    request: frozenset[str] = frozenset()
    execute: frozenset[str] = frozenset()
    call: frozenset[str] = frozenset()

    def __or__(self, other: Interfaces) -> Interfaces:
        """Return what either has open."""
        names = [item.name for item in fields(self)]
        return Interfaces(*(getattr(self, name) | getattr(other, name) for name in names))

    def __sub__(self, other: Interfaces) -> Interfaces:
        """Return what this one has open and the other has not."""
        names = [item.name for item in fields(self)]
        return Interfaces(*(getattr(self, name) - getattr(other, name) for name in names))


def observe(witness: Node, name: str, namespace: str) -> Interfaces:
    """Return what node `name` in `namespace` has open, as `witness` sees it.

    Raises
    ------
    rclpy.node.NodeNameNonExistentError
        If there is no such node, or it has not been discovered yet.
    """
    return Interfaces(
        _plain(witness.get_publisher_names_and_types_by_node(name, namespace)),
        _plain(witness.get_subscriber_names_and_types_by_node(name, namespace)),
        _plain(witness.get_service_names_and_types_by_node(name, namespace)),
        _plain(witness.get_client_names_and_types_by_node(name, namespace)),
        _plain(get_action_server_names_and_types_by_node(witness, name, namespace)),
        _plain(get_action_client_names_and_types_by_node(witness, name, namespace)),
    )


def _plain(found: Iterable[tuple[str, list[str]]]) -> frozenset[str]:
    """Return names, without those of which actions consist."""
    return frozenset(name for name, _ in found if _ACTION not in name)

"""SROS 2 policies: what each node of a stack may do, from what it really has open.

``ros2 run adm_nodes policy search robots:=5 map:=floor.yaml`` starts the mission's nodes in one
process, looks at them and writes a policy for ``ros2 security`` of a ROS 2 distribution.
"""

from __future__ import annotations

import argparse
import queue
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import rclpy
from adm_core.errors import MissionError
from adm_core.search.task import SearchTask
from rclpy.node import Node, NodeNameNonExistentError
from rclpy.signals import SignalHandlerOptions
from rclpy.utilities import remove_ros_args

from adm_nodes.bringup.arguments import helpers_from, nodes_from
from adm_nodes.bringup.domain import use_private_domain
from adm_nodes.bringup.interfaces import Interfaces, observe
from adm_nodes.bringup.recipes import RECIPES
from adm_nodes.bringup.search_session import SearchSession
from adm_nodes.bringup.session import Session
from adm_nodes.bringup.spec import TOGETHER, NodeSpec, ros_args, write_parameters
from adm_nodes.bringup.stack import load_class
from adm_nodes.bringup.team_session import TeamSession

#: Every node may follow simulated time.
_ALWAYS = Interfaces(subscribe=frozenset({"/clock"}))
_SETTLE_S = 3.0
_APPEAR_S = 60.0
_LOOK_S = 0.1
_STEPS = 20_000
_SESSIONS: dict[str, type[Session]] = {
    "recycling": Session,
    "search": SearchSession,
    "team": TeamSession,
    "jetrover": Session,
}
#: Arguments with which a mission has all the nodes that it can have.
EVERYTHING = {
    **dict.fromkeys(("view", "diagnostics", "drone", "camera", "navigator"), "true"),
    "fence": "0,0 3,0 3,3 0,3",
}

#: Element and attribute of a policy for each field of Interfaces.
_RULES = {
    "publish": ("topics", "topic"),
    "subscribe": ("topics", "topic"),
    "reply": ("services", "service"),
    "request": ("services", "service"),
    "execute": ("actions", "action"),
    "call": ("actions", "action"),
}


def policy(nodes: Mapping[str, Interfaces]) -> str:
    """Return a policy with an enclave per node, and one for all of them in one process.

    Parameters
    ----------
    nodes : mapping
        What each node has open, by its full name (``/world``, ``/robot_1/explorer``).
    """
    root = ET.Element("policy", version="0.2.0")
    enclaves = ET.SubElement(root, "enclaves")
    for name, interfaces in nodes.items():
        _add_enclave(enclaves, name, {name: interfaces})
    _add_enclave(enclaves, TOGETHER, nodes)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def read_policy(text: str) -> dict[str, dict[str, Interfaces]]:
    """Return what a policy allows: enclave -> node -> names."""
    found: dict[str, dict[str, Interfaces]] = {}
    for enclave in ET.fromstring(text).iter("enclave"):
        profiles = found.setdefault(enclave.attrib["path"], {})
        for profile in enclave.iter("profile"):
            allowed = {
                rule: frozenset(
                    item.text or ""
                    for group in profile
                    if group.tag == tag and group.get(rule) == "ALLOW"
                    for item in group
                )
                for rule, (tag, _) in _RULES.items()
            }
            name = f"{profile.attrib['ns'].rstrip('/')}/{profile.attrib['node']}"
            profiles[name] = Interfaces(**allowed)
    return found


def _add_enclave(parent: ET.Element, path: str, nodes: Mapping[str, Interfaces]) -> None:
    profiles = ET.SubElement(ET.SubElement(parent, "enclave", path=path), "profiles")
    for name, interfaces in nodes.items():
        namespace, _, node = name.rpartition("/")
        profile = ET.SubElement(profiles, "profile", ns=namespace or "/", node=node)
        allowed = interfaces | _ALWAYS
        for rule, (tag, item) in _RULES.items():
            names = sorted(getattr(allowed, rule))
            if names:
                group = ET.SubElement(profile, tag, {rule: "ALLOW"})
                for full in names:
                    ET.SubElement(group, item).text = full


def interfaces_of(
    mission: str, given: Mapping[str, str], settle_s: float = _SETTLE_S
) -> dict[str, Interfaces]:
    """Carry a mission out for some seconds; return what every node had open, by full name.

    The manager counts with what `adm up` has open beside it.

    Parameters
    ----------
    mission : str
        Name of the recipe.
    given : mapping
        Arguments as text, see :func:`~adm_nodes.bringup.arguments.nodes_from`.
    settle_s : float
        How long nothing new may have been seen at the end.
    """
    recipe = RECIPES[mission]
    specs = nodes_from(recipe, {**recipe.example, **given})
    helpers = [item.spec for item in helpers_from(recipe, {**recipe.example, **given})]
    names = [(spec.name, spec.full_namespace()) for spec in (*specs, *helpers)]
    names.append(("manager", "/"))
    found = {_full(*name): Interfaces() for name in names}
    with _mission(mission, specs, helpers) as session, _witness() as witness:
        news = start = time.monotonic()
        while not _complete(found) or time.monotonic() - news < settle_s:
            for name in names:
                with suppress(NodeNameNonExistentError):
                    seen = found[_full(*name)] | observe(witness, *name)
                    if seen != found[_full(*name)]:
                        found[_full(*name)], news = seen, time.monotonic()
            if session.failure:
                raise MissionError(session.failure)
            if time.monotonic() - start > _APPEAR_S:
                raise MissionError("the nodes did not come to rest, or were not all seen")
            time.sleep(_LOOK_S)
    return found


@contextmanager
def _mission(
    mission: str, specs: Sequence[NodeSpec], helpers: Sequence[NodeSpec]
) -> Iterator[Session]:
    """Have a mission under way in this process, as `adm up` has it; helpers exist, no more."""
    with tempfile.TemporaryDirectory() as folder:
        parameters = write_parameters(Path(folder) / "parameters.yaml", specs)
        session = _SESSIONS[mission](specs, parameters, Path(folder), one_per_process=False)
        idle = [load_class(spec)(queue.SimpleQueue(), cli_args=ros_args(spec)) for spec in helpers]
        run = threading.Thread(target=_follow, args=(session,), daemon=True)
        run.start()
        try:
            yield session
        finally:
            for node in idle:
                node.destroy_node()
            session.end()
            run.join(_APPEAR_S)


def _follow(session: Session) -> None:
    """Carry the mission out; a search has its own way."""
    if type(session) is SearchSession:
        session.search(SearchTask(), _STEPS, _ignore, _ignore)
    else:
        session.carry_out(_ignore, _ignore)


@contextmanager
def _witness() -> Iterator[Node]:
    """Have a node elsewhere, that sees of the others what any node sees."""
    context = rclpy.Context()
    rclpy.init(context=context, signal_handler_options=SignalHandlerOptions.NO)
    node = rclpy.create_node("witness", context=context)
    try:
        yield node
    finally:
        node.destroy_node()
        context.try_shutdown()


def _complete(found: Mapping[str, Interfaces]) -> bool:
    """Tell whether every node was seen with what it has from its beginning."""
    return all(f"{name}/get_parameters" in item.reply for name, item in found.items())


def _full(name: str, namespace: str) -> str:
    return f"{namespace.rstrip('/')}/{name}"


def _ignore(_: object) -> None:
    pass


def main() -> int:
    """Write the policy of a mission to standard output."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mission", choices=sorted(RECIPES))
    parser.add_argument("arguments", nargs="*", metavar="NAME:=VALUE", help="of the launch file")
    args = parser.parse_args(remove_ros_args(sys.argv)[1:])
    given = dict(item.split(":=", 1) for item in args.arguments if ":=" in item)
    use_private_domain()
    print(policy(interfaces_of(args.mission, {**EVERYTHING, **given})), end="")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

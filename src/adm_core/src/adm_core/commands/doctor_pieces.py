"""The pieces that ``adm doctor`` looks at, and what each of them is good for."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from adm_core.commands import doctor_probes as probes

REINSTALL = "pip install src/adm_core (or make setup)"
WORKSPACE = "make setup, then . scripts/env.sh"


@dataclass(frozen=True)
class Piece:
    """One thing that may be installed.

    Attributes
    ----------
    name : str
        Short name, unique.
    probe : callable
        Looks for it; returns a :class:`doctor_probes.Result`.
    enables : str
        What works with it and does not without.
    remedy : str
        How to get it.
    required : bool
        Whether the core cannot work without it.
    """

    name: str
    probe: probes.Probe
    enables: str
    remedy: str
    required: bool = False


@dataclass(frozen=True)
class Finding:
    """A piece together with what its probe saw."""

    piece: Piece
    result: probes.Result


PIECES = (
    Piece("python", probes.python, "everything", "CPython 3.10 to 3.13"),
    Piece("numpy", probes.package("numpy"), "everything", REINSTALL, True),
    Piece("scipy", probes.package("scipy"), "room maps, statistics", REINSTALL, True),
    Piece("pydantic", probes.package("pydantic"), "checked plans and queries", REINSTALL, True),
    Piece("yaml", probes.package("yaml", "PyYAML"), "maps and profiles", REINSTALL, True),
    Piece("opencv", probes.opencv, "map images, pictures, camera images", REINSTALL, True),
    Piece("kernels", probes.kernels, "everything", REINSTALL, True),
    Piece("compiler", probes.compiler, "building kernels and messages", "apt: build-essential"),
    Piece("ros2", probes.ros2, "missions on ROS 2 nodes (make demo)", WORKSPACE),
    Piece("adm_interfaces", probes.interfaces, "the nodes' messages", WORKSPACE),
    Piece("adm_nodes", probes.package("adm_nodes"), "the nodes, adm up", WORKSPACE),
    Piece(
        "nav2",
        probes.packages("nav2_msgs", "nav2_simple_commander"),
        "driving a robot through Nav2",
        "apt: ros-<distro>-nav2-simple-commander (a ROS 2 distribution; not among the wheels)",
    ),
    Piece(
        "tf_transformations",
        probes.package("tf_transformations"),
        "its conversions instead of our own two (same results)",
        "apt: ros-<distro>-tf-transformations",
    ),
    Piece(
        "ros1",
        probes.ros1,
        "the ROS 1 side of a robot on this machine",
        "apt: ros-base python3-rospy (Debian), or ROS Noetic",
    ),
    Piece(
        "ros1_bridge",
        probes.ros1_bridge,
        "the real bridge to a ROS 1 robot (without it: the relay)",
        "build ros1_bridge, then set ADM_ROS1_BRIDGE=/path/to/parameter_bridge",
    ),
    Piece(
        "pybullet",
        probes.package("pybullet"),
        "rigid-body simulation of arm and camera",
        "pip install pybullet (on Python 3.12 and newer it is compiled, some minutes)",
    ),
    Piece(
        "realsense",
        probes.package("pyrealsense2"),
        "a RealSense camera on this machine",
        "pip install pyrealsense2, apt: libusb-1.0-0",
    ),
    Piece("tello", probes.package("djitellopy"), "a Tello drone", "pip install djitellopy"),
    Piece("matplotlib", probes.package("matplotlib"), "figures", "pip install matplotlib"),
    Piece(
        "openai",
        probes.package("openai"),
        "planning and queries by a language model (without it: the policies)",
        "pip install openai",
    ),
    Piece(
        "llm_endpoint",
        probes.llm_endpoint,
        "planning and queries by a language model (without it: the policies)",
        "set OPENAI_API_KEY, and OPENAI_BASE_URL for a server of your own",
    ),
    Piece("disk", probes.disk, "set-up and recordings", "free some space"),
)


def examine(pieces: Sequence[Piece]) -> list[Finding]:
    """Probe every piece, a few at a time: most of them wait for another interpreter."""
    with ThreadPoolExecutor(max_workers=4) as pool:
        results = list(pool.map(lambda piece: piece.probe(), pieces))
    return [Finding(piece, result) for piece, result in zip(pieces, results, strict=True)]

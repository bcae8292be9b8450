"""The twin's ROS 1 side: a master, the simulated robot, its adapter, the observer, a bridge."""

from __future__ import annotations

import os
import shutil
import socket
import sys
import time
import xmlrpc.client
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from adm_core.errors import MissionError

from adm_nodes.bringup.children import Children

#: Python of the distribution, which sees rospy.
ROS1_PYTHON = os.environ.get("ADM_ROS1_SYSTEM_PYTHON", "/usr/bin/python3")
#: Path of ros1_bridge's parameter_bridge, where somebody has built it.
BRIDGE_VARIABLE = "ADM_ROS1_BRIDGE"
BRIDGES = ("relay", "ros1_bridge")

#: Where the drone stands at the start: x, y, heading in degrees; and tags on the arena's floor.
DRONE_START = (0.55, 0.18, 90.0)
FLOOR_TAGS = "1:-1.0,0,0 2:1.0,0,90 3:0,1.1,0 4:0,-1.1,180"

_MASTER_S = 30.0
#: What a child of ROS 1 must not inherit: packages of the same names from ROS 2.
_ROS2_ONLY = ("PYTHONPATH", "AMENT_PREFIX_PATH", "CMAKE_PREFIX_PATH", "LD_LIBRARY_PATH")


def bridge_folder() -> Path:
    """Return the checkout's folder ``bridge``.

    Raises
    ------
    MissionError
        If this package was installed without it.
    """
    folder = Path(__file__).resolve().parents[5] / "bridge"
    if not (folder / "twin" / "jetrover.py").is_file():
        raise MissionError("the twin runs from a checkout of the repository: no bridge/twin here")
    return folder


@dataclass(frozen=True)
class Ros1Config:
    """What the robot's side is started with.

    Attributes
    ----------
    seed : int
        Layout.
    rate : float
        Times real time.
    bridge : str
        One of BRIDGES.
    drone_faults : tuple of str
        What the pretended drone does wrong.
    """

    seed: int
    rate: float = 1.0
    bridge: str = "relay"
    drone_faults: tuple[str, ...] = ()


class Ros1Side:
    """Everything that runs under ROS 1, and the bridge to it.

    Parameters
    ----------
    folder : Path
        Run folder: logs, truth and verdict.
    config : Ros1Config
        What is started.
    """

    def __init__(self, folder: Path, config: Ros1Config) -> None:
        self._bridge, self._config = bridge_folder(), config
        self.truth, self.verdict = folder / "truth.json", folder / "observer.json"
        self.children = Children(folder)
        self._messages = folder / "ros1_messages"
        self._home = folder / "ros1_home"
        self.track = folder / "drone_track.npy"
        self._port = _free_port()
        self.drone_port = _free_port(socket.SOCK_DGRAM)

    @property
    def pids(self) -> dict[str, int]:
        """Process of each part."""
        return self.children.pids

    def start(self) -> None:
        """Start all parts in order; MissionError if one does not come up."""
        check_ros1()
        self._start_master()
        self._generate_messages()
        twin = self._bridge / "twin"
        self._start_here("jetrover", [str(twin / "jetrover.py"), *self._robot_options()])
        watch = ["--truth", str(self.truth), "--verdict", str(self.verdict)]
        self._start_here("observer", [str(twin / "observer.py"), *watch])
        adapter = self._bridge / "noetic" / "adm_jetrover"
        env = self._plain_env()
        env["PYTHONPATH"] = os.pathsep.join([str(adapter / "src"), str(self._messages)])
        command = [ROS1_PYTHON, str(adapter / "scripts" / "jetrover_adapter")]
        self.children.start("adapter", command, env)
        self._start_drone(twin)
        self.start_bridge()

    def _start_drone(self, twin: Path) -> None:
        """Start the pretended drone; it is a neighbour of the robot, not of ROS 1."""
        x, y, yaw = DRONE_START
        options = ["--truth", str(self.truth), "--port", str(self.drone_port), "--tags", FLOOR_TAGS]
        place = ["--start", f"{x},{y},{yaw}", "--track", str(self.track)]
        faults = [item for fault in self._config.drone_faults for item in ("--fault", fault)]
        self._start_here("drone", [str(twin / "drone.py"), *options, *place, *faults])

    def start_bridge(self) -> None:
        """Start the bridge; may be called again after :meth:`stop_bridge`."""
        config = self._bridge / "config" / "bridge.yaml"
        if self._config.bridge == "relay":
            command = [sys.executable, "-m", "adm_core.cli", "bridge", "relay"]
            relay = [*command, "--config", str(config), "--ros1-python", ROS1_PYTHON]
            self.children.start("bridge", relay, self._env())
            return
        load = [ROS1_PYTHON, "/usr/bin/rosparam", "load", str(config)]
        self.children.start("rosparam", load, self._plain_env())
        time.sleep(2.0)
        self.children.stop("rosparam")
        self.children.start("bridge", [bridge_binary()], self._env())

    def stop_bridge(self) -> None:
        """End the bridge alone."""
        self.children.stop("bridge")

    def signal_bridge(self, number: int) -> None:
        """Send a signal to all processes of the bridge."""
        self.children.send("bridge", number)

    def stop(self) -> None:
        """End all parts, the bridge first, the master last; safe to repeat."""
        self.children.stop_all()
        shutil.rmtree(self._messages, ignore_errors=True)
        shutil.rmtree(self._home, ignore_errors=True)

    # -- parts ------------------------------------------------------------------------------

    def _robot_options(self) -> list[str]:
        config = self._config
        options = ["--seed", str(config.seed), "--rate", str(config.rate)]
        return [*options, "--truth", str(self.truth)]

    def _start_here(self, name: str, arguments: Sequence[str]) -> None:
        """Start a program of ROS 1 with this Python, which also sees the library."""
        self.children.start(name, [sys.executable, *arguments], self._env())

    def _start_master(self) -> None:
        roscore = shutil.which("roscore")
        port = ["-p", str(self._port)]
        master = [ROS1_PYTHON, shutil.which("rosmaster") or "rosmaster", "--core", *port]
        core = [ROS1_PYTHON, roscore, *port] if roscore else master
        self.children.start("roscore", core, self._plain_env())
        proxy = xmlrpc.client.ServerProxy(self._uri)
        deadline = time.monotonic() + _MASTER_S
        while True:
            try:
                proxy.getPid("/adm_twin")
                return
            except OSError as err:
                self.children.check()
                if time.monotonic() > deadline:
                    raise MissionError(f"no ROS 1 master at {self._uri}: {err}") from err
                time.sleep(0.1)

    def _generate_messages(self) -> None:
        sys.path.insert(0, str(self._bridge / "twin"))
        try:
            from messages import generate
        finally:
            sys.path.pop(0)
        vendor = self._bridge / "twin" / "msg" / "hiwonder_servo_msgs"
        generate({vendor.name: vendor}, self._messages, ROS1_PYTHON)

    @property
    def _uri(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def _env(self) -> dict[str, str]:
        return {
            **os.environ,
            "ROS_MASTER_URI": self._uri,
            "ROS_IP": "127.0.0.1",
            "ROS_HOME": str(self._home),
            "ROS_LOG_DIR": str(self._home),
            "ADM_ROS1_MESSAGES": str(self._messages),
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }

    def _plain_env(self) -> dict[str, str]:
        return {name: value for name, value in self._env().items() if name not in _ROS2_ONLY}


def check_ros1() -> None:
    """Raise MissionError, with what to install, if ROS 1 is not on this machine."""
    missing = [name for name in ("rosmaster",) if shutil.which(name) is None]
    if missing or not Path(ROS1_PYTHON).exists():
        raise MissionError(
            "the twin needs ROS 1 (Debian 12: scripts/ros1 installs python3-rospy, rosmaster, "
            "python3-actionlib and the messages)"
        )


def bridge_binary() -> str:
    """Return the path of ros1_bridge's parameter_bridge; MissionError if there is none."""
    path = os.environ.get(BRIDGE_VARIABLE, "")
    if not path or not os.access(path, os.X_OK):
        raise MissionError(
            f"{BRIDGE_VARIABLE} must name the parameter_bridge of a ros1_bridge, got {path!r}"
        )
    return path


def _free_port(kind: socket.SocketKind = socket.SOCK_STREAM) -> int:
    """Return a free port of this machine."""
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])

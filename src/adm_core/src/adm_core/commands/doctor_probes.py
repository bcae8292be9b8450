"""Looking at one piece of the installation without loading it into this process.

An extension module that does not fit its libraries can end the interpreter, so whatever has to be
imported is imported by another one.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from urllib.parse import urlsplit

OK, MISSING, BROKEN, LOW = "ok", "missing", "broken", "low"
IMPORT_TIMEOUT_S = 60.0
ROS_1_PREFIXES = ("/opt/ros/noetic", "/opt/ros/melodic")


@dataclass(frozen=True)
class Result:
    """What a probe saw: one of the four states, and its version, place or trouble."""

    status: str
    detail: str


Probe = Callable[[], Result]


def run_python(code: str) -> Result:
    """Run code in an interpreter of its own and return what it printed, or how it ended."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=IMPORT_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Result(BROKEN, f"does not import within {IMPORT_TIMEOUT_S:.0f} s")
    if done.returncode == 0:
        return Result(OK, done.stdout.strip())
    if done.returncode < 0:
        return Result(BROKEN, f"ends the interpreter with signal {-done.returncode}")
    lines = done.stderr.strip().splitlines()
    return Result(BROKEN, lines[-1] if lines else f"exit code {done.returncode}")


def version_of(distribution: str) -> str:
    """Return the installed version of a distribution, '' if its metadata is not there."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return ""


def found(module: str) -> bool:
    """Tell whether a top-level module can be found, without importing it."""
    return importlib.util.find_spec(module) is not None


def package(module: str, distribution: str | None = None) -> Probe:
    """Return a probe that finds a module, imports it elsewhere and reads its version."""

    def probe() -> Result:
        if not found(module):
            return Result(MISSING, "not installed")
        imported = run_python(f"import {module}; print(getattr({module}, '__version__', ''))")
        if imported.status != OK:
            return imported
        return Result(OK, version_of(distribution or module) or imported.detail)

    return probe


def packages(*modules: str) -> Probe:
    """Return a probe of several modules that are useful together only."""

    def probe() -> Result:
        absent = [module for module in modules if not found(module)]
        if absent:
            return Result(MISSING, f"not installed: {', '.join(absent)}")
        results = [package(module)() for module in modules]
        broken = [result for result in results if result.status != OK]
        if broken:
            return broken[0]
        parts = zip(modules, results, strict=True)
        return Result(OK, ", ".join(f"{name} {result.detail}".strip() for name, result in parts))

    return probe


def python() -> Result:
    """Look at the interpreter itself."""
    return Result(OK, f"{'.'.join(map(str, sys.version_info[:3]))} ({sys.executable})")


def kernels() -> Result:
    """Load every compiled kernel."""
    return run_python(
        "from adm_core import _kernels; _kernels.load_all(); print(', '.join(_kernels.KERNELS))"
    )


def opencv() -> Result:
    """Look at OpenCV; two builds overwrite each other's files, whichever was installed last."""
    names = ("opencv-python", "opencv-contrib-python")
    builds = [b for name in names for b in (name, f"{name}-headless") if version_of(b)]
    if len(builds) > 1:
        return Result(BROKEN, f"several builds in one environment: {', '.join(builds)}")
    return package("cv2", builds[0] if builds else "opencv-python")()


def compiler() -> Result:
    """Look for the compiler that would build a kernel."""
    configured = (sysconfig.get_config_var("CC") or "cc").split()[0]
    for name in (os.environ.get("CC", "").split(" ")[0], configured, "cc", "gcc", "clang"):
        if name and shutil.which(name):
            done = subprocess.run([name, "--version"], capture_output=True, text=True, check=False)
            return Result(OK, (done.stdout.splitlines() or [name])[0])
    return Result(MISSING, f"no {configured}, cc, gcc or clang on PATH")


def ros2() -> Result:
    """Look at rclpy: where it comes from and how it will look for other nodes."""
    distro = os.environ.get("ROS_DISTRO", "")
    if not found("rclpy"):
        if not distro:
            return Result(MISSING, "neither a distribution sourced nor the workspace opened")
        return Result(BROKEN, f"ROS_DISTRO is {distro}, but this Python does not find rclpy")
    code = "import rclpy; from rclpy.utilities import get_rmw_implementation_identifier as rmw"
    imported = run_python(f"{code}; print(rmw())")
    if imported.status != OK:
        return imported
    source = "Jazzy wheels" if version_of("ros-rclpy") else distro or "unknown distribution"
    domain = os.environ.get("ROS_DOMAIN_ID") or "0"
    parts = [f"{source}, rclpy {version_of('rclpy')}", imported.detail, f"domain {domain}"]
    return Result(OK, ", ".join([*parts, f"discovery: {discovery()}"]))


def discovery() -> str:
    """Say how far this shell's nodes look for others."""
    if os.environ.get("ROS_LOCALHOST_ONLY") == "1":
        return "this machine only"
    reach = os.environ.get("ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET").upper()
    return {"LOCALHOST": "this machine only", "SUBNET": "local network"}.get(reach, reach)


def interfaces() -> Result:
    """Look for our own messages, which a colcon build generates."""
    if not found("adm_interfaces"):
        return Result(MISSING, "not built")
    imported = run_python("import adm_interfaces.msg as m; print(m.__file__)")
    return Result(OK, "built") if imported.status == OK else imported


def ros1() -> Result:
    """Look for a ROS 1 master and for rospy, which lives with the system's Python."""
    folders = [Path(prefix, "bin") for prefix in ROS_1_PREFIXES] + [Path("/usr/bin")]
    roscore = shutil.which("roscore", path=os.pathsep.join(map(str, folders)))
    homes = [Path(prefix, "lib/python3/dist-packages") for prefix in ROS_1_PREFIXES]
    homes.append(Path("/usr/lib/python3/dist-packages"))
    rospy = [home for home in homes if (home / "rospy").is_dir()]
    if roscore and rospy:
        return Result(OK, f"{roscore}, rospy in {rospy[0]}")
    absent = [name for name, there in (("roscore", roscore), ("rospy", rospy)) if not there]
    return Result(MISSING, f"no {' and no '.join(absent)}")


def ros1_bridge() -> Result:
    """Look for parameter_bridge: where ADM_ROS1_BRIDGE says, else in a sourced prefix."""
    named = os.environ.get("ADM_ROS1_BRIDGE")
    if named:
        executable = shutil.which(named)
        problem = f"ADM_ROS1_BRIDGE is no executable: {named}"
        return Result(OK, executable) if executable else Result(BROKEN, problem)
    for prefix in filter(None, os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)):
        bridge = Path(prefix, "lib/ros1_bridge/parameter_bridge")
        if bridge.exists():
            return Result(OK, str(bridge))
    return Result(MISSING, "no parameter_bridge")


def llm_endpoint() -> Result:
    """Look at the settings of the language model; nothing is sent, and no key is shown."""
    has_key = bool(os.environ.get("OPENAI_API_KEY"))
    url = os.environ.get("OPENAI_BASE_URL")
    if not has_key and not url:
        return Result(MISSING, "neither OPENAI_API_KEY nor OPENAI_BASE_URL is set")
    key = "OPENAI_API_KEY set" if has_key else "OPENAI_API_KEY not set"
    if not url:
        return Result(OK, f"{key}, the SDK's own endpoint")
    host = host_of(url)
    if not host:
        return Result(BROKEN, f"{key}, OPENAI_BASE_URL names no host")
    return Result(OK, f"{key}, endpoint {host}")


def host_of(url: str) -> str:
    """Return host and port of a URL: a name and password in it stay out of every report."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return ""
    return f"{parts.hostname}{port}" if parts.hostname else ""


def disk(least_gb: float = 3.0) -> Result:
    """Look at the free space of the working folder."""
    free = shutil.disk_usage(Path.cwd()).free / 1e9
    return Result(OK if free >= least_gb else LOW, f"{free:.1f} GB free at {Path.cwd()}")

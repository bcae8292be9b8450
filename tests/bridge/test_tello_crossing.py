"""The ROS 1 drone over the bridge: roscore, rospy, djitellopy, relay; evidence at the end."""

import json
import subprocess
import sysconfig
import time
from pathlib import Path

import numpy as np
import pytest
from adm_core.aerial.geofence import Geofence
from adm_core.grid.terrain import Terrain
from adm_core.memory.methods import make_memory
from adm_core.memory.static import Mission, Station
from adm_core.testing.fake_tello import FakeTello
from adm_core.testing.tello_ports import tello_ports
from adm_core.types import GridMap, Pose2D
from bridge_sides import wait
from flights import BOTTLE, CAN, KINDS, ROOM, body, camera, floor
from ros1_graph import NODE, PYTHON

import adm_interfaces.msg as msgs

pytest.importorskip("djitellopy", reason="djitellopy is not installed (extra: robots)")

NEEDED = ("djitellopy", "av", "numpy", "cv2", "PIL")
PARAMETERS = {
    "fence": ROOM,
    "start": [0.6, 0.6, 0.0],
    "waypoints": [[1.4, 1.2], [1.9, 1.9]],
    "picture": [480, 360],
    "map_id": "room",
}


@pytest.fixture
def libraries(tmp_path):
    """Return a folder with what the drone's node needs from PyPI: this Python's own wheels."""
    site = Path(sysconfig.get_paths()["purelib"])
    for name in NEEDED:
        for path in (site / name, site / f"{name}.libs"):
            if path.exists():
                (tmp_path / path.name).symlink_to(path)
    for path in [*site.glob("opencv_python*.libs"), *site.glob("pillow.libs")]:
        (tmp_path / path.name).symlink_to(path)
    probe = f"import sys; sys.path.append({str(tmp_path)!r}); import djitellopy, cv2"
    done = subprocess.run([PYTHON, "-c", probe], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"the system's Python cannot use these wheels: {done.stderr.splitlines()[-1]}")
    return tmp_path


def survey(ros1, libraries, fake, robot, tmp_path):
    """Start the drone's node and order a survey; return the process."""
    values = {**PARAMETERS, "host": fake.address[0], "port": fake.address[1], "containers": {
        kind.label: {"ranges": [[list(item.low), list(item.high)] for item in kind.ranges],
                     "height": kind.height_m} for kind in KINDS}}  # fmt: skip
    arguments = [
        f"_{name}:={value if isinstance(value, str) else json.dumps(value)}"
        for name, value in values.items()
    ]
    runner = NODE.with_name("noetic_runner.py")
    command = [PYTHON, str(runner), str(libraries), "adm_tello", "tello_survey", *arguments]
    log = (tmp_path / "drone.log").open("wb")
    process = subprocess.Popen(command, env=ros1.environment(), stdout=log, stderr=log)
    robot.ask(do="listen", topic="/tello/state", type="std_msgs/String")
    wait(lambda: process.poll() is not None or states(robot) == ["idle"])
    assert process.poll() is None, (tmp_path / "drone.log").read_text()
    robot.ask(do="advertise", topic="/tello/order", type="std_msgs/String")
    wait(lambda: robot.ask(do="connections", topic="/tello/order")["count"] > 0)
    robot.ask(do="publish", topic="/tello/order", message={"data": "survey"})
    return process


def states(robot):
    return [message["data"] for message in robot.messages("/tello/state")]


def memory_of_the_room():
    grid = GridMap(np.zeros((30, 30), np.int8), 0.1, map_id="room")
    station = Station("s1", Pose2D(0.5, 2.5), ("can", "bottle"))
    mission = Mission("collect", "room", (station,), 2, 100, 0.1, 0.1, True, 1.0)
    return make_memory("attention", mission, Terrain(grid, grid.data == 0, True))


def test_what_the_ros_1_drone_saw_becomes_evidence(ros1, relay, robot, ros2, libraries, tmp_path):
    from adm_nodes.common import conversions

    heard = ros2.listen(msgs.RobotReport, "/robot_reports")
    fake = FakeTello(floor(camera(480)), (), body(stretch=0.04), pace=5.0, rate=25)
    with tello_ports(), fake:
        process = survey(ros1, libraries, fake, robot, tmp_path)
        try:
            wait(lambda: states(robot)[-1].startswith(("landed", "failed", "link")), timeout=90)
            assert states(robot)[-1] == "landed done", fake.heard
            wait(lambda: {report.number for report in heard} >= {1, 2})
        finally:
            process.terminate()
            process.wait(30)
        track = fake.track
    fence = Geofence(ROOM, 2.5)
    assert min(fence.clearance((x, y)) for x, y in track[track[:, 5] > 0][::10, 1:3]) > 0.1
    memory = memory_of_the_room()
    for report in {report.number: report for report in heard}.values():  # repetitions count once
        assert report.map_id == "room" and report.position_sigma_m > 0
        batch = conversions.robot_report_from_msg(report, float(report.number), report.number)
        memory.observe(batch, 10.0)
    places = {record.label: record.pose for record in memory.records()}
    assert (places["can"].x, places["can"].y) == pytest.approx(CAN, abs=0.2)
    assert (places["bottle"].x, places["bottle"].y) == pytest.approx(BOTTLE, abs=0.2)
    assert time.time() - heard[0].header.stamp.sec < 300

"""The depth camera's node: from a software device, from topics, from a recording."""

import math
import time

import cv2
import numpy as np
import pytest
from adm_core.manipulation.arm import load_arm
from adm_core.manipulation.frames import CameraError, RgbdFrame, save_frames
from adm_core.testing.fake_realsense import SoftwareRealSense
from adm_nodes.common import qos
from adm_nodes.drivers.realsense import RealSenseNode
from geometry_msgs.msg import PoseStamped
from rgbd_scene import BOTTLE, CAMERA, CAN, render
from sensor_msgs.msg import CameraInfo, CompressedImage, Image, JointState

import adm_interfaces.msg as msgs

PLACES = {"can": (0.42, 0.05), "bottle": (0.50, -0.10)}
OBJECTS = [(CAN, PLACES["can"]), (BOTTLE, PLACES["bottle"])]


class Fed:
    """A software device that is fed whenever it is asked, as a running camera is."""

    def __init__(self):
        self._device = SoftwareRealSense(CAMERA)
        self._number = 0
        self.closed = False

    def next(self, timeout_s):
        time.sleep(0.03)
        self._number += 1
        self._device.feed(*render(OBJECTS), self._number / 30)
        return self._device.next(timeout_s)

    def close(self):
        self.closed = True
        self._device.close()


class Bench:
    def __init__(self, spinning, camera=None, **parameters):
        self.spinning = spinning
        self.targets, self.reports = [], []
        node = spinning.node
        node.create_subscription(msgs.Sightings, "targets", self.targets.append, qos.STATUS)
        node.create_subscription(msgs.RobotReport, "robot_reports", self.reports.append, qos.STATUS)
        self.opened = []

        def open_camera(config):
            self.opened.append(config)
            return camera()

        spinning.add(lambda **kwargs: RealSenseNode(open_camera, **kwargs), parameters)

    def activate(self):
        for label in ("configure", "activate"):
            assert self.spinning.transition("realsense", label)
        return self

    def repeat(self, action, until):
        """Do something again and again until something holds: foreign topics are lossy."""
        end = time.monotonic() + 20
        while not until() and time.monotonic() < end:
            action()
            time.sleep(0.1)
        assert until()

    def check(self, message):
        found = {item.label: item for item in message.sightings}
        assert set(found) == set(PLACES)
        for label, item in found.items():
            assert (item.x, item.y) == pytest.approx(PLACES[label], abs=0.01)
            assert item.covariance[0] > 0


def test_a_software_device_gives_targets_and_with_a_pose_evidence(spinning):
    pytest.importorskip("pyrealsense2", reason="pyrealsense2 is not installed (extra: robots)")
    device = Fed()
    bench = Bench(spinning, lambda: device, pose_topic="/slam_out_pose")
    assert spinning.transition("realsense", "configure")
    assert bench.opened == []  # not before it is activated
    assert spinning.transition("realsense", "activate")
    spinning.wait(lambda: len(bench.targets) >= 2, timeout=30)
    bench.check(bench.targets[-1])
    assert bench.targets[-1].header.frame_id == "base_footprint"
    assert bench.reports == []
    pose = PoseStamped()
    pose.pose.position.x, pose.pose.position.y = 2.0, 1.0
    pose.pose.orientation.z = pose.pose.orientation.w = math.sqrt(0.5)
    publisher = spinning.node.create_publisher(PoseStamped, "/slam_out_pose", qos.FOREIGN)
    bench.repeat(lambda: publisher.publish(pose), lambda: bool(bench.reports))
    report = bench.reports[0]
    assert (report.source, report.source_id, report.number) == ("onboard", "wrist", 1)
    can = next(item for item in report.detections if item.label == "can")
    assert (can.pose.x, can.pose.y) == pytest.approx((2.0 - 0.05, 1.0 + 0.42), abs=0.02)
    assert spinning.transition("realsense", "deactivate")
    assert device.closed


def stamped(message, seconds):
    message.header.stamp.sec = int(seconds)
    message.header.stamp.nanosec = int((seconds % 1) * 1e9)
    return message


def compressed(picture, depth):
    colour = CompressedImage(format="jpeg")
    colour.data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes()
    raw = np.round(depth * 1000).astype(np.uint16)
    far = CompressedImage(format="16UC1; compressedDepth")
    far.data = bytes(12) + cv2.imencode(".png", raw)[1].tobytes()
    return colour, far


def raw(picture, depth):
    shape = {"height": picture.shape[0], "width": picture.shape[1]}
    colour = Image(encoding="rgb8", step=3 * picture.shape[1], **shape)
    colour.data = np.ascontiguousarray(picture[..., ::-1]).tobytes()
    millimetres = np.round(depth * 1000).astype(np.uint16)
    far = Image(encoding="16UC1", step=2 * picture.shape[1], data=millimetres.tobytes(), **shape)
    return colour, far


@pytest.mark.parametrize(("kind", "make"), [("compressed", compressed), ("raw", raw)])
def test_bridged_topics_give_the_same_targets(spinning, kind, make):
    names = {"compressed": ("/c/compressed", "/d/compressedDepth"), "raw": ("/c", "/d")}[kind]
    joints = JointState(name=[f"joint{i}" for i in range(1, 6)])
    joints.position = list(map(float, load_arm().home))
    bench = Bench(
        spinning,
        source="topics",
        colour_topic=names[0],
        depth_topic=names[1],
        info_topic="/info",
        joints_topic="/joint_states",
    ).activate()
    make_publisher = spinning.node.create_publisher
    colour, far = make(*render(OBJECTS))
    publishers = [
        make_publisher(type(message), topic, qos.FOREIGN)
        for message, topic in zip((colour, far), names, strict=True)
    ]
    info = CameraInfo(width=CAMERA.width, height=CAMERA.height)
    info.k = [CAMERA.fx, 0.0, CAMERA.cx, 0.0, CAMERA.fy, CAMERA.cy, 0.0, 0.0, 1.0]
    announce = make_publisher(CameraInfo, "/info", qos.FOREIGN)
    move = make_publisher(JointState, "/joint_states", qos.FOREIGN)
    count = 0

    def send():
        nonlocal count
        count += 1
        announce.publish(info)
        move.publish(joints)
        for publisher, message in zip(publishers, (colour, far), strict=True):
            publisher.publish(stamped(message, 100 + count / 10))

    bench.repeat(send, lambda: bool(bench.targets))
    message = bench.targets[-1]
    bench.check(message)
    assert 100 < message.header.stamp.sec + message.header.stamp.nanosec / 1e9 < 130


def test_pictures_that_do_not_belong_together_are_no_frame(spinning):
    bench = Bench(spinning, source="topics", colour_topic="/c", depth_topic="/d", info_topic="/i")
    bench.activate()
    frames = spinning.nodes[-1]._frames
    picture, depth = render(OBJECTS)
    frames.add_camera(CAMERA)
    frames.add_colour(1.0, picture)
    frames.add_depth(1.2, depth)
    assert frames.take() is None
    frames.add_depth(1.3, depth[:50])
    frames.add_colour(1.3, picture)
    assert frames.take() is None  # of another size
    frames.add_depth(1.32, depth)
    assert frames.take().stamp == 1.3


def test_a_recording_is_played_once(spinning, tmp_path):
    path = tmp_path / "wrist.npz"
    save_frames(path, [RgbdFrame(i / 5, *render(OBJECTS), CAMERA) for i in range(3)])
    bench = Bench(spinning, source=str(path)).activate()
    spinning.wait(lambda: len(bench.targets) >= 1, timeout=20)
    bench.check(bench.targets[0])
    time.sleep(0.5)
    assert len(bench.targets) <= 3


def test_a_camera_that_cannot_be_opened_leaves_the_node_inactive(spinning):
    def absent():
        raise CameraError("no device connected")

    Bench(spinning, absent)
    assert spinning.transition("realsense", "configure")
    assert not spinning.transition("realsense", "activate")
    assert spinning.nodes[-1].state_label == "inactive"

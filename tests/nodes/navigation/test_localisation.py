"""Pose, scan and map as topics."""

import numpy as np
import pytest
from adm_core.types import GridMap, Pose2D
from adm_nodes.common import conversions, qos
from adm_nodes.navigation.config import LocalisationConfig
from adm_nodes.navigation.localisation import Localisation
from geometry_msgs.msg import PoseStamped, PoseWithCovarianceStamped, TransformStamped
from nav_msgs.msg import OccupancyGrid
from sensor_msgs.msg import LaserScan
from std_msgs.msg import String


class Heard:
    def __init__(self, localisation):
        self.poses, self.scans, self.epochs = [], [], []
        localisation.listen(
            lambda pose, stamp, now: self.poses.append((pose, stamp)),
            lambda stamp, now: self.scans.append(stamp),
            lambda epoch, now: self.epochs.append(epoch),
        )


@pytest.fixture
def hear(spinning):
    made = []

    def hear(**config):
        made.append(Localisation(spinning.node, LocalisationConfig(**config)))
        return made[-1], Heard(made[-1])

    yield hear
    for localisation in made:
        localisation.close()
        localisation.close()


def send(spinning, message, topic, until, profile=qos.COMMAND):
    publisher = spinning.node.create_publisher(type(message), topic, profile)
    spinning.wait(lambda: publisher.publish(message) or until())


def stamped(frame="map", x=1.0, sec=7):
    message = PoseStamped(pose=conversions.pose_to_ros(Pose2D(x, 2.0, 0.5)))
    message.header.frame_id, message.header.stamp.sec = frame, sec
    return message


def test_a_pose_of_hector(spinning, hear):
    localisation, heard = hear()
    assert localisation.pose() is None
    send(spinning, stamped(), "slam_out_pose", lambda: heard.poses)
    pose, stamp = heard.poses[0]
    assert pose == pytest.approx((1.0, 2.0, 0.5))
    assert stamp == (7, 0)
    assert localisation.pose(60.0) == pose
    assert localisation.pose(-1.0) is None


def test_a_pose_with_its_covariance(spinning, hear):
    _, heard = hear(source="poseupdate")
    message = PoseWithCovarianceStamped(header=stamped().header)
    message.pose.pose = stamped().pose
    send(spinning, message, "poseupdate", lambda: heard.poses)
    assert heard.poses[0][0] == pytest.approx((1.0, 2.0, 0.5))


def test_a_pose_from_tf(spinning, hear):
    tf2_msgs = pytest.importorskip("tf2_msgs.msg")
    _, heard = hear(source="tf", map_frame="robot_1/map", base_frame="robot_1/base_link")
    odom = transform("robot_1/odom", "/robot_1/base_link", 1.0)
    own = transform("robot_1/map", "robot_1/odom", 2.0)
    message = tf2_msgs.TFMessage(transforms=[odom, own])
    send(spinning, message, "tf", lambda: heard.poses)
    assert heard.poses[0][0] == pytest.approx((3.0, 0.0, 0.0))


def transform(parent, child, x):
    message = TransformStamped(child_frame_id=child)
    message.header.frame_id = parent
    message.transform.translation.x = x
    return message


def test_poses_in_another_frame_or_of_no_number_are_not_heard(spinning, hear):
    _, heard = hear()
    publisher = spinning.node.create_publisher(PoseStamped, "slam_out_pose", qos.COMMAND)
    spinning.wait(lambda: publisher.get_subscription_count())
    publisher.publish(stamped("odom"))
    publisher.publish(stamped(x=float("nan")))
    send(spinning, stamped(x=4.0), "slam_out_pose", lambda: heard.poses)
    assert {pose.x for pose, _ in heard.poses} == {4.0}


def test_scans_and_new_maps_are_told(spinning, hear):
    localisation, heard = hear()
    scan = LaserScan()
    scan.header.stamp.sec = 3
    send(spinning, scan, "scan", lambda: heard.scans)
    assert heard.scans[0] == (3, 0)
    first = localisation.epoch
    for known in (90, 10):
        data = np.full((10, 10), -1, np.int8)
        data.reshape(-1)[:known] = 0
        message = conversions.grid_to_msg(GridMap(data, 0.05))
        publisher = spinning.node.create_publisher(OccupancyGrid, "map", qos.LATCHED)
        spinning.wait(lambda p=publisher: p.get_subscription_count())
        publisher.publish(message)
        spinning.wait(lambda n=known: localisation._watch._known == n)
    spinning.wait(lambda: heard.epochs)
    assert heard.epochs == [localisation.epoch]
    assert localisation.epoch != first


def test_a_reset_that_somebody_asks_for_is_a_new_map(spinning, hear):
    localisation, heard = hear()
    first = localisation.epoch
    send(spinning, String(data="reset"), "syscommand", lambda: heard.epochs)
    assert localisation.epoch != first

"""What the simulated robot publishes, as ROS 1 messages."""

import math
import struct

import cv2
import numpy as np
import rospy
from geometry_msgs.msg import PoseStamped, PoseWithCovarianceStamped, TransformStamped
from nav_msgs.msg import OccupancyGrid
from sensor_msgs.msg import CameraInfo, CompressedImage, JointState, LaserScan
from tf2_msgs.msg import TFMessage

MAP, ODOM, BASE, LASER = "map", "odom", "base_footprint", "laser"
OPTICAL = "camera_color_optical_frame"
_JPEG_QUALITY = 95


class Publisher:
    """All topics of the robot that sensors and HECTOR fill.

    Parameters
    ----------
    camera : Intrinsics
        The wrist camera.
    camera_topic : str
        Prefix of the camera's topics.
    """

    def __init__(self, camera, camera_topic):
        self._camera = camera
        depth = camera_topic + "/aligned_depth_to_color"
        self._scan = rospy.Publisher("scan", LaserScan, queue_size=2)
        self._pose = rospy.Publisher("slam_out_pose", PoseStamped, queue_size=2)
        self._update = rospy.Publisher("poseupdate", PoseWithCovarianceStamped, queue_size=2)
        self._map = rospy.Publisher("map", OccupancyGrid, queue_size=1, latch=True)
        self._joints = rospy.Publisher("joint_states", JointState, queue_size=2)
        self._tf = rospy.Publisher("tf", TFMessage, queue_size=10)
        self._static = rospy.Publisher("tf_static", TFMessage, queue_size=1, latch=True)
        self._colour = rospy.Publisher(
            camera_topic + "/color/image_raw/compressed", CompressedImage, queue_size=2
        )
        self._depth = rospy.Publisher(
            depth + "/image_raw/compressedDepth", CompressedImage, queue_size=2
        )
        self._info = rospy.Publisher(camera_topic + "/color/camera_info", CameraInfo, queue_size=2)
        self._static.publish(TFMessage([_transform(BASE, LASER, (0, 0, 0), rospy.Time.now())]))

    def scan(self, ranges, stamp):
        """Publish a scan that begins straight ahead and turns counter-clockwise."""
        message = LaserScan()
        message.header.stamp, message.header.frame_id = stamp, LASER
        message.angle_increment = 2 * math.pi / len(ranges)
        message.angle_max = message.angle_increment * (len(ranges) - 1)
        message.scan_time = 0.1
        message.range_min, message.range_max = 0.15, 5.0
        message.ranges = [float(item) for item in ranges]
        self._scan.publish(message)

    def pose(self, pose, stamp):
        """Publish HECTOR's pose, with covariance and transforms."""
        message = PoseStamped()
        message.header.stamp, message.header.frame_id = stamp, MAP
        _fill(message.pose, pose)
        self._pose.publish(message)
        update = PoseWithCovarianceStamped()
        update.header = message.header
        update.pose.pose = message.pose
        for index, value in ((0, 1e-4), (7, 1e-4), (35, 1e-4)):
            update.pose.covariance[index] = value
        self._update.publish(update)
        self._tf.publish(
            TFMessage(
                [_transform(MAP, ODOM, pose, stamp), _transform(ODOM, BASE, (0, 0, 0), stamp)]
            )
        )

    def map(self, grid, stamp):
        """Publish HECTOR's map."""
        message = OccupancyGrid()
        message.header.stamp, message.header.frame_id = stamp, MAP
        message.info.map_load_time = stamp
        message.info.resolution = grid.resolution
        message.info.height, message.info.width = grid.data.shape
        message.info.origin.position.x, message.info.origin.position.y = grid.origin
        message.info.origin.orientation.w = 1.0
        message.data = grid.data.ravel().tolist()
        self._map.publish(message)

    def joints(self, names, angles, stamp):
        """Publish the servos' positions."""
        message = JointState()
        message.header.stamp = stamp
        message.name, message.position = list(names), [float(item) for item in angles]
        self._joints.publish(message)

    def picture(self, frame, stamp):
        """Publish a picture: colour as JPEG, depth as compressedDepth's PNG, and the camera."""
        colour = CompressedImage()
        colour.header.stamp, colour.header.frame_id = stamp, OPTICAL
        colour.format = "rgb8; jpeg compressed bgr8"
        _, data = cv2.imencode(".jpg", frame.picture, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
        colour.data = data.tobytes()
        depth = CompressedImage()
        depth.header = colour.header
        depth.format = "16UC1; compressedDepth png"
        millimetres = np.round(frame.depth * 1000.0).astype(np.uint16)
        _, data = cv2.imencode(".png", millimetres, [cv2.IMWRITE_PNG_COMPRESSION, 1])
        depth.data = struct.pack("<iff", 0, 0.0, 0.0) + data.tobytes()
        info = CameraInfo()
        info.header = colour.header
        camera = self._camera
        info.width, info.height = camera.width, camera.height
        info.distortion_model, info.D = "plumb_bob", [0.0] * 5
        info.K = [camera.fx, 0, camera.cx, 0, camera.fy, camera.cy, 0, 0, 1]
        info.R = [1, 0, 0, 0, 1, 0, 0, 0, 1]
        info.P = [camera.fx, 0, camera.cx, 0, 0, camera.fy, camera.cy, 0, 0, 0, 1, 0]
        self._info.publish(info)
        self._depth.publish(depth)
        self._colour.publish(colour)


def _fill(message, pose):
    message.position.x, message.position.y = pose[0], pose[1]
    message.orientation.z, message.orientation.w = math.sin(pose[2] / 2), math.cos(pose[2] / 2)


def _transform(parent, child, pose, stamp):
    message = TransformStamped()
    message.header.stamp, message.header.frame_id = stamp, parent
    message.child_frame_id = child
    message.transform.translation.x, message.transform.translation.y = pose[0], pose[1]
    message.transform.rotation.z = math.sin(pose[2] / 2)
    message.transform.rotation.w = math.cos(pose[2] / 2)
    return message

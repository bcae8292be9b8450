"""Parameters of the robot behind a bridge: names of its topics, speeds, patience."""

from __future__ import annotations

from dataclasses import dataclass

from adm_core.config import Config, param


@dataclass(frozen=True)
class TopicConfig(Config):
    """Names on the ROS 2 side of the bridge."""

    pose: str = param("/slam_out_pose", "pose of the localisation (PoseStamped)")
    map: str = param("/map", "map of the localisation (OccupancyGrid)")
    initial_pose: str = param("/initialpose", "where the localisation is told the pose")
    cmd_vel: str = param("/cmd_vel", "velocities, through the robot's watchdog")
    joints: str = param("/joint_states", "measured angles of arm and gripper")
    arm: str = param("/arm_controller/command", "angles to go to (JointTrajectory)")
    colour: str = param(
        "/throttled/camera/color/image_raw/compressed", "colour pictures (CompressedImage)"
    )
    depth: str = param(
        "/throttled/camera/aligned_depth_to_color/image_raw/compressedDepth",
        "depth in the colour camera (CompressedImage)",
    )
    camera_info: str = param("/throttled/camera/color/camera_info", "model of the colour camera")
    reports: str = param("/robot_reports", "what drones and other robots report (RobotReport)")


@dataclass(frozen=True)
class RobotConfig(Config):
    """How the base is moved at close range, and how long anything is waited for."""

    control_hz: float = param(20.0, "commands a second", unit="Hz", min=5.0, max=100.0)
    time_scale: float = param(
        1.0, "robot seconds per second of this machine; simulators only", min=0.1, max=20.0
    )
    speed_m_s: float = param(0.15, "speed at close range", unit="m/s", min=0.02, max=0.5)
    turn_rad_s: float = param(0.8, "turning speed at close range", unit="rad/s", min=0.1, max=2.0)
    standoff_m: float = param(0.5, "where driving ends before a target", unit="m", min=0.3)
    clearance_m: float = param(0.19, "room around the robot's centre", unit="m", min=0.05)
    stand_m: float = param(0.34, "from a station's place when putting down", unit="m", min=0.2)
    gripper_joint: str = param("r_joint", "name of the gripper in joint states")
    pose_stale_s: float = param(1.5, "age of a pose that is too old", unit="s", min=0.1)
    joints_stale_s: float = param(1.5, "age of joint states that are too old", unit="s", min=0.1)
    picture_wait_s: float = param(2.0, "how long a picture is waited for", unit="s", min=0.1)
    link_wait_s: float = param(15.0, "how long a silent robot is waited for", unit="s", min=0.1)
    sight_m: float = param(0.8, "how far sightings of the wrist camera count", unit="m", min=0.3)
    onboard_confidence: float = param(0.95, "confidence of those sightings", min=0.0, max=1.0)

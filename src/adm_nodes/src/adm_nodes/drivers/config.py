"""Parameters of the depth camera's node."""

from __future__ import annotations

from dataclasses import dataclass

from adm_core.config import Config, param


@dataclass(frozen=True)
class DepthCameraConfig(Config):
    """Where frames come from, where the camera sits, and what becomes of its sightings."""

    source: str = param(
        "device",
        "device: a RealSense here; topics: pictures of a driver elsewhere; else a recording's file",
    )
    colour_topic: str = param(
        "/throttled/camera/color/image_raw/compressed", "colour pictures; .../compressed or raw"
    )
    depth_topic: str = param(
        "/throttled/camera/aligned_depth_to_color/image_raw/compressedDepth",
        "depth in the colour camera; .../compressedDepth or raw",
    )
    info_topic: str = param("/throttled/camera/color/camera_info", "model of the colour camera")
    pair_s: float = param(
        0.05, "colour and depth are one frame up to this apart", unit="s", min=0.0
    )
    joints_topic: str = param(
        "", "joint states that move the camera (/joint_states); empty: the arm is at home"
    )
    pose_topic: str = param(
        "", "pose of the robot in the map (/slam_out_pose); empty: sightings become no evidence"
    )
    stale_s: float = param(1.0, "older poses and joint states are not used", unit="s", min=0.05)
    pose_sigma_m: float = param(0.05, "error of the robot's place", unit="m", min=0.0)
    pose_sigma_deg: float = param(2.0, "error of the robot's heading", unit="deg", min=0.0)
    frame_id: str = param("base_footprint", "name of the arm's base frame")
    source_id: str = param("wrist", "name in reports")
    containers: str = param("", "file of containers and their colours; empty: the shipped ones")
    sight_m: float = param(0.8, "how far sightings count as evidence", unit="m", min=0.1)
    confidence: float = param(0.95, "how sure a sighting is", min=0.0, max=1.0)
    place_tolerance_m: float = param(
        0.15, "a report counts for as much as its place is likely this near", unit="m", min=0.01
    )
    rate_hz: float = param(5.0, "frames that are looked at", unit="Hz", min=0.1, max=60.0)
    silent_s: float = param(3.0, "without a frame: a warning", unit="s", min=0.1)

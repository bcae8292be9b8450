"""Parameters of the ways to drive the base."""

from __future__ import annotations

from dataclasses import dataclass

from adm_core.config import Config, param


@dataclass(frozen=True)
class MoveBaseConfig(Config):
    """move_base over topics. All times are this machine's own: no robot clock is ever compared."""

    protocol: str = param(
        "auto",
        "action: move_base/goal with an id of our own; simple: move_base_simple/goal, where the "
        "action messages do not cross the bridge; auto: action if move_base_msgs is installed",
        choices=("auto", "action", "simple"),
    )
    frame_id: str = param("map", "frame that goals must name")
    robot_frame_id: str = param("map", "what move_base calls that frame, its global_frame")
    resend_s: float = param(
        0.5, "goals and cancels are sent again after this time", unit="s", min=0.05, max=10.0
    )
    ack_timeout_s: float = param(
        5.0, "a goal that is in no status list after this time is given up", unit="s", min=0.1
    )
    cancel_timeout_s: float = param(
        8.0,
        "a cancel that is not confirmed after this time leaves the goal lost; a cancelled goal "
        "that never arrived stays listed for 5 s",
        unit="s",
        min=0.1,
    )
    silence_s: float = param(
        2.0,
        "without any status for this time the link is down (5 Hz are normal)",
        unit="s",
        min=0.1,
    )
    pose_stale_s: float = param(
        2.0,
        "without a new pose for this time a goal is cancelled; 0: not watched",
        unit="s",
        min=0.0,
    )
    scan_stale_s: float = param(
        2.0,
        "without a new scan for this time a goal is cancelled; 0: not watched",
        unit="s",
        min=0.0,
    )
    progress_s: float = param(
        45.0,
        "a base that stays in place for this time is stuck: move_base itself does not say so. "
        "Longer than its recoveries take; 0: not watched",
        unit="s",
        min=0.0,
    )
    progress_m: float = param(0.1, "a shorter way counts as staying in place", unit="m", min=0.0)
    progress_rad: float = param(0.3, "so does a smaller turn", unit="rad", min=0.0)


@dataclass(frozen=True)
class LocalisationConfig(Config):
    """Where the pose of the base comes from."""

    source: str = param(
        "slam_out_pose",
        "slam_out_pose and poseupdate: HECTOR's topics (the latter rates itself by a covariance "
        "that is not calibrated); tf: the chain from map to base; none: nobody tells",
        choices=("slam_out_pose", "poseupdate", "tf", "none"),
    )
    map_frame: str = param("map", "what the localisation calls the map frame")
    base_frame: str = param("base_link", "frame of the base, for tf")
    watch_map: bool = param(True, "look for maps begun anew")


@dataclass(frozen=True)
class Nav2Config(Config):
    """Nav2, or whatever else serves NavigateToPose."""

    action: str = param("navigate_to_pose", "name of the action")
    frame_id: str = param("map", "frame that goals must name")
    behavior_tree: str = param("", "behaviour tree file for Nav2; empty: its own")
    accept_s: float = param(
        5.0, "a goal that is not accepted after this time is given up", unit="s", min=0.1
    )
    cancel_timeout_s: float = param(
        8.0,
        "a cancel that is not confirmed after this time leaves the goal lost",
        unit="s",
        min=0.1,
    )
    silence_s: float = param(
        5.0,
        "a server that is gone from the network for this time has lost the goal",
        unit="s",
        min=0.1,
    )

"""The nodes of a mission with a JetRover behind a bridge, and of what flies and looks beside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from adm_core.aerial.config import TelloConfig
from adm_core.config import Config, param
from adm_core.errors import ConfigError
from adm_core.missions.profile import PROFILES
from adm_core.planning.body import Standoff

from adm_nodes.bringup.field_nodes import FieldRun, field_nodes
from adm_nodes.bringup.spec import NodeSpec, as_ros
from adm_nodes.common.run_config import RunConfig
from adm_nodes.drivers.config import DepthCameraConfig
from adm_nodes.robot.config import RobotConfig


@dataclass(frozen=True)
class JetRoverConfig(Config):
    """A mission with a real robot: what it is sent out with, and which nodes there are."""

    mission: str = param("", "mission file, see adm_core.missions.field; there must be one")
    arm: str = param("jetrover", "robot model: jetrover, or a YAML file")
    profile: str = param("twin", "parameters of memory: paper, robust, arena, twin or a YAML file")
    standoff_m: float = param(0.5, "where driving ends before a target", unit="m", min=0.3)
    standoff_slack_m: float = param(
        0.25, "what may be missing in distance; move_base ends 0.2 m off", unit="m", min=0.0
    )
    standoff_slack_rad: float = param(
        0.75, "what may be missing in heading", unit="rad", min=0.0, max=3.14
    )
    drone: bool = param(False, "a Tello, too: it looks where it is asked to")
    fence: str = param("", "its fence in the map, as 0,0 3,0 3,3 0,3: no drone without one")
    camera: bool = param(False, "the depth camera's node, too, on the pictures over the bridge")
    navigator: bool = param(False, "a NavigateToPose server, too, for clients of Nav2")


def jetrover(config: JetRoverConfig, run: RunConfig) -> tuple[NodeSpec, ...]:
    """Return the nodes of a mission with a robot behind a bridge; the bridge is none of them.

    Raises
    ------
    ConfigError
        If no mission file is named, or a drone has no fence.
    """
    if not config.mission:
        raise ConfigError("mission must name the file of a mission")
    if config.drone and not config.fence:
        raise ConfigError("fence must be given for a drone, like 0,0 3,0 3,3 0,3")
    tello = TelloConfig(fence=config.fence) if config.drone else None
    standoff = Standoff(config.standoff_m, config.standoff_slack_m, config.standoff_slack_rad)
    field = FieldRun(
        str(Path(config.mission).resolve()),
        config.profile if config.profile in PROFILES else str(Path(config.profile).resolve()),
        standoff,
        RobotConfig(standoff_m=config.standoff_m),
    )
    skills, *others = field_nodes(field, run, tello)
    arm = config.arm if config.arm == "jetrover" else str(Path(config.arm).resolve())
    skills = replace(skills, parameters={**skills.parameters, "arm": arm})
    return (skills, *others, *_beside(config))


def _beside(config: JetRoverConfig) -> Iterator[NodeSpec]:
    """Yield nodes on which the mission does not depend."""
    if config.camera:
        camera = as_ros(DepthCameraConfig(source="topics"))
        yield NodeSpec("adm_nodes.drivers.realsense:RealSenseNode", parameters=camera, respawn=True)
    if config.navigator:
        yield NodeSpec("adm_nodes.navigator:NavigatorNode", respawn=True)

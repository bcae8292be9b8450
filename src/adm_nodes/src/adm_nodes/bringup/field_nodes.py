"""The nodes of a mission with a robot behind a bridge."""

from __future__ import annotations

from dataclasses import dataclass

from adm_core.aerial.config import FlightConfig, TelloConfig
from adm_core.missions.profile import load_profile
from adm_core.planning.body import Standoff

from adm_nodes.bringup.spec import NodeSpec, as_ros
from adm_nodes.common.run_config import MethodConfig, RunConfig, SteeringConfig
from adm_nodes.robot.config import RobotConfig


@dataclass(frozen=True)
class FieldRun:
    """What a mission with a robot behind a bridge needs besides its run.

    Attributes
    ----------
    mission : str
        Mission file, see :mod:`adm_core.missions.field`.
    profile : str
        Parameters of the memory.
    standoff : Standoff
        When the robot has arrived.
    robot : RobotConfig
        Its speeds and patience.
    """

    mission: str
    profile: str
    standoff: Standoff
    robot: RobotConfig


def field_nodes(
    config: FieldRun, run: RunConfig, tello: TelloConfig | None = None
) -> tuple[NodeSpec, ...]:
    """Return the nodes of a mission with a robot behind a bridge, and a drone if one is given."""
    profile = load_profile(config.profile)
    memory = {
        **as_ros(MethodConfig()),
        **as_ros(profile.memory, "memory"),
        **as_ros(profile.attention, "attention"),
        **as_ros(run, names=["audit"]),
    }
    steering = SteeringConfig(
        standoff_m=config.standoff.distance_m,
        standoff_slack_m=config.standoff.slack_m,
        standoff_slack_rad=config.standoff.slack_rad,
    )
    # The bridge has the robot's map on /map; the mission's own is another topic.
    rules = (("map", "mission_map"),)
    skills = {"mission": config.mission, **as_ros(config.robot, "robot")}
    drone = () if tello is None else (_drone(tello),)
    return (
        NodeSpec("adm_nodes.skills:SkillsNode", parameters=skills),
        NodeSpec("adm_nodes.memory:MemoryNode", parameters=memory, remappings=rules),
        NodeSpec("adm_nodes.planner:PlannerNode", remappings=rules),
        NodeSpec(
            "adm_nodes.executor:ExecutorNode",
            parameters={**as_ros(run), **as_ros(steering)},
            remappings=rules,
        ),
        *drone,
    )


def _drone(tello: TelloConfig) -> NodeSpec:
    flight = FlightConfig(picture_timeout_s=10.0)  # a busy machine opens the video slowly
    parameters = {**as_ros(tello, "tello"), **as_ros(flight, "flight")}
    return NodeSpec("adm_nodes.drivers.tello:TelloNode", parameters=parameters)

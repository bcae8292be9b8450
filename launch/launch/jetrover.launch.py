"""A mission with a JetRover behind a bridge, and the bridge itself if asked to.

    ros2 launch adm_bringup jetrover.launch.py mission:=mission.json bridge:=relay drone:=true

``--show-args`` lists all arguments. Speeds, topics and navigation have parameters of their own:
``params_file:=`` takes a copy of params/jetrover.yaml. See docs/bridge.md for the robot's side.
"""

from adm_bringup.mission import mission_description
from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess, OpaqueFunction

#: A process each, not a Node: launch_ros adds --ros-args, on which parameter_bridge dies.
BRIDGES = {
    "relay": ["adm", "bridge", "relay"],
    "parameter_bridge": ["ros2", "run", "ros1_bridge", "parameter_bridge"],
}


def start_bridge(context: LaunchContext) -> list[ExecuteProcess]:
    """Return the bridge that was asked for."""
    command = BRIDGES.get(context.launch_configurations["bridge"])
    return [ExecuteProcess(cmd=command, name="bridge", output="screen")] if command else []


def generate_launch_description() -> LaunchDescription:
    """Return the description that ``ros2 launch`` executes."""
    bridge = DeclareLaunchArgument(
        "bridge",
        default_value="none",
        description="what carries topics from and to ROS 1; none: it is started elsewhere",
        choices=["none", *BRIDGES],
    )
    mission = mission_description("jetrover").entities
    return LaunchDescription([*mission, bridge, OpaqueFunction(function=start_bridge)])

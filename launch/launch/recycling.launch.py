"""A recycling mission on lifecycle nodes: world, memory, planner, executor, and their manager.

    ros2 launch adm_bringup recycling.launch.py scenario:=S-6 method:=static seed:=3

``--show-args`` lists all arguments. The nodes are those of ``adm up recycling``.
"""

from adm_bringup.mission import mission_description
from launch import LaunchDescription


def generate_launch_description() -> LaunchDescription:
    """Return the description that ``ros2 launch`` executes."""
    return mission_description("recycling")

"""A team explores a building, or finds something in it.

    ros2 launch adm_bringup search.launch.py map:=floor.yaml robots:=3

``--show-args`` lists all arguments. The nodes are those of ``adm up search``.
"""

from adm_bringup.mission import mission_description
from launch import LaunchDescription


def generate_launch_description() -> LaunchDescription:
    """Return the description that ``ros2 launch`` executes."""
    return mission_description("search")

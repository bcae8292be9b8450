"""Searchers explore an unknown building while a manipulator collects what they find.

    ros2 launch adm_bringup team.launch.py seed:=0

``--show-args`` lists all arguments. The nodes are those of ``adm up team``.
"""

from adm_bringup.mission import mission_description
from launch import LaunchDescription


def generate_launch_description() -> LaunchDescription:
    """Return the description that ``ros2 launch`` executes."""
    return mission_description("team")

"""Sub-commands of ``adm`` that need ROS 2."""

"""ROS 2 shell of adm_core: thin lifecycle nodes, and what starts them."""

"""Between a ROS 1 robot and the ROS 2 nodes: bridge files, a relay, a check of both sides.

The relay is not ros1_bridge. It stands in for `parameter_bridge` where that cannot be built, reads
the same ``bridge.yaml`` and keeps the same rules.
"""

"""Missions end to end: what the command line and the ROS nodes both run."""

"""Surveys with a Tello, for robots on ROS 1."""

"""Nodes that hold real hardware: the drone and the depth camera."""

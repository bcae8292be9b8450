"""Worlds, scenarios and the simulator of multi-robot search."""

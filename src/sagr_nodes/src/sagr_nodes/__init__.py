"""Lifecycle nodes of a team that searches a building."""

"""Rigid-body arena on PyBullet: a robot with arm and cameras among containers (section V-C)."""

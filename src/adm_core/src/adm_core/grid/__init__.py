"""Occupancy grids: files, frontiers, clusters, distances."""

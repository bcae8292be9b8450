"""Occupancy grids: files, frontiers, clusters, distances."""

from adm_core.grid.distance import descend as descend
from adm_core.grid.distance import distance_field as distance_field
from adm_core.grid.distance import reachable as reachable
from adm_core.grid.distance import shortest_path as shortest_path

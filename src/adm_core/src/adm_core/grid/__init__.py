"""Occupancy grids: files, frontiers, clusters, distances."""

from adm_core.grid.clusters import FrontierClusters as FrontierClusters
from adm_core.grid.clusters import cluster_frontiers as cluster_frontiers
from adm_core.grid.distance import descend as descend
from adm_core.grid.distance import distance_field as distance_field
from adm_core.grid.distance import reachable as reachable
from adm_core.grid.distance import shortest_path as shortest_path
from adm_core.grid.frontiers import find_frontiers as find_frontiers
from adm_core.grid.frontiers import frontier_cells as frontier_cells
from adm_core.grid.tracker import MapTracker as MapTracker
from adm_core.grid.tracker import TrackedRooms as TrackedRooms
from adm_core.grid.visibility import VisibleCells as VisibleCells
from adm_core.grid.visibility import visible_cells as visible_cells

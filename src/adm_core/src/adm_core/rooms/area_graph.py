"""The semantic area graph: rooms, what touches what, frontiers and robots in them.

SAGR, section III: nodes are room instances, edges join instances with 4-adjacent cells, a
frontier cluster belongs to the instance that holds its representative, and instances without a
frontier are pruned. Unlabelled free space forms nodes of type 0, ``unknown``. So that pruning
does not cut the graph apart, a node also lists the rooms that can be reached from it through
pruned ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from adm_core.grid._checks import check_cell
from adm_core.grid.clusters import FrontierClusters, cluster_frontiers
from adm_core.rooms.instances import RoomInstances, RoomTypes, label_rooms

UNKNOWN = "unknown"


@dataclass(frozen=True)
class AreaNode:
    """One room instance of the graph.

    Attributes
    ----------
    label, room_id : int
        Number in this snapshot, and the one that lasts.
    type : int
        Room type, 0 for unlabelled free space.
    name : str
        Name of the type.
    area : int
        Number of cells.
    box : (int, int, int, int)
        Bounding box (row, col, row end, col end), ends exclusive.
    clusters : tuple of int
        Frontier clusters whose representatives lie in the room, ascending.
    robots : tuple of int
        Robots in the room, ascending.
    neighbours : tuple of int
        Labels of the rooms in the graph that touch it, ascending.
    via : tuple of (int, tuple of int)
        Further rooms that can be reached through pruned rooms only, each with the labels of
        the pruned rooms on a shortest way (ties: smaller labels), ascending.
    """

    label: int
    room_id: int
    type: int
    name: str
    area: int
    box: tuple[int, int, int, int]
    clusters: tuple[int, ...]
    robots: tuple[int, ...]
    neighbours: tuple[int, ...]
    via: tuple[tuple[int, tuple[int, ...]], ...]


@dataclass(frozen=True, eq=False)
class AreaGraph:
    """Snapshot of the semantic area graph.

    Attributes
    ----------
    rooms : RoomInstances
        All instances, the pruned and the unlabelled ones included.
    room_ids : int64[n]
        Lasting id of each instance; its label if none were given.
    clusters : FrontierClusters
    cluster_room : int32[k]
        Label of the room that each cluster belongs to.
    robot_room : int32[r]
        Label of the room that each robot is in; 0 if its cell is not free.
    names : mapping of int to str
        Names of the room types.
    """

    rooms: RoomInstances
    room_ids: npt.NDArray[np.int64]
    clusters: FrontierClusters
    cluster_room: npt.NDArray[np.int32]
    robot_room: npt.NDArray[np.int32]
    names: Mapping[int, str]

    @cached_property
    def nodes(self) -> tuple[AreaNode, ...]:
        """Rooms with at least one frontier cluster, in order of their labels."""
        return tuple(self._node(label) for label in sorted(self._members(self.cluster_room)))

    @cached_property
    def adjacency(self) -> tuple[tuple[int, ...], ...]:
        """Labels that touch each label, ascending; entry 0 is empty."""
        lists: list[list[int]] = [[] for _ in range(len(self.rooms) + 1)]
        for a, b in self.rooms.edges.tolist():
            lists[a].append(b)
            lists[b].append(a)
        return tuple(tuple(sorted(found)) for found in lists)

    def node(self, room_id: int) -> AreaNode | None:
        """Return the node of a lasting id; None if it is not in the graph."""
        return next((node for node in self.nodes if node.room_id == room_id), None)

    @cached_property
    def _robots_in(self) -> dict[int, list[int]]:
        return self._members(self.robot_room)

    @cached_property
    def _clusters_in(self) -> dict[int, list[int]]:
        return self._members(self.cluster_room)

    @staticmethod
    def _members(room: npt.NDArray[np.int32]) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for member, label in enumerate(room.tolist()):
            if label:
                found.setdefault(label, []).append(member)
        return found

    def _node(self, label: int) -> AreaNode:
        i, kept = label - 1, self._clusters_in
        room_type = int(self.rooms.types[i])
        row, col, row_end, col_end = self.rooms.boxes[i].tolist()
        return AreaNode(
            label,
            int(self.room_ids[i]),
            room_type,
            self.names.get(room_type, UNKNOWN if room_type == 0 else f"type {room_type}"),
            int(self.rooms.areas[i]),
            (row, col, row_end, col_end),
            tuple(kept[label]),
            tuple(self._robots_in.get(label, ())),
            tuple(other for other in self.adjacency[label] if other in kept),
            self._via(label),
        )

    def _via(self, label: int) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """Search breadth first over pruned rooms."""
        kept, direct = self._clusters_in, set(self.adjacency[label])
        ways: dict[int, tuple[int, ...]] = {label: ()}
        front = [label]
        while front:
            reached = []
            for room in front:
                way = ways[room] if room == label else (*ways[room], room)
                for other in self.adjacency[room]:
                    if other not in ways:
                        ways[other] = way
                        if other not in kept:
                            reached.append(other)
            front = reached
        found = (room for room in ways if room in kept and room != label and room not in direct)
        return tuple((room, ways[room]) for room in sorted(found))


def build_area_graph(
    grid: npt.NDArray[np.int8],
    room_type: RoomTypes,
    *,
    names: Mapping[int, str] | None = None,
    robots: Iterable[tuple[int, int]] = (),
    c_max: int = 10,
    min_size: int = 1,
    border_is_unknown: bool = False,
    free_max: int = 0,
    occupied_min: int = 65,
    threads: int = 1,
) -> AreaGraph:
    """Build the semantic area graph of a map.

    Parameters
    ----------
    grid : int8[rows, cols]
        -1 unknown, 0..`free_max` free, `occupied_min`..100 occupied.
    room_type : uint8[rows, cols] or uint16[rows, cols]
        Room type of each cell, 0 for none.
    names : mapping of int to str, optional
        Names of the room types; 0 is "unknown" unless it has one.
    robots : iterable of (row, col)
        Cells of the robots.
    c_max, min_size, border_is_unknown
        As for :func:`adm_core.grid.clusters.cluster_frontiers`.
    free_max, occupied_min : int
        Thresholds of free and occupied, 0 <= `free_max` < `occupied_min` <= 127.
    threads : int
        Most threads to use, as for :func:`adm_core.rooms.instances.label_rooms`.

    Returns
    -------
    AreaGraph
        Its room ids are the labels; :func:`area_graph` takes lasting ones.

    Raises
    ------
    ValueError
        If an argument has the wrong type, shape or range, or a robot is off the map.

    Notes
    -----
    Linear in the cells, without a label image. Node objects are made on first use.
    """
    rooms = label_rooms(
        grid,
        room_type,
        labels=False,
        untyped=True,
        free_max=free_max,
        occupied_min=occupied_min,
        threads=threads,
    )
    cells = [check_cell(robot, "robots", rooms.shape) for robot in robots]
    clusters = cluster_frontiers(
        grid,
        c_max=c_max,
        min_size=min_size,
        border_is_unknown=border_is_unknown,
        free_max=free_max,
        occupied_min=occupied_min,
        threads=threads,
    )
    return area_graph(rooms, clusters, robots=cells, names=names)


def area_graph(
    rooms: RoomInstances,
    clusters: FrontierClusters,
    *,
    robots: npt.ArrayLike = (),
    names: Mapping[int, str] | None = None,
    room_ids: npt.NDArray[np.int64] | None = None,
) -> AreaGraph:
    """Put a graph together from parts of one map.

    Parameters
    ----------
    rooms : RoomInstances
        From :func:`adm_core.rooms.instances.label_rooms` with ``untyped=True``.
    clusters : FrontierClusters
        From :func:`adm_core.grid.clusters.cluster_frontiers`.
    robots : int[r]
        Flat indices of the robots' cells.
    names : mapping of int to str, optional
        Names of the room types.
    room_ids : int64[n], optional
        Lasting ids from :class:`adm_core.rooms.identity.RoomRegistry` (default: the labels).

    Returns
    -------
    AreaGraph

    Raises
    ------
    ValueError
        If a cell lies off the map, or `room_ids` has another length than `rooms`.
    """
    if room_ids is None:
        room_ids = np.arange(1, len(rooms) + 1)
    if len(room_ids) != len(rooms):
        raise ValueError(f"room_ids must have {len(rooms)} entries, got {len(room_ids)}")
    return AreaGraph(
        rooms,
        room_ids,
        clusters,
        rooms.labels_at(clusters.representatives),
        rooms.labels_at(robots),
        names or {},
    )

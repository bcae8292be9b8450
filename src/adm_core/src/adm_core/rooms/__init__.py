"""Rooms: instances on a labelled grid and the graph of areas that they form."""

from adm_core.rooms.area_graph import AreaGraph as AreaGraph
from adm_core.rooms.area_graph import AreaNode as AreaNode
from adm_core.rooms.area_graph import area_graph as area_graph
from adm_core.rooms.area_graph import build_area_graph as build_area_graph
from adm_core.rooms.identity import RoomRegistry as RoomRegistry
from adm_core.rooms.instances import RoomInstances as RoomInstances
from adm_core.rooms.instances import label_rooms as label_rooms
from adm_core.rooms.instances import room_edges as room_edges

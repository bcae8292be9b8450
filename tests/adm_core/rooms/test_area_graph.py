import numpy as np
import pytest
from adm_core.grid.clusters import cluster_frontiers
from adm_core.rooms.area_graph import area_graph, build_area_graph
from adm_core.rooms.instances import label_rooms


def scene(*rows):
    """Return grid and room types: digits are types of free cells, # walls, ? unknown."""
    drawn = np.array([list(row) for row in rows])
    grid = np.select([drawn == "#", drawn == "?"], [100, -1], 0).astype(np.int8)
    types = np.where(np.char.isdigit(drawn), drawn, "0").astype(np.uint8)
    return grid, types


# Corridor 5 has no frontier; rooms 1, 2 and 3 do; 4 is behind the corridor and closed.
FLOOR = scene(
    "?11#22?#",
    "#1###2##",
    "55555554",
    "#33#####",
    "?33#####",
)


def test_rooms_without_frontier_are_pruned_and_bridged():
    graph = build_area_graph(*FLOOR, c_max=1, names={1: "kitchen", 5: "corridor"})
    assert [(node.name, node.type) for node in graph.nodes] == [
        ("kitchen", 1),
        ("type 2", 2),
        ("type 3", 3),
    ]
    corridor = int(np.flatnonzero(graph.rooms.types == 5)[0]) + 1
    first, second, third = graph.nodes
    assert first.neighbours == second.neighbours == third.neighbours == ()
    assert first.via == ((second.label, (corridor,)), (third.label, (corridor,)))


def test_ways_through_several_pruned_rooms_are_found():
    graph = build_area_graph(*scene("?1234567?"), c_max=1)
    first, last = graph.nodes
    assert (first.type, last.type) == (1, 7)
    assert first.via == ((7, (2, 3, 4, 5, 6)),)
    assert last.via == ((1, (6, 5, 4, 3, 2)),)


def test_direct_neighbours_are_not_listed_again():
    first, second = build_area_graph(*scene("?12?", "#33#"), c_max=0).nodes
    assert first.neighbours == (second.label,)
    assert first.via == ()


def test_a_cluster_belongs_to_the_room_of_its_representative():
    graph = build_area_graph(*FLOOR, c_max=1)
    rooms = label_rooms(*FLOOR, untyped=True)
    want = rooms.labels.ravel()[graph.clusters.representatives]
    np.testing.assert_array_equal(graph.cluster_room, want)
    assert sum(len(node.clusters) for node in graph.nodes) == len(graph.clusters.sizes)


def test_robots_are_in_the_room_of_their_cell():
    graph = build_area_graph(*FLOOR, c_max=1, robots=[(0, 1), (2, 3), (1, 0), (1, 1)])
    assert graph.robot_room.tolist() == [1, 3, 0, 1]
    assert graph.nodes[0].robots == (0, 3)


def test_unlabelled_free_space_is_a_node_of_type_unknown():
    graph = build_area_graph(*scene("?00#1?"))
    assert [(node.type, node.name) for node in graph.nodes] == [(0, "unknown"), (1, "type 1")]


def test_nodes_carry_measures_and_lasting_ids():
    rooms, clusters = label_rooms(*FLOOR, untyped=True), cluster_frontiers(FLOOR[0], c_max=1)
    graph = area_graph(rooms, clusters, room_ids=np.array([7, 9, 4, 2, 11]))
    node = graph.node(7)
    assert node is not None
    assert (node.label, node.area, node.box) == (1, 3, (0, 1, 2, 3))
    assert graph.node(1) is None


@pytest.mark.parametrize("shape", [(0, 0), (3, 4)])
def test_a_map_without_free_cells_has_an_empty_graph(shape):
    graph = build_area_graph(np.full(shape, -1, np.int8), np.zeros(shape, np.uint8))
    assert graph.nodes == ()
    assert len(graph.rooms.edges) == 0


@pytest.mark.parametrize("robot", [(5, 0), (0, -1)])
def test_a_robot_off_the_map_is_named(robot):
    with pytest.raises(ValueError, match="robots"):
        build_area_graph(*FLOOR, robots=[robot])


def test_room_ids_of_another_length_are_named():
    rooms, clusters = label_rooms(*FLOOR), cluster_frontiers(FLOOR[0], c_max=1)
    with pytest.raises(ValueError, match="room_ids"):
        area_graph(rooms, clusters, room_ids=np.array([1]))

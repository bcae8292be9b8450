import numpy as np
from adm_core.rooms.identity import RoomRegistry
from adm_core.rooms.instances import label_rooms


def rooms(*rows):
    """Return the instances of a map drawn with digits for room types and # for walls."""
    drawn = np.array([list(row) for row in rows])
    grid = np.where(drawn == "#", 100, 0).astype(np.int8)
    types = np.where(drawn == "#", "0", drawn).astype(np.uint8)
    return label_rooms(grid, types, untyped=True)


def test_ids_count_from_one_in_the_first_snapshot():
    assert RoomRegistry().update(rooms("11#2")).tolist() == [1, 2]


def test_a_room_keeps_its_id_when_labels_are_renumbered():
    registry = RoomRegistry()
    registry.update(rooms("##22", "1111"))
    assert registry.update(rooms("3#22", "1111")).tolist() == [3, 1, 2]


def test_the_largest_part_of_a_split_room_keeps_the_id():
    registry = RoomRegistry()
    registry.update(rooms("1111111"))
    assert registry.update(rooms("11#1111")).tolist() == [2, 1]


def test_a_merged_room_takes_the_id_of_its_largest_part():
    registry = RoomRegistry()
    registry.update(rooms("11#1111"))
    assert registry.update(rooms("1111111")).tolist() == [2]


def test_equal_parts_are_decided_by_the_smaller_id():
    registry = RoomRegistry()
    registry.update(rooms("11#11"))
    assert registry.update(rooms("11111")).tolist() == [1]


def test_ids_are_never_used_again():
    registry = RoomRegistry()
    registry.update(rooms("1#2"))
    registry.update(rooms("1##"))
    assert registry.update(rooms("1#2")).tolist() == [1, 3]


def test_a_map_that_grows_on_all_sides_keeps_its_ids():
    registry = RoomRegistry()
    registry.update(rooms("12"))
    grown = rooms("3####", "33124", "#####")
    assert registry.update(grown, shift=(-1, -2)).tolist() == [3, 1, 2, 4]

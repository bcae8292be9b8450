"""Objects: kind and room by name, cell by place."""

import numpy as np
import pytest
from adm_core.errors import MapError
from adm_core.grid.floorplans.gdc_objects import place_objects, read_objects
from adm_core.grid.floorplans.plan import LabelledMap
from adm_core.grid.labels import LabelGrid
from adm_core.types import GridMap, Pose2D


def plan():
    data = np.zeros((20, 20), np.int8)
    data[:, 10] = 100
    data[3:6, 3:6] = 100
    rooms = np.where(np.arange(20) < 10, 1, 2)[None].repeat(20, 0).astype(np.uint16)
    names = LabelGrid(rooms, {1: "l3_302", 2: "l3_500"})
    return LabelledMap(
        GridMap(data, 0.1), LabelGrid(rooms.copy(), {1: "lab", 2: "corridor"}), names
    )


TYPES = {"l3_302": "lab", "l3_500": "corridor"}


def place(*items):
    return place_objects(plan(), TYPES, [(name, Pose2D(*pose)) for name, pose in items])


@pytest.mark.parametrize(
    "name, kind",
    [
        ("o3_302_printer", "printer"),
        ("o3_302_coffee_table", "coffee table"),
        ("o3_302_chair2", "chair"),
        ("o3_302_sofa", "sofa"),
        ("o3_302", ""),
        ("o3_410f", ""),
        ("something", ""),
    ],
)
def test_the_kind_is_what_follows_the_room(name, kind):
    (item,) = place((name, (0.25, 0.25)))
    assert item.kind == kind


def test_letters_tell_things_of_one_kind_in_one_room_apart():
    items = place(
        ("o3_302_tablea", (0.2, 0.2)), ("o3_302_tableb", (0.2, 0.9)), ("o3_500_cat", (1.5, 1))
    )
    assert [item.kind for item in items] == ["table", "table", "cat"]


def test_the_room_in_the_name_counts_more_than_the_place():
    (item,) = place(("o3_302_printer", (1.15, 1.05)))  # seen from the other side of the wall
    assert (item.room, item.room_type) == ("l3_302", "lab")
    assert item.cell == (10, 9)  # the nearest free cell of that room
    (item,) = place(("o3_999_printer", (1.15, 1.05)))
    assert (item.room, item.cell) == ("l3_500", (10, 11))


def test_a_place_in_the_furniture_goes_to_the_nearest_free_cell():
    (item,) = place(("o3_302_desk", (0.45, 0.45)))
    assert item.cell == (2, 4)


def test_what_lies_off_the_map_is_left_out():
    assert place(("o3_302_printer", (50.0, 50.0))) == ()


def test_no_file_means_no_objects(tmp_path):
    assert read_objects(tmp_path / "objects.yaml") == []
    (tmp_path / "objects.yaml").write_text("")
    assert read_objects(tmp_path / "objects.yaml") == []


@pytest.mark.parametrize(
    "text, message",
    [
        ("a: 1", "the file must be a list"),
        ("- 3", "each object must be a mapping"),
        ("- point: [1, 2, 3]", "missing key name"),
        ("- name: o3_302", "missing key point"),
        ("- {name: o3_302, point: [1]}", "point of o3_302 must hold 2 numbers"),
        ("- {name: o3_302, point: [.nan, 2]}", "finite numbers"),
        ("- {name: [", "not valid YAML, or cut off"),
    ],
)
def test_broken_files_are_refused(tmp_path, text, message):
    path = tmp_path / "objects.yaml"
    path.write_text(text)
    with pytest.raises(MapError, match=message):
        read_objects(path)

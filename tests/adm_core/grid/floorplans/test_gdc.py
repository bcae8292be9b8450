"""Floors with polygons, an image of rooms, doors and objects."""

import cv2
import numpy as np
import pytest
import yaml
from adm_core.errors import MapError
from adm_core.grid.floorplans.gdc import load_gdc
from floorplans import GDC_3, GDC_3NE

WEST, EAST = [0, 0, 20, 0, 20, 20, 0, 20], [21, 0, 40, 0, 40, 20, 21, 20]
DOOR = {
    "name": "d",
    "approach": [
        {"from": "l3_302", "point": [0.9, 1.0, 0.0]},
        {"from": "l3_400", "point": [1.2, 1.0, 3.1]},
    ],
}


@pytest.fixture
def floor(tmp_path):
    """Return a function that writes a floor of two rooms, 2 x 1 m, and loads it."""

    def make(image=None, doors=(DOOR,), size=(20, 40), **locations):
        pixels = np.full((20, 40), 254, np.uint8)
        pixels[:, 20] = 0
        pixels[8:12, 20] = 254
        cv2.imwrite(str(tmp_path / "m.png"), pixels)
        (tmp_path / "m.yaml").write_text(
            "image: m.png\nresolution: 0.05\norigin: [0, 0, 0]\nnegate: 0\n"
            "occupied_thresh: 0.65\nfree_thresh: 0.196\n"
        )
        keys = {
            "data": "locations.png",
            "locations": ["l3_302", "l3_400"],
            "polygons": [WEST, EAST],
        }
        keys |= locations
        keys = {key: value for key, value in keys.items() if value is not ...}
        (tmp_path / "locations.yaml").write_text(yaml.safe_dump(keys))
        if image is None:
            image = np.zeros((20, 40), np.uint8)
            image[:, 20:] = 1
            image[:2] = 255
        if size != (20, 40):
            image = np.zeros(size, np.uint8)
        cv2.imwrite(str(tmp_path / "locations.png"), image)
        (tmp_path / "doors.yaml").write_text(yaml.safe_dump(list(doors)))
        return load_gdc(tmp_path / "m.yaml")

    return make


def room_at(plan, x, y):
    return plan.rooms.names.get(int(plan.rooms.data[plan.grid_map.world_to_cell(x, y)]), "")


def test_rooms_lie_where_the_polygons_are_with_the_top_row_first(floor):
    ring = [0, 0, 20, 0, 20, 10, 0, 10]  # the upper half of the west
    plan = floor(polygons=[ring, EAST], data=...)
    assert room_at(plan, 0.5, 0.8) == "l3_302" and room_at(plan, 0.5, 0.2) == ""
    assert room_at(plan, 1.5, 0.2) == "l3_400"
    assert plan.types.names == {1: "corridor", 2: "lab"}


def test_an_image_alone_is_enough(floor):
    plan = floor(polygons=...)
    assert room_at(plan, 0.5, 0.2) == "l3_302" and room_at(plan, 0.5, 0.98) == ""


def test_polygons_alone_are_enough(floor):
    assert room_at(floor(data="not_there.png"), 0.5, 0.5) == "l3_302"


def test_the_doors_decide_where_polygons_and_image_disagree(floor):
    swapped = np.zeros((20, 40), np.uint8)
    swapped[:, :20] = 1
    door = {
        "name": "d",
        "approach": [
            {**side, "point": [x, 0.5, 0]}
            for side, x in zip(DOOR["approach"], (0.9, 1.3), strict=True)
        ],
    }
    plan = floor(swapped, [door])
    assert room_at(plan, 0.5, 0.5) == "l3_302"
    assert plan.notes == (
        "polygons and image of the rooms disagree: took the polygons, which has 2 of 2 door "
        "approaches in their rooms, not 0",
    )
    plan = floor(None, [door], polygons=[EAST, WEST])
    assert room_at(plan, 0.5, 0.5) == "l3_302" and "took the image" in plan.notes[0]


def test_what_is_wrong_with_one_of_the_two_does_not_matter_while_the_other_is_right(floor):
    stale = np.full((20, 40), 7, np.uint8)  # drawn for a longer list
    assert room_at(floor(stale), 0.5, 0.5) == "l3_302"
    plan = floor(polygons=[WEST])
    assert room_at(plan, 1.5, 0.5) == "l3_400"
    assert plan.notes == ("polygons left out: 1 for 2 locations",)


def test_a_room_image_that_was_saved_as_png_is_found(floor):
    assert room_at(floor(polygons=..., data="locations.pgm"), 0.5, 0.2) == "l3_302"


def test_where_polygons_overlap_the_smaller_room_stays(floor):
    niche = [5, 5, 10, 5, 10, 10, 5, 10]
    for order in (0, 1):
        rings, names = [WEST, niche], ["l3_302", "l3_506"]
        plan = floor(polygons=rings[:: 1 - 2 * order], locations=names[:: 1 - 2 * order], data=...)
        assert room_at(plan, 0.375, 0.625) == "l3_506" and room_at(plan, 0.1, 0.1) == "l3_302"


def test_labels_are_on_the_floor_only(floor):
    plan = floor()
    assert not plan.types.data[plan.grid_map.data != 0].any()


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"locations": ...}, "missing key locations"),
        ({"locations": "l3_302"}, "locations must be a list"),
        ({"polygons": [WEST], "data": ...}, r"as many as locations \(2\), got 1"),
        ({"polygons": [WEST, [1, 2, 3]]}, "polygon of l3_400 must hold 6 numbers"),
        ({"polygons": [WEST, [1, 2, 3, 4, 5, 6, 7]]}, "pairs x, y"),
        ({"polygons": [WEST, [500, 0, 540, 0, 540, 20]]}, "l3_400 lies outside the map of 40 x 20"),
        ({"size": (20, 41)}, "must be 40 x 20 pixels like the map, got 41 x 20"),
        (
            {"image": np.full((20, 40), 7, np.uint8), "polygons": ...},
            "pixels must be 0..1 or 255, got 7",
        ),
        ({"polygons": ..., "data": "none.png"}, "neither polygons nor the image 'none.png'"),
        ({"doors": ["d"]}, "each door must be a mapping"),
        ({"doors": [{"name": "d"}]}, "missing key approach"),
        ({"doors": [{"approach": [{"from": "a"}]}]}, "missing key point"),
    ],
)
def test_broken_floors_are_refused_in_one_line(floor, changes, message):
    with pytest.raises(MapError, match=message) as caught:
        floor(**changes)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("path", [GDC_3, GDC_3NE], ids=lambda path: path.stem)
def test_real_floors_agree_with_their_doors(path):
    plan = load_gdc(path)
    doors = yaml.safe_load((path.parent / "doors.yaml").read_text())
    sides = [side for door in doors for side in door["approach"]]
    right = sum(room_at(plan, *side["point"][:2]) == side["from"] for side in sides)
    # Two rooms of the list were never mapped: there is no floor to label.
    assert right == len(sides) - 2 > 40


@pytest.mark.parametrize("path", [GDC_3, GDC_3NE], ids=lambda path: path.stem)
def test_real_rooms_have_the_types_of_the_table(path):
    plan = load_gdc(path)
    kinds = {}
    for label, name in plan.rooms.names.items():
        found = np.unique(plan.types.data[plan.rooms.data == label])
        assert len(found) == 1
        kinds[name] = plan.types.names[int(found[0])]
    assert kinds["l3_302"] == "lab" and kinds["l3_404"] == kinds["l3_414a"] == "office"
    assert kinds["l3_400"] == kinds["l3_500"] == kinds["l3_200"] == "corridor"
    assert kinds["l3_elev_east"] == "lift"
    assert set(kinds.values()) == {"lab", "office", "corridor", "lift"}


@pytest.mark.parametrize("path", [GDC_3, GDC_3NE], ids=lambda path: path.stem)
def test_the_printer_in_the_lab_is_where_the_file_says(path):
    plan = load_gdc(path)
    printers = {item.room_type: item for item in plan.objects if item.kind == "printer"}
    assert set(printers) == {"lab", "corridor"}
    item = printers["lab"]
    assert item.name == "o3_302_printer" and plan.grid_map.data[item.cell] == 0
    centre = plan.grid_map.cell_to_world(item.cell)
    assert np.hypot(centre.x - item.pose.x, centre.y - item.pose.y) < 0.2


def test_the_image_of_floor_3_follows_another_order_and_the_doors_find_out():
    (note,) = load_gdc(GDC_3).notes
    assert "took the polygons, which has 70 of 70" in note and load_gdc(GDC_3NE).notes == ()

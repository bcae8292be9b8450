"""Floors with a room segmentation."""

import json

import cv2
import numpy as np
import pytest
from adm_core.errors import MapError
from adm_core.grid.floorplans import load_floorplan
from adm_core.grid.floorplans.tmcl import load_tmcl
from floorplans import FARO

CONFIG = {
    "name": "0",
    "editor": "editor.xml",
    "roomSeg": "mRoomSeg.png",
    "map": {
        "type": "GMap", "image": "m.pgm", "resolution": 0.05, "origin": [1.0, 2.0, 0.0],
        "negate": 0, "occupied_thresh": 0.65, "free_thresh": 0.196,
    },
}  # fmt: skip
ARCHIVE = (
    "22 serialization::archive 17 0 0 0 0 5 0 0 0 8 NotValid 7 general 0 0 0 0 0 "
    "9 Kitchen 1 7 general 1 0 0 6 Room 2 7 general 2 0 0 3 4 5 7 general 3 0 0 "
    "4 Lab7 6 office 4 0 0 0 0 5 0 0 0 0.000000000e+00 7.934500694e+00"
)


def segmentation():
    """Return four rooms above a corridor, 30 x 120 pixels, with walls of 2."""
    image = np.full((34, 124), 205, np.uint8)
    image[2:12, 2:122] = 5
    for k in range(4):
        image[14:32, 2 + 30 * k : 30 + 30 * k] = k + 1
        image[12:14, 10 + 30 * k : 16 + 30 * k] = k + 1  # the doors
    return image


@pytest.fixture
def floor(tmp_path):
    """Return a function that writes a floor, loads it by a file, and keeps the folder."""

    def make(config=CONFIG, archive=ARCHIVE, image=None, by="floor.config"):
        image = segmentation() if image is None else image
        seen = segmentation()
        pixels = np.where(seen == 205, 0, 254).astype(np.uint8)
        cv2.imwrite(str(tmp_path / "m.pgm"), pixels)
        cv2.imwrite(str(tmp_path / "mRoomSeg.png"), image)
        (tmp_path / "m.yaml").write_text(
            "image: m.pgm\nresolution: 0.05\norigin: [1.0, 2.0, 0]\nnegate: 0\n"
            "occupied_thresh: 0.65\nfree_thresh: 0.196\n"
        )
        if config is not None:
            (tmp_path / "floor.config").write_text(json.dumps(config))
        if archive is not None:
            (tmp_path / "editor.xml").write_text(archive)
        return load_tmcl(tmp_path / by)

    return make


def kinds(plan):
    """Return the type of each room by its name."""
    found = {}
    for label, name in plan.rooms.names.items():
        here = int(plan.types.data[plan.rooms.data == label][0])
        found[name] = plan.types.names.get(here, "")
    return found


def test_rooms_have_the_names_of_the_archive(floor):
    plan = floor()
    assert list(plan.rooms.names.values()) == ["Kitchen 1", "Room 2", "4 5", "Lab7", "Room 5"]
    assert plan.grid_map.origin == (1.0, 2.0, 0.0) and plan.source == "m"
    # The segmentation's top row is the farthest from the origin.
    assert plan.rooms.data[34 - 20, 5] == 1 and plan.rooms.data[34 - 5, 60] == 5


def test_the_type_is_the_category_or_the_name_without_its_number(floor):
    assert kinds(floor()) == {
        "Kitchen 1": "kitchen",
        "Room 2": "room",
        "4 5": "4",
        "Lab7": "office",  # the archive gives a purpose
        "Room 5": "corridor",  # long, and beside four rooms
    }


@pytest.mark.parametrize("by", ["floor.config", "m.yaml"])
def test_either_file_names_the_floor(floor, by):
    assert len(floor(by=by).rooms.names) == 5


def test_the_map_and_its_segmentation_are_enough(floor):
    plan = floor(config=None, archive=None, by="m.yaml")
    assert list(plan.rooms.names.values()) == [f"Room {k}" for k in range(1, 6)]
    assert kinds(plan)["Room 5"] == "corridor"


def test_a_segmentation_with_another_name_is_found_if_it_is_the_only_one(floor, tmp_path):
    floor(config=None, archive=None, by="m.yaml")
    (tmp_path / "mRoomSeg.png").rename(tmp_path / "floorRoomSeg.png")
    assert len(load_floorplan(tmp_path / "m.yaml").rooms.names) == 5
    (tmp_path / "copyRoomSeg.png").write_bytes((tmp_path / "floorRoomSeg.png").read_bytes())
    assert load_floorplan(tmp_path / "m.yaml").rooms is None  # which of the two?


def test_the_first_channel_counts_in_colour_images(floor):
    red = segmentation()
    colour = np.dstack([np.zeros_like(red), np.full_like(red, 9), red])  # OpenCV writes BGR
    assert np.array_equal(floor(image=colour).rooms.data, floor().rooms.data)


def test_categories_of_the_config_count_most(floor):
    rooms = [
        {"name": "A", "category": 1},
        {"name": "B", "category": "Kitchen"},
        {"id": 5, "name": "Flur", "category": 0},
    ]
    config = {**CONFIG, "rooms": rooms, "semantic": {"categories": ["corridor", "reception"]}}
    found = kinds(floor(config))
    assert (found["A"], found["B"], found["Flur"]) == ("reception", "kitchen", "corridor")


@pytest.mark.parametrize("text", ["", "22 serialization::archive", ARCHIVE[:100], "\0\1\2" * 50])
def test_a_broken_archive_costs_names_only(floor, text):
    assert len(floor(archive=text).rooms.names) == 5


def test_a_short_or_lonely_room_is_no_corridor(floor):
    image = segmentation()
    image[image == 5] = 205
    image[2:12, 2:30] = 5  # beside one room only
    image[2:12, 32:122] = 6
    image[12:14, 40:122] = 205
    assert set(kinds(floor(archive=None, image=image)).values()) == {"room"}


def test_the_real_floor_has_twelve_rooms_and_a_corridor():
    plan = load_tmcl(FARO)
    assert list(plan.rooms.names.values()) == [f"Room {k}" for k in range(1, 13)]
    found = kinds(plan)
    assert [name for name, kind in found.items() if kind == "corridor"] == ["Room 11"]
    assert (plan.types.data[plan.grid_map.data == 0] > 0).mean() > 0.99


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"roomSeg": ...}, "missing key roomSeg"),
        ({"roomSeg": "none.png"}, r"none\.png: no such image"),
        ({"map": ...}, "missing key map"),
        ({"map": 3}, "map must be a mapping"),
        ({"map": {**CONFIG["map"], "origin": [0, 0]}}, "origin must hold 3 numbers"),
        ({"map": {**CONFIG["map"], "resolution": 0}}, "resolution must be"),
        ({"map": {**CONFIG["map"], "resolution": "a"}}, "resolution must hold finite numbers"),
        ({"map": {**CONFIG["map"], "image": "none.pgm"}}, r"none\.pgm: no such image"),
    ],
)
def test_broken_configs_are_refused(floor, changes, message):
    config = {key: value for key, value in {**CONFIG, **changes}.items() if value is not ...}
    with pytest.raises(MapError, match=message):
        floor(config)


def test_a_segmentation_of_another_size_is_refused(floor):
    with pytest.raises(MapError, match="must be 124 x 34 pixels like the map, got 100 x 34"):
        floor(image=segmentation()[:, :100])

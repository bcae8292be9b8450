"""Houses: outline, walls, and boxes that are off, doubled or astray."""

import json

import numpy as np
import pytest
from adm_core.errors import MapError
from adm_core.grid.floorplans.houseexpo import load_houseexpo
from floorplans import APT_MULTI, APT_SMALL
from scipy import ndimage

#: Two rooms of 3 x 4 m with a wall of 0.1 m between them and a door of 1 m.
OUTLINE = [
    [0, 0], [3, 0], [3, 1.5], [3.1, 1.5], [3.1, 0], [6.1, 0],
    [6.1, 4], [3.1, 4], [3.1, 2.5], [3, 2.5], [3, 4], [0, 4],
]  # fmt: skip


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a house and loads it."""

    def make(categories, verts=OUTLINE):
        path = tmp_path / "house.json"
        keys = {"verts": verts, "id": "x", "room_category": categories}
        path.write_text(json.dumps({key: value for key, value in keys.items() if value != ...}))
        return load_houseexpo(path)

    return make


def type_at(plan, x, y):
    return plan.types.names.get(int(plan.types.data[plan.grid_map.world_to_cell(x, y)]), "")


def share(plan, kind):
    """Return the floor of a type in square metres."""
    labels = [label for label, name in plan.types.names.items() if name == kind]
    return np.isin(plan.types.data, labels).sum() * plan.grid_map.resolution**2


def test_the_inside_of_the_outline_is_free_and_walls_stand_around_it(write):
    plan = write({})
    grid_map = plan.grid_map
    free = grid_map.data == 0
    assert abs(free.sum() * 0.05**2 - (3 * 4 * 2 + 0.1 * 1.0)) < 0.05
    assert ndimage.label(free)[1] == 1
    for x, y, value in ((1, 1, 0), (3.05, 2, 0), (3.05, 1, 100), (-0.1, 2, 100), (-0.45, 2, -1)):
        assert grid_map.data[grid_map.world_to_cell(x, y)] == value
    border = np.concatenate([grid_map.data[[0, -1]].ravel(), grid_map.data[:, [0, -1]].ravel()])
    assert (border == -1).all()
    assert plan.types.names == {} and plan.source == "house"


def test_boxes_a_little_too_large_end_at_the_walls(write):
    plan = write({"Kitchen": [[-0.1, -0.2, 3.4, 4.1]], "Office": [[2.5, -0.1, 6.3, 4.2]]})
    assert share(plan, "kitchen") == pytest.approx(12, abs=0.15)
    assert share(plan, "office") == pytest.approx(12, abs=0.15)
    assert plan.rooms.names == {1: "kitchen", 2: "office"}


def test_corners_of_a_box_may_come_in_any_order(write):
    plan = write({"Kitchen": [[3.1, 4.0, 0.0, 0.0]]})
    assert share(plan, "kitchen") == pytest.approx(12, abs=0.15)


def test_toilet_is_a_bathroom_and_guest_room_a_bedroom(write):
    plan = write({"Toilet": [[0, 0, 3, 4]], "Guest_Room": [[3.1, 0, 6.1, 4]]})
    assert set(plan.types.names.values()) == {"bathroom", "bedroom"}


def test_one_room_under_two_names_of_one_type_is_one_room(write):
    plan = write({"Toilet": [[0, 0, 3, 4]], "Bathroom": [[0, 0, 3.05, 4]]})
    assert plan.rooms.names == {1: "bathroom"}


def test_one_room_under_two_types_has_both(write):
    plan = write({"Kitchen": [[0, 0, 3, 4]], "Office": [[0, 0, 3, 4]]})
    assert type_at(plan, 1, 1) == "kitchen/office" and type_at(plan, 5, 1) == ""


def test_a_box_far_astray_is_left_out_and_said_so(write):
    plan = write({"Room": [[-36, -34, 6, 4]], "Kitchen": [[0, 0, 3, 4]]})
    assert type_at(plan, 1, 1) == "kitchen" and type_at(plan, 5, 1) == ""
    assert plan.notes == ("left out a box of Room that reaches far out of the house",)


def test_where_boxes_overlap_the_smaller_wins_and_then_the_alphabet(write):
    plan = write({"Lobby": [[0, 0, 6.1, 4]], "Kitchen": [[0, 0, 3, 4]]})
    assert type_at(plan, 1, 1) == "kitchen" and type_at(plan, 5, 1) == "lobby"
    # Equal in size, crossing in the western room, with no wall to end at.
    crossing = {"Office": [[0, 1, 2, 2]], "Kitchen": [[0.5, 0.5, 1.5, 2.5]]}
    for order in (list(crossing), list(crossing)[::-1]):
        plan = write({word: crossing[word] for word in order})
        assert type_at(plan, 1, 1.5) == "kitchen"


def test_a_box_without_extent_is_no_room(write):
    plan = write({"Kitchen": [[1, 1, 1, 3]], "Office": [[-1, -1, -0.6, -0.6]]})
    assert plan.rooms.names == {}


def test_rooms_of_a_type_are_counted(write):
    plan = write({"Bedroom": [[0, 0, 3, 4], [3.1, 0, 6.1, 4]]})
    assert plan.rooms.names == {1: "bedroom 1", 2: "bedroom 2"}
    assert plan.types.names == {1: "bedroom"}


def test_real_houses_have_their_rooms():
    small = load_houseexpo(APT_SMALL)
    for x, y, kind in ((2, 2, "living room"), (6, 3, "kitchen/office"), (8.3, 3, "bathroom")):
        assert type_at(small, x, y) == kind
    assert share(small, "bathroom") == pytest.approx(1.4 * 6.05, rel=0.05)
    assert share(small, "living room") == pytest.approx(4.72 * 4.42, rel=0.05)
    multi = load_houseexpo(APT_MULTI)
    assert type_at(multi, 9, 5) == "kitchen" and len(multi.notes) == 1
    assert ndimage.label(multi.grid_map.data == 0)[1] == 1


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"verts": ...}, "missing key verts"),
        ({"categories": ...}, "missing key room_category"),
        ({"verts": [[0, 0], [1, 1]]}, "3 corners or more, got 2"),
        ({"verts": [[0, 0], [1, 0], [2]]}, "each of verts must hold 2 numbers or more"),
        ({"verts": [[0, 0], [1, "a"], [2, 2]]}, "finite numbers, got 'a'"),
        ({"verts": [[0, 0], [1, 0], [2, 0]]}, "one without inside"),
        ({"verts": [[0, 0], [9e8, 0], [2, 4]]}, "at most 500 m a side"),
        ({"verts": [[0, 0], [1e300, 0], [2, 4]]}, "finite numbers up to 1e9, got 1e"),
        ({"verts": {"a": 1}}, "verts must be a list, got a dict"),
        ({"categories": [1]}, "room_category must be a mapping"),
        ({"categories": {"Kitchen": 3}}, "room_category Kitchen must be a list"),
        ({"categories": {"Kitchen": [[0, 1, 2]]}}, "box of Kitchen must hold 4 numbers"),
    ],
)
def test_broken_houses_are_refused_in_one_line(write, changes, message):
    with pytest.raises(MapError, match=message) as caught:
        write(**{"categories": {}, **changes})
    assert "\n" not in str(caught.value) and "house.json" in str(caught.value)


@pytest.mark.parametrize("share_kept", [0.0, 0.3, 0.9])
def test_a_house_that_is_cut_off_is_refused(tmp_path, share_kept):
    whole = APT_SMALL.read_bytes()
    path = tmp_path / "cut.json"
    path.write_bytes(whole[: int(len(whole) * share_kept)])
    with pytest.raises(MapError, match=r"cut\.json: not valid JSON, or cut off"):
        load_houseexpo(path)

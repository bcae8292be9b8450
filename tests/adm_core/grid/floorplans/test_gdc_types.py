"""The table of room types by number."""

import pytest
from adm_core.grid.floorplans.gdc_types import MANY_DOORS, room_type

BUSY = {"l3_414": {f"l3_{n}" for n in range(500, 500 + MANY_DOORS)}, "l2_elev": set("abcdefgh")}


@pytest.mark.parametrize(
    "name, kind",
    [
        ("l3_elev_east", "lift"),
        ("l2_elev", "lift"),
        ("l3_stairs_2", "stairs"),
        ("l2_restroom_men", "bathroom"),
        ("l3_kitchen", "kitchen"),
        ("l3_100", "corridor"),
        ("l3_250", "corridor"),
        ("l3_800", "corridor"),
        ("l3_414", "corridor"),  # by its doors
        ("l3_302", "lab"),
        ("l3_303", "lab"),
        ("l3_414a", "office"),
        ("l3_402", "office"),
        ("l5_720", "office"),
        ("l2_104", "room"),
        ("atrium", "room"),
    ],
)
def test_each_line_of_the_table(name, kind):
    assert room_type(name, BUSY) == kind

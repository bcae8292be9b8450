"""One entry for all kinds of plans."""

import copy
import json
import random
import shutil

import cv2
import numpy as np
import pytest
from adm_core.errors import MapError
from adm_core.grid.floorplans import load_floorplan
from adm_core.grid.labels import LabelGrid
from adm_core.grid.map_io import save_map
from adm_core.types import GridMap, Pose2D
from data import maps
from floorplans import APT_SMALL, FARO, FOLDER, GDC_3NE, PLANS


@pytest.fixture
def own(tmp_path):
    """Return the path of a map with our label image."""
    data = np.zeros((6, 9), np.int8)
    data[3] = 100
    labels = np.where(np.arange(6)[:, None] < 3, 7, 300) * np.ones((6, 9), int)
    grid_map = GridMap(data, 0.1, Pose2D(1, 2, 0.5))
    names = {7: "kitchen", 300: "office"}
    return save_map(grid_map, tmp_path / "flat.yaml", LabelGrid(labels.astype(np.uint16), names))


def test_our_own_label_images_come_back(own):
    plan = load_floorplan(own)
    assert plan.types.names == {7: "kitchen", 300: "office"}
    assert plan.types.data[0, 0] == 7 and plan.types.data[5, 0] == 300
    assert plan.rooms is None and plan.source == "flat"


def test_another_legend_can_be_named(own, tmp_path):
    other = save_map(
        load_floorplan(own).grid_map,
        tmp_path / "more" / "b.yaml",
        LabelGrid(np.full((6, 9), 1, np.uint8), {1: "hall"}),
    )
    legend = other.with_name("b.labels.yaml")
    assert load_floorplan(own, labels=legend).types.names == {1: "hall"}
    with pytest.raises(MapError, match="no such file"):
        load_floorplan(own, labels=tmp_path / "none.labels.yaml")


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.stem)
def test_real_plans_of_every_kind_load_with_rooms_and_types(path):
    plan = load_floorplan(path)
    free = plan.grid_map.data == 0
    assert plan.types.data.dtype == np.uint16
    assert len(plan.types.names) >= 2 and len(plan.rooms.names) >= 3
    assert np.array_equal(plan.types.data > 0, plan.rooms.data > 0)
    assert not (plan.types.data > 0)[~free].any()
    for item in plan.objects:
        assert free[item.cell]


@pytest.mark.parametrize(
    "folder, like",
    [("utexas_gdc/3ne", GDC_3NE), ("tmcl/Faro", FARO)],
)
def test_a_folder_stands_for_its_map(folder, like):
    assert load_floorplan(FOLDER / folder).grid_map.map_id == load_floorplan(like).grid_map.map_id


def test_a_folder_with_many_houses_must_be_told_which():
    with pytest.raises(MapError, match="name the map file in this folder"):
        load_floorplan(FOLDER / "houseexpo")


def test_locations_stand_for_the_map_beside_them():
    assert load_floorplan(GDC_3NE.with_name("locations.yaml")).source == "3ne"


def test_maps_without_rooms_load_without_types():
    path = next(path for path in maps() if path.stem == "ipa-kitchen")
    plan = load_floorplan(path)
    assert plan.types.names == {} and not plan.types.data.any()
    assert load_floorplan(path, cell_m=0.25).grid_map.resolution == 0.25


def test_cells_can_be_asked_for(own):
    assert load_floorplan(APT_SMALL, cell_m=0.25).grid_map.resolution == 0.25
    assert load_floorplan(own, cell_m=0.2).types.names == {7: "kitchen", 300: "office"}


def test_a_damaged_copy_of_a_real_floor_is_refused(tmp_path):
    """Each of its files cut in half, one after the other."""
    for name in ("3ne.png", "locations.yaml", "locations.png", "doors.yaml", "objects.yaml"):
        folder = tmp_path / name
        shutil.copytree(GDC_3NE.parent, folder)
        victim = folder / name
        victim.chmod(0o644)
        whole = victim.read_bytes()
        victim.write_bytes(whole[: len(whole) // 2 - len(whole) % 7])
        with pytest.raises(MapError, match=name) as caught:
            load_floorplan(folder / "3ne.yaml")
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["none.yaml", "none.json", "none"])
def test_a_missing_file_is_refused(tmp_path, name):
    with pytest.raises(MapError, match="no such file"):
        load_floorplan(tmp_path / name)


def test_labels_of_another_size_are_refused(own):
    cv2.imwrite(str(own.with_name("flat.labels.png")), np.zeros((5, 9), np.uint8))
    with pytest.raises(MapError, match="must be grey and 9 x 6 pixels"):
        load_floorplan(own)


def test_unknown_that_reads_as_free_is_noted_complaints_16_and_17():
    """A saved map reloads unknown (205) as free because free_thresh is 0.25."""
    depot = next(path for path in maps() if path.stem == "depot")
    plan = load_floorplan(depot, cell_m=0.25)
    assert not (plan.grid_map.data[2:-2, 2:-2] == -1).any()  # all of its unknown is lost
    (note,) = plan.notes
    assert "grey 205" in note and "counts as FREE" in note and "free_thresh 0.25" in note
    sound = next(path for path in maps() if path.stem == "tb3_sandbox")
    assert load_floorplan(sound).notes == ()


ODD = [
    None,
    [],
    {},
    "x",
    "",
    -1,
    0,
    1e308,
    float("nan"),
    10**30,
    True,
    [[1, 2]],
    [0] * 7,
    "../..",
    "\0",
]


def mutated(document, rng):
    """Return a document with one odd value, or without one of its parts."""
    document, where = copy.deepcopy(document), []
    node = document
    while isinstance(node, dict | list) and node and (not where or rng.random() < 0.7):
        key = rng.choice(list(node) if isinstance(node, dict) else range(len(node)))
        where.append((node, key))
        node = node[key]
    parent, key = where[-1]
    if rng.random() < 0.2:
        del parent[key]
    else:
        parent[key] = rng.choice(ODD)
    return document


@pytest.mark.parametrize("path", [APT_SMALL, FARO], ids=lambda path: path.name)
def test_odd_values_are_read_or_refused_in_one_line(tmp_path, path):
    rng, document = random.Random(5), json.loads(path.read_text())
    for name in path.parent.iterdir():
        shutil.copy(name, tmp_path)
    victim = tmp_path / path.name
    victim.chmod(0o644)
    refused = 0
    for _ in range(120):
        victim.write_text(json.dumps(mutated(document, rng)))
        try:
            load_floorplan(victim)
        except MapError as err:
            refused += 1
            assert "\n" not in str(err)
    assert 20 < refused < 119

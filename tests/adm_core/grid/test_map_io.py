"""Whole map files: real ones, written ones, broken ones."""

import os
from pathlib import Path

import cv2
import numpy as np
import pytest
import yaml
from adm_core.errors import MapError
from adm_core.grid.labels import LabelGrid
from adm_core.grid.map_io import load_map, save_map
from adm_core.types import GridMap, Pose2D
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

DATA = Path(os.environ.get("ADM_TEST_DATA", Path(__file__).parents[4] / "shared/data"))
MAPS = sorted(DATA.glob("maps/*/*.yaml"))


def test_the_real_maps_are_there():
    assert len(MAPS) >= 19, f"no real maps under {DATA}: set ADM_TEST_DATA"


@pytest.mark.parametrize("path", MAPS, ids=lambda path: path.stem)
def test_real_map_equals_the_published_rule(path):
    keys = yaml.safe_load(path.read_text())
    image = cv2.imread(str(path.parent / keys["image"]), cv2.IMREAD_GRAYSCALE)
    p = (255 - image.astype(float)) / 255
    expected = np.where(p < keys["free_thresh"], 0, -1)
    expected[p > keys["occupied_thresh"]] = 100
    grid_map = load_map(path)
    assert np.array_equal(grid_map.data, expected[::-1])
    assert grid_map.resolution == keys["resolution"]
    assert tuple(grid_map.origin) == tuple(keys["origin"])


def test_the_nav2_depot_loses_its_unknown_cells():
    depot = load_map(DATA / "maps/nav2_bringup_sim/depot.yaml")
    assert depot.shape == (307, 604)
    assert np.count_nonzero(depot.data == -1) == 0
    assert np.count_nonzero(depot.data == 0) == 179_481


def test_places_of_a_turned_map(write_map, make_pgm):
    path = write_map(
        make_pgm([[254, 0], [254, 254], [205, 254]]),
        resolution="0.5",
        origin="[1, 2, 1.5707963267948966]",
    )
    grid_map = load_map(path)
    assert grid_map.data.tolist() == [[-1, 0], [0, 0], [0, 100]]
    # Row 2, column 1 is 1.25 m up and 0.75 m along; turned left these are -x and +y.
    assert np.allclose(grid_map.cell_to_world((2, 1))[:2], (1 - 1.25, 2 + 0.75))
    assert grid_map.world_to_cell(1 - 1.25, 2 + 0.75) == (2, 1)


def test_the_grid_is_read_only_and_has_a_stable_id(write_map):
    path = write_map()
    first, second = load_map(path), load_map(str(path))
    assert not first.data.flags.writeable
    assert first.map_id == second.map_id


@pytest.mark.parametrize(
    ("keys", "rule"),
    [
        ({"resolution": "1e308"}, "resolution must be 0.0001 to 10000 metres per pixel"),
        ({"resolution": "1e-300"}, "resolution must be 0.0001 to 10000 metres per pixel"),
        ({"origin": "[1e17, 0, 0]"}, "origin must be within 1e\\+09 metres"),
        ({"origin": "[0, -1e308, 0]"}, "origin must be within 1e\\+09 metres"),
    ],
)
def test_sizes_and_places_that_double_precision_cannot_tell_apart_are_refused(
    write_map, keys, rule
):
    with pytest.raises(MapError, match=rule):
        load_map(write_map(**keys))


def grids(values):
    return arrays(np.int8, st.tuples(st.integers(1, 8), st.integers(1, 8)), elements=values)


tame = st.floats(-1e6, 1e6, allow_nan=False)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.one_of(grids(st.sampled_from([-1, 0, 100])), grids(st.integers(-1, 100))),
    st.floats(1e-4, 100),
    st.tuples(tame, tame, tame),
)
def test_a_saved_map_loads_as_the_same_map(tmp_path, data, resolution, origin):
    saved = GridMap(data, resolution, Pose2D(*origin))
    loaded = load_map(save_map(saved, tmp_path / "m.yaml"))
    assert np.array_equal(loaded.data, saved.data)
    assert (loaded.resolution, loaded.origin) == (saved.resolution, saved.origin)
    assert loaded.map_id == saved.map_id


def test_saved_files_are_what_map_server_expects(tmp_path):
    data = np.array([[-1, 0], [100, 0]], np.int8)
    path = save_map(GridMap(data, 0.05, Pose2D(-1.0, 2.0, 0.0)), tmp_path / "new" / "floor.v2")
    assert path == tmp_path / "new" / "floor.v2.yaml"
    assert yaml.safe_load(path.read_text()) == {
        "image": "floor.v2.pgm",
        "mode": "trinary",
        "resolution": 0.05,
        "origin": [-1.0, 2.0, 0.0],
        "negate": 0,
        "occupied_thresh": 0.65,
        "free_thresh": 0.196,
    }
    pgm = (tmp_path / "new" / "floor.v2.pgm").read_bytes()
    assert pgm == b"P5\n2 2\n255\n" + bytes([0, 254, 205, 254])


def test_saving_writes_the_same_bytes_each_time_and_leaves_nothing_else(tmp_path):
    grid_map = GridMap(np.zeros((3, 4), np.int8), 0.05)
    labels = LabelGrid(np.ones((3, 4), np.uint8), {1: "office"})
    first, second = tmp_path / "a", tmp_path / "b"
    for folder in (first, second):
        save_map(grid_map, folder / "m.yaml", labels)
        save_map(grid_map, folder / "m.yaml", labels)
    names = ["m.labels.png", "m.labels.yaml", "m.pgm", "m.yaml"]
    assert sorted(path.name for path in first.iterdir()) == names
    for name in names:
        assert (first / name).read_bytes() == (second / name).read_bytes()


def test_bad_arguments_are_named(tmp_path):
    grid_map = GridMap(np.array([[0, 101]], np.int8), 0.05)
    with pytest.raises(ValueError, match=r"grid_map must hold occupancies -1\.\.100"):
        save_map(grid_map, tmp_path / "m.yaml")
    grid_map = GridMap(np.zeros((1, 2), np.int8), 0.05)
    with pytest.raises(ValueError, match="labels must be"):
        save_map(grid_map, tmp_path / "m.yaml", LabelGrid(np.zeros((2, 1), np.uint8)))
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_refused_in_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(MapError, match=r"m\.yaml: cannot be written: "):
        save_map(GridMap(np.zeros((1, 2), np.int8), 0.05), tmp_path / "file" / "m.yaml")


@pytest.fixture(scope="module")
def whole_files():
    rng = np.random.default_rng(0)
    image = rng.integers(0, 256, (12, 15, 4), dtype=np.uint8)
    binary, text = [cv2.IMWRITE_PXM_BINARY, 1], [cv2.IMWRITE_PXM_BINARY, 0]
    grey = image[:, :, 0]
    return [
        cv2.imencode(".png", grey)[1].tobytes(),
        cv2.imencode(".png", image)[1].tobytes(),
        cv2.imencode(".pgm", grey, binary)[1].tobytes(),
        cv2.imencode(".pgm", grey, text)[1].tobytes(),
        cv2.imencode(".bmp", image[:, :, :3])[1].tobytes(),
    ]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_damaged_images_raise_nothing_but_map_errors(whole_files, write_map, data):
    content = bytearray(data.draw(st.sampled_from(whole_files)))
    for _ in range(data.draw(st.integers(0, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = write_map(bytes(content[: data.draw(st.integers(0, len(content)))]))
    try:
        grid_map = load_map(path)
    except MapError as err:
        assert "\n" not in str(err)
    else:
        assert grid_map.data.size > 0


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(content=st.binary(max_size=300))
def test_random_images_raise_nothing_but_map_errors(write_map, content):
    try:
        grid_map = load_map(write_map(content))
    except MapError as err:
        assert "\n" not in str(err)
    else:
        assert grid_map.data.size > 0


@pytest.mark.parametrize("index", range(4))
def test_every_cut_of_an_image_is_refused(whole_files, write_map, index):
    content = whole_files[index]
    # The last number of a text image may lose digits and still be a number.
    for length in [*range(0, len(content) - 4, 7), len(content) - 4]:
        with pytest.raises(MapError):
            load_map(write_map(content[:length]))

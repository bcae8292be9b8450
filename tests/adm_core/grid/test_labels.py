"""Label images and their legends."""

import cv2
import numpy as np
import pytest
import yaml
from adm_core.errors import MapError
from adm_core.grid.labels import LabelGrid, label_paths, load_labels, save_labels


@pytest.mark.parametrize("dtype, largest", [(np.uint8, 255), (np.uint16, 65535)])
def test_image_and_legend_say_the_same(tmp_path, dtype, largest):
    data = np.array([[0, 1, 1], [largest, 1, 0]], dtype)
    legend = save_labels(LabelGrid(data, {largest: "attic", 1: "office"}), tmp_path / "m.yaml")
    keys = yaml.safe_load(legend.read_text())
    assert keys == {"image": "m.labels.png", "names": {1: "office", largest: "attic"}}
    image = cv2.imread(str(tmp_path / keys["image"]), cv2.IMREAD_UNCHANGED)
    assert image.dtype == dtype
    assert np.array_equal(image, data[::-1])  # top row first, as in the map's image


@pytest.mark.parametrize("name", ["a/m.yaml", "a/m.yml", "a/m"])
def test_paths_follow_the_map(name):
    image, legend = label_paths(name)
    assert (str(image), str(legend)) == ("a/m.labels.png", "a/m.labels.yaml")


@pytest.mark.parametrize(
    "data, names, message",
    [
        (np.zeros((2, 2), np.int8), {}, "uint8 or uint16"),
        (np.zeros(3, np.uint8), {}, r"\[rows, cols\]"),
        (np.array([[0, 3, 4]], np.uint8), {3: "office"}, r"\[4\] have none"),
    ],
)
def test_bad_labels_are_refused(data, names, message):
    with pytest.raises(ValueError, match=message):
        LabelGrid(data, names)


def test_a_place_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(MapError, match="cannot be written"):
        save_labels(LabelGrid(np.zeros((1, 1), np.uint8)), tmp_path / "file" / "m.yaml")


@pytest.mark.parametrize("dtype, largest", [(np.uint8, 255), (np.uint16, 65535)])
def test_labels_come_back_as_they_were_written(tmp_path, dtype, largest):
    labels = LabelGrid(np.array([[0, 1, 1], [largest, 1, 0]], dtype), {largest: "attic", 1: "hall"})
    legend = save_labels(labels, tmp_path / "m.yaml")
    for path in (tmp_path / "m.yaml", legend, tmp_path / "m.labels.png"):
        back = load_labels(path, (2, 3))
        assert np.array_equal(back.data, labels.data) and back.names == labels.names


def test_a_map_without_labels_has_none(tmp_path):
    assert load_labels(tmp_path / "m.yaml", (2, 3)) is None


@pytest.mark.parametrize(
    "text, message",
    [
        ("names: {1: a}", "missing key image"),
        ("image: m.labels.png", "missing key names"),
        ("[", "not a legend"),
        ("image: m.labels.png\nnames: {0: a}", r"labels must be 1..65535, got 0"),
        ("image: m.labels.png\nnames: {a: b}", "got 'a'"),
        ("image: m.labels.png\nnames: {2: a}", r"\[1\] have none"),
        ("image: none.png\nnames: {1: a}", "no such image"),
    ],
)
def test_broken_legends_are_refused(tmp_path, text, message):
    save_labels(LabelGrid(np.ones((2, 3), np.uint8), {1: "hall"}), tmp_path / "m.yaml")
    (tmp_path / "m.labels.yaml").write_text(text)
    with pytest.raises(MapError, match=message):
        load_labels(tmp_path / "m.yaml", (2, 3))


def test_an_image_without_a_legend_has_numbered_types(tmp_path):
    cv2.imwrite(str(tmp_path / "rooms.png"), np.array([[0, 9], [3, 3]], np.uint8))
    labels = load_labels(tmp_path / "rooms.png", (2, 2))
    assert labels.names == {3: "type 3", 9: "type 9"}
    assert labels.data.tolist() == [[3, 3], [0, 9]]
    with pytest.raises(MapError, match="no such image"):
        load_labels(tmp_path / "none.png", (2, 2))

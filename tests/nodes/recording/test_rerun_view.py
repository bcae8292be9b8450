"""What a recording shows in Rerun; the library itself is stood in for by one that takes notes."""

import sys
from types import SimpleNamespace

import pytest
from adm_core.types import GridMap, Pose2D
from adm_nodes.common.conversions import grid_to_msg
from adm_nodes.common.markers import shapes
from adm_nodes.common.markers.board import MarkerBoard
from adm_nodes.recording import rerun_view
from adm_nodes.recording.mcap_file import McapWriter, RecordingError, Topic
from adm_nodes.recording.recorder import Selection
from rclpy.serialization import serialize_message

MARKERS, MAP = "visualization_msgs/msg/MarkerArray", "nav_msgs/msg/OccupancyGrid"


@pytest.fixture
def notes(monkeypatch):
    """Stand in for Rerun; return what was logged, by entity."""
    logged = {}

    def shape(kind):
        return lambda *args, **options: SimpleNamespace(kind=kind, args=args, **options)

    fake = SimpleNamespace(
        init=lambda *_, **__: None,
        save=lambda path: logged.setdefault("saved", path),
        set_time=lambda _, timestamp: logged.setdefault("times", []).append(timestamp),
        log=lambda place, what: logged.setdefault(place, []).append(what),
        Points3D=shape("points"),
        LineStrips3D=shape("lines"),
        Clear=shape("clear"),
        TextLog=shape("text"),
    )
    monkeypatch.setitem(sys.modules, "rerun", fake)
    return logged


def write(path, *messages):
    writer = McapWriter(path)
    for number, (name, type_name, message) in enumerate(messages):
        writer.add_topic(Topic(name, type_name, "", ""))
        writer.add(name, (1 + number) * 1_000_000_000, serialize_message(message))
    writer.close()
    return path


def test_markers_are_shown_by_kind_and_cleared_when_gone(notes, tmp_path):
    board = MarkerBoard("map")
    at = Pose2D(1.0, 2.0)
    first = board.replace(
        [
            shapes.text("name", at, "e001 can", 0.2, 0.0, shapes.RED),
            shapes.segments("rival", [(at, Pose2D(3.0, 2.0)), (at, at)], 0.1, shapes.BLUE),
        ]
    )
    path = write(tmp_path / "run.mcap", ("/m", MARKERS, first), ("/m", MARKERS, board.replace([])))
    assert rerun_view.show(path, Selection(), tmp_path / "scene.rrd") == 2
    named, gone = notes["/m/name"]
    assert (named.kind, named.args[0], named.labels) == ("points", [(1.0, 2.0, 0.0)], ["e001 can"])
    assert named.colors == [[214, 38, 41, 255]]
    assert gone.kind == "clear"
    assert len(notes["/m/rival"][0].args[0]) == 2
    assert notes["times"] == [1.0, 2.0]


def test_the_occupied_cells_of_a_map_are_shown_in_its_frame(notes, tmp_path):
    import numpy as np

    data = np.zeros((2, 3), dtype=np.int8)
    data[1, 2] = 100
    grid = GridMap(data, 0.5, Pose2D(10.0, 20.0, np.pi / 2.0))
    path = write(tmp_path / "run.mcap", ("/map", MAP, grid_to_msg(grid)))
    rerun_view.show(path, Selection(), tmp_path / "scene.rrd")
    (cells,) = notes["/map"]
    np.testing.assert_allclose(cells.args[0], [[10.0 - 0.75, 20.0 + 1.25, 0.0]], atol=1e-6)


def test_a_missing_library_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "rerun", None)
    with pytest.raises(RecordingError, match="pip install rerun-sdk"):
        rerun_view.show(tmp_path / "run.mcap", Selection(), None)

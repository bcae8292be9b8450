import numpy as np
import pytest
from adm_core.manipulation.camera import Intrinsics
from adm_core.manipulation.frames import (
    CameraError,
    RecordedFrames,
    RgbdFrame,
    depth_from_units,
    depth_to_units,
    save_frames,
)
from adm_core.manipulation.kinds import load_kinds
from adm_core.manipulation.perception import find_targets
from rgbd_scene import BOTTLE, CAMERA, CAN, HOME, render

PLACES = {"can": (0.42, 0.05), "bottle": (0.50, -0.10)}


def frame(stamp=0.0):
    picture, depth = render([(CAN, PLACES["can"]), (BOTTLE, PLACES["bottle"])])
    return RgbdFrame(stamp, picture, depth, CAMERA)


def test_a_recording_gives_the_same_targets_as_the_frames(tmp_path):
    frames = [frame(0.0), frame(0.2)]
    path = tmp_path / "wrist.npz"
    save_frames(path, frames)
    source = RecordedFrames(path)
    again = [source.next(), source.next()]
    assert source.next() is None
    for item, was in zip(again, frames, strict=True):
        assert item.stamp == was.stamp and item.camera == was.camera
        assert np.array_equal(item.picture, was.picture)
        targets = find_targets(item.picture, item.depth, item.camera, HOME, (CAN, BOTTLE))
        assert {target.label for target in targets} == set(PLACES)
        for target in targets:
            assert target.position[:2] == pytest.approx(PLACES[target.label], abs=0.006)
    source.close()


def test_depth_keeps_what_a_camera_can_say():
    depth = np.array([[0.0, 0.4, 1.2342], [np.nan, np.inf, 99.0]], np.float32)
    units = depth_to_units(depth, 0.001)
    assert units.tolist() == [[0, 400, 1234], [0, 0, 0]]
    assert depth_from_units(units, 0.001)[0] == pytest.approx([0.0, 0.4, 1.234])


@pytest.mark.parametrize("content", [b"", b"no archive"])
def test_what_is_no_recording_is_refused(tmp_path, content):
    path = tmp_path / "broken.npz"
    path.write_bytes(content)
    with pytest.raises(CameraError, match="broken"):
        RecordedFrames(path)


def test_a_recording_that_lacks_something_or_does_not_fit_is_refused(tmp_path):
    path = tmp_path / "short.npz"
    np.savez(path, stamps=np.zeros(1))
    with pytest.raises(CameraError, match="short"):
        RecordedFrames(path)
    save_frames(path, [frame()])
    with np.load(path) as data:
        values = dict(data)
    values["camera"][0] = 99
    np.savez(path, **values)
    with pytest.raises(CameraError, match="must be"):
        RecordedFrames(path)


def test_frames_of_no_camera_or_of_two_cannot_be_saved(tmp_path):
    with pytest.raises(ValueError, match="one or more"):
        save_frames(tmp_path / "x.npz", [])
    other = RgbdFrame(0.0, frame().picture, frame().depth, Intrinsics(160, 120, 99, 99, 80, 60))
    with pytest.raises(ValueError, match="one camera"):
        save_frames(tmp_path / "x.npz", [frame(), other])


def test_kinds_come_from_a_file_or_from_the_library(tmp_path):
    assert {kind.label for kind in load_kinds()} == {"can", "bottle"}
    path = tmp_path / "kinds.yaml"
    path.write_text(
        "cup: {ranges: [[[20, 100, 100], [30, 255, 255]]], radius_m: 0.04, height_m: 0.1}\n"
    )
    (cup,) = load_kinds(path)
    assert (cup.label, cup.radius_m) == ("cup", 0.04)
    for text in ("cup: {}", "[1, 2]", ":"):
        path.write_text(text)
        with pytest.raises(ValueError, match="kinds"):
            load_kinds(path)

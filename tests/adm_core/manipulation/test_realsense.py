"""librealsense itself, its camera replaced by a software device."""

import builtins

import numpy as np
import pytest
from adm_core.manipulation.camera import Intrinsics, Mount
from adm_core.manipulation.frames import CameraError
from adm_core.manipulation.perception import find_targets
from adm_core.manipulation.realsense import RealSenseCamera, RealSenseConfig
from adm_core.testing.fake_realsense import SoftwareRealSense
from rgbd_scene import BOTTLE, CAMERA, CAN, HOME, render

pytest.importorskip("pyrealsense2", reason="pyrealsense2 is not installed (extra: robots)")

PLACES = {"can": (0.42, 0.05), "bottle": (0.50, -0.10)}


def frames(device, shots):
    found = []
    for index, (picture, depth) in enumerate(shots):
        device.feed(picture, depth, index / 30)
        frame = device.next(2.0)
        if frame is not None:
            found.append(frame)
    device.close()
    return found


def targets_of(frame):
    return {
        item.label: item
        for item in find_targets(frame.picture, frame.depth, frame.camera, HOME, (CAN, BOTTLE))
    }


def test_frames_through_the_library_give_the_containers_places():
    shot = render([(CAN, PLACES["can"]), (BOTTLE, PLACES["bottle"])])
    found = frames(SoftwareRealSense(CAMERA), [shot] * 4)
    assert len(found) >= 3
    last = found[-1]
    assert last.stamp == pytest.approx(0.1)
    assert (last.camera.fx, last.camera.cx) == pytest.approx((CAMERA.fx, CAMERA.cx))
    assert np.array_equal(last.picture, shot[0])
    for label, target in targets_of(last).items():
        assert target.position[:2] == pytest.approx(PLACES[label], abs=0.008)
    assert len(targets_of(last)) == 2


def test_depth_of_another_camera_is_laid_over_the_colour_picture():
    """As in a D435i: the depth camera is wider, and beside the colour camera."""
    baseline = 0.015
    wide = Intrinsics.from_view(192, 144, np.radians(85))
    aside = Mount(HOME.rotation, HOME.centre - HOME.rotation @ [baseline, 0.0, 0.0])
    objects = [(CAN, PLACES["can"]), (BOTTLE, PLACES["bottle"])]
    picture, own = render(objects)
    _, depth = render(objects, wide, aside)
    last = frames(SoftwareRealSense(CAMERA, wide, baseline), [(picture, depth)] * 4)[-1]
    assert last.depth.shape == picture.shape[:2]
    both = (last.depth > 0) & (own > 0)
    assert np.median(np.abs(last.depth - own)[both]) < 0.004
    found = targets_of(last)
    assert set(found) == set(PLACES)
    for label, target in found.items():
        assert target.position[:2] == pytest.approx(PLACES[label], abs=0.015)


def test_nothing_fed_is_no_frame():
    device = SoftwareRealSense(CAMERA)
    assert device.next(0.05) is None
    device.close()
    device.close()


def test_without_a_camera_it_says_so():
    with pytest.raises(CameraError, match="no RealSense camera"):
        RealSenseCamera(RealSenseConfig(serial="000000000000"), lambda: 0.0)


def test_without_the_package_it_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "pyrealsense2":
            raise ImportError("No module named 'pyrealsense2'")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(CameraError, match="pip install pyrealsense2"):
        RealSenseCamera(RealSenseConfig(), lambda: 0.0)

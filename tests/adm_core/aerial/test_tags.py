import math

import numpy as np
import pytest
from adm_core.aerial.estimate import Pose3
from adm_core.aerial.tags import FAMILIES, FloorTag, find_tags, locate, parse_tagged, parse_tags
from adm_core.testing.tello_scene import FloorScene
from flights import TAGS, camera, floor

VIEW = camera(640)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_drawn_tag_of_every_family_is_read(family):
    scene = FloorScene(VIEW, (-2, 2, -2, 2), tags={7: FloorTag(0.1, -0.1, 0.4, 0.3)}, family=family)
    (tag,) = find_tags(scene(Pose3(0, 0, 1.5, 0)), family)
    assert tag.id == 7


@pytest.mark.parametrize("tilt", [90.0, 50.0])
@pytest.mark.parametrize("pose", [Pose3(1.2, 1.3, 1.5, 0.0), Pose3(1.6, 1.2, 1.2, 0.8)])
def test_a_known_tag_tells_where_the_drone_is(tilt, pose):
    view = camera(640, tilt)
    if tilt < 90:  # step back, so that the tag is in the picture
        pose = pose._replace(x=pose.x - math.cos(pose.yaw), y=pose.y - math.sin(pose.yaw))
    seen = find_tags(floor(view)(pose), "4x4_50")
    found = locate(seen, TAGS, view, pose.z, 0.0)
    assert found.pose == pytest.approx(pose, abs=0.02)
    assert found.sigma_m < 0.02


def test_sway_makes_the_place_less_certain():
    seen = find_tags(floor(VIEW)(Pose3(1.5, 1.5, 1.5, 0)), "4x4_50")
    still, swaying = (locate(seen, TAGS, VIEW, 1.5, sway) for sway in (0.0, math.radians(2)))
    assert swaying.sigma_m > still.sigma_m + 0.02


def test_unknown_tags_no_tags_and_no_height_tell_nothing():
    seen = find_tags(floor(VIEW)(Pose3(1.5, 1.5, 1.5, 0)), "4x4_50")
    assert seen
    assert locate(seen, {}, VIEW, 1.5, 0.0) is None
    assert locate([], TAGS, VIEW, 1.5, 0.0) is None
    assert locate(seen, TAGS, VIEW, 0.0, 0.0) is None
    assert find_tags(np.full((240, 320, 3), 120, np.uint8), "4x4_50") == []


def test_tags_that_contradict_each_other_are_not_believed():
    pose = Pose3(1.0, 1.9, 2.2, 0.0)
    seen = find_tags(floor(VIEW)(pose), "4x4_50")
    assert [tag.id for tag in seen] == [1, 2]
    moved = {**TAGS, 2: FloorTag(2.4, 0.6, 0.0, 0.2)}
    assert locate(seen, TAGS, VIEW, pose.z, 0.0) is not None
    assert locate(seen, moved, VIEW, pose.z, 0.0) is None


def test_an_unknown_family_is_refused():
    with pytest.raises(ValueError, match="family"):
        find_tags(np.zeros((10, 10, 3), np.uint8), "qr")


def test_tags_and_tagged_classes_are_read_from_text():
    assert parse_tags("3:1,2,90 4:0,0,0", 0.15)[3] == FloorTag(1.0, 2.0, math.pi / 2, 0.15)
    assert parse_tagged("7:can 8:bottle") == {7: "can", 8: "bottle"}
    for wrong in ("3", "3:1,2", "3:1,2,x"):
        with pytest.raises(ValueError):
            parse_tags(wrong, 0.15)
    with pytest.raises(ValueError, match="tagged"):
        parse_tagged("7can")

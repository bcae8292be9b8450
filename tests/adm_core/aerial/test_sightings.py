import math

import numpy as np
import pytest
from adm_core.aerial.estimate import Pose3, Whereabouts
from adm_core.aerial.sightings import Observer, report
from adm_core.aerial.tags import FloorTag, find_tags
from adm_core.memory.records import Source
from flights import BOTTLE, CAN, KINDS, SMALL, camera, floor

VIEW = camera(640)
OBSERVER = Observer(VIEW, KINDS, {9: "can"}, segmentation=SMALL)


def known(x, y, z=1.5, yaw=0.0, sigma=0.0, turn=0.0):
    return Whereabouts(Pose3(x, y, z, yaw), np.diag([sigma**2, sigma**2, turn**2]))


@pytest.mark.parametrize("tilt", [90.0, 60.0])
def test_containers_are_found_where_they_are(tilt):
    view = camera(640, tilt)
    at = known(1.0, 1.2) if tilt < 90 else known(1.6, 1.5, yaw=0.6)
    found = Observer(view, KINDS, segmentation=SMALL).look(floor(view)(at.pose), at)
    places = {item.label: item.place for item in found}
    if tilt == 90:
        assert places["can"] == pytest.approx(CAN, abs=0.01)
    assert places["bottle"] == pytest.approx(BOTTLE, abs=0.02)


def test_the_covariance_is_that_of_drones_that_are_not_where_they_believe():
    at = known(1.4, 1.4, sigma=0.06, turn=0.05)
    picture = floor(VIEW)(at.pose)
    (bottle,) = [item for item in OBSERVER.look(picture, at) if item.label == "bottle"]
    rng = np.random.default_rng(1)
    off = rng.normal(0, (0.06, 0.06, 0.05), (4000, 3))
    arm = np.array(BOTTLE) - at.pose[:2]
    places = np.stack(
        [
            off[:, 0] + np.cos(off[:, 2]) * arm[0] - np.sin(off[:, 2]) * arm[1],
            off[:, 1] + np.sin(off[:, 2]) * arm[0] + np.cos(off[:, 2]) * arm[1],
        ]
    )
    sample = np.cov(places)
    assert bottle.covariance == pytest.approx(sample, abs=0.1 * sample[0, 0])


def test_sway_counts_by_the_height():
    at = known(1.4, 1.4, z=2.0)
    picture = floor(VIEW)(at.pose)
    swaying = Observer(VIEW, KINDS, attitude_rad=math.radians(2), segmentation=SMALL)
    (bottle,) = [item for item in swaying.look(picture, at) if item.label == "bottle"]
    assert math.sqrt(bottle.covariance[0, 0]) == pytest.approx(2.0 * math.radians(2), rel=0.3)


def test_a_spot_that_the_picture_cuts_is_half_as_sure():
    half = VIEW.swath(1.5)[1] / 2
    at = known(CAN[0] - half, CAN[1])
    (can,) = [item for item in OBSERVER.look(floor(VIEW)(at.pose), at) if item.label == "can"]
    assert can.confidence == pytest.approx(OBSERVER.confidence / 2)


def test_a_tagged_container_has_an_identity():
    scene = floor(VIEW, {9: FloorTag(2.0, 1.0, 0.0, 0.2), 5: FloorTag(1.4, 1.8, 0.0, 0.2)})
    at = known(1.6, 1.4)
    picture = scene(at.pose)
    found = OBSERVER.look(picture, at, find_tags(picture, "4x4_50"))
    (tagged,) = [item for item in found if item.entity_id]
    assert (tagged.label, tagged.entity_id) == ("can", "tag9")
    assert tagged.place == pytest.approx((2.0, 1.0), abs=0.01)


def test_an_empty_floor_is_an_empty_list_and_a_report_of_what_was_covered():
    at = known(-3.0, -3.0)
    picture = floor(VIEW)(at.pose)
    assert OBSERVER.look(picture, at) == []
    batch = report([], VIEW, at.pose, 12.0, "tello", 0.3, "m1")
    assert batch.detections == () and batch.source is Source.REMOTE
    assert (batch.stamp, batch.map_id, batch.source_id) == (12.0, "m1", "tello")
    assert batch.footprint.covers(-3.0, -3.0) and not batch.footprint.covers(0.0, 0.0)


def test_a_lost_drone_convinces_nobody():
    sure, lost = known(1.6, 1.5), known(1.6, 1.5, sigma=1.0)
    picture = floor(VIEW)(sure.pose)
    confidence = [
        report(OBSERVER.look(picture, at), VIEW, at.pose, 0.0, "t", 0.3).detections[0].confidence
        for at in (sure, lost)
    ]
    assert confidence[0] == pytest.approx(OBSERVER.confidence, rel=0.01)
    assert confidence[1] < 0.1

import cv2
import numpy as np
import pytest
from adm_core.manipulation.colour import HsvRange, SegmentationConfig, calibrate, segment

RED = HsvRange((170, 120, 60), (10, 255, 255))
BLUE = HsvRange((100, 120, 60), (130, 255, 255))
CONFIG = SegmentationConfig()


def grey(rows=60, cols=80):
    return np.full((rows, cols, 3), 120, np.uint8)


def test_a_red_range_runs_through_zero():
    picture = grey()
    picture[10:20, 10:20] = (20, 10, 200)  # hue a little below 180
    picture[30:40, 50:60] = (10, 30, 200)  # hue a little above 0
    found = segment(picture, "can", [RED], CONFIG)
    assert [blob.box for blob in found] == [(10, 10, 10, 10), (50, 30, 10, 10)]
    assert found[0].centre == pytest.approx((14.5, 14.5), abs=0.2)


def test_nothing_of_the_colour_is_an_empty_list():
    assert segment(grey(), "can", [RED], CONFIG) == []


def test_specks_vanish_holes_close_and_small_pieces_do_not_count():
    picture = grey()
    rng = np.random.default_rng(0)
    specks = rng.random(picture.shape[:2]) < 0.02
    picture[specks] = (20, 20, 220)
    picture[20:40, 30:50] = (20, 20, 220)
    picture[28:30, 38:40] = 120  # a glare spot
    picture[50:53, 5:8] = (20, 20, 220)
    (blob,) = segment(picture, "can", [RED], CONFIG)
    assert blob.mask[29, 39]
    assert blob.area == pytest.approx(400, abs=25)
    assert not blob.cut


def test_pieces_come_by_size_and_know_whether_they_are_cut():
    picture = grey()
    picture[0:12, 0:12] = (200, 40, 20)
    picture[30:50, 30:50] = (200, 40, 20)
    big, small = segment(picture, "bottle", [BLUE], CONFIG)
    assert (big.area > small.area, big.cut, small.cut) == (True, False, True)


def test_two_ranges_make_one_class():
    picture = grey()
    picture[10:20, 10:20] = (20, 20, 200)
    picture[10:20, 20:30] = (200, 40, 20)
    (blob,) = segment(picture, "both", [RED, BLUE], CONFIG)
    assert blob.box == (10, 10, 20, 10)


@pytest.mark.parametrize("hue", [0, 3, 60, 119, 177])
@pytest.mark.parametrize("light", [0.7, 1.0])
def test_a_calibrated_range_finds_its_colour_in_other_light(hue, light):
    rng = np.random.default_rng(hue)
    hsv = np.full((40, 40, 3), (hue, 200, 180), np.uint8)
    colour = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)
    noisy = np.clip(colour + rng.normal(0, 5, colour.shape), 0, 255).astype(np.uint8)
    found = calibrate(noisy, np.ones((40, 40), bool))
    darker = grey()
    darker[10:50, 10:50] = np.clip(noisy * (0.85 + 0.15 * light), 0, 255).astype(np.uint8)
    (blob,) = segment(darker, "x", [found], CONFIG)
    assert blob.area > 0.95 * 1600


@pytest.mark.parametrize(
    "low, high, told",
    [
        ((0, 0, 0), (180, 255, 255), "high must be in"),
        ((-1, 0, 0), (10, 255, 255), "low must be in"),
        ((0, 200, 0), (10, 100, 255), "low must not be above high"),
        ((0, 0, 90), (10, 100, 80), "low must not be above high"),
    ],
)
def test_a_senseless_range_is_refused(low, high, told):
    with pytest.raises(ValueError, match=told):
        HsvRange(low, high)


def test_a_senseless_calibration_is_refused():
    with pytest.raises(ValueError, match="ten pixels"):
        calibrate(grey(), np.zeros((60, 80), bool))
    with pytest.raises(ValueError, match="share must be"):
        calibrate(grey(), np.ones((60, 80), bool), share=0.0)


@pytest.mark.parametrize("picture", [np.zeros((4, 4), np.uint8), np.zeros((4, 4, 3), np.float32)])
def test_what_is_no_colour_picture_is_refused(picture):
    with pytest.raises(ValueError, match="picture must be"):
        segment(picture, "can", [RED], CONFIG)


def test_a_class_without_colours_is_refused():
    with pytest.raises(ValueError, match="ranges of can"):
        segment(grey(), "can", [], CONFIG)

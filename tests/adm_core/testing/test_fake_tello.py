"""The unmodified djitellopy, over UDP on loopback, against the pretended drone."""

import math

import numpy as np
import pytest
from adm_core.aerial.estimate import Pose3
from adm_core.aerial.geofence import Geofence
from adm_core.testing.fake_tello import FakeTello
from adm_core.testing.tello_faults import Fault
from flights import BOTTLE, CAN, ROOM, body, camera, floor
from tello_client import TelloClient

pytest.importorskip("djitellopy", reason="djitellopy is not installed (extra: robots)")

PACE = 6.0


@pytest.fixture(scope="module")
def client():
    with TelloClient() as process:
        yield process


def fake(*faults, scene=None, **changes):
    return FakeTello(scene, faults, body(**changes), pace=PACE, rate=25)


def in_the_air(drone):
    track = drone.track
    return track[track[:, 5] > 0]


def test_djitellopy_flies_reads_and_films(client):
    view = camera(960)
    with fake(scene=floor(view)) as drone:
        said = client.do("everything", drone)
        end = drone.body.pose
    assert said["battery"] == said["state_battery"] == 99
    assert said["attitude"] == {"pitch": 0, "roll": 0, "yaw": 0}
    assert said["height_cm"] == pytest.approx(80, abs=3)
    assert said["yaw"] == -90  # the drone counts clockwise
    assert said["shape"] == [720, 960, 3]
    assert not said["flying"]
    # 50 cm ahead; a turn to the left; then 40 cm ahead and 30 cm left, which is now -x.
    assert end[:3] == pytest.approx((0.6 + 0.5 - 0.3, 0.6 + 0.4, 0.0), abs=0.05)
    there = floor(view)(end._replace(z=1.0))
    blue, green, red = there[340:380, 460:500].reshape(-1, 3).mean(axis=0)
    assert said["middle_rgb"] == pytest.approx((red, green, blue), abs=25)


def test_djitellopy_hears_why_a_drone_refuses(client):
    with fake(Fault("no_imu")) as drone:
        said = client.do("refusals", drone)
    assert "No valid imu" in said["takeoff"]
    assert "Not flying" in said["forward"]


def test_a_late_answer_is_not_taken_for_the_next_one(client):
    """The queue of djitellopy is not emptied before a command: every answer would shift by one."""
    late = Fault("late", "go *", value=1.6)
    with fake(late) as drone:
        said = client.do(
            "talk",
            drone,
            commands=[["takeoff", 10], ["go 60 0 0 100", 1], ["battery?", 4], ["land", 10]],
        )
        commands = drone.commands
    answers = said["answers"]
    assert answers[1][2]  # timed out
    assert answers[2][1].isdigit()  # not the "ok" of the motion
    assert answers[3][:2] == [True, "ok"]
    assert commands.count("go 60 0 0 100") == 2  # heard, and done: sent once


def test_doubled_garbled_and_lost_answers(client):
    faults = (
        Fault("twice", "takeoff"),
        Fault("garbled", "speed?"),
        Fault("dropped", "up 20"),
        Fault("error", "down 20", text="error Not joystick"),
    )
    orders = [["takeoff", 10], ["speed?", 3], ["up 20", 1], ["down 20", 3], ["land", 10]]
    with fake(*faults) as drone:
        answers = client.do("talk", drone, commands=orders)["answers"]
    assert [item[0] for item in answers] == [True, False, False, False, True]
    assert answers[3][1] == "error Not joystick"
    assert answers[2][2] and not answers[1][2]


def test_a_motion_is_broken_off_from_another_thread(client):
    with fake() as drone:
        said = client.do("interrupt", drone)
        commands, end = drone.commands, drone.body.pose
    assert said["broken_off"] and said["landed"] and said["number"].isdigit()
    assert "stop" in commands
    assert 0.6 <= end.x < 2.5  # of 4.6


@pytest.mark.parametrize(("kind", "reason"), [("no_state", "no_state"), ("link", "no_answer")])
def test_a_drone_that_cannot_be_reached_says_why(client, kind, reason):
    with fake(Fault(kind)) as drone:
        assert client.do("talk", drone, commands=[]) == {"refused": reason}


def test_a_survey_over_udp_finds_the_containers_and_stays_inside(client):
    with fake(scene=floor(camera(480)), stretch=0.06, drift_m_s=(0.004, 0.0)) as drone:
        said = client.do("fly", drone, waypoints=[[1.4, 1.2], [1.9, 1.9]])
        track = in_the_air(drone)
    assert said["states"][-1][:2] == ["landed", "done"]
    assert len(said["looks"]) == 2 and any(look["tags"] for look in said["looks"])
    for label, truth in (("can", CAN), ("bottle", BOTTLE)):
        found = [item for look in said["looks"] for item in look["seen"] if item[0] == label]
        assert found
        for _, x, y, covariance in found:
            off = np.array([x, y]) - truth
            assert off @ np.linalg.solve(np.array(covariance), off) < 16  # four sigma
    fence = Geofence(ROOM, 2.5)
    assert min(fence.clearance((x, y)) for x, y in track[::10, 1:3]) > 0.1
    assert track[:, 3].max() < 2.5
    assert said["closed_in"] < 5


def test_a_link_that_comes_back_lets_the_drone_land(client):
    with fake(Fault("link", value=10, length=50), scene=floor(camera(480))) as drone:
        said = client.do("fly", drone, link_s=0.6, answer_s=1.0, reconnect_s=30)
        airborne = drone.body.airborne
    phases = [phase for phase, *_ in said["states"]]
    assert "reconnecting" in phases
    assert said["states"][-1][:2] == ["landed", "link_lost"]
    assert not airborne


def test_without_video_it_does_not_take_off(client):
    with fake(Fault("no_video"), scene=floor(camera(480))) as drone:
        said = client.do("fly", drone)
        commands = drone.commands
    assert said["states"][-1][:2] == ["failed", "no_video"]
    assert "takeoff" not in commands


def test_silence_makes_the_body_land_and_an_empty_battery_too():
    for changes in ({}, {"battery": 6.0, "endurance_s": 60.0}):
        flown = body(**changes)
        flown.take_off()
        for _ in range(round(20 / 0.02)):
            flown.heard = flown.now if changes else 0.0
            flown.step(0.02)
        assert not flown.airborne


def test_the_body_leans_into_its_motion_and_comes_to_rest_where_it_should():
    flown = body()
    flown.take_off()
    pitches = []
    for step in range(400):
        if step == 150:
            flown.go(1.0, 0.0, 0.2, 1.0)
        flown.heard = flown.now
        flown.step(0.02)
        pitches.append(flown.pitch)
    assert flown.rests
    assert flown.pose == pytest.approx(Pose3(1.6, 0.6, 1.0, 0.0), abs=0.03)
    assert math.degrees(min(pitches)) < -5 < 5 < math.degrees(max(pitches))  # nose down, then up

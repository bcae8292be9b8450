import math

import numpy as np
import pytest
from adm_core.aerial.errors import FlightReason
from adm_core.aerial.flight import FlightStatus, Look, Phase
from adm_core.aerial.geofence import Geofence
from adm_core.aerial.pilot import Pilot
from adm_core.testing.tello_faults import Fault
from flights import BOTTLE, CAN, ROOM, START, direct, plan
from hypothesis import given, settings
from hypothesis import strategies as st
from sizes import examples

WAY = ((1.5, 1.0), (2.2, 1.9))


def fly(drone, flight=None, meddle=None):
    """Drain a flight; return its pilot, states and looks."""
    pilot = Pilot(drone, flight or plan(waypoints=WAY), drone)
    states, looks = [], []
    for event in pilot.fly():
        (looks if isinstance(event, Look) else states).append(event)
        if meddle:
            meddle(pilot, event)
    return pilot, states, looks


def true_place(drone, stamp):
    return drone.track[min(round(stamp / 0.02), len(drone.track)) - 1][0][:2]


def end_of(states):
    last = states[-1]
    assert last.phase.over
    return last.phase, last.reason


def flew(drone):
    return np.array([pose for pose, up in drone.track if up]).reshape(-1, 4)


def test_a_survey_visits_its_way_points_and_lands_where_it_began():
    drone = direct()
    _, states, looks = fly(drone, plan())
    assert end_of(states) == (Phase.LANDED, FlightReason.DONE)
    assert states[-1].visited == states[-1].planned == len(looks)
    assert math.dist(drone.body.pose[:2], START) < 0.35
    found = {item.label: item for look in looks for item in look.sightings}
    assert found["can"].place == pytest.approx(CAN, abs=0.1)
    assert found["bottle"].place == pytest.approx(BOTTLE, abs=0.1)
    assert not drone.body.airborne


def test_rounds_are_flown_one_after_the_other():
    drone = direct()
    _, states, looks = fly(drone, plan(waypoints=WAY, rounds=3))
    assert end_of(states) == (Phase.LANDED, FlightReason.DONE)
    assert states[-1].visited == states[-1].planned == len(looks) == 6


def test_known_tags_correct_the_place_and_sharpen_it():
    drone = direct(stretch=0.15)
    _, _, looks = fly(drone, plan(waypoints=((1.5, 1.5), (2.3, 2.3))))
    assert looks[0].tags == (1,)
    assert looks[0].known.sigma_m < 0.05
    blind = direct(stretch=0.15)
    _, _, without = fly(blind, plan(waypoints=((1.5, 1.5), (2.3, 2.3)), tags={}))
    assert without[-1].known.sigma_m > looks[-1].known.sigma_m

    def error(drone, look):
        return math.dist(true_place(drone, look.stamp), look.known.pose[:2])

    assert error(drone, looks[0]) < 0.05 < error(blind, without[0])


@pytest.mark.parametrize(
    ("fault", "phase", "reason"),
    [
        (Fault("battery", value=20), Phase.FAILED, FlightReason.LOW_BATTERY),
        (Fault("no_imu"), Phase.FAILED, FlightReason.NO_IMU),
        (Fault("no_state"), Phase.FAILED, FlightReason.NO_STATE),
        (Fault("no_video"), Phase.FAILED, FlightReason.NO_VIDEO),
        (Fault("link"), Phase.FAILED, FlightReason.NO_ANSWER),
        (Fault("error", "takeoff", text="error"), Phase.FAILED, FlightReason.REFUSED),
        (Fault("dropped", "takeoff", times=9), Phase.FAILED, FlightReason.NO_ANSWER),
        (Fault("lost", "takeoff"), Phase.LANDED, FlightReason.DONE),  # its height tells
        (Fault("twice", "*", times=99), Phase.LANDED, FlightReason.DONE),
        (Fault("late", "go *", value=30), Phase.LANDED, FlightReason.DONE),
        (Fault("dropped", "go *"), Phase.LANDED, FlightReason.DONE),
        (Fault("garbled", "go *"), Phase.LANDED, FlightReason.REFUSED),
        (Fault("error", "go *", text="error No valid imu"), Phase.LANDED, FlightReason.NO_IMU),
        (Fault("stop_video", value=4), Phase.LANDED, FlightReason.NO_VIDEO),
        (Fault("link", value=4, length=5), Phase.LANDED, FlightReason.LINK_LOST),
        (Fault("link", value=4), Phase.LINK_LOST, FlightReason.LINK_LOST),
        (Fault("dropped", "land", times=2), Phase.LANDED, FlightReason.DONE),
    ],
    ids=lambda value: f"{value.kind}-{value.command}" if isinstance(value, Fault) else None,
)
def test_every_fault_ends_in_a_defined_state(fault, phase, reason):
    drone = direct([fault])
    _, states, _ = fly(drone)
    assert end_of(states) == (phase, reason)
    places = flew(drone)
    if len(places):
        fence = Geofence(ROOM, 2.5)
        assert min(fence.clearance((x, y)) for x, y, *_ in places) > 0
        assert places[:, 2].max() <= 2.5
    drone.sleep(20)  # a drone that hears nothing lands by itself
    assert not drone.body.airborne


def test_after_lost_answers_the_truth_is_where_the_estimate_allows_it():
    drone = direct([Fault("lost", "go *", times=2)])
    _, states, looks = fly(drone, plan(waypoints=WAY, tags={}))
    assert states[-1].phase is Phase.LANDED
    assert looks[0].known.sigma_m > 0.1
    for look in looks:
        off = math.dist(true_place(drone, look.stamp), look.known.pose[:2])
        assert off <= look.known.reach_m(3)


def test_a_low_battery_in_flight_goes_home_and_an_empty_one_lands_at_once():
    for endurance, reason in ((60.0, Phase.RETURNING), (9.0, Phase.LANDING)):
        drone = direct([Fault("battery", value=33)], endurance_s=endurance)
        _, states, _ = fly(drone, plan())
        assert end_of(states) == (Phase.LANDED, FlightReason.LOW_BATTERY)
        first = next(item for item in states if item.reason is FlightReason.LOW_BATTERY)
        assert first.phase is reason
        assert states[-1].visited < states[-1].planned


def test_a_dry_run_sends_nothing_to_the_motors():
    drone = direct()
    _, states, looks = fly(drone, plan(dry_run=True))
    assert end_of(states) == (Phase.REHEARSED, FlightReason.DONE)
    assert drone.commands == [] and not drone.body.airborne
    assert len(looks) == 1


def test_land_hold_and_go_on_are_obeyed_between_two_motions():
    held = []

    def meddle(pilot, event):
        if isinstance(event, Look):
            pilot.hold()
        if isinstance(event, FlightStatus) and event.phase is Phase.HOLDING:
            held.append(event)
            before = drone.body.pose
            drone.sleep(6)
            assert math.dist(before, drone.body.pose) < 0.01
            pilot.hold(False)
            if len(held) == 2:
                pilot.land()

    drone = direct()
    _, states, looks = fly(drone, plan(), meddle)
    assert end_of(states) == (Phase.LANDED, FlightReason.OPERATOR)
    assert len(looks) == len(held) == 2


def test_an_emergency_stop_breaks_the_motion_off_and_lands_there():
    drone = direct()
    pilot = Pilot(drone, plan(waypoints=((2.4, 0.6),), max_leg_m=3.0), drone)
    sleep = drone.sleep

    def until(seconds):
        sleep(seconds)
        if drone.body.pose.x > 1.2 and "stop" not in drone.commands:
            pilot.stop()

    drone.sleep = until
    states = [event for event in pilot.fly() if isinstance(event, FlightStatus)]
    assert end_of(states) == (Phase.LANDED, FlightReason.OPERATOR)
    assert 1.2 < drone.body.pose.x < 1.6
    known = states[-1].known
    assert abs(known.pose.x - drone.body.pose.x) < known.reach_m(3)
    assert known.doubt_m == pytest.approx(0.9, abs=0.05)  # nobody knows how far it got


def test_a_held_drone_is_kept_alive():
    pilot = None
    drone = direct()
    pilot = Pilot(drone, plan(waypoints=WAY), drone)
    pilot.hold()
    flight = pilot.fly()
    phases = [next(flight).phase for _ in range(4)]
    assert phases[-1] is Phase.HOLDING
    sleep, begun = drone.sleep, drone.now()

    def until(seconds):
        sleep(seconds)
        if drone.now() - begun > 40:
            pilot.hold(False)

    drone.sleep = until
    rest = [event for event in flight if isinstance(event, FlightStatus)]
    assert rest[-1].reason is FlightReason.DONE
    assert drone.commands.count("keepalive") >= 8


def test_an_observation_that_is_asked_for_comes_first():
    drone = direct()
    asked = []

    def meddle(pilot, event):
        if isinstance(event, FlightStatus) and event.phase is Phase.SURVEYING and not asked:
            asked.append(pilot.observe((2.4, 0.7)))
            with pytest.raises(ValueError, match="place"):
                pilot.observe((5.0, 5.0))

    _, states, looks = fly(drone, meddle=meddle)
    assert looks[0].known.pose[:2] == pytest.approx((2.4, 0.7), abs=0.15)
    assert (states[-1].visited, len(looks)) == (2, 3)


def test_closing_a_flight_in_the_air_lands():
    drone = direct()
    flight = Pilot(drone, plan(waypoints=WAY), drone).fly()
    while next(flight).__class__ is not Look:
        pass
    assert drone.body.airborne
    flight.close()
    assert not drone.body.airborne


def test_an_error_of_the_program_lands_and_is_not_hidden():
    drone = direct()
    pilot = Pilot(drone, plan(waypoints=WAY), drone)
    looks = iter([drone.shot])
    drone.shot = lambda: next(looks)()  # the second picture raises
    with pytest.raises(RuntimeError):
        list(pilot.fly())
    assert not drone.body.airborne
    assert pilot.status.phase.over
    assert pilot.status.reason is FlightReason.MISTAKE


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"waypoints": ((5.0, 5.0),)}, "waypoints"),
        ({"altitude_m": 3.0}, "altitude_m"),
        ({"corners": ((0.5, 0.5), (0.9, 0.5), (0.9, 0.9))}, "fence"),
    ],
)
def test_a_plan_that_breaks_its_limits_is_refused_before_the_flight(changes, words):
    drone = direct()
    with pytest.raises(ValueError, match=words):
        Pilot(drone, plan(**changes), drone)
    assert drone.commands == []


@settings(max_examples=examples("flights"), deadline=None)
@given(
    st.lists(
        st.builds(
            Fault,
            st.sampled_from(["lost", "late", "dropped", "garbled", "error", "twice"]),
            st.sampled_from(["go *", "takeoff", "land", "*"]),
            times=st.integers(1, 3),
        ),
        max_size=3,
    ),
    st.floats(-0.08, 0.08),
)
def test_the_fence_holds_whatever_answers_are_lost(faults, stretch):
    drone = direct(faults, stretch=stretch)
    _, states, _ = fly(drone, plan())
    assert states[-1].phase.over
    fence = Geofence(ROOM, 2.5)
    places = flew(drone)
    if len(places):
        assert min(fence.clearance((x, y)) for x, y, *_ in places[::5]) > 0

"""The drone's node: orders, reports, faults, and that nothing happens unasked."""

import math
import subprocess
import sys
import time

import numpy as np
import pytest
from adm_core.aerial.geofence import Geofence
from adm_core.testing.direct_tello import DirectTello
from adm_core.testing.fake_tello import FakeTello
from adm_core.testing.tello_faults import Fault
from adm_core.testing.tello_ports import tello_ports
from adm_nodes.common import qos
from adm_nodes.drivers.tello import TelloNode
from flights import BOTTLE, CAN, ROOM, body, camera, floor
from geometry_msgs.msg import PoseWithCovarianceStamped
from sensor_msgs.msg import CompressedImage

import adm_interfaces.msg as msgs
import adm_interfaces.srv as srvs

ENDS = ("landed", "rehearsed", "failed", "link_lost")
PARAMETERS = {
    "tello.fence": "0,0 3,0 3,3 0,3",
    "tello.start_x": 0.6,
    "tello.start_y": 0.6,
    "tello.tags": "1:1.5,1.5,17.19 2:0.6,2.4,0",
    "flight.settle_s": 0.1,
}


class Tello(DirectTello):
    """In time that runs fifty times as fast as ours."""

    def __init__(self, *faults):
        super().__init__(floor(camera(960)), faults, body())
        self.opened = 0

    def sleep(self, seconds):
        super().sleep(seconds)
        time.sleep(seconds / 50)

    def connect(self):
        self.opened += 1
        super().connect()


class Bench:
    """A node with its drone, and everything that it published."""

    def __init__(self, spinning, drone, **parameters):
        self.spinning, self.drone = spinning, drone
        self.statuses, self.reports, self.seen, self.poses, self.pictures = [], [], [], [], []
        for kind, topic, kept in (
            (msgs.DroneStatus, "drone_status", self.statuses),
            (msgs.RobotReport, "robot_reports", self.reports),
            (msgs.Sightings, "sightings", self.seen),
            (PoseWithCovarianceStamped, "drone_pose", self.poses),
            (CompressedImage, "drone_picture/compressed", self.pictures),
        ):
            spinning.node.create_subscription(kind, topic, kept.append, qos.STATUS)
        self.node = spinning.add(
            lambda **kwargs: TelloNode(lambda config: drone, drone, **kwargs),
            {**PARAMETERS, **parameters},
        )

    def activate(self):
        for label in ("configure", "activate"):
            assert self.spinning.transition("tello", label)
        return self

    def order(self, order, places=()):
        xs, ys = zip(*places, strict=True) if places else ((), ())
        request = srvs.FlyDrone.Request(order=order, xs=list(xs), ys=list(ys))
        return self.spinning.call(srvs.FlyDrone, "fly_drone", request)

    def wait_for(self, *phases, seconds=60):
        self.spinning.wait(
            lambda: any(item.phase in phases for item in self.statuses), timeout=seconds
        )

    @property
    def end(self):
        last = next(item for item in reversed(self.statuses) if item.phase in ENDS)
        return last.phase, last.reason


def test_nothing_is_opened_before_a_survey_is_ordered(spinning):
    bench = Bench(spinning, Tello()).activate()
    assert bench.drone.opened == 0 and bench.drone.commands == []
    assert spinning.transition("tello", "deactivate")
    assert spinning.transition("tello", "cleanup")
    assert bench.drone.opened == 0


def test_a_survey_reports_containers_with_their_uncertainty(spinning):
    bench = Bench(spinning, Tello()).activate()
    assert bench.order("survey", [(1.4, 1.2), (1.9, 1.9)]).status.code == msgs.ReplyStatus.OK
    bench.wait_for(*ENDS)
    assert bench.end == ("landed", "done")
    spinning.wait(lambda: len(bench.reports) == len(bench.seen) == len(bench.pictures) == 2)
    assert [report.number for report in bench.reports] == [1, 2]
    report = bench.reports[0]
    assert (report.source, report.source_id, report.header.frame_id) == ("remote", "tello", "map")
    assert len(report.footprint) == 1 and report.position_sigma_m > 0
    found = {item.label: item for seen in bench.seen for item in seen.sightings}
    assert (found["can"].x, found["can"].y) == pytest.approx(CAN, abs=0.15)
    assert (found["bottle"].x, found["bottle"].y) == pytest.approx(BOTTLE, abs=0.15)
    assert 0 < found["can"].covariance[0] < 0.1
    sure = {item.label: item.confidence for item in report.detections}
    assert 0 < sure["can"] <= found["can"].confidence
    assert bench.poses[-1].pose.covariance[0] > 0
    assert bench.pictures[0].format == "jpeg"


def test_orders_that_make_no_sense_are_refused(spinning):
    bench = Bench(spinning, Tello()).activate()
    for order, places in (("hold", ()), ("observe", [(1.0, 1.0)]), ("dance", ())):
        reply = bench.order(order, places)
        assert reply.status.code == msgs.ReplyStatus.REFUSED
    reply = bench.order("survey", [(9.0, 9.0)])
    assert (
        reply.status.code == msgs.ReplyStatus.REFUSED and "inside the fence" in reply.status.message
    )
    assert bench.drone.commands == []


def test_hold_observe_resume_and_land(spinning):
    bench = Bench(spinning, Tello()).activate()
    bench.order("survey")
    bench.wait_for("surveying")
    bench.order("hold")
    bench.wait_for("holding")
    assert bench.order("observe", [(2.3, 0.8)]).status.code == msgs.ReplyStatus.OK
    looked = len(bench.seen)
    bench.order("resume")
    spinning.wait(lambda: len(bench.seen) > looked, timeout=30)
    area = bench.reports[looked].footprint[0]
    assert min(area.corners_x) < 2.3 < max(area.corners_x)
    bench.order("land")
    bench.wait_for(*ENDS)
    assert bench.end == ("landed", "operator")


def test_the_planners_requests_are_looked_at(spinning):
    requests = spinning.node.create_publisher(
        msgs.ObservationRequest, "observation_requests", qos.STATUS
    )
    bench = Bench(spinning, Tello()).activate()
    bench.order("survey", [(1.4, 1.2)])
    bench.wait_for("surveying")
    bench.order("hold")
    bench.wait_for("holding")
    place = msgs.PlanarPose(x=2.3, y=0.8, yaw=math.nan)
    for _ in range(3):  # a repetition is no second request
        requests.publish(msgs.ObservationRequest(number=7, frame_id="map", place=place))
    spinning.wait(lambda: bench.node._last_request == 7)
    bench.order("resume")
    bench.wait_for(*ENDS)
    assert len(bench.reports) == 2
    assert bench.statuses[-1].visited == bench.statuses[-1].planned == 1


@pytest.mark.parametrize("allowed", [True, False])
def test_it_takes_off_for_a_request_only_where_that_is_allowed(spinning, allowed):
    requests = spinning.node.create_publisher(
        msgs.ObservationRequest, "observation_requests", qos.STATUS
    )
    bench = Bench(spinning, Tello(), **{"tello.fly_on_request": allowed}).activate()
    place = msgs.PlanarPose(x=2.0, y=0.8, yaw=math.nan)
    requests.publish(msgs.ObservationRequest(number=1, frame_id="map", place=place))
    spinning.wait(lambda: bench.node._last_request == 1)
    if allowed:
        bench.wait_for("landed")
        area = bench.reports[0].footprint[0]
        assert min(area.corners_x) < 2.0 < max(area.corners_x)
    else:
        assert bench.drone.commands == []


def test_an_emergency_stop_lands_and_is_in_force_until_the_reset(spinning):
    control = spinning.node.create_publisher(msgs.MissionControl, "mission_control", qos.STATUS)
    bench = Bench(spinning, Tello()).activate()
    bench.order("survey")
    bench.wait_for("surveying")
    control.publish(msgs.MissionControl(word="estop", operator_id="ada"))
    bench.wait_for(*ENDS)
    assert bench.end == ("landed", "operator")
    assert "stop" in bench.drone.commands
    spinning.wait(lambda: not bench.node._worker.flying)
    assert bench.order("survey").status.code == msgs.ReplyStatus.REFUSED
    control.publish(msgs.MissionControl(word="reset", operator_id="ada"))
    spinning.wait(lambda: bench.order("survey").status.code == msgs.ReplyStatus.OK)


def test_deactivating_lands(spinning):
    bench = Bench(spinning, Tello()).activate()
    bench.order("survey")
    bench.wait_for("surveying")
    assert bench.drone.body.airborne
    assert spinning.transition("tello", "deactivate")
    assert not bench.drone.body.airborne
    assert bench.node.state_label == "inactive"
    bench.wait_for(*ENDS)
    assert bench.end == ("landed", "operator")


def test_a_dry_run_reports_nothing_and_turns_no_motor(spinning):
    bench = Bench(spinning, Tello(), **{"tello.dry_run": True}).activate()
    bench.order("survey")
    bench.wait_for(*ENDS)
    assert bench.end == ("rehearsed", "done")
    spinning.wait(lambda: len(bench.pictures) == 1)
    assert bench.reports == [] and bench.drone.commands == []


def test_a_fault_ends_in_a_state_that_is_told_and_the_next_flight_is_free(spinning):
    bench = Bench(spinning, Tello(Fault("no_imu"))).activate()
    bench.order("survey")
    bench.wait_for(*ENDS)
    assert bench.end == ("failed", "no_imu")
    bench.drone.faults._faults.clear()
    bench.statuses.clear()
    assert bench.order("survey", [(1.4, 1.2)]).status.code == msgs.ReplyStatus.OK
    bench.wait_for("landed")


def test_the_next_flight_starts_where_the_last_one_ended_or_where_it_was_put(spinning):
    bench = Bench(spinning, Tello()).activate()
    bench.order("survey", [(2.0, 2.0)])
    bench.wait_for("surveying")
    bench.order("land")
    bench.wait_for("landed")
    there = bench.statuses[-1].pose
    for place in ((there.x, there.y), (1.2, 1.4)):
        bench.statuses.clear()
        bench.order("survey")
        spinning.wait(lambda: any(item.phase == "starting" for item in bench.statuses))
        first = next(item for item in bench.statuses if item.phase == "starting")
        assert (first.pose.x, first.pose.y) == pytest.approx(place, abs=1e-9)
        assert bench.order("place", [(1.2, 1.4)]).status.code == msgs.ReplyStatus.REFUSED
        bench.order("land")
        bench.wait_for(*ENDS)
        spinning.wait(lambda: not bench.node._worker.flying)
        bench.drone.body.position[:2] = (1.2, 1.4)
        assert bench.order("place", [(1.2, 1.4)]).status.code == msgs.ReplyStatus.OK


def test_an_error_of_the_program_lands_and_is_told(spinning):
    bench = Bench(spinning, Tello()).activate()
    shots = iter([bench.drone.shot] * 2)
    bench.drone.shot = lambda: next(shots)()
    bench.order("survey")
    bench.wait_for(*ENDS)
    assert bench.end[1] == "mistake"
    assert not bench.drone.body.airborne


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tello.fence", ""),
        ("tello.fence", "0,0 1,0"),
        ("tello.tags", "1:2"),
        ("flight.altitude_m", 4.0),
        ("tello.containers", "/no/such/file"),
    ],
)
def test_parameters_that_break_a_rule_are_refused_when_configuring(spinning, name, value):
    Bench(spinning, Tello(), **{name: value})
    assert not spinning.transition("tello", "configure")


def test_over_udp_with_the_real_djitellopy(spinning):
    """The node in a process of its own, since djitellopy keeps its ports as long as that lives."""
    pytest.importorskip("djitellopy", reason="djitellopy is not installed (extra: robots)")
    statuses, reports = [], []
    spinning.node.create_subscription(msgs.DroneStatus, "drone_status", statuses.append, qos.STATUS)
    spinning.node.create_subscription(msgs.RobotReport, "robot_reports", reports.append, qos.STATUS)
    fake = FakeTello(floor(camera(960)), (), body(stretch=0.04), pace=5.0, rate=15)
    given = {**PARAMETERS, "tello.host": fake.address[0], "tello.port": fake.address[1]}
    command = [sys.executable, "-m", "adm_nodes.drivers.tello", "--ros-args"]
    for name, value in given.items():
        command += ["-p", f"{name}:={value!r}" if isinstance(value, str) else f"{name}:={value}"]
    with tello_ports(), fake:
        node = subprocess.Popen(command)
        try:
            for label in ("configure", "activate"):
                assert spinning.transition("tello", label)
            request = srvs.FlyDrone.Request(order="survey", xs=[1.4, 1.9], ys=[1.2, 1.9])
            assert spinning.call(srvs.FlyDrone, "fly_drone", request).status.code == 0
            spinning.wait(lambda: any(item.phase in ENDS for item in statuses), timeout=90)
        finally:
            node.terminate()
            node.wait(30)
        track = fake.track
    last = next(item for item in reversed(statuses) if item.phase in ENDS)
    assert (last.phase, last.reason) == ("landed", "done"), last.text
    found = {item.label: item.pose for report in reports for item in report.detections}
    assert np.hypot(found["can"].x - CAN[0], found["can"].y - CAN[1]) < 0.3
    fence = Geofence(ROOM, 2.5)
    flown = track[track[:, 5] > 0]
    assert min(fence.clearance((x, y)) for x, y in flown[::10, 1:3]) > 0.1

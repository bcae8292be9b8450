import math

import numpy as np
import pytest
from adm_core.aerial.drone import Telemetry
from adm_core.aerial.errors import FlightReason
from adm_core.aerial.estimate import Pose3, Whereabouts
from adm_core.aerial.flight import FlightStatus, Phase
from adm_core.aerial.sightings import Sighting
from adm_core.memory.footprint import Footprint
from adm_core.memory.records import Detection, EvidenceBatch, Source
from adm_core.types import Pose2D
from adm_nodes.common import conversions
from builtin_interfaces.msg import Time

import adm_interfaces.msg as msgs

STAMP = Time(sec=12, nanosec=500_000_000)
BATCH = EvidenceBatch(
    7,
    Source.REMOTE,
    "tello",
    3.5,
    (Detection("can", Pose2D(1.0, 2.0, 0.0), 0.7, "tag9"), Detection("bottle", Pose2D(0, 1), 0.6)),
    "map",
    "m1",
    Footprint(corners=((0.0, 0.0), (1.0, 0.0), (1.0, 1.0))),
)


def test_a_report_comes_back_as_it_was_but_for_its_place_in_the_order():
    message = conversions.robot_report_to_msg(BATCH, 4, STAMP, 0.12)
    assert (message.number, message.position_sigma_m, message.header.stamp) == (4, 0.12, STAMP)
    assert conversions.robot_report_from_msg(message, 3.5, 7) == BATCH


@pytest.mark.parametrize(
    "changes",
    [
        {"source": "hearsay"},
        {"footprint": [msgs.Footprint(corners_x=[0.0], corners_y=[0.0])]},
        {"footprint": [msgs.Footprint(), msgs.Footprint()]},
    ],
)
def test_a_malformed_report_is_refused(changes):
    message = msgs.RobotReport(**{"source": "remote", **changes})
    with pytest.raises(ValueError):
        conversions.robot_report_from_msg(message, 0.0)


def test_sightings_carry_their_covariance():
    seen = Sighting("can", (1.0, 2.0), np.array([[0.04, 0.01], [0.01, 0.09]]), 0.8, "tag9")
    message = conversions.sightings_to_msg([seen], STAMP, "map", "tello")
    (item,) = message.sightings
    assert (item.label, item.x, item.y, item.z, item.entity_id) == ("can", 1.0, 2.0, 0.0, "tag9")
    assert np.reshape(item.covariance, (3, 3))[:2, :2] == pytest.approx(seen.covariance)
    assert (message.header.frame_id, message.source_id) == ("map", "tello")


def test_a_drones_state_and_pose():
    covariance = np.diag([0.04, 0.09, 0.01])
    known = Whereabouts(Pose3(1.0, 2.0, 1.5, math.pi / 2), covariance)
    told = Telemetry(0.0, 1.5, 77, 0.0, 0.0)
    status = FlightStatus(Phase.LANDING, FlightReason.LOW_BATTERY, "x", 3, 9, known, told)
    message = conversions.drone_status_to_msg(status, "tello")
    assert (message.phase, message.reason, message.battery) == ("landing", "low_battery", 77)
    assert (message.visited, message.planned, message.height_m) == (3, 9, 1.5)
    silent = FlightStatus(Phase.IDLE, FlightReason.NONE, "", 0, 0, known, None)
    assert conversions.drone_status_to_msg(silent, "t").battery == -1
    pose = conversions.drone_pose_to_ros(known).pose
    assert conversions.pose_from_ros(pose.pose) == pytest.approx((1.0, 2.0, math.pi / 2))
    table = np.reshape(pose.covariance, (6, 6))
    assert (table[0, 0], table[1, 1], table[5, 5]) == pytest.approx((0.04, 0.09, 0.01))

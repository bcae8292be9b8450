import numpy as np
import pytest
from adm_core.aerial.config import FlightConfig
from adm_core.aerial.drone import Telemetry
from adm_core.aerial.errors import FlightReason
from adm_core.aerial.estimate import Pose3, Whereabouts
from adm_core.aerial.failsafe import Action, judge, margin
from adm_core.aerial.geofence import Geofence

FENCE = Geofence(((0, 0), (3, 0), (3, 3), (0, 3)), 2.5)
CONFIG = FlightConfig()


def at(x=1.5, y=1.5, sigma=0.1):
    return Whereabouts(Pose3(x, y, 1.5, 0.0), np.diag([sigma**2, sigma**2, 0.0]))


def told(battery=80, height=1.5, stamp=10.0):
    return Telemetry(stamp, height, battery, 0.0, 0.0)


@pytest.mark.parametrize(
    ("heard", "known", "action", "reason"),
    [
        (told(), at(), Action.GO_ON, FlightReason.NONE),
        (None, at(), Action.RECONNECT, FlightReason.LINK_LOST),
        (told(stamp=8.0), at(), Action.RECONNECT, FlightReason.LINK_LOST),
        (told(24), at(), Action.RETURN, FlightReason.LOW_BATTERY),
        (told(14), at(), Action.LAND, FlightReason.LOW_BATTERY),
        (told(), at(sigma=0.9), Action.LAND, FlightReason.LOST),
        (told(), at(x=3.1), Action.LAND, FlightReason.GEOFENCE),
        (told(height=2.8), at(), Action.LAND, FlightReason.GEOFENCE),
        (told(24), at(sigma=0.9), Action.LAND, FlightReason.LOST),  # the graver one wins
        (told(14, stamp=1.0), at(), Action.RECONNECT, FlightReason.LINK_LOST),
    ],
)
def test_the_gravest_rule_wins(heard, known, action, reason):
    verdict = judge(heard, known, FENCE, CONFIG, 10.0)
    assert (verdict.action, verdict.reason) == (action, reason)


def test_the_margin_grows_with_the_uncertainty():
    assert margin(at(sigma=0.2), CONFIG) == pytest.approx(0.3 + 2 * 0.2)

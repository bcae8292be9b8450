"""When a flight must end: rules over what is known now, nothing else."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from adm_core.aerial.config import FlightConfig
from adm_core.aerial.drone import Telemetry
from adm_core.aerial.errors import FlightReason
from adm_core.aerial.estimate import Whereabouts
from adm_core.aerial.geofence import Geofence

#: A drone may be off its commanded height by this much before the ceiling counts as broken.
_HEIGHT_SLACK_M = 0.2


class Action(str, Enum):
    """What to do, the mildest first."""

    GO_ON = "go_on"
    RETURN = "return"
    LAND = "land"
    RECONNECT = "reconnect"


class Verdict(NamedTuple):
    """What to do, and why."""

    action: Action
    reason: FlightReason = FlightReason.NONE
    text: str = ""


def judge(
    told: Telemetry | None,
    known: Whereabouts,
    fence: Geofence,
    config: FlightConfig,
    now: float,
) -> Verdict:
    """Return what an airborne drone must do; the gravest rule wins.

    Parameters
    ----------
    told : Telemetry or None
        What it told last.
    known : Whereabouts
        Where it is believed to be.
    fence : Geofence
        Where it may be.
    config : FlightConfig
        Limits.
    now : float
        Present time, seconds of the pilot's clock.
    """
    if told is None or now - told.stamp > config.link_s:
        silent = "ever" if told is None else f"for {now - told.stamp:.1f} s"
        return Verdict(Action.RECONNECT, FlightReason.LINK_LOST, f"no state {silent}")
    if told.battery < config.battery_land:
        return Verdict(Action.LAND, FlightReason.LOW_BATTERY, f"battery {told.battery} %")
    if known.reach_m(1.0) > config.max_sigma_m:
        return Verdict(Action.LAND, FlightReason.LOST, f"place +- {known.reach_m(1.0):.2f} m")
    pose = known.pose
    if not fence.contains((pose.x, pose.y), told.height_m - _HEIGHT_SLACK_M):
        text = f"at {pose.x:.2f}, {pose.y:.2f}, {told.height_m:.2f}"
        return Verdict(Action.LAND, FlightReason.GEOFENCE, text)
    if told.battery < config.battery_return:
        return Verdict(Action.RETURN, FlightReason.LOW_BATTERY, f"battery {told.battery} %")
    return Verdict(Action.GO_ON)


def margin(known: Whereabouts, config: FlightConfig) -> float:
    """Return the distance to keep from the fence, metres: it grows with the uncertainty."""
    return config.fence_margin_m + known.reach_m(config.fence_sigmas)

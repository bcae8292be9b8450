"""Why a flight did not go as planned, and the error that says so."""

from __future__ import annotations

from enum import Enum

from adm_core.errors import AdmError


class FlightReason(str, Enum):
    """Why a flight ended, or a command was refused."""

    NONE = "none"
    DONE = "done"
    OPERATOR = "operator"
    NO_ANSWER = "no_answer"  # a command was not answered
    NO_STATE = "no_state"  # it answers, but tells nothing about itself
    NO_VIDEO = "no_video"
    NO_IMU = "no_imu"  # too dark, or a floor without texture
    REFUSED = "refused"  # the drone said error
    LOW_BATTERY = "low_battery"
    LINK_LOST = "link_lost"
    GEOFENCE = "geofence"
    LOST = "lost"  # its place is too uncertain
    UNSETTLED = "unsettled"  # it does not come to rest
    NOT_INSTALLED = "not_installed"
    MISTAKE = "mistake"  # an error of the program: the trace is in the log


class DroneError(AdmError):
    """The drone cannot be used, or not go on.

    Attributes
    ----------
    reason : FlightReason
        Kind of trouble.
    """

    def __init__(self, reason: FlightReason, text: str) -> None:
        super().__init__(f"{reason.value}: {text}")
        self.reason = reason

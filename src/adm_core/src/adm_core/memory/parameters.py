"""Parameters of the dynamic memory."""

from __future__ import annotations

from dataclasses import dataclass

from adm_core.config import Config, param


@dataclass(frozen=True)
class MemoryConfig(Config):
    """Parameters of the dynamic memory."""

    senders: str = param(
        "", "names of the remote senders that are believed, between commas; empty: all"
    )
    min_remote_confidence: float = param(
        0.55, "least confidence of an accepted remote report", min=0.0, max=1.0
    )
    cooldown_failures: int = param(
        3, "equal failures of one entity after which it is left alone for a while", min=1
    )
    confirm: int = param(
        1,
        "remote reports that a new entity needs before the planner sees it; with gated "
        "association at least 2",
        min=1,
    )
    misses: int = param(
        0, "reports that cover a place and miss it after which it is unsupported; 0: never", min=0
    )
    notice_moves: bool = param(
        False,
        "whether a report that misses an entity and shows a newcomer of its class says that it "
        "has moved there, so that no further miss is waited for",
    )
    unconfirmed_misses: int = param(
        2, "the same for an entity not confirmed yet, which then begins anew; 0: never", min=0
    )
    association: str = param(
        "cell",
        "anonymous remote reports belong to the entity of their class in the same cell; or to "
        "the nearest one within the gate, assigned together, newcomers tentative until confirmed",
        choices=("cell", "gated"),
    )
    associate_onboard: bool = param(
        False, "whether gated association holds for the robot's own sightings, too"
    )
    revise_class: bool = param(
        False,
        "whether a report of another class at an entity's place, stronger than what is known, "
        "corrects its class: with it the station that it is assigned to",
    )
    report_sigma_m: float = param(
        0.4, "standard deviation of a reported position", unit="m", min=1e-6
    )
    gate: float = param(3.0, "gate of the association in standard deviations", min=0.0)
    pin_target: bool = param(
        False, "whether the active target keeps a place among the K while above the floor"
    )
    pose_tolerance_m: float = param(
        0.1,
        "distance up to which a new estimate leaves the stored pose as it is",
        unit="m",
        min=0.0,
    )
    replan_on_support_loss: bool = param(
        True, "whether a target whose support decays below the floor is reconsidered"
    )
    cooldown_s: float = param(18.0, "how long it is left alone", unit="s", min=0.0)


def reports_needed(config: MemoryConfig) -> int:
    """Return how many remote reports confirm a new entity.

    Gated association is not without: what tells a ghost from a new object is that the object
    is seen again at its place.
    """
    return max(config.confirm, 2) if config.association == "gated" else config.confirm

"""Scenarios of the grid world: the paper's three, and how a mission on a map differs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from adm_core.config import Config, param


@dataclass(frozen=True)
class Scenario(Config):
    """Size and noise of a simulated recycling mission (paper, section V-A; profile F1)."""

    name: str = param("DN-14", "name of the scenario")
    side: int = param(8, "cells along each side of the grid; 0 on a map", min=0)
    containers: int = param(14, "containers to deliver, half of each class", min=1)
    budget_steps: int = param(
        240, "steps after which the mission has failed; 0: 1.5 x the oracle's", min=0
    )
    relocation: float = param(
        0.025, "chance per step that one container, drawn from all, jumps", min=0.0, max=1.0
    )
    false_report: float = param(
        0.30, "chance per aerial scan of one ghost report", min=0.0, max=1.0
    )
    latency: int = param(4, "steps between an aerial scan and its report", min=0)
    detection: float = param(
        0.68, "chance that a scan, or a look around, finds an object", min=0.0, max=1.0
    )
    failure: float = param(0.05, "chance that a MOVE, PICK or PLACE slips", min=0.0, max=1.0)
    displaced: float = param(
        0.0, "chance that an aerial report of an object is one cell off", min=0.0, max=1.0
    )
    lost: float = param(0.0, "chance that an aerial report is lost on its way", min=0.0, max=1.0)
    outage_start: int = param(0, "first step of an outage of all aerial reports", min=0)
    outage_steps: int = param(0, "steps that the outage lasts; 0: none", min=0)


@dataclass(frozen=True)
class SensingConfig(Config):
    """What the paper leaves open about reports; one set for all scenarios and methods."""

    prior_confidence: float = param(0.9, "confidence of the initial map", min=0.0, max=1.0)
    onboard_confidence: float = param(0.95, "confidence of onboard sightings", min=0.0, max=1.0)
    true_alpha: float = param(8.0, "first Beta parameter of a true report's confidence", min=0.1)
    true_beta: float = param(2.5, "second Beta parameter of a true report's confidence", min=0.1)
    ghost_alpha: float = param(4.0, "first Beta parameter of a ghost's confidence", min=0.1)
    ghost_beta: float = param(5.0, "second Beta parameter of a ghost's confidence", min=0.1)


#: The paper's three scenarios; the profiles start from them.
SCENARIOS = {
    item.name: item
    for item in (
        Scenario("S-6", 5, 6, 80, 0.0, 0.05, 2, 0.85),
        Scenario("D-10", 7, 10, 150, 0.0125, 0.175, 3, 0.765),
        Scenario("DN-14", 8, 14, 240, 0.025, 0.30, 4, 0.68),
    )
}


def map_scenario(name: str, containers: int) -> Scenario:
    """Return the scenario of a mission on a map: noise as DN-14, budget from the oracle."""
    return replace(SCENARIOS["DN-14"], name=name, side=0, containers=containers, budget_steps=0)

"""Variants of a profile: which parameters are varied, and how a winner is held against it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from adm_core.experiments.analysis import Cell, Difference, compare, select, summarise_cell
from adm_core.experiments.episode import Episode, Row
from adm_core.missions.profile import load_profile
from adm_core.simulation.scenarios import Scenario

Run = Callable[[Sequence[Episode]], Sequence[Row]]

#: Noise of an experiment: as the paper, or with displaced reports and convincing ghosts.
TAPES = ("plain", "noisy")
#: Confidences of ghosts on the noisy tape: they look more like true reports.
_NOISY_GHOSTS = {"sensing.ghost_alpha": 6.0, "sensing.ghost_beta": 3.0}

#: Parameter to the values that are tried.
FACTORS: Mapping[str, tuple[Any, ...]] = {
    "attention.k": (1, 2, 4, 6, 8, 12),
    "attention.decay_s": (6.0, 12.0, 18.0, 36.0, 72.0),
    "attention.decay": ("exp", "half_life", "linear", "none"),
    "attention.floor": (0.0, 0.08, 0.162, 0.25, 0.35),
    "attention.distance": ("rational", "exp", "none"),
    "attention.combine": ("product", "sum"),
    "attention.weight_remote": (0.4, 0.6, 0.8, 1.0),
    "attention.weight_onboard": (0.6, 0.8, 1.0),
    "attention.weight_static_prior": (0.2, 0.4, 0.6, 0.8, 1.0),
    "memory.min_remote_confidence": (0.0, 0.45, 0.55, 0.65, 0.75),
    "memory.confirm": (1, 2, 3),
    "memory.misses": (0, 2, 3, 5),
    "memory.notice_moves": (False, True),  # says nothing while misses is 0
    # By cell, a newcomer is believed at once. Gated, whole reports are assigned within a gate
    # and newcomers are tentative until confirmed: association on and off.
    "memory.association": ("cell", "gated"),
    "memory.pin_target": (False, True),
    "memory.replan_on_support_loss": (False, True),
}


def scenario_of(profile: str, name: str, tape: str = "plain") -> Scenario:
    """Return a scenario of a profile with the noise of a tape."""
    scenario = load_profile(profile).scenario(name)
    return scenario if tape == "plain" else replace(scenario, false_report=1.0, displaced=0.1)


def changes_of(tape: str, changes: Mapping[str, Any] | None = None) -> tuple[tuple[str, Any], ...]:
    """Return changed parameters together with those of a tape."""
    noise = _NOISY_GHOSTS if tape == "noisy" else {}
    return tuple({**noise, **(changes or {})}.items())


@dataclass(frozen=True)
class Bench:
    """Where variants are tried: a scenario of a profile, on a tape."""

    profile: str
    scenario: str
    tape: str = "plain"

    def episodes(
        self, seeds: range, variant: str, changes: Mapping[str, Any], method: str = "attention"
    ) -> list[Episode]:
        """Return one variant's episodes."""
        scenario = scenario_of(self.profile, self.scenario, self.tape)
        items = changes_of(self.tape, changes)
        return [Episode(scenario, method, seed, self.profile, items, variant) for seed in seeds]

    def hold_against(
        self, changes: Mapping[str, Any], seeds: range, names: tuple[str, str], run: Run
    ) -> tuple[tuple[Cell, ...], Difference]:
        """Run the profile, a variant and the oracle on the same seeds.

        Parameters
        ----------
        changes : mapping
            The variant.
        seeds : range
            Seeds that chose nothing.
        names : (str, str)
            What to call the profile and the variant.
        run : callable
            Turns episodes into rows.

        Returns
        -------
        cells : tuple of Cell
            Profile, variant and oracle.
        gain : Difference
            Variant against profile.
        """
        base_name, best_name = names
        rows = run(
            self.episodes(seeds, base_name, {})
            + self.episodes(seeds, best_name, changes)
            + self.episodes(seeds, base_name, {}, "oracle")
        )
        base = select(rows, variant=base_name, method="attention")
        best = select(rows, variant=best_name)
        cells = (base, best, select(rows, method="oracle"))
        return tuple(map(summarise_cell, cells)), compare(best, base, (best_name, base_name))


def named(changes: Mapping[str, Any]) -> str:
    """Return changed parameters as text."""
    return ", ".join(f"{name}={value}" for name, value in changes.items()) or "no change"

"""What a mission was asked for: from a file and options, or from the log of a run to resume."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from adm_core import __version__
from adm_core.config import build
from adm_core.errors import ConfigError, MissionError
from adm_core.llm.config import LlmConfig
from adm_core.memory.audit import AuditLog
from adm_core.memory.stored import sound
from adm_core.missions.setup import MissionConfig
from adm_core.missions.spec import NOTHING_ELSE, MissionSpec
from adm_core.missions.team_config import TeamConfig
from adm_core.planning.llm_planner import LlmPlannerConfig

#: Parameters that may change when a run is resumed: where the model is and who may use it.
_MAY_CHANGE = ("base_url", "key_env", "key_file", "deadline_s", "attempts", "prices", "probe")

#: Parameters of a mission on a map that a grid scenario has no use for.
_OF_MAPS = ("stations", "robot_radius_m", "step_m")

#: Parameters that the arena has no use for: its robot has a camera, and nobody directs its drone.
_NOT_IN_ARENA = ("view_m", "observe_below")


@dataclass(frozen=True)
class Order:
    """Everything that a mission is made from.

    Attributes
    ----------
    mission, llm, planning : MissionConfig, LlmConfig, LlmPlannerConfig
        Parameters.
    spec : MissionSpec
        What a mission file says beyond them.
    approve : str
        Who approves skills; empty: nothing is approved beforehand.
    team : TeamConfig or None
        Who searches, in a joint mission.
    """

    mission: MissionConfig
    llm: LlmConfig
    planning: LlmPlannerConfig
    spec: MissionSpec = NOTHING_ELSE
    approve: str = "trusted"
    team: TeamConfig | None = None

    def facts(self, map_id: str) -> dict[str, Any]:
        """Return the order as plain data, from which it can be made again."""
        return {
            "version": __version__,
            "map_id": map_id,
            "mission": asdict(self.mission),
            "llm": asdict(self.llm),
            "planning": asdict(self.planning),
            "spec": self.spec.as_plain(),
            "approve": self.approve,
            "team": asdict(self.team) if self.team else None,
        }


def order_of(
    file: str,
    options: Mapping[str, Mapping[str, Any]],
    approve: str | None = None,
    arena: bool = False,
) -> Order:
    """Return the order of a mission file (empty: none) and options, which win.

    Parameters
    ----------
    file : str
        Path of a mission file.
    options : mapping
        ``mission``, ``llm`` and ``planning``: parameters that were given; ``team`` only in a
        joint mission.
    approve : str or None
        Who approves skills, if that was given; an empty text is a list that approves nothing.
    arena : bool
        Whether the mission takes place in the rigid-body arena.

    Raises
    ------
    ConfigError
        If the file or a parameter is wrong, or nothing would come of a parameter.
    """
    mission: dict[str, Any] = {}
    planner: dict[str, Any] = {}
    spec, by_file = NOTHING_ELSE, None
    if file:
        from adm_core.missions.mission_file import load_mission_file

        found = load_mission_file(file)
        mission, planner = dict(found.mission), found.planner
        spec, by_file = found.spec, found.approve
    given = options.get("mission", {})
    if "scenario" in given and "map" not in given:
        mission = {k: v for k, v in mission.items() if k not in ("map", *_OF_MAPS)}
    if file and "containers" in given:
        spec = spec.with_containers(given["containers"])
    config = build(MissionConfig, {**mission, **given})
    _refuse_unused({**mission, **given}, given, bool(file), "team" in options, arena)
    return Order(
        config,
        _planner_config(LlmConfig, planner, options.get("llm", {})),
        _planner_config(LlmPlannerConfig, planner, options.get("planning", {})),
        spec,
        _first_said(approve, by_file, "trusted"),
        build(TeamConfig, options["team"]) if "team" in options else None,
    )


def _refuse_unused(
    all_values: Mapping[str, Any], given: Mapping[str, Any], file: bool, team: bool, arena: bool
) -> None:
    """Refuse parameters of which nothing would come: whoever gave them expects something."""
    on_map = bool(all_values.get("map")) or team
    if "scenario" in given and (on_map or arena):
        what = "--map" if given.get("map") else "--team" if team else "--world arena"
        raise ConfigError(f"scenario is not used with {what}: give only one of them")
    no_use = [name for name in _NOT_IN_ARENA if arena and name in all_values]
    if no_use:
        raise ConfigError(f"{', '.join(no_use)}: not used with --world arena")
    unused = [] if on_map else [name for name in _OF_MAPS if name in all_values]
    if "containers" in given and not (on_map or arena or file):
        unused.insert(0, "containers")
    if unused:
        raise ConfigError(
            f"{', '.join(unused)}: used only on a map, not on the grid of a scenario; "
            "give --map or --team"
        )


def _first_said(*words: str | None) -> str:
    """Return the first word that was said: an empty list of skills is said, and approves none."""
    return next(word for word in words if word is not None)


def _planner_config(cls: Any, by_file: Mapping[str, Any], given: Mapping[str, Any]) -> Any:
    names = set(cls.__dataclass_fields__)
    return build(cls, {**{k: v for k, v in by_file.items() if k in names}, **given})


def resumed_order(
    audit: AuditLog,
    options: Mapping[str, Mapping[str, Any]],
    approve: str | None = None,
) -> Order:
    """Return the order of the run in a log; only what does not change decisions may be given.

    Raises
    ------
    MissionError
        If the log holds no run of ``adm mission``.
    ConfigError
        If a parameter is given that the run fixes.
    """
    facts = audit.facts()
    if "mission" not in facts or facts.get("ros"):
        hint = f": try adm up recycling --resume {audit.path.parent}" if facts.get("ros") else ""
        raise MissionError(
            f"{audit.path.parent} holds no run of 'adm mission' that could be resumed{hint}"
        )
    given = {name for values in options.values() for name in values}
    if given - set(_MAY_CHANGE):
        raise ConfigError(
            "--resume takes the parameters of its run: give no others "
            f"({', '.join(sorted(given - set(_MAY_CHANGE)))})"
        )
    llm = options.get("llm", {})
    build(LlmConfig, llm)  # what is wrong now is not the log's fault
    with sound(f"audit log {audit.path}: what the run was asked for"):
        return Order(
            build(MissionConfig, facts["mission"]),
            build(LlmConfig, {**facts.get("llm", {}), "record": "", **llm}),
            build(LlmPlannerConfig, facts.get("planning", {})),
            MissionSpec.from_plain(facts.get("spec", {})),
            _first_said(approve, facts.get("approve"), "trusted"),
            build(TeamConfig, facts["team"]) if facts.get("team") else None,
        )

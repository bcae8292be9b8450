"""Missions as YAML files: read, checked as a whole, every mistake with its line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adm_core.errors import ConfigError
from adm_core.memory.static import Region, Station
from adm_core.missions.mission_mistakes import find_mistakes, without_none
from adm_core.missions.profile import PROFILES
from adm_core.missions.spec import MissionSpec
from adm_core.missions.yaml_lines import Mistake, load_marked
from adm_core.types import Pose2D

#: Parameters that name a file beside the mission file.
_FILES = {"world": ("map",), "memory": ("profile",), "planner": ("replay", "prices", "key_file")}
_LIMIT = 1 << 20


class MissionFileError(ConfigError):
    """A mission file is wrong; the message has one line for every mistake."""

    def __init__(self, path: str | Path, mistakes: Iterable[Mistake]) -> None:
        self.mistakes = sorted(mistakes, key=lambda item: item.line)
        lines = "\n".join(f"  {item}" for item in self.mistakes)
        count = len(self.mistakes)
        super().__init__(f"{path}: {count} mistake{'s' * (count != 1)}\n{lines}")


@dataclass(frozen=True)
class MissionFile:
    """What a mission file says: parameters by their names, and everything else.

    Attributes
    ----------
    mission, planner : dict
        Parameters of MissionConfig, and of LlmConfig and LlmPlannerConfig.
    spec : MissionSpec
        Static memory and changes.
    approve : str or None
        Who approves skills: trusted, interactive, reversible, or names between commas, of which
        an empty list approves nothing; None: not said.
    """

    mission: dict[str, Any] = field(default_factory=dict)
    planner: dict[str, Any] = field(default_factory=dict)
    spec: MissionSpec = field(default_factory=MissionSpec)
    approve: str | None = None


def load_mission_file(path: str | Path) -> MissionFile:
    """Return a mission file's content.

    Paths in it are relative to the file. What it does not say keeps its default.

    Raises
    ------
    MissionFileError
        With every mistake that was found and its line.
    ConfigError
        If the file cannot be read.
    """
    path = Path(path)
    try:
        with path.open("rb") as stream:
            raw = stream.read(_LIMIT + 1)
        text = raw.decode("utf-8")
    except (OSError, UnicodeDecodeError) as err:
        reason = getattr(err, "strerror", None) or err
        raise ConfigError(f"mission file {path} cannot be read: {reason}") from err
    if len(raw) > _LIMIT:
        raise ConfigError(f"mission file {path} must have at most {_LIMIT} bytes")
    marked = load_marked(text)
    mistakes = [*marked.mistakes, *find_mistakes(marked, path.parent)]
    if mistakes:
        raise MissionFileError(path, mistakes)
    return _content(without_none(marked.data or {}), path.parent)


def _content(data: dict[str, Any], folder: Path) -> MissionFile:
    for section, names in _FILES.items():
        for name in names:
            value = data.get(section, {}).get(name)
            if value and not (name == "profile" and value in PROFILES):
                data[section][name] = str(folder / value)
    world = dict(data.get("world", {}))
    memory = dict(data.get("memory", {}))
    own = {key: memory.pop(key) for key in ("method", "profile") if key in memory}
    approve = data.get("approve")
    return MissionFile(
        mission={**own, **{k: v for k, v in world.items() if k not in ("classes", "budget_steps")}},
        planner=dict(data.get("planner", {})),
        spec=_spec(data, world, memory),
        approve=",".join(approve) if isinstance(approve, list) else approve,
    )


def _spec(data: dict[str, Any], world: dict[str, Any], memory: dict[str, Any]) -> MissionSpec:
    changes = {f"memory.{key}": value for key, value in memory.items()}
    changes |= {f"attention.{key}": value for key, value in data.get("attention", {}).items()}
    scenario = dict(data.get("noise", {}))
    scenario |= {key: world[key] for key in ("containers", "budget_steps") if key in world}
    return MissionSpec(
        goal=data.get("goal", ""),
        map_id=data.get("map_id", ""),
        stations=tuple(
            Station(item["id"], Pose2D(*map(float, item["at"])), tuple(item["accepts"]))
            for item in data.get("stations", ())
        ),
        classes=tuple(world.get("classes", ())),
        regions=tuple(
            Region(item["name"], tuple((float(x), float(y)) for x, y in item["corners"]))
            for item in data.get("regions", ())
        ),
        rules=tuple(data.get("rules", ())),
        skills=tuple(data.get("skills", ())),
        profile=tuple(changes.items()),
        scenario=tuple(scenario.items()),
    )

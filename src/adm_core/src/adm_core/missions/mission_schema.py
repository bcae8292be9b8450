"""Shape of a mission file: pydantic models made from the config dataclasses, one list for all."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from adm_core.config import Parameter, parameters
from adm_core.llm.config import LlmConfig
from adm_core.memory.attention import AttentionConfig
from adm_core.memory.parameters import MemoryConfig
from adm_core.missions.setup import MissionConfig
from adm_core.planning.llm_planner import LlmPlannerConfig
from adm_core.planning.skills import SKILLS
from adm_core.simulation.scenarios import Scenario

#: Sections of a file and the config dataclasses whose parameters they take, some left out.
SECTIONS: dict[str, tuple[tuple[type, frozenset[str]], ...]] = {
    "world": ((MissionConfig, frozenset({"method", "profile"})),),
    "noise": ((Scenario, frozenset({"name", "side", "containers", "budget_steps"})),),
    "memory": ((MemoryConfig, frozenset()),),
    "attention": ((AttentionConfig, frozenset()),),
    "planner": ((LlmConfig, frozenset()), (LlmPlannerConfig, frozenset())),
}
_STRICT = ConfigDict(extra="forbid", strict=True)
_MISSION = {item.name: item for item in parameters(MissionConfig)}
_SCENARIO = {item.name: item for item in parameters(Scenario)}

Word = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.:\-]{0,63}$")]
Text = Annotated[str, Field(min_length=1, max_length=2000)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Point = Annotated[list[Number], Field(min_length=2, max_length=2)]
Pose = Annotated[list[Number], Field(min_length=2, max_length=3)]
SkillName: Any = Literal[tuple(SKILLS)]


def section_parameters(section: str) -> list[Parameter]:
    """Return the parameters of a section, in order."""
    own = {
        "world": [_SCENARIO["budget_steps"]],
        "memory": [_MISSION["method"], _MISSION["profile"]],
    }
    found = [
        item
        for config, left_out in SECTIONS[section]
        for item in parameters(config)
        if item.name not in left_out
    ]
    return [*own.get(section, ()), *found]


def _annotation(item: Parameter) -> Any:
    if item.choices:
        return Literal[item.choices]
    rules: dict[str, Any] = {"ge": item.min, "le": item.max}
    if item.type is float:
        rules["allow_inf_nan"] = False
    return Annotated[item.type, Field(**{k: v for k, v in rules.items() if v is not None})]


def _section(name: str, **more: Any) -> Any:
    fields: dict[str, Any] = {
        item.name: (_annotation(item) | None, None) for item in section_parameters(name)
    }
    return create_model(name.title(), __config__=_STRICT, **fields, **more)


class StationModel(BaseModel):
    """One collection station: its id, place in metres, and the classes that it accepts."""

    model_config = _STRICT
    id: Word
    at: Pose
    accepts: Annotated[list[Word], Field(min_length=1)]


class RegionModel(BaseModel):
    """One named area: three or more corners in metres."""

    model_config = _STRICT
    name: Word
    corners: Annotated[list[Point], Field(min_length=3)]


_TOP: dict[str, Any] = {
    "goal": (Text | None, None),
    "map_id": (Word | None, None),
    "world": (
        _section("world", classes=(Annotated[list[Word], Field(min_length=1)] | None, None)) | None,
        None,
    ),
    "noise": (_section("noise") | None, None),
    "stations": (Annotated[list[StationModel], Field(min_length=1, max_length=26)] | None, None),
    "regions": (list[RegionModel] | None, None),
    "rules": (list[Text] | None, None),
    "skills": (Annotated[list[SkillName], Field(min_length=1)] | None, None),
    "approve": (Any, None),  # a word or a list: looked at beside the schema
    "memory": (_section("memory") | None, None),
    "attention": (_section("attention") | None, None),
    "planner": (_section("planner") | None, None),
}
MissionFileModel: type[BaseModel] = create_model("MissionFile", __config__=_STRICT, **_TOP)


def known_keys(path: Collection[Any]) -> list[str]:
    """Return the keys that a file may have in the mapping at `path`."""
    here = [item for item in path if isinstance(item, str)]
    if not here:
        return list(MissionFileModel.model_fields)
    if here[-1] in SECTIONS:
        names = [item.name for item in section_parameters(here[-1])]
        return [*names, "classes"] if here[-1] == "world" else names
    models: dict[str, type[BaseModel]] = {"stations": StationModel, "regions": RegionModel}
    return list(models[here[-1]].model_fields) if here[-1] in models else []

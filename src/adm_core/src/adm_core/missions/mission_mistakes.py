"""What is wrong with a mission file: shape first, then what contradicts itself."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from adm_core.config import build
from adm_core.errors import ConfigError
from adm_core.files import visible
from adm_core.missions.mission_schema import SECTIONS, MissionFileModel, known_keys
from adm_core.missions.profile import PROFILES, load_profile
from adm_core.missions.yaml_lines import Marked, Mistake
from adm_core.planning.approval import APPROVAL_WORDS, approved_skills
from adm_core.planning.skills import NECESSARY, SKILLS


def find_mistakes(marked: Marked, folder: Path) -> Iterator[Mistake]:
    """Yield what is wrong with the shape; if nothing is, what contradicts itself."""
    if marked.data is None:
        return
    if not isinstance(marked.data, dict):
        yield Mistake(1, f"a mission file must be a mapping of keys, got {_kind(marked.data)}")
        return
    wrong_approval = list(_approval_mistakes(marked))
    yield from wrong_approval
    try:
        MissionFileModel.model_validate(marked.data)
    except ValidationError as err:
        seen = set()
        for item in err.errors(include_url=False):
            mistake = _mistake(item, marked)
            if mistake not in seen:
                yield mistake
            seen.add(mistake)
        return
    if wrong_approval:
        return
    yield from _contradictions(without_none(marked.data), marked, folder)


def _approval_mistakes(marked: Marked) -> Iterator[Mistake]:
    """Yield what is wrong with ``approve``: a word, skills between commas, or a list of skills."""
    approve = marked.data.get("approve")
    if not isinstance(approve, (str, list, type(None))):
        text = f"approve must be {', '.join(APPROVAL_WORDS)} or a list of skills"
        yield Mistake(marked.line_of(("approve",)), f"{text}, got {_shown(approve)}")
    if isinstance(approve, str):
        try:
            approved_skills(approve)
        except ConfigError as err:
            yield Mistake(marked.line_of(("approve",)), str(err))
    for index, name in enumerate(approve if isinstance(approve, list) else ()):
        if not isinstance(name, str) or name not in SKILLS:
            hint = _suggestion(str(name), list(SKILLS), listed=False)
            text = f"approve[{index}] must be one of {', '.join(SKILLS)}, got {_shown(name)}{hint}"
            yield Mistake(marked.line_of(("approve", index)), text)


# -- shape ------------------------------------------------------------------------------------


def _mistake(error: Any, marked: Marked) -> Mistake:
    """Translate an error of pydantic into a line and words of ours."""
    loc = tuple(error["loc"])
    while loc and loc not in marked.values and loc[:-1] in marked.values:
        if error["type"] == "missing":
            break
        loc = loc[:-1]  # branches of unions are part of pydantic's path, not of the file's
    while loc and loc[:-1] not in marked.values:
        loc = loc[:-1]
    name = _named(loc)
    kind, context, value = error["type"], error.get("ctx") or {}, error.get("input")
    if kind == "extra_forbidden":
        where = f" in {_named(loc[:-1])}" if loc[:-1] else ""
        text = f"unknown key '{loc[-1]}'{where}{_suggestion(str(loc[-1]), known_keys(loc[:-1]))}"
        return Mistake(marked.line_of_key(loc), text)
    if kind == "missing":
        return Mistake(marked.line_of(loc[:-1]), f"{_named(loc[:-1])} needs '{loc[-1]}'")
    if kind == "invalid_key":
        text = f"a key must be a plain word, got {_shown(error['loc'][-1])}"
        return Mistake(marked.line_of_key(loc), text)
    return Mistake(marked.line_of(loc), f"{name} must be {_rule(kind, context, value)}")


def _rule(kind: str, context: dict[str, Any], value: Any) -> str:
    got = f", got {_shown(value)}"
    if kind == "literal_error":
        choices = [item.strip("' ") for item in _words(context["expected"])]
        return f"one of {', '.join(choices)}{got}{_suggestion(str(value), choices, listed=False)}"
    rules = {
        "greater_than_equal": lambda: f">= {context['ge']:g}",
        "less_than_equal": lambda: f"<= {context['le']:g}",
        "finite_number": lambda: "finite",
        "too_short": lambda: f"a list of at least {context['min_length']}",
        "too_long": lambda: f"a list of at most {context['max_length']}",
        "string_too_short": lambda: "text that says something",
        "string_too_long": lambda: f"text of at most {context['max_length']} characters",
        "string_pattern_mismatch": lambda: "a plain word of letters, digits, _ . : -",
        "float_type": lambda: "a number",
        "int_type": lambda: "a whole number",
        "bool_type": lambda: "true or false",
        "string_type": lambda: "text",
        "string_unicode": lambda: "text without half characters",
        "list_type": lambda: "a list",
        "model_type": lambda: "a mapping of keys",
        "dict_type": lambda: "a mapping of keys",
    }
    rule = rules.get(kind, lambda: f"right ({kind.replace('_', ' ')})")
    return rule() + got + (_number_hint(value) if kind == "float_type" else "")


def _number_hint(value: Any) -> str:
    """Tell how YAML wants a number that it took for text: ``1e9`` lacks a point and a sign."""
    try:
        number = float(value) if isinstance(value, str) else math.nan
    except ValueError:
        return ""
    if not math.isfinite(number):
        return ""
    return f"; YAML takes it for text: write {yaml.safe_dump(number).splitlines()[0]}"


def _words(expected: str) -> list[str]:
    """Return the choices of pydantic's list "'a', 'b' or 'c'"."""
    return expected.replace(" or ", ", ").split(", ")


def _named(loc: tuple[Any, ...]) -> str:
    """Return a path as people write it: ``stations[1].at``."""
    text = ""
    for item in loc:
        text += f"[{item}]" if isinstance(item, int) else f".{item}" if text else str(item)
    return text or "the file"


def _suggestion(word: str, known: list[str], listed: bool = True) -> str:
    close = difflib.get_close_matches(word, known, 1, 0.6)
    if close:
        return f"; did you mean '{close[0]}'?"
    return f"; known are {', '.join(known)}" if listed and known else ""


def _shown(value: Any) -> str:
    if isinstance(value, (dict, list)):
        return _kind(value)
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _kind(value: Any) -> str:
    if isinstance(value, dict):
        return "a mapping"
    return f"a list of {len(value)}" if isinstance(value, list) else repr(value)[:60]


# -- contradictions ---------------------------------------------------------------------------


def _contradictions(data: dict[str, Any], marked: Marked, folder: Path) -> Iterator[Mistake]:
    """Yield what is wrong although every single value is allowed."""
    world, stations = data.get("world", {}), data.get("stations", [])
    yield from _repeated(stations, "stations", "id", marked)
    yield from _repeated(data.get("regions", []), "regions", "name", marked)
    accepted = {label for item in stations for label in item["accepts"]}
    for index, label in enumerate(world.get("classes", [])):
        if label not in accepted:
            text = f"world.classes[{index}] '{label}' needs a station that accepts it"
            yield Mistake(marked.line_of(("world", "classes", index)), text)
    for index, item in enumerate(data.get("regions", [])):
        if re.fullmatch(r"[a-z]\d+", item["name"]):
            text = f"regions[{index}].name '{item['name']}' must not look like the id of an entity"
            yield Mistake(marked.line_of(("regions", index, "name")), text)
    yield from _empty_words(data, marked)
    yield from _flat_regions(data, marked)
    if "map" in world and "scenario" in world:
        text = "world takes a scenario or a map, not both"
        yield Mistake(marked.line_of_key(("world", "map")), text)
    if stations and "stations" in world:
        text = "world.stations counts stations to be placed; the file lists its own"
        yield Mistake(marked.line_of_key(("world", "stations")), text)
    missing = [name for name in NECESSARY if name not in data.get("skills", NECESSARY)]
    if missing:
        text = f"skills must have {', '.join(missing)}: no container is delivered without"
        yield Mistake(marked.line_of(("skills",)), text)
    approve = data.get("approve", [])
    for index, name in enumerate(approve if isinstance(approve, list) else ()):
        if name not in data.get("skills", SKILLS):
            text = f"approve[{index}] '{name}' is none of the skills that the file allows"
            yield Mistake(marked.line_of(("approve", index)), text)
    yield from _profile_mistakes(data, marked, folder)
    yield from _config_mistakes(data, marked)


def _empty_words(data: dict[str, Any], marked: Marked) -> Iterator[Mistake]:
    """Yield texts that say nothing or play tricks on a terminal, and names listed twice."""
    texts: list[tuple[tuple[Any, ...], str]] = [(("goal",), data.get("goal", "x"))]
    texts += [(("rules", index), rule) for index, rule in enumerate(data.get("rules", []))]
    for path, text in texts:
        if not text.strip():
            yield Mistake(marked.line_of(path), f"{_named(path)} must be text that says something")
        elif visible(text) != text:
            line = f"{_named(path)} must have no control characters, got {_shown(text)}"
            yield Mistake(marked.line_of(path), line)
    lists: list[tuple[tuple[Any, ...], list[str]]] = [
        (("skills",), data.get("skills", [])),
        (("world", "classes"), data.get("world", {}).get("classes", [])),
    ]
    for index, item in enumerate(data.get("stations", [])):
        lists.append((("stations", index, "accepts"), item["accepts"]))
    for path, names in lists:
        for index, name in enumerate(names):
            if name in names[:index]:
                text = f"{_named((*path, index))} '{name}' is there already"
                yield Mistake(marked.line_of((*path, index)), text)


def _flat_regions(data: dict[str, Any], marked: Marked) -> Iterator[Mistake]:
    for index, item in enumerate(data.get("regions", [])):
        (x, y), *others = item["corners"]
        sides = [(a - x, b - y) for a, b in others]
        if all(a * d == b * c for a, b in sides for c, d in sides):
            text = f"regions[{index}].corners must enclose an area: they lie on one line"
            yield Mistake(marked.line_of(("regions", index, "corners")), text)


def _repeated(items: list[Any], name: str, key: str, marked: Marked) -> Iterator[Mistake]:
    first: dict[str, int] = {}
    for index, item in enumerate(items):
        line = marked.line_of((name, index, key))
        if item[key] in first:
            text = f"{name}[{index}].{key} '{item[key]}' is that of line {first[item[key]]}"
            yield Mistake(line, text)
        first.setdefault(item[key], line)


def _profile_mistakes(data: dict[str, Any], marked: Marked, folder: Path) -> Iterator[Mistake]:
    name = data.get("memory", {}).get("profile", PROFILES[0])
    path = name if name in PROFILES else str(folder / name)
    try:
        profile = load_profile(path)
    except ConfigError as err:
        yield Mistake(marked.line_of(("memory", "profile")), str(err))
        return
    world = data.get("world", {})
    if "map" not in world:
        try:
            profile.scenario(world.get("scenario", "DN-14"))
        except ConfigError as err:
            yield Mistake(marked.line_of(("world", "scenario")), f"world.{err}")


def _config_mistakes(data: dict[str, Any], marked: Marked) -> Iterator[Mistake]:
    """Yield what the config dataclasses refuse about values that belong together."""
    for section, configs in SECTIONS.items():
        values = data.get(section, {})
        for config, _ in configs:
            names = set(config.__dataclass_fields__)  # type: ignore[attr-defined]
            try:
                build(config, {key: value for key, value in values.items() if key in names})
            except ConfigError as err:
                yield Mistake(marked.line_of_key((section,)), f"{section}.{err}")


def without_none(value: Any) -> Any:
    """Drop keys without a value: they say nothing."""
    if isinstance(value, dict):
        return {key: without_none(item) for key, item in value.items() if item is not None}
    return [without_none(item) for item in value] if isinstance(value, list) else value

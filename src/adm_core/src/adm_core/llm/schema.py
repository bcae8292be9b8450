"""Strict JSON, and the local check of a value against its schema: servers are not believed."""

from __future__ import annotations

import json
from typing import Any

#: No answer that a plan needs is longer; a longer text is not worth parsing.
MAX_TEXT = 65_536

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "null": (type(None),),
}
_OBJECT_KEYWORDS = {"properties", "required", "additionalProperties"}
_ARRAY_KEYWORDS = {"items", "minItems", "maxItems"}
_KEYWORDS = {"type", "enum", "description", "maxLength"} | _OBJECT_KEYWORDS | _ARRAY_KEYWORDS


def parse_json(text: str) -> Any:
    """Return the value of a JSON text, which must be bare and unambiguous.

    Raises
    ------
    ValueError
        If `text` is too long or too deep, has anything around the value, repeats a key, or
        uses NaN, Infinity or half a surrogate pair. The message holds no part of the text.
    """
    if len(text) > MAX_TEXT:
        raise ValueError(f"text must have at most {MAX_TEXT} characters, got {len(text)}")
    try:
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
        json.dumps(value, ensure_ascii=False).encode()
        return value
    except json.JSONDecodeError as err:
        raise ValueError(f"not JSON at character {err.pos}") from None
    except UnicodeEncodeError:
        raise ValueError("JSON with half a character") from None  # could not be logged or shown
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None


def violation(value: Any, schema: dict[str, Any], path: str = "") -> str | None:
    """Return the first way in which `value` breaks `schema`, or None.

    Parameters
    ----------
    value : JSON value
        As :func:`parse_json` returns it.
    schema : dict
        Uses type, enum, properties, required, additionalProperties, items, minItems, maxItems
        and maxLength; any other keyword raises ValueError, so that no rule is skipped in silence.
    path : str
        Prefix of the place named in the result.

    Returns
    -------
    str or None
        Place and rule, as ``steps[2].skill: not one of the allowed values``; holds no text of
        `value` but names of properties that the schema knows.
    """
    unknown = set(schema) - _KEYWORDS
    if unknown:
        raise ValueError(f"schema must use known keywords only, got {sorted(unknown)}")
    place = path or "answer"
    if not _has_type(value, schema.get("type")):
        return f"{place}: must be {_type_words(schema['type'])}"
    if "enum" in schema and not _is_one_of(value, schema["enum"]):
        return f"{place}: not one of the allowed values"
    if isinstance(value, str) and len(value) > schema.get("maxLength", len(value)):
        return f"{place}: longer than {schema['maxLength']} characters"
    if isinstance(value, dict):
        return _object_violation(value, schema, path)
    if isinstance(value, list):
        return _array_violation(value, schema, path)
    return None


def _object_violation(value: dict[str, Any], schema: dict[str, Any], path: str) -> str | None:
    known = schema.get("properties", {})
    dot = f"{path}." if path else ""
    for name in schema.get("required", ()):
        if name not in value:
            return f"{dot}{name}: missing"
    if schema.get("additionalProperties", True) is False and not set(value) <= set(known):
        return f"{path or 'answer'}: has a property that is not allowed"
    for name, rule in known.items():
        found = violation(value[name], rule, f"{dot}{name}") if name in value else None
        if found:
            return found
    return None


def _array_violation(value: list[Any], schema: dict[str, Any], path: str) -> str | None:
    if len(value) < schema.get("minItems", 0):
        return f"{path or 'answer'}: fewer than {schema['minItems']} items"
    if len(value) > schema.get("maxItems", len(value)):
        return f"{path or 'answer'}: more than {schema['maxItems']} items"
    for index, item in enumerate(value):
        found = violation(item, schema.get("items", {}), f"{path}[{index}]")
        if found:
            return found
    return None


def _has_type(value: Any, names: str | list[str] | None) -> bool:
    if names is None:
        return True
    allowed = [names] if isinstance(names, str) else names
    if isinstance(value, bool):  # a bool is an int in Python, not in JSON
        return "boolean" in allowed
    return any(isinstance(value, _TYPES[name]) for name in allowed)


def _type_words(names: str | list[str]) -> str:
    return names if isinstance(names, str) else " or ".join(names)


def _is_one_of(value: Any, allowed: list[Any]) -> bool:
    return any(type(value) is type(item) and value == item for item in allowed)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("JSON with a repeated key")
    return value


def _no_constant(_: str) -> None:
    raise ValueError("JSON with NaN or Infinity")

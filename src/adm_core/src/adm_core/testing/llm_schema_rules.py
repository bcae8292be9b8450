"""The strict schema subset as endpoints enforce it, with the older and narrower limits.

Written apart from ``adm_core.llm``, so that a schema of ours is judged by somebody else.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

MAX_PROPERTIES, MAX_DEPTH, MAX_ENUM, MAX_CHARS = 100, 5, 500, 15_000

_ALLOWED = {
    "type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf",
    "description", "title", "$ref", "$defs", "definitions", "minItems", "maxItems", "minimum",
    "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern", "format",
}  # fmt: skip
_TYPES = {"object", "array", "string", "number", "integer", "boolean", "null"}


def schema_problem(schema: Any) -> str | None:
    """Return the first reason why a strict endpoint rejects `schema`, or None."""
    if not isinstance(schema, dict):
        return "schema must be an object"
    if "anyOf" in schema:
        return "anyOf is not permitted at the root"
    if schema.get("type") != "object":
        return "schema must have type 'object' at the root"
    found = next(_problems(schema, ()), None)
    return found or _limit_problem(schema)


def _problems(node: Any, path: tuple[str, ...]) -> Iterator[str]:
    where = f"In context={path}"
    if not isinstance(node, dict):
        yield f"{where}, schema must be an object"
        return
    for word in sorted(set(node) - _ALLOWED):
        yield f"{where}, '{word}' is not permitted"
    if not {"type", "anyOf", "$ref", "enum", "const"} & set(node):
        yield f"{where}, schema must have a 'type' key"
    types = node.get("type", [])
    types = types if isinstance(types, list) else [types]
    if not all(isinstance(item, str) and item in _TYPES for item in types):
        yield f"{where}, unknown type"
    if "object" in types or "properties" in node:
        yield from _object_problems(node, where)
    if "array" in types and "items" not in node:
        yield f"{where}, array schema missing items"
    if "enum" in node and not (isinstance(node["enum"], list) and node["enum"]):
        yield f"{where}, enum must be a list with at least one value"
    yield from _union_problems(node, where)
    for place, child in _children(node):
        yield from _problems(child, (*path, *place))


def _object_problems(node: dict[str, Any], where: str) -> Iterator[str]:
    properties = node.get("properties")
    if not isinstance(properties, dict):
        yield f"{where}, object schema missing properties"
        return
    if node.get("additionalProperties") is not False:
        yield f"{where}, 'additionalProperties' is required to be supplied and to be false"
    required = node.get("required")
    if not isinstance(required, list) or sorted(map(str, required)) != sorted(properties):
        yield (
            f"{where}, 'required' is required to be supplied and to be an array including "
            "every key in properties"
        )


def _union_problems(node: dict[str, Any], where: str) -> Iterator[str]:
    first_keys = [
        next(iter(item["properties"]))
        for item in node.get("anyOf", [])
        if isinstance(item, dict) and item.get("properties")
    ]
    if len(set(first_keys)) < len(first_keys):
        yield f"{where}, objects in anyOf must not share their first key"


def _children(node: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    for group in ("properties", "$defs", "definitions"):
        members = node.get(group)
        for name, child in members.items() if isinstance(members, dict) else ():
            yield (group, name), child
    if "items" in node:
        yield ("items",), node["items"]
    for index, child in enumerate(node.get("anyOf", ())):
        yield ("anyOf", str(index)), child


def _limit_problem(schema: dict[str, Any]) -> str | None:
    properties = enums = chars = 0
    deepest, stack = 0, [(schema, 1)]
    while stack:
        node, depth = stack.pop()
        deepest = max(deepest, depth)
        names = node.get("properties", {})
        values = node.get("enum", ())
        properties += len(names)
        enums += len(values)
        chars += sum(map(len, names)) + sum(len(str(item)) for item in values)
        nested = depth + bool(node.get("properties") or "items" in node)
        stack += [(child, nested) for _, child in _children(node)]
    for what, value, most in (
        ("properties", properties, MAX_PROPERTIES),
        ("levels of nesting", deepest, MAX_DEPTH),
        ("enum values", enums, MAX_ENUM),
        ("characters of names and enum values", chars, MAX_CHARS),
    ):
        if value > most:
            return f"schema has {value} {what}; the limit is {most}"
    return None

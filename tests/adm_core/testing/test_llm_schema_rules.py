import pytest
from adm_core.llm.body import strict_subset
from adm_core.planning.plan_schema import plan_schema
from adm_core.testing.llm_schema_rules import schema_problem


def obj(**properties):
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


TEXT = {"type": "string"}
GOOD = [
    obj(),
    obj(a=TEXT, b={"type": ["integer", "null"]}),
    obj(a={"type": "array", "items": obj(b=TEXT), "maxItems": 3}),
    obj(a={"anyOf": [obj(x=TEXT), obj(y=TEXT)]}),
    {**obj(a={"$ref": "#/$defs/n"}), "$defs": {"n": obj(b=TEXT)}},
]


def nested(levels):
    return obj(a=TEXT) if levels == 1 else obj(a=nested(levels - 1))


BAD = [
    ([], "must be an object"),
    ({"type": "array", "items": TEXT}, "type 'object' at the root"),
    ({"anyOf": [obj()]}, "anyOf is not permitted at the root"),
    ({"type": "object", "properties": {"a": TEXT}, "required": ["a"]}, "additionalProperties"),
    ({**obj(a=TEXT), "additionalProperties": True}, "additionalProperties"),
    ({**obj(a=TEXT, b=TEXT), "required": ["a"]}, "every key in properties"),
    ({**obj(a=TEXT), "required": ["a", "b"]}, "every key in properties"),
    ({"type": "object", "additionalProperties": False}, "missing properties"),
    (obj(a={"type": "string", "default": "x"}), "'default' is not permitted"),
    (obj(a={"type": "string", "maxLength": 3}), "'maxLength' is not permitted"),
    (obj(a={"allOf": [TEXT], "type": "string"}), "'allOf' is not permitted"),
    (obj(a={"not": TEXT, "type": "string"}), "'not' is not permitted"),
    ({**obj(), "if": {}, "then": {}}, "'if' is not permitted"),
    ({**obj(), "dependentRequired": {}}, "'dependentRequired' is not permitted"),
    (obj(a={"type": "array"}), "array schema missing items"),
    (obj(a={}), "must have a 'type' key"),
    (obj(a={"type": "text"}), "unknown type"),
    (obj(a={"type": "string", "enum": []}), "at least one value"),
    (obj(a={"anyOf": [obj(x=TEXT), obj(x=TEXT)]}), "must not share their first key"),
    (obj(a=obj(b={"type": "string", "default": 1})), "In context=('properties', 'a'"),
    (obj(**{f"p{i}": TEXT for i in range(101)}), "101 properties"),
    (nested(6), "levels of nesting"),
    (obj(a={"enum": [str(i) for i in range(501)]}), "501 enum values"),
    (obj(a={"enum": ["x" * 15_001]}), "characters"),
]


@pytest.mark.parametrize("schema", GOOD)
def test_schemas_of_the_subset_pass(schema):
    assert schema_problem(schema) is None


@pytest.mark.parametrize(("schema", "words"), BAD)
def test_schemas_outside_of_it_are_rejected_with_place_and_rule(schema, words):
    assert words in schema_problem(schema)


@pytest.mark.parametrize("ids", [(), tuple(f"e{i}" for i in range(200))])
def test_the_plan_schema_keeps_the_older_and_narrower_limits(ids):
    schema = plan_schema(ids, ("station_A", "station_B") if ids else ())
    assert schema_problem(strict_subset(schema)) is None


def test_the_sdk_has_nothing_to_add_to_the_plan_schema():
    pytest.importorskip("openai")
    from openai.lib._pydantic import _ensure_strict_json_schema

    schema = strict_subset(plan_schema())
    again = strict_subset(plan_schema())
    assert _ensure_strict_json_schema(again, path=(), root=again) == schema

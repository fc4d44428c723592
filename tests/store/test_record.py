"""The models of memories: every field and limit of the format, and the schema files generated from the models."""

import importlib.util
import json
from copy import deepcopy
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import cuecard
from cuecard.errors import ValidationError
from cuecard.store.records.record import CATEGORIES, MODELS
from cuecard.store.records.record_check import check
from prior_art_schemas import CONTENTS as CONTENT_SCHEMAS
from prior_art_schemas import prior_art_schema
from records import Fields, stored, stored_records

SCHEMAS = Path(cuecard.__file__).parent / "assets" / "schemas"
ENTRY = {"date": "2026-01-01", "summary": "made"}
# For each kind of value, a value of another type.
WRONG = {"string": 7, "array": "a", "boolean": "true", "integer": "1", "number": "1", "object": [], None: 7}


def validator(category: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads((SCHEMAS / f"{category}.schema.json").read_bytes()))


def problems_of(record: Fields) -> list[str]:
    """The names of the invalid fields of a record.

    Asserts that the schema file agrees on whether the record is valid.
    """
    is_valid = validator(record["category"]).is_valid(record)
    try:
        check(record)
    except ValidationError as error:
        assert not is_valid
        return [problem.field for problem in error.problems]
    assert is_valid
    return []


def objects_in(schema: dict[str, Any], record: Any, path: str = "") -> list[tuple[str, Any]]:  # noqa: ANN401
    """Every object of a record whose schema allows no other members, with the path of the object.

    Missing optional objects are filled in first.
    """
    found = []
    if schema.get("type") == "object":
        found.append((path, record))
        for name, member in schema["properties"].items():
            if member.get("type") in ("object", "array"):
                inner = record.setdefault(name, full(member))
                found += objects_in(member, inner, f"{path}.{name}" if path else name)
    elif schema["items"].get("type") == "object":
        for place, item in enumerate(record):
            found += objects_in(schema["items"], item, f"{path}[{place}]")
    return found


def full(schema: dict[str, Any]) -> Any:  # noqa: ANN401
    """A value that is valid by a schema and has all optional members."""
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    kind = schema.get("type")
    if kind == "object":
        return {name: full(member) for name, member in schema["properties"].items()}
    if kind == "array":
        return [full(schema["items"])]
    return {"boolean": True, "integer": 1, "number": 0.5}.get(kind or "", "text")


def full_record(category: str) -> Fields:
    record: Fields = full(prior_art_schema(category))
    return record | {"id": "an-id"}


def fields_of_contents() -> list[Any]:
    return [
        pytest.param(category, name, id=f"{category}-{name}")
        for category, schema in CONTENT_SCHEMAS.items()
        for name in schema["properties"]
    ]


# The files


def test_a_schema_file_is_what_the_models_give() -> None:
    tool = load_tool("gen_schemas")
    assert sorted(path.name for path in SCHEMAS.iterdir()) == sorted(f"{name}.schema.json" for name in CATEGORIES)
    for category in CATEGORIES:
        assert (SCHEMAS / f"{category}.schema.json").read_bytes().decode() == tool.render(category)


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_schema_file_is_a_schema(category: str) -> None:
    schema = json.loads((SCHEMAS / f"{category}.schema.json").read_bytes())
    assert schema["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    Draft202012Validator.check_schema(schema)


def load_tool(name: str) -> ModuleType:
    """Import a program in `tools`, which is not a package."""
    path = Path(__file__).resolve().parents[2] / "tools" / f"{name}.py"
    found = importlib.util.spec_from_file_location(name, path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


# Fields that the plugin needs and that nobody has to invent: an update of the plugin asks for them.
IF_SAID = ("context", "rationale", "impact", "reason", "verification", "reason_deferred")


# The format


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_record_with_every_field_is_valid(category: str) -> None:
    assert problems_of(full_record(category)) == []


@pytest.mark.parametrize("category", CATEGORIES)
@pytest.mark.parametrize(
    "name", ["schema_version", "id", "title", "created_at", "updated_at", "tags", "content"], ids=str
)
def test_a_record_needs_its_fields(category: str, name: str) -> None:
    record = full_record(category)
    del record[name]
    assert problems_of(record) == [name]


@pytest.mark.parametrize("category", CATEGORIES)
@pytest.mark.parametrize(
    "name",
    [
        "record_status",
        "related_files",
        "confidence",
        "changes",
        "times_updated",
        "retired_at",
        "retired_reason",
        "archived_at",
        "archived_reason",
    ],
)
def test_a_record_can_do_without_the_rest(category: str, name: str) -> None:
    record = full_record(category)
    del record[name]
    assert problems_of(record) == []


@pytest.mark.parametrize(("category", "name"), fields_of_contents())
def test_a_content_needs_what_the_plugin_needs_except_reasons(category: str, name: str) -> None:
    record = full_record(category)
    del record["content"][name]
    is_needed = name in CONTENT_SCHEMAS[category]["required"] and name not in IF_SAID
    assert problems_of(record) == ([f"content.{name}"] if is_needed else [])


@pytest.mark.parametrize(("category", "name"), fields_of_contents())
def test_a_content_has_values_of_the_right_type(category: str, name: str) -> None:
    schema = CONTENT_SCHEMAS[category]["properties"][name]
    record = full_record(category)
    record["content"][name] = WRONG[schema.get("type")]
    assert problems_of(record) == [f"content.{name}"]
    if schema.get("type") == "array":
        record["content"][name] = [7]
        assert problems_of(record) == [f"content.{name}[0]"]
        record["content"][name] = []
        assert problems_of(record) == ([f"content.{name}"] if schema.get("minItems") else [])
    if "enum" in schema:
        for word in schema["enum"]:
            record["content"][name] = word
            assert problems_of(record) == []
        record["content"][name] = schema["enum"][0].upper()
        assert problems_of(record) == [f"content.{name}"]


@pytest.mark.parametrize("category", CATEGORIES)
def test_every_object_is_closed(category: str) -> None:
    schema = prior_art_schema(category)
    record = full_record(category)
    places = [path for path, _found in objects_in(schema, record)]
    assert {"", "content", "changes[0]"} <= set(places)
    for place in places:
        damaged = deepcopy(record)
        dict(objects_in(schema, damaged))[place]["colour"] = "red"
        assert problems_of(damaged) == [f"{place}.colour" if place else "colour"]


def test_what_is_ours_stands_under_one_key_that_later_versions_may_extend() -> None:
    record = full_record("decision") | {"cuecard": {"origin": "user", "supersedes": ["a"], "of_tomorrow": {"x": 1}}}
    assert problems_of(record) == []
    assert problems_of(record | {"cuecard": {"origin": "nobody"}}) == ["cuecard.origin"]
    assert problems_of(record | {"cuecard": []}) == ["cuecard"]


def test_a_gist_is_a_text_of_at_most_200_characters() -> None:
    for good in ["g", "한" * 200, None]:
        assert problems_of(stored("an-id", cuecard={"gist": good})) == []
    for bad in ["", "g" * 201, 7, ["g"]]:
        assert problems_of(stored("an-id", cuecard={"gist": bad})) == ["cuecard.gist"]
    with pytest.raises(ValidationError) as caught:
        check(stored("an-id", cuecard={"gist": "g" * 201}))
    assert (caught.value.expected, caught.value.found) == ("at most 200 characters", "201 characters")


def test_questions_are_at_most_five_texts_of_at_most_200_characters() -> None:
    for good in [[], ["which database?"], ["q" * 200, "어디에 저장하나요", "c", "d", "e"], None]:
        assert problems_of(stored("an-id", cuecard={"questions": good})) == []
    for bad in [["q" * 201], ["a", "b", "c", "d", "e", "f"], [7], "which database?", [""]]:
        fields = problems_of(stored("an-id", cuecard={"questions": bad}))
        assert fields in (["cuecard.questions"], ["cuecard.questions[0]"])


def test_evidence_names_its_kind_and_what_to_look_at() -> None:
    piece: Fields = {"kind": "commit", "ref": "1a2b3c4", "at": "2026-03-31", "quote": "Retry twice"}
    assert problems_of(stored("an-id", cuecard={"evidence": [piece, {"kind": "user", "ref": "said so"}]})) == []
    for name, value in [("kind", "rumour"), ("ref", ""), ("quote", "q" * 301), ("by", "me")]:
        wrong = problems_of(stored("an-id", cuecard={"evidence": [piece | {name: value}]}))
        assert wrong == [f"cuecard.evidence[0].{name}"]
    assert problems_of(stored("an-id", cuecard={"evidence": [piece] * 11})) == ["cuecard.evidence"]


def test_a_memory_may_hold_for_a_component_a_version_or_a_platform() -> None:
    place = {"component": "api", "version": "2.x", "platform": "ios"}
    assert problems_of(stored("an-id", cuecard={"applies_to": [place, {"version": "3"}]})) == []
    wrong = problems_of(stored("an-id", cuecard={"applies_to": [place | {"colour": "red"}]}))
    assert wrong == ["cuecard.applies_to[0].colour"]


@pytest.mark.parametrize(
    ("extension", "field"),
    [
        ({"valid_from": "2026-02-30"}, "cuecard.valid_from"),
        ({"valid_until": "next week"}, "cuecard.valid_until"),
        ({"valid_from": "2026-02-02", "valid_until": "2026-02-01"}, "cuecard.valid_until"),
        ({"evidence": [{"kind": "user", "ref": "a", "at": "yesterday"}]}, "cuecard.evidence[0].at"),
    ],
)
def test_dates_are_iso_8601_and_in_order(extension: Fields, field: str) -> None:
    with pytest.raises(ValidationError) as caught:
        check(stored("an-id", cuecard=extension))
    assert [problem.field for problem in caught.value.problems] == [field]


def test_dates_may_be_days_or_timestamps_and_the_same_day() -> None:
    check(stored("an-id", cuecard={"valid_from": "2026-02-01", "valid_until": "2026-02-01T00:00:00Z"}))


@pytest.mark.parametrize(
    ("field", "good", "bad"),
    [
        ("schema_version", ["1.0"], ["1.1", "1", 1.0, None]),
        ("id", ["a", "9", "a-b", "a--b", "a" * 80], ["", "-a", "a-", "A", "a_b", "a" * 81, "é", "a b", None]),
        ("title", ["t", "t" * 120, "한글"], ["t" * 121, 7, None]),
        ("record_status", ["active", "retired", "archived"], ["Active", "deleted", "", None]),
        ("created_at", [ENTRY["date"], ""], [7, None]),
        ("updated_at", [ENTRY["date"], ""], [7, None]),
        ("tags", [["a"], ["a"] * 40, ["A b"]], [[], "a", None]),
        ("related_files", [[], ["a/b.py"]], ["a/b.py"]),
        ("confidence", [0, 1, 0.5], [-0.1, 1.1, "1", True]),
        ("changes", [[], [ENTRY], [ENTRY | {"field": "a", "old_value": [1], "new_value": {"x": None}}]], [{}]),
        ("times_updated", [0, 60], ["1", 1.5, True, None]),
        ("retired_at", ["", LONG := "2020-01-01T00:00:00Z"], [7]),
        ("archived_at", [LONG], [7]),
        ("retired_reason", ["r" * 300], [7]),
        ("archived_reason", ["r" * 300], [7]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_field_takes_its_values_and_no_others(field: str, good: list[object], bad: list[object]) -> None:
    for value in good:
        assert problems_of(stored("an-id") | {field: value}) == [], value
    for value in bad:
        assert problems_of(stored("an-id") | {field: value}) == [field], value


@pytest.mark.parametrize(
    ("entry", "field"),
    [
        ({"summary": "made"}, "changes[0].date"),
        ({"date": "today"}, "changes[0].summary"),
        (ENTRY | {"summary": "s" * 301}, "changes[0].summary"),
        (ENTRY | {"field": 7}, "changes[0].field"),
        (ENTRY | {"who": "me"}, "changes[0].who"),
        ("made", "changes[0]"),
    ],
)
def test_an_entry_of_the_history_has_a_form(entry: object, field: str) -> None:
    assert problems_of(stored("an-id", changes=[ENTRY | {"summary": "s" * 300}])) == []
    assert problems_of(stored("an-id", changes=[entry])) == [field]


def test_the_category_decides_the_content() -> None:
    record = stored("an-id") | {"content": stored("an-id", "runbook")["content"]}
    missing = ["content.status", "content.decision"]
    unknown = ["content.trigger", "content.steps", "content.verification"]
    assert problems_of(record) == [*missing, *unknown]


@pytest.mark.parametrize("category", ["DECISION", "note", "", None, ["decision"]])
def test_an_unknown_category_is_the_only_problem_told(category: object) -> None:
    with pytest.raises(ValidationError) as caught:
        check(stored("an-id") | {"category": category})
    assert [problem.field for problem in caught.value.problems] == ["category"]
    assert "`tech_debt`" in caught.value.expected


@pytest.mark.parametrize("title", ["", " ", "\t\n"])
def test_a_title_says_something(title: str) -> None:
    with pytest.raises(ValidationError) as caught:
        check(stored("an-id", title=title))
    assert caught.value.field == "title"


# What is said about it


def test_a_problem_says_what_was_expected_what_was_found_and_what_to_do() -> None:
    record = stored("an-id") | {"confidence": 2, "colour": "red"}
    record["content"] |= {"status": "done", "rationale": []}
    del record["content"]["decision"]
    with pytest.raises(ValidationError) as caught:
        check(record)
    error = caught.value
    names = "one of `proposed`, `accepted`, `deprecated` or `superseded`"
    said = {found.field: (found.expected, found.found) for found in error.problems}
    assert said == {
        "confidence": ("a number from 0 to 1", "`2`"),
        "content.status": (names, "`done`"),
        "content.decision": ("a string", "missing"),
        "content.rationale": ("at least one item", "an empty list"),
        "colour": ("no such field", "unknown"),
    }
    assert all(found.fix for found in error.problems)
    assert error.what == "`confidence` of the decision is `2`, expected a number from 0 to 1 (and 4 more)"
    assert error.as_dict()["code"] == "VALIDATION_ERROR"
    assert error.as_dict()["problems"] == [found.as_dict() for found in error.problems]


def test_a_long_value_is_not_repeated_in_a_message() -> None:
    with pytest.raises(ValidationError) as caught:
        check(stored("an-id") | {"record_status": "x" * 5000})
    assert caught.value.found == "a long string"


# Together with the plugin's schemas


@pytest.mark.parametrize("category", CATEGORIES)
@given(data=st.data())
def test_what_the_plugin_accepts_is_accepted(category: str, data: st.DataObject) -> None:
    record = data.draw(stored_records(category))
    assert Draft202012Validator(prior_art_schema(category)).is_valid(record)
    assert problems_of(record) == []
    assert MODELS[category].model_validate(record).model_dump(exclude_unset=True) == record

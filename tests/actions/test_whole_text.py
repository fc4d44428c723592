"""What a person accepts is shown whole: every member that the trust hash covers, and no character that hides others."""

import json
from pathlib import Path

import pytest

import cuecard
from cuecard._backend import engine
from cuecard.actions.whole_text import MEMBERS, OWN_MEMBERS, hashed_members, lines_of_value
from records import stored

SCHEMA = Path(cuecard.__file__).parent / "assets" / "schemas" / "decision.schema.json"
OTHERS = ("record_status", "confidence", "created_at", "schema_version", "changes")


def hash_of(record: object) -> "str | None":
    return engine.trust_hash(json.dumps(record).encode())


@pytest.mark.parametrize("name", [*MEMBERS, *OTHERS])
def test_a_member_is_shown_where_the_trust_hash_covers_it(name: str) -> None:
    record = stored("pin-the-compiler")
    changed = {**record, name: ["x"]}
    assert (hash_of(changed) != hash_of(record)) == (name in MEMBERS)
    assert (name in dict(hashed_members(changed))) == (name in MEMBERS)


def test_what_the_hash_covers_of_our_own_members_is_shown() -> None:
    record = stored("pin-the-compiler", cuecard={})
    known = json.loads(SCHEMA.read_text("utf-8"))["$defs"]["Extension"]["properties"]
    assert {"origin", "forbids"} < {*known}
    for name in {*OWN_MEMBERS, *known}:
        changed = {**record, "cuecard": {name: ["x"]}}
        is_covered = hash_of(changed) != hash_of(record)
        assert is_covered == (name in OWN_MEMBERS), name
        assert is_covered == (name in dict(hashed_members(changed))), name


def test_lines_have_every_text_and_hide_nothing() -> None:
    value = {"steps": [{"run": "a\u202eb", "why": ["x" * 70, "y"]}, "one\ntwo"], "empty": [], "count": 3}
    assert [str(line) for line in lines_of_value(value)] == [
        "steps:",
        "  - run: ab",
        "    why:",
        f"      - {'x' * 70}",
        "      - y",
        "  - one",
        "    two",
        "empty: []",
        "count: 3",
    ]

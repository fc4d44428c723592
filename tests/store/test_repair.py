"""Slips in a record that have one obvious meaning are repaired, and what nobody said is not stored."""

from typing import Any

import pytest

from command_process import run_in
from cuecard import Store
from cuecard.errors import ValidationError
from cuecard.store.records.record import CATEGORIES
from cuecard.store.records.repair import shorten_title
from cuecard.store.records.statement import Statement
from records import draft, put, read, stored

LONG = (
    "Retries of the payment gateway stop after four attempts, each waits twice as long as the one before, and the"
    " customer is told by mail when the last one fails"
)


def stored_content(store: Store, category: str, **content: object) -> dict[str, Any]:
    sent = draft(category=category)
    written = store.add({**sent, "content": {**sent["content"], **content}}, category=category)  # type: ignore[arg-type]
    found: dict[str, Any] = read(store, written.id, category)["content"]
    return found


@pytest.mark.parametrize(
    ("category", "field", "given", "meant"),
    [
        ("constraint", "impact", "Uploads fail", ["Uploads fail"]),
        ("constraint", "impact", "- Uploads fail\n- Users wait", ["Uploads fail", "Users wait"]),
        ("constraint", "severity", "critical", "high"),
        ("constraint", "severity", "High", "high"),
        ("constraint", "active", "true", True),
        ("decision", "status", "Accepted", "accepted"),
        ("decision", "decision", ["Keep one.", "Drop the other."], "Keep one. Drop the other."),
        ("decision", "decision", ["keep one", "drop the other"], "keep one; drop the other"),
        ("decision", "alternatives", ["SQLite"], [{"option": "SQLite"}]),
        (
            "decision",
            "alternatives",
            {"option": "SQLite", "reason": "one writer"},
            [{"option": "SQLite", "rejected_reason": "one writer"}],
        ),
        ("runbook", "steps", "1. stop it\n2. start it", ["stop it", "start it"]),
        ("tech_debt", "status", "In progress", "in_progress"),
        ("preference", "examples", {"prefer": "tabs"}, {"prefer": ["tabs"]}),
    ],
)
def test_a_value_with_one_meaning_is_repaired(
    store: Store, category: str, field: str, given: object, meant: object
) -> None:
    assert stored_content(store, category, **{field: given})[field] == meant


@pytest.mark.parametrize(
    ("category", "field", "given"),
    [
        ("constraint", "severity", "somewhat"),
        ("decision", "status", "rejected"),
        ("decision", "decision", {"what": "so"}),
        ("decision", "alternatives", [7]),
        ("constraint", "active", "maybe"),
    ],
)
def test_a_value_with_several_meanings_is_refused(store: Store, category: str, field: str, given: object) -> None:
    with pytest.raises(ValidationError) as caught:
        stored_content(store, category, **{field: given})
    assert caught.value.problems[0].field.startswith(f"content.{field}")


@pytest.mark.parametrize("unsaid", ["not stated", "Not stated.", "not stated in the source"])
@pytest.mark.parametrize(
    ("category", "field", "is_list"),
    [
        ("decision", "context", False),
        ("decision", "rationale", True),
        ("constraint", "impact", True),
        ("preference", "reason", False),
        ("runbook", "verification", False),
        ("tech_debt", "reason_deferred", False),
    ],
)
def test_a_reason_that_nobody_gave_is_not_stored(
    store: Store, category: str, field: str, is_list: bool, unsaid: str
) -> None:
    assert field not in stored_content(store, category, **{field: [unsaid] if is_list else unsaid})


def test_an_alternative_that_nobody_named_is_not_stored(store: Store) -> None:
    given = [
        {"option": "Not stated", "rejected_reason": "too slow"},
        {"option": "BTreeMap", "rejected_reason": "not stated"},
    ]
    assert stored_content(store, "decision", alternatives=given)["alternatives"] == [{"option": "BTreeMap"}]


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_statement_without_a_reason_stores_no_reason(store: Store, category: str) -> None:
    statement = Statement("Reload nginx after a renewal", category)  # type: ignore[arg-type]
    written = store.add(statement.record(), category=category)  # type: ignore[arg-type]
    assert "not stated" not in str(read(store, written.id, category))


def test_an_update_with_a_placeholder_keeps_the_reason(store: Store) -> None:
    written = store.add(draft(category="decision"), category="decision")
    before = read(store, written.id)["content"]["rationale"]
    store.update(written.id, {"content": {"rationale": ["not stated"], "decision": "otherwise"}})
    assert read(store, written.id)["content"]["rationale"] == before


@pytest.mark.parametrize(
    ("given", "meant"),
    [("high", 0.9), ("Medium", 0.7), ("0.8", 0.8), ("85%", 0.85), (90, 0.9), (1, 1)],
)
def test_a_confidence_may_be_a_word_or_a_percentage(store: Store, given: object, meant: float) -> None:
    written = store.add({**draft(), "confidence": given})
    assert read(store, written.id)["confidence"] == meant


@pytest.mark.parametrize(
    ("name", "given", "meant"),
    [
        (
            "questions",
            [f"question {number} of many?" for number in range(9)],
            [f"question {n} of many?" for n in range(5)],
        ),
        ("questions", "which queue?", ["which queue?"]),
        ("applies_to", ["api"], [{"component": "api"}]),
        ("applies_to", {"version": "2"}, [{"version": "2"}]),
        ("evidence", {"kind": "Commands", "ref": "make test"}, [{"kind": "command", "ref": "make test"}]),
        ("evidence", ["commit 1a2b3c4"], [{"kind": "commit", "ref": "1a2b3c4"}]),
        ("evidence", ["AGENTS.md"], [{"kind": "file", "ref": "AGENTS.md"}]),
        ("evidence", [{"path": "docs/queue.md"}], [{"kind": "file", "ref": "docs/queue.md"}]),
        ("evidence", [{"kind": "user", "quote": "use a queue"}], [{"kind": "user", "quote": "use a queue"}]),
        ("evidence", [{"kind": "commit"}, {"kind": "file", "ref": "a.py"}], [{"kind": "file", "ref": "a.py"}]),
        ("valid_from", "November 2026", "2026-11-01"),
        ("valid_until", "February 2028", "2028-02-29"),
        ("valid_until", "3 Mar 2027", "2027-03-03"),
        ("valid_from", "Mar 3rd, 2027", "2027-03-03"),
        ("valid_from", "2026/11/5", "2026-11-05"),
    ],
)
def test_a_field_of_cuecard_with_one_meaning_is_repaired(store: Store, name: str, given: object, meant: object) -> None:
    written = store.add({**draft(), "cuecard": {name: given}})
    assert read(store, written.id)["cuecard"][name] == meant


@pytest.mark.parametrize(
    ("name", "given"),
    [("valid_from", "next summer"), ("valid_from", "2026-13"), ("evidence", ["the user said so"])],
)
def test_a_field_of_cuecard_with_several_meanings_is_refused(store: Store, name: str, given: object) -> None:
    with pytest.raises(ValidationError):
        store.add({**draft(), "cuecard": {name: given}})


def test_a_title_of_up_to_200_characters_ends_at_a_clause_and_is_kept_whole_as_the_gist(store: Store) -> None:
    written = store.add({**draft(), "title": LONG})
    record = read(store, written.id)
    assert record["title"] == LONG.partition(", and the")[0]
    assert record["cuecard"]["gist"] == LONG
    assert ("title", f"shortened from {len(LONG)} characters; the whole title is the gist") in [
        (fix.field, fix.what) for fix in written.fixes
    ]


@pytest.mark.parametrize(
    ("title", "short"),
    [
        ("t" * 120, "t" * 120),
        ("t" * 201, "t" * 201),
        (f"{'word ' * 30}end", f"{'word ' * 23}word…"),
        (f"A clause, and then {'word ' * 30}", f"A clause, and then {'word ' * 19}word…"),
        (f"{'낱말 ' * 20}; {'낱말 ' * 30}끝", f"{'낱말 ' * 20}".strip()),
    ],
)
def test_a_title_is_only_cut_where_it_is_somewhat_too_long(title: str, short: str) -> None:
    assert shorten_title(title) == short
    assert len(short) <= 120 or short == title


def test_show_leaves_out_what_a_former_version_stored(store: Store) -> None:
    content = {"topic": "t", "value": "use pnpm", "reason": "not stated", "strength": "soft"}
    put(store, stored("use-pnpm", "preference", content=content))
    ran = run_in(store, "show", "use-pnpm")
    assert "use pnpm" in ran.stdout
    assert "not stated" not in ran.stdout

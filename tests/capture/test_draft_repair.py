"""Slips in the form of a draft are repaired, and a draft may name the memory that it amends."""

from typing import Any

import pytest

from cuecard import Store
from cuecard.capture.commit import commit_drafts
from cuecard.capture.draft import check_draft
from cuecard.errors import ValidationError
from handed_in import Json, draft
from records import read

LONG = (
    "Uploads over twenty megabytes go through the signed address of the bucket, smaller ones through the service, and"
    " both are checked for viruses before anybody can read them"
)


def flat() -> Json:
    whole = draft()
    return {**{name: value for name, value in whole.items() if name != "partial_content"}, **whole["partial_content"]}


def flat_content() -> Json:
    whole = draft()
    partial = whole["partial_content"]
    return whole | {"partial_content": {**{n: v for n, v in partial.items() if n != "content"}, **partial["content"]}}


@pytest.mark.parametrize("sent", [flat(), flat_content()], ids=["flat", "flat content"])
def test_a_flat_draft_is_the_draft(sent: Json) -> None:
    repaired, whole = check_draft(sent, 0), check_draft(draft(), 0)
    assert (repaired.title, repaired.content, repaired.tags) == (whole.title, whole.content, whole.tags)
    assert repaired.ignored == []
    assert len(repaired.repaired) == 1


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("decisions", "decision"),
        ("Constraints", "constraint"),
        ("tech-debt", "tech_debt"),
        ("tech debts", "tech_debt"),
        ("SessionSummaries", "session_summary"),
    ],
)
def test_a_category_may_be_named_in_another_number_or_spelling(given: str, meant: str) -> None:
    assert check_draft(draft(category=meant) | {"category": given}, 0).category == meant


@pytest.mark.parametrize(("given", "meant"), [("add", "create"), ("Amend", "update"), ("remove", "delete")])
def test_an_action_may_be_another_word(given: str, meant: str) -> None:
    assert check_draft(draft() | {"action": given}, 0).action == meant


def test_an_action_and_a_summary_may_be_missing() -> None:
    sent = draft()
    del sent["action"], sent["new_info_summary"]
    checked = check_draft(sent, 0)
    assert (checked.action, checked.new_info) == ("create", checked.title)
    assert check_draft(sent | {"replaces": "an older title"}, 0).action == "update"


@pytest.mark.parametrize("wrong", [{"category": "notes"}, {"action": "drop"}, {"replaces": ["a"]}])
def test_what_has_no_obvious_meaning_is_refused(wrong: Json) -> None:
    with pytest.raises(ValidationError) as caught:
        check_draft(draft() | wrong, 0)
    assert [problem.field for problem in caught.value.problems] == [f"drafts[0].{next(iter(wrong))}"]


def test_repairs_are_told_and_stored(store: Store) -> None:
    sent = flat() | {"category": "decisions", "title": LONG, "confidence": "high"}
    [outcome] = commit_drafts(store, [sent]).outcomes
    assert (outcome.status, outcome.title) == ("created", LONG.partition(", and both")[0])
    record = read(store, outcome.target.rpartition("/")[2].removesuffix(".json"))
    assert record["cuecard"]["gist"] == LONG
    assert record["confidence"] == 0.9
    assert any("`category` was `decisions`" in note for note in outcome.notes)


def test_a_long_title_is_the_same_memory_the_second_time(store: Store) -> None:
    commit_drafts(store, [draft(LONG)])
    [outcome] = commit_drafts(store, [draft(LONG, action="update")]).outcomes
    assert outcome.status == "unchanged"


# Amendments

OLD = "Retries stop after four attempts, the pause is capped at 60 s"
NEW = "Retries stop after four attempts, the pause is capped at 30 s"


def amendment(**members: Any) -> Json:  # noqa: ANN401
    content = {"decision": "Four attempts, at most 30 s between two of them."}
    return draft(NEW, action="update", content=content) | {"replaces": OLD} | members


@pytest.mark.parametrize(
    "named",
    [
        OLD,
        "retries-stop-after-four-attempts-the-pause-is-capped-at-60-s",
        "decision/retries-stop-after-four-attempts-the-pause-is-capped-at-60-s",
    ],
)
def test_an_amendment_gives_the_title_that_is_true_now(store: Store, named: str) -> None:
    commit_drafts(store, [draft(OLD, questions=["how often do we retry?"], tags=["retry"])])
    [outcome] = commit_drafts(store, [amendment(replaces=named)]).outcomes
    assert (outcome.status, outcome.title) == ("updated", NEW)
    assert outcome.target.endswith("/retries-stop-after-four-attempts-the-pause-is-capped-at-30-s.json")
    [memory] = store.memories(status="all")
    assert memory.extension["questions"] == ["how often do we retry?"]
    assert {"retry", "ledger"} <= set(memory.record["tags"])
    # The context of the old memory still holds.
    assert memory.record["content"]["context"] == "a context that everybody knows"


def test_the_gist_of_what_held_before_goes(store: Store) -> None:
    commit_drafts(store, [draft(OLD)])
    [memory] = store.memories()
    store.update(memory.path, {"cuecard": {"gist": "At most a minute between two attempts."}})
    commit_drafts(store, [amendment()])
    [memory] = store.memories()
    assert "gist" not in memory.extension


def test_an_amendment_that_is_handed_in_twice_changes_nothing(store: Store) -> None:
    commit_drafts(store, [draft(OLD)])
    commit_drafts(store, [amendment()])
    [outcome] = commit_drafts(store, [amendment()]).outcomes
    assert outcome.status == "unchanged"


def test_an_amendment_of_another_category_replaces_the_old_memory(store: Store) -> None:
    commit_drafts(store, [draft(OLD, category="preference")])
    [outcome] = commit_drafts(store, [draft(NEW, action="update") | {"replaces": OLD}]).outcomes
    assert outcome.status == "created"
    assert {memory.title: memory.status for memory in store.memories(status="all")} == {OLD: "retired", NEW: "active"}


def test_an_amendment_of_no_memory_is_refused_with_the_name(store: Store) -> None:
    [outcome] = commit_drafts(store, [amendment()]).outcomes
    assert outcome.status == "failed"
    assert outcome.error is not None
    assert "`replaces` names no memory" in outcome.error.what


def test_the_questions_of_an_update_come_before_the_old_ones(store: Store) -> None:
    commit_drafts(store, [draft(OLD, questions=["how often do we retry?"])])
    sent = amendment()
    sent["partial_content"]["questions"] = ["how long is the pause?"]
    commit_drafts(store, [sent])
    [memory] = store.memories()
    assert memory.extension["questions"] == ["how long is the pause?", "how often do we retry?"]


@pytest.mark.parametrize(
    ("category", "content", "filled"),
    [
        (
            "constraint",
            {"kind": "policy", "rule": "Refunds wait for a second person."},
            {"severity": "medium", "active": True},
        ),
        ("preference", {"topic": "dates", "value": "Dates are written as 2026-03-01."}, {"strength": "default"}),
        ("tech_debt", {"description": "The importer reads a file twice."}, {"status": "open", "priority": "medium"}),
    ],
)
def test_nobody_needs_to_say_how_strong_a_rule_is(
    store: Store, category: str, content: dict[str, object], filled: dict[str, object]
) -> None:
    sent = draft(category=category, title="A title that says what holds", content=content)
    [outcome] = commit_drafts(store, [sent]).outcomes
    assert outcome.status == "created", outcome
    assert read(store, "a-title-that-says-what-holds", category)["content"] == content | filled

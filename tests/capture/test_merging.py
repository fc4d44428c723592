"""What a memory takes over from one that it replaces, and what stays of one that says the same."""

from pathlib import Path
from typing import Any

import pytest

from cuecard import Store
from cuecard.capture.commit import commit_drafts
from cuecard.capture.commit_write import Provenance
from cuecard.capture.inbox import read_inbox
from cuecard.capture.review import accept
from cuecard.importers.provenance import transcripts_of
from handed_in import Json, draft
from records import make_store

OLD = "Retries stop after four attempts"
OLD_NAME = "decision/retries-stop-after-four-attempts"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = make_store(tmp_path / "project")
    content = {"status": "accepted", "decision": "A request is sent at most four times. The pause doubles."}
    old = draft(OLD, tags=["retry", "gateway"], questions=["how often do we try again?"])
    old["partial_content"]["content"] = content
    commit_drafts(store, [old])
    return store


def related(verdict: str, title: str, decision: str, **members: Any) -> Json:  # noqa: ANN401
    sent = draft(title, **members) | {"relations": [{"id": OLD_NAME, "verdict": verdict}]}
    sent["partial_content"]["content"] = {"status": "accepted", "decision": decision}
    return sent


def test_a_memory_takes_over_the_questions_and_tags_of_what_it_replaces(store: Store) -> None:
    sent = related(
        "updates", "Retries stop after six attempts", "A request is sent at most six times.", tags=["limits"]
    )
    sent["partial_content"]["questions"] = ["when does a retry give up?"]
    commit_drafts(store, [sent])
    [memory] = store.memories(status="active")
    assert memory.extension["questions"] == ["when does a retry give up?", "how often do we try again?"]
    assert memory.record["tags"] == ["gateway", "limits", "retry"]


def test_five_questions_of_its_own_leave_no_room_for_those_of_the_old_one(store: Store) -> None:
    own = [f"what is question {number} about?" for number in range(5)]
    sent = related("updates", "Retries stop after six attempts", "At most six times.", questions=own)
    commit_drafts(store, [sent])
    [memory] = store.memories(status="active")
    assert memory.extension["questions"] == own


def test_a_memory_that_says_the_same_leaves_its_wording_as_a_question(store: Store) -> None:
    wording = "We give up on the payment service when the fourth call fails"
    [outcome] = commit_drafts(store, [related("same", wording, "A request is sent at most four times.")]).outcomes
    assert outcome.status == "updated"
    [memory] = store.memories()
    assert memory.title == OLD
    assert memory.extension["questions"] == ["how often do we try again?", wording]
    assert read_inbox(store.memory_dir) == []


def test_facts_that_the_old_memory_lacks_wait_as_a_draft_to_merge(store: Store) -> None:
    decision = (
        "A request is sent at most four times. Refunds are never sent twice, because the bank books each of them."
    )
    sent = related("same", "The gateway is called four times", decision)
    sent["partial_content"]["content"]["consequences"] = ["Support sees a failed refund after 90 seconds"]
    [outcome] = commit_drafts(store, [sent]).outcomes
    [waiting] = read_inbox(store.memory_dir)
    assert outcome.written is not None
    assert any(waiting.id in warning for warning in outcome.written.warnings)
    assert f"says the same as `{OLD_NAME}`, and more" in waiting.note
    [memory] = store.memories()
    assert "Refunds" not in memory.record["content"]["decision"]

    [decided] = accept(store, [waiting])
    assert decided.is_discarded
    [memory] = store.memories()
    assert memory.title == OLD
    assert memory.record["content"]["decision"] == (
        "A request is sent at most four times. The pause doubles. Refunds are never sent twice, because the bank books"
        " each of them."
    )
    assert memory.record["content"]["consequences"] == ["Support sees a failed refund after 90 seconds"]


def test_the_session_that_said_it_again_is_its_source_and_the_first_one_stays_in_its_history(store: Store) -> None:
    for name in ("a", "b"):
        source = {"session": name, "transcript": f"{name}.jsonl", "start": 0, "end": 9}
        sent = related("same", f"The gateway is called four times, says {name}", "At most four times.")
        commit_drafts(store, [sent], provenance=Provenance("agent", source))
    [memory] = store.memories()
    assert memory.extension["source"]["session"] == "b"
    assert transcripts_of(memory.record) == ["b.jsonl", "a.jsonl"]

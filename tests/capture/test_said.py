"""Drafts are compared with the ledgers: whose words the evidence has, and in which session they were said."""

import json
from typing import Any

import pytest

from command_process import run_in
from cuecard import Store
from cuecard.capture.commit import commit_drafts
from cuecard.capture.commit_folder import CommitFolder
from cuecard.capture.commit_write import Provenance
from cuecard.capture.ledger.ledger_lines import write_line
from cuecard.capture.said import words_of
from cuecard.mcp.project import OpenProject
from cuecard.mcp.write_tools import save
from handed_in import Json, draft
from scratch_home import kept_of

NOW = "2026-11-28T10:00:00Z"


def entry(at: int, text: str, quoted: list[list[int]] | None = None) -> Json:
    return {"k": "prompt", "at": at, "text": text, "quoted": quoted or [], "signs": [], "is_substantial": True}


def write_ledger(store: Store, session: str, *entries: Json, base: int = 0, suffix: str = ".jsonl") -> None:
    folder = kept_of(store.memory_dir) / "ledger"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    end = max(each["at"] for each in entries) + 100
    part = {"host": "claude-code", "transcript": f"{session}.jsonl", "from": 0, "to": end, "base": base}
    line = write_line("part", NOW, {**part, "is_stop": False, "entries": list(entries)})
    (folder / f"{session}{suffix}").write_bytes(line)


def asked(store: Store, *parts: tuple[str, int, int]) -> CommitFolder:
    """The staging folder of the session `later`, whose agent was asked about parts of sessions."""
    folder = kept_of(store.memory_dir) / "staging" / "later"
    folder.mkdir(mode=0o700, parents=True)
    rows = [{"session": session, "ask": "a1", "from": start, "to": end} for session, start, end in parts]
    manifest = {"version": 1, "session_id": "later", "transcript": "/home/somebody/later.jsonl", "start": 0, "end": 9}
    (folder / "triage.json").write_text(json.dumps({**manifest, "parts": rows}))
    return CommitFolder(store.memory_dir, str(folder))


def with_evidence(quote: str, title: str = "Queues keep the order of the orders", **members: Any) -> Json:  # noqa: ANN401
    sent = draft(title, **members)
    sent["partial_content"]["evidence"] = [{"kind": "user", "ref": "the session", "quote": quote}]
    return sent


def evidence_of(store: Store) -> Any:  # noqa: ANN401
    [memory] = store.memories()
    [piece] = memory.extension["evidence"]
    return piece["kind"], piece["quote"]


# Evidence

TYPED = "No - we'll keep   the order of the orders; never re-sort them. Use “FIFO” for that"


@pytest.mark.parametrize(
    ("quote", "kind"),
    [
        (TYPED, "user"),
        ("we'll keep the order of the orders", "user"),
        ("We’ll keep the order … use FIFO", "user"),
        ("never re-sort them [...] use FIFO for that.", "user"),
        ("you always want the orders sorted", "agent"),
        ("we'll keep the order ... always sort them", "agent"),
        ("they are to be sort", "agent"),
        ("...", "agent"),
    ],
)
def test_what_the_user_did_not_type_is_what_the_agent_says(store: Store, quote: str, kind: str) -> None:
    write_ledger(store, "s-1", entry(5, TYPED))
    [outcome] = commit_drafts(store, [with_evidence(quote)]).outcomes
    assert evidence_of(store) == (kind, quote)
    assert bool(outcome.notes) == (kind == "agent")


@pytest.mark.parametrize(
    ("quote", "kind"), [("주문 순서를 유지해", "user"), ("순서를 유지", "user"), ("순서를 바꿔", "agent")]
)
def test_words_without_blanks_are_compared_by_their_characters(store: Store, quote: str, kind: str) -> None:
    write_ledger(store, "s-1", entry(5, "항상 주문 순서를 유지해야 합니다"))
    commit_drafts(store, [with_evidence(quote)])
    assert evidence_of(store)[0] == kind


def test_a_choice_is_the_users_and_a_quotation_is_not(store: Store) -> None:
    text = "what does this mail mean? > sort all orders by the name"
    choice = {"k": "choice", "at": 9, "asked": "Which one? Sorted by date", "text": "Keep them as they come"}
    write_ledger(store, "s-1", entry(5, text, [[26, len(text)]]), choice)
    quotes = ["keep them as they come", "sort all orders by the name", "sorted by date"]
    sent = [with_evidence(quote, f"Title {number} of the orders") for number, quote in enumerate(quotes)]
    commit_drafts(store, sent)
    kinds = [memory.extension["evidence"][0]["kind"] for memory in sorted(store.memories(), key=lambda each: each.id)]
    assert kinds == ["user", "agent", "agent"]


def test_a_claimed_ledger_and_that_of_another_session_count_too(store: Store) -> None:
    write_ledger(store, "s-1", entry(5, "we keep the order of the orders"), suffix=".claimed")
    write_ledger(store, "s-2", entry(5, "and the readme as well"))
    commit_drafts(store, [with_evidence("keep the order")], folder=asked(store, ("s-2", 0, 100)))
    assert evidence_of(store)[0] == "user"


def test_without_a_ledger_the_agent_only_says_so(store: Store) -> None:
    commit_drafts(store, [with_evidence("keep the order")])
    assert evidence_of(store)[0] == "agent"


def test_what_the_user_has_accepted_stays(store: Store) -> None:
    commit_drafts(store, [with_evidence("keep the order")], provenance=Provenance("agent", {}, is_accepted=True))
    assert evidence_of(store)[0] == "user"


def test_an_update_is_compared_too(store: Store) -> None:
    commit_drafts(store, [draft("Queues keep the order of the orders")])
    commit_drafts(store, [with_evidence("keep the order", action="update")])
    assert evidence_of(store)[0] == "agent"


def test_a_memory_that_an_agent_saves_by_mcp_is_compared_too(store: Store) -> None:
    project = OpenProject(store.root)
    piece = {"kind": "user", "quote": "keep the order"}
    record = draft("Queues keep the order of the orders")["partial_content"]
    sent = {name: record[name] for name in ("title", "tags", "content")} | {"category": "decision"}
    save(project, {**sent, "cuecard": {"evidence": [piece]}})
    assert evidence_of(store)[0] == "agent"


def test_words_are_compared_without_signs_and_case() -> None:
    assert words_of("  Don't — ＳＴＯＰ, ok?") == " don t stop ok "
    assert words_of("한글 ok") == " 한 글 ok "
    assert words_of(" … ") == " "


# The session


def source_of(store: Store) -> Any:  # noqa: ANN401
    [memory] = store.memories()
    return memory.extension["source"]


def test_the_source_is_the_session_in_which_it_was_said(store: Store) -> None:
    write_ledger(store, "s-1", entry(1005, "we keep the order of the orders"), base=1000, suffix=".claimed")
    write_ledger(store, "later", entry(5, "what is this"))
    commit_drafts(store, [with_evidence("keep the order")], folder=asked(store, ("s-1", 1000, 1900)))
    assert source_of(store) == {"session": "s-1", "transcript": "s-1.jsonl", "start": 0, "end": 900}


@pytest.mark.parametrize("quote", ["keep the order", "something else entirely"])
def test_of_several_sessions_it_is_that_with_the_words_or_the_terms_of_the_draft(store: Store, quote: str) -> None:
    write_ledger(store, "s-1", entry(5, "add a section about the format to the readme"))
    write_ledger(store, "s-2", entry(5, "we keep the order of the orders in every queue"))
    write_ledger(store, "s-3", entry(5, "the parser needs a test with dates"))
    parts = [(name, 0, 100) for name in ("s-1", "s-2", "s-3")]
    commit_drafts(store, [with_evidence(quote)], folder=asked(store, *parts))
    assert source_of(store)["session"] == "s-2"


def test_each_draft_of_a_command_has_its_own_session(store: Store) -> None:
    write_ledger(store, "s-1", entry(5, "amounts are always integers in cents"))
    write_ledger(store, "s-2", entry(5, "we keep the order of the orders in every queue"))
    sent = [with_evidence("integers in cents", "Amounts are integers in cents"), with_evidence("keep the order")]
    commit_drafts(store, sent, folder=asked(store, ("s-1", 0, 100), ("s-2", 0, 100)))
    found = {memory.title[:7]: memory.extension["source"]["session"] for memory in store.memories()}
    assert found == {"Amounts": "s-1", "Queues ": "s-2"}


def test_what_no_person_types_into_add_and_update_is_compared_too(store: Store) -> None:
    evidence = {"cuecard": {"evidence": [{"kind": "user", "quote": "keep the order"}]}}
    partial = draft("Queues keep the order of the orders")["partial_content"]
    record = {name: partial[name] for name in ("title", "tags", "content")} | {"category": "decision"}
    assert run_in(store, "add", send=record | evidence).code == 0
    assert evidence_of(store)[0] == "agent"
    write_ledger(store, "s-1", entry(5, "we keep the order of the orders"))
    assert run_in(store, "update", "queues-keep-the-order-of-the-orders", send=evidence).code == 0
    assert evidence_of(store)[0] == "user"

"""What a person does: each action counts once and can be undone by its id; the rules of the inbox."""

import json
import re
import time
from pathlib import Path

import pytest

from command_process import run_in
from cuecard import Store
from cuecard._backend import engine
from cuecard.basics.light_dataclass import replace
from cuecard.capture import expiry
from cuecard.capture.dealt import read_dealt
from cuecard.capture.expiry import days_left, expire
from cuecard.capture.inbox import leave as put_in
from cuecard.capture.inbox import read_inbox
from cuecard.capture.review import hand_in
from cuecard.errors import ConflictError, InputError, MissingError, UsageError
from cuecard.library.learning import MAX_PRIOR, MAX_SHIFT, Evidence, learn
from cuecard.library.verdict_log import Verdict, check_kind, often_wrong, read_verdicts, say
from cuecard.observe.events import read_events
from cuecard.steer import actions
from cuecard.steer.waiting import clear_expired, proposals, read_waiting_items
from handed_in import draft
from hook_process import Hook
from records import draft as record
from scratch_home import kept_of

SOURCE = {"kind": "document", "path": "docs/ledger.md", "heading": "Storage", "digest": "a" * 8}
TITLE = "Use PostgreSQL for the ledger"


def leave(store: Store, title: str = TITLE, **members: object) -> str:
    """Hand in a draft; returns how it was taken."""
    [outcome] = hand_in(store, [draft(title, **members)], source=dict(SOURCE)).outcomes
    return outcome.status


def waiting(store: Store) -> list[str]:
    return [one.id for one in read_inbox(store.memory_dir)]


def texts(store: Store) -> list[tuple[str, str]]:
    """The drafts that wait, as somebody has read them."""
    return [(one.id, one.text_hash) for one in read_inbox(store.memory_dir)]


def test_an_accepted_draft_never_returns_until_the_acceptance_is_undone(store: Store) -> None:
    leave(store)
    [name] = waiting(store)
    [decided] = actions.accept(store, texts(store))
    assert decided.is_discarded
    [operation] = [one.operation for one in read_dealt(store.memory_dir)]
    store.retire("use-postgresql-for-the-ledger")
    assert leave(store) == "unchanged"
    assert waiting(store) == []
    actions.undo(store)
    actions.undo(store, operation)
    assert waiting(store) == [name]
    assert store.memories() == []


def test_an_action_counts_once(store: Store) -> None:
    leave(store)
    [name] = waiting(store)
    read = texts(store)
    actions.accept(store, read)
    for again in (lambda: actions.accept(store, read), lambda: actions.reject(store, [name])):
        with pytest.raises(MissingError):
            again()
    assert len(store.memories()) == 1


def test_a_draft_is_accepted_only_with_the_text_that_was_read(store: Store) -> None:
    old = store.add(record(), trust="own").id
    for title in (TITLE, "Deploy the ledger on Mondays only"):
        leave(store, title, content={"status": "accepted", "context": "c", "decision": title, "rationale": ["r"]})
    read = texts(store)
    [_, (name, _hash)] = read
    [_, other] = read_inbox(store.memory_dir)
    # An edit keeps the id, and so do relations, by which the draft retires memories.
    actions.edit(store, name, {**other.raw, "relations": [{"id": old, "verdict": "updates"}]})
    with pytest.raises(ConflictError, match="has changed since it was shown"):
        actions.accept(store, read)
    assert [memory.id for memory in store.memories()] == [old]
    assert [one.is_discarded for one in actions.accept(store, texts(store))] == [True, True]


def test_a_rejected_draft_does_not_return_in_other_words(store: Store) -> None:
    leave(store)
    [done] = actions.reject(store, waiting(store))
    assert leave(store) == "unchanged"
    assert leave(store, "The ledger uses PostgreSQL") == "unchanged"
    assert waiting(store) == []
    # Another thing that the same source says is a new draft.
    other = {
        "context": "many readers",
        "decision": "replicas answer the reports of the accountants",
        "rationale": ["load"],
    }
    assert (
        leave(store, "Reports read from a replica", tags=["reports"], content={"status": "accepted", **other})
        == "waiting"
    )
    actions.undo(store, done.id)
    assert len(waiting(store)) == 2


def test_an_edit_is_undone_by_its_id(store: Store) -> None:
    leave(store)
    [name] = waiting(store)
    [before] = read_inbox(store.memory_dir)
    changed = json.loads(json.dumps(before.raw))
    changed["partial_content"]["title"] = "The ledger is kept in PostgreSQL"
    _waiting, done = actions.edit(store, name, changed)
    assert actions.title_of(read_inbox(store.memory_dir)[0]) == "The ledger is kept in PostgreSQL"
    actions.undo(store, done.id)
    assert read_inbox(store.memory_dir)[0].raw == before.raw


def test_what_expires_says_so_a_week_before_and_can_be_put_back(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    leave(store)
    [one] = read_inbox(store.memory_dir)
    now, day = time.time(), expiry.DAY_SECONDS
    assert days_left(one) == expiry.LIFE_DAYS
    # A draft of which nobody was told stays, however old it is.
    assert expire(store.memory_dir, now + 200 * day) == []
    assert "expires in 7 days" in (kept_of(Path(store.memory_dir)) / "notice").read_text()
    assert expire(store.memory_dir, now + 206 * day) == []
    assert [gone.id for gone in expire(store.memory_dir, now + 208 * day)] == [one.id]
    assert waiting(store) == []
    actions.undo(store, f"d{one.id}")
    assert waiting(store) == [one.id]
    # The draft that was put back is told of again, and stays for another week.
    notice = kept_of(Path(store.memory_dir)) / "notice"
    notice.unlink()
    assert expire(store.memory_dir, now + 209 * day) == []
    assert "expires in 7 days" in notice.read_text()
    assert [gone.id for gone in expire(store.memory_dir, now + 217 * day)] == [one.id]


def test_whoever_looks_at_the_list_takes_what_has_expired_out(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    leave(store)
    [one] = read_inbox(store.memory_dir)
    monkeypatch.setattr(expiry, "LIFE_DAYS", 0)
    assert expire(store.memory_dir, time.time() - 8 * expiry.DAY_SECONDS) == []
    clear_expired(store)
    assert waiting(store) == []
    actions.undo(store, f"d{one.id}")
    assert waiting(store) == [one.id]


def test_the_list_begins_with_what_can_be_accepted(store: Store) -> None:
    lost = {**draft("No memory has this", action="delete"), "lifecycle_event": "resolved"}
    put_in(store.memory_dir, lost, "import", SOURCE)
    leave(store)
    listed = run_in(store, "review").stdout.splitlines()
    assert [name.partition("  ")[0] for name in listed] == [one.waiting.id for one in read_waiting_items(store)]
    assert [line.endswith("(cannot be accepted)") for line in listed] == [False, True]


def test_review_prints_the_ids_that_take_back_what_it_did(store: Store, tmp_path: Path) -> None:
    leave(store)
    [name] = waiting(store)
    [before] = read_inbox(store.memory_dir)
    changed = tmp_path / "changed.json"
    changed.write_text(
        json.dumps({**before.raw, "partial_content": {**before.raw["partial_content"], "title": "The ledger"}})
    )
    for words in (("edit", name, "--file", str(changed)), ("reject", name), ("accept", name)):
        printed = run_in(store, "review", *words).stderr
        [action] = re.findall("cuecard undo ([0-9a-z-]+)`", printed)
        assert run_in(store, "undo", action).code == 0
        assert waiting(store) == [name]
    assert read_inbox(store.memory_dir)[0].raw == before.raw
    assert store.memories() == []
    for words in (("edit", name, "--file", str(changed)), ("reject", name)):
        printed = run_in(store, "review", *words, "--json").stdout
        [action] = [json.loads(printed)["undo"]] if words[0] == "edit" else json.loads(printed)["undo"]
        assert run_in(store, "undo", action).code == 0


def test_retiring_and_restoring_have_ids(store: Store) -> None:
    store.add(record())
    done = actions.retire(store, "use-an-mmap-index", reason="it was slow")
    assert store.show("use-an-mmap-index").status == "retired"
    actions.undo(store, done.id)
    assert store.show("use-an-mmap-index").status == "active"


def asked(hook: Hook, store: Store, session: str) -> None:
    sent = json.dumps({"prompt": "which mmap index do we use?", "cwd": store.root, "session_id": session}).encode()
    hook.run("prompt", "--host", "plain", stdin=sent, cwd=Path(store.root))


def test_a_verdict_counts_once_and_has_an_id(hook: Hook, store: Store) -> None:
    store.add(record())
    asked(hook, store, "s1")
    first, again = actions.judge(store, "wrong"), actions.judge(store, "wrong", "use-an-mmap-index")
    assert (first.is_new, again.is_new) == (True, False)
    assert first.id == again.id
    [verdict] = read_verdicts(store.memory_dir)
    [event] = read_events(store.memory_dir).events
    assert (verdict.session, verdict.prompt, verdict.setting) == ("s1", event.prompt_hash, "balanced")
    store.add(record("Another write"))
    actions.undo(store, first.id)
    assert read_verdicts(store.memory_dir) == []
    # Only the verdict was taken back.
    assert len(store.memories()) == 2


def test_a_verdict_needs_a_memory_that_was_shown(hook: Hook, store: Store) -> None:
    store.add(record())
    with pytest.raises(MissingError, match="no memory was shown yet"):
        actions.judge(store, "wrong")
    with pytest.raises(MissingError, match="was not shown"):
        actions.judge(store, "wrong", "use-an-mmap-index")
    store.add(
        record("Build the mmap index at night", content={**record()["content"], "decision": "the mmap index at night"})
    )
    asked(hook, store, "s1")
    [event] = read_events(store.memory_dir).events
    assert len(event.shown) == 2
    with pytest.raises(UsageError, match="name one"):
        actions.judge(store, "wrong")


def test_three_sessions_propose_a_change(store: Store) -> None:
    store.add(record())
    path = store.show("use-an-mmap-index").path
    for session in ("a", "a", "b"):
        say(store.memory_dir, said(path, session))
    assert often_wrong(read_verdicts(store.memory_dir)) == {}
    say(store.memory_dir, said(path, "c"))
    assert [place[0] for place in often_wrong(read_verdicts(store.memory_dir))] == [path]


def test_the_present_text_that_was_wrong_in_three_sessions_is_named_until_it_changes(store: Store) -> None:
    store.add(record())
    memory = store.show("use-an-mmap-index")
    text = engine.trust_hash(memory.data) or ""
    for session in ("a", "b"):
        say(store.memory_dir, replace(said(memory.path, session), trust_hash=text))
    # Three sessions that speak of another text propose nothing.
    for session in ("a", "b", "c"):
        say(store.memory_dir, said(memory.path, session))
    assert proposals(store) == []
    assert "was wrong" not in run_in(store, "review").stderr
    say(store.memory_dir, replace(said(memory.path, "c"), trust_hash=text))
    assert proposals(store) == [(memory.path, 3)]
    assert "`use-an-mmap-index` was wrong in 3 sessions" in run_in(store, "review").stderr
    assert run_in(store, "review", "--json").document["often_wrong"] == [{"memory": "use-an-mmap-index", "sessions": 3}]
    store.update("use-an-mmap-index", {"content": {**record()["content"], "decision": "an index on the disk"}})
    assert proposals(store) == []


def said(path: str, session: str, kind: str = "wrong") -> Verdict:
    return Verdict("", "", kind, path, "0" * 64, session=session, prompt=f"{len(session)}", kept="0 s:index=256;")


def test_an_unknown_verdict_is_refused() -> None:
    with pytest.raises(InputError):
        check_kind("maybe")


def evidence(kind: str, count: int, name: str = "m") -> list[Evidence]:
    return [Evidence((name, "h"), kind, 1.0, f"{name}{place}") for place in range(count)]


def test_a_few_verdicts_move_nothing_and_one_session_counts_once() -> None:
    assert learn(evidence("wrong", 3)) == learn([])
    assert learn(evidence("wrong", 1) * 50) == learn([])


def test_many_verdicts_move_a_memory_and_the_gate_within_bounds() -> None:
    learned = learn(evidence("wrong", 1000))
    assert learned.priors == {("m", "h"): -MAX_PRIOR}
    assert 0 < learned.shift <= MAX_SHIFT
    assert learn(evidence("good", 1000)).shift == 0


def test_a_dry_run_of_undo_looks_the_action_up_and_changes_nothing(store: Store) -> None:
    leave(store)
    [name] = waiting(store)
    [done] = actions.reject(store, [name])
    told = actions.undo(store, done.id, is_dry_run=True)
    assert isinstance(told, actions.Done)
    assert (told.what, told.id) == ("would wait again", "")
    assert waiting(store) == []
    with pytest.raises(MissingError, match="no verdict"):
        actions.undo(store, "v0000000000", is_dry_run=True)

"""Invalid drafts, the notice to the user, and how drafts get from the hook into the next session."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from command_process import environment, error_of, run_in
from cuecard import Store
from cuecard.capture.commit import commit_drafts
from cuecard.capture.commit_folder import CommitFolder
from cuecard.capture.commit_outcome import Outcome, write_notice
from cuecard.capture.draft import check_draft, read_drafts
from cuecard.cli.terminal import as_readable_json
from cuecard.errors import CuecardError, ValidationError
from cuecard.store.records.record import CATEGORIES
from handed_in import Json, draft, names, staged
from hook_process import Hook
from records import make_store, read, read_files
from scratch_home import kept_of
from triage_cases import in_jsonl, said, typed


@pytest.mark.parametrize(
    ("sent", "what"),
    [
        ("", "not JSON: it is empty"),
        (" \n", "not JSON: it is empty"),
        ("{", "not JSON"),
        ("[1, 2", "not JSON"),
        ("null", "not a JSON array"),
        ('"text"', "not a JSON array"),
        ("[NaN]", "is not a JSON number"),
        ('[{"category": "decision", "category": "runbook"}]', "twice"),
        ("[" * 5000, "nested too deep"),
        (json.dumps([{}] * 51), "51 drafts"),
        ("[" + " " * (1 << 20) + "]", "over 1 MiB"),
        (b"[\xff]", "not UTF-8"),
    ],
)
def test_what_is_no_array_of_drafts_is_said_and_leaves_everything_as_it_was(
    store: Store, sent: str | bytes, what: str
) -> None:
    folder = staged(store)
    ran = run_in(store, "capture", "commit", folder, "--json", send=sent)
    assert ran.code == 1
    assert what in error_of(ran)["what"]
    assert names(folder) == ["context-decision.txt", "handled-4096", "triage.json"]


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"category": "note"}, "category"),
        ({"category": None}, "category"),
        ({"action": "drop"}, "action"),
        ({"action": ["create"]}, "action"),
        ({"new_info_summary": ""}, "new_info_summary"),
        ({"new_info_summary": 5}, "new_info_summary"),
        ({"partial_content": []}, "partial_content"),
        ({"partial_content": None}, "partial_content"),
        ({"lifecycle_event": "gone"}, "lifecycle_event"),
        ({"partial_content": {"title": " ", "content": {"a": 1}}}, "partial_content.title"),
        ({"partial_content": {"title": "t", "content": {}}}, "partial_content.content"),
        ({"partial_content": {"title": "t", "content": {"a": 1}, "tags": [1]}}, "partial_content.tags"),
        ({"partial_content": {"title": "t", "content": {"a": 1}, "confidence": "x"}}, "partial_content.confidence"),
    ],
)
def test_an_error_says_where_and_what_to_do(wrong: Json, field: str) -> None:
    with pytest.raises(ValidationError) as raised:
        check_draft(draft() | wrong, 3)
    assert [problem.field for problem in raised.value.problems] == [f"drafts[3].{field}"]
    assert raised.value.hint


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
PARTIALS = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("title", "tags", "confidence", "change_summary", "content", "related_files"), JSON)
)
MALFORMED = st.fixed_dictionaries(
    {},
    optional={
        "category": st.sampled_from([*CATEGORIES, "note"]) | JSON,
        "action": st.sampled_from(["create", "update", "delete", "noop"]) | JSON,
        "new_info_summary": st.text(max_size=20) | JSON,
        "partial_content": PARTIALS | JSON,
        "lifecycle_event": JSON,
    },
)


@settings(max_examples=50, deadline=None)
@given(raws=st.lists(MALFORMED | JSON, max_size=3))
def test_whatever_is_handed_in_ends_in_a_memory_or_a_reason(
    raws: list[Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    store = make_store(tmp_path_factory.mktemp("project") / "p")
    folder = staged(store)
    done = commit_drafts(store, raws, folder=CommitFolder(store.memory_dir, str(folder)))
    assert len(done.outcomes) == len(raws)
    for outcome in done.outcomes:
        assert (outcome.status == "failed") == (outcome.error is not None)
        assert outcome.error is None or (outcome.error.what and Path(outcome.kept).exists())
    json.dumps(done.as_dict())
    for data in read_files(store).values():
        json.loads(data)


@settings(max_examples=50, deadline=None)
@given(data=st.binary(max_size=60) | JSON.map(lambda value: json.dumps(value).encode()))
def test_whatever_bytes_come_they_are_drafts_or_an_error_that_helps(data: bytes) -> None:
    def hint_of(work: Callable[[], object]) -> str:
        try:
            work()
        except CuecardError as error:
            return error.what and error.hint
        return "nothing to mend"

    raws: list[object] = []
    assert hint_of(lambda: raws.extend(read_drafts(data, "standard input")))
    assert all(hint_of(partial(check_draft, raw, number)) for number, raw in enumerate(raws))


def test_a_notice_is_one_short_line() -> None:
    outcomes = [Outcome("created", "decision", f"A\ttitle\n`with` \u202e{number}" * 9) for number in range(50)]
    line = write_notice(outcomes)
    assert len(line) == 500
    assert line.isprintable()
    assert write_notice([Outcome("unchanged", "decision", "t")]) == ""


def test_from_the_hook_to_the_next_session(python_hook: Hook, tmp_path: Path) -> None:
    root = tmp_path / "the project's"
    (root / ".git").mkdir(parents=True)
    transcript = tmp_path / "s-1.jsonl"
    transcript.write_bytes(in_jsonl([typed("remember this: we use PostgreSQL for the ledger"), said("I will.")]))
    payload = {"session_id": "s-1", "cwd": str(root), "transcript_path": str(transcript), "stop_hook_active": False}
    wish = {"prompt": "remember this: we use PostgreSQL for the ledger", **payload}
    python_hook.run("prompt", stdin=json.dumps(wish).encode(), cwd=root)
    blocked = python_hook.run("stop", stdin=json.dumps(payload).encode(), cwd=root)
    reason = json.loads(blocked.stdout)["reason"]
    [command] = [line for line in reason.splitlines() if line.endswith("<<'CUECARD'")]
    # The shell splits the command and removes the quotes.
    script = f'"{sys.executable}" -m cuecard.cli capture commit {command.partition(" capture commit ")[2]}'
    if os.name == "nt":
        pytest.skip("the command is for a POSIX shell")
    ran = subprocess.run(
        ["sh", "-c", f"{script}\n{json.dumps([draft()])}\nCUECARD\n"],
        cwd=root,
        env=environment(tmp_path),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, b"")
    record = read(Store(root), "use-postgresql-for-the-ledger")
    assert record["cuecard"]["source"]["session"] == "s-1"
    assert record["cuecard"]["source"]["end"] == transcript.stat().st_size
    [ledger] = kept_of(root / ".claude" / "memory").glob("ledger/s-1.jsonl")
    assert '"how":"drafts"' in ledger.read_text("utf-8").splitlines()[-1]
    asked = {"prompt": "why do we use postgresql for the ledger?", "session_id": "s-2", "cwd": str(root)}
    answered = python_hook.run("prompt", "--host", "claude-code", stdin=json.dumps(asked).encode(), cwd=root)
    assert b"Use PostgreSQL for the ledger" in answered.stdout


# What an agent reads


def test_json_for_an_agent_has_its_characters_and_nothing_unseen(store: Store) -> None:
    commit_drafts(store, [draft("結帳に待ち行列を使う", tags=["queue"])])
    sent = draft("結帳に待ち行列を使う。順番は守る", tags=["queue"])
    ran = run_in(store, "capture", "commit", send=[sent])
    assert ran.code == 3
    assert "結帳に待ち行列を使う" in ran.stdout
    assert "\\u" not in ran.stdout
    folder = staged(store)
    ran = run_in(store, "capture", "commit", folder, send=[draft("주문 순서를 지킨다") | {"category": "note"}])
    [kept] = [name for name in names(folder) if name.startswith("failed-")]
    assert "주문 순서를 지킨다" in (folder / kept).read_text("utf-8")


def test_json_for_an_agent_escapes_what_cannot_be_seen() -> None:
    document = {"a": "x\u202ey\u009b\x7f\u200bz\ud83d é"}
    text = as_readable_json(document)
    assert json.loads(text) == document
    assert "é" in text
    assert all(char.isprintable() or char == "\n" for char in text)


@pytest.mark.parametrize(
    ("title", "other"),
    [
        ("Use C++ for the parser of the ledger", "Use C# for the parser of the ledger"),
        ("所有 API 都要认证", "所有 API 都不要认证"),
    ],
)
def test_a_draft_never_overwrites_a_memory_with_another_title(store: Store, title: str, other: str) -> None:
    for name in (title, other, other):
        commit_drafts(store, [draft(name)])
    assert sorted(memory.title for memory in store.memories()) == sorted([title, other])


def test_a_draft_whose_title_differs_only_in_its_form_updates(store: Store) -> None:
    content = {**draft()["partial_content"]["content"], "context": "another context that everybody knows"}
    commit_drafts(store, [draft("Use PostgreSQL for the ledger")])
    [outcome] = commit_drafts(store, [draft("Use PostgreSQL, for the ledger", content=content)]).outcomes
    assert outcome.status == "updated"
    assert len(store.memories()) == 1


def test_the_example_of_the_page_is_a_draft_that_is_saved_as_it_is(store: Store) -> None:
    page = run_in(store, "capture", "commit", "--page").stdout
    ran = run_in(store, "capture", "commit", "--json", send=json.loads(page[page.index("[\n  {") :]))
    assert [outcome["status"] for outcome in ran.document["drafts"]] == ["created"], ran
    assert "repaired" not in ran.document["drafts"][0] or not ran.document["drafts"][0]["repaired"]

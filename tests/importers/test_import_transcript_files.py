"""Transcript files: the summaries that they contain, and files that are damaged, foreign or large."""

import json
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from command_process import error_of, run_in, run_on_terminal
from cuecard import Store
from cuecard.capture.triage.conversation import read_conversation
from cuecard.capture.triage.triage_settings import read_triage_settings
from cuecard.importers.sessions.host_summary import draft_of_summary
from cuecard.importers.sessions.session_sentences import find_drafts
from cuecard.importers.sessions.transcript import read_head
from cuecard.store.records.autofix import fix_new
from cuecard.store.records.record_check import check
from old_sessions import COMPACTED, codex_said, imported, outcomes, rollout, session
from records import make_store
from triage_cases import DECIDED, in_jsonl, said, typed, used


def test_the_hosts_own_summary_is_one(store: Store) -> None:
    summary = typed(COMPACTED, isCompactSummary=True, isVisibleInTranscriptOnly=True)
    ran = imported(store, {"a.jsonl": session(store.root, typed("move it"), summary, said("Done."))})
    assert len(outcomes(ran)) == 1
    [memory] = store.memories("session_summary")
    assert memory.title == "2026-03-01 Move the job queue to PostgreSQL."
    assert memory.record["content"] == {
        "goal": "Move the job queue to PostgreSQL. Keep the old one until then.",
        "outcome": "partial",
        "completed": ["Locks: two writers waited for each other. Fixed with `SKIP LOCKED`.", "The tests ran twice."],
        "in_progress": ["The last test was made green."],
        "next_actions": ["Remove the old queue."],
    }
    assert imported(store, {}).document["counts"] == {"unchanged": 1}


def test_a_session_without_a_summary_of_its_host_gets_none(store: Store) -> None:
    work = [record for _ in range(9) for record in (typed("go on"), used("Edit"), said("Changed."))]
    ran = imported(store, {"a.jsonl": session(store.root, *work)})
    assert [outcome["why"] for outcome in ran.document["outcomes"]] == [
        "1 session without a sentence that is a memory on its own"
    ]


def test_the_newest_summaries_have_the_room_that_there_is(tmp_path: Path) -> None:
    store = make_store(tmp_path / "project", categories={"session_summary": {"max_retained": 2}})
    words = ("alpha", "bravo", "charlie", "delta")
    files = {
        f"{4 - number}.jsonl": session(
            store.root,
            typed(
                f"Summary:\n1. Primary Request:\n   Build the {word} machine out of {word} parts.",
                isCompactSummary=True,
            ),
            day=f"2026-03-0{number + 1}",
        )
        for number, word in enumerate(words)
    }
    ran = imported(store, files)
    assert [outcome["title"] for outcome in outcomes(ran)] == [
        "2026-03-04 Build the delta machine out of delta parts.",
        "2026-03-03 Build the charlie machine out of charlie parts.",
    ]
    assert len(outcomes(ran, "skipped")) == 2


def test_a_rollout_of_codex_is_read_with_its_summary(store: Store) -> None:
    summary = "Another language model started to solve this problem and produced a summary.\n"
    summary += "## Progress\n- The parser is done.\n\n**Next steps**\n1. Write the tests for the parser.\n"
    data = rollout(
        store.root,
        codex_said("user", "<environment_context><cwd>/elsewhere</cwd></environment_context>"),
        codex_said("user", "Which store?"),
        codex_said("assistant", DECIDED),
        {"type": "compacted", "payload": {"message": summary}},
        codex_said("user", f"Another language model started to solve this problem. {DECIDED}"),
    )
    ran = imported(store, {"2026/03/02/rollout-2026-03-02T10-00-00-c1.jsonl": data})
    assert [outcome["category"] for outcome in outcomes(ran)] == ["decision", "session_summary"]
    [memory] = store.memories("session_summary")
    assert memory.record["content"]["completed"] == ["The parser is done."]
    assert memory.record["content"]["next_actions"] == ["Write the tests for the parser."]
    assert memory.record["cuecard"]["source"]["path"] == "rollout-2026-03-02T10-00-00-c1.jsonl"


@pytest.mark.parametrize(
    "text", ["", "Summary:", "\n\n", "<summary></summary>", "This session is being continued.\n\n"]
)
def test_a_summary_that_says_nothing_is_none(text: str) -> None:
    assert draft_of_summary(text, "a.jsonl", "") is None


def test_lines_that_are_none_are_passed_over(store: Store) -> None:
    junk = b"{\n\xff\xfe\x00\nnull\n[1]\n" + b'{"type":"user","sessionId":7}\n' + b"[" * 5000 + b"\n"
    data = junk + session(store.root, said(DECIDED)) + junk + b'{"type":"user","mess'
    assert len(outcomes(imported(store, {"a.jsonl": data}))) == 1


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "is no transcript of Claude Code or Codex"),
        (b'{"text": "a data set", "label": 1}\n' * 500, "is no transcript of Claude Code or Codex"),
        (b"\0" * 5000, "is no transcript of Claude Code or Codex"),
        (in_jsonl([typed(DECIDED, sessionId="s")]), "does not say in which project its session ran"),
    ],
)
def test_what_is_no_transcript_is_skipped_with_its_reason(store: Store, data: bytes, why: str) -> None:
    ran = imported(store, {"a.jsonl": data, "b.jsonl": session(store.root, said(DECIDED))})
    assert ran.code == 0
    assert [outcome["why"] for outcome in outcomes(ran, "skipped")] == [why]
    assert len(outcomes(ran)) == 1
    alone = run_in(store, "import", Path(store.root).parent / "sessions" / "a.jsonl", "--json")
    assert error_of(alone)["field"] == "source"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_pipe_is_not_waited_for(store: Store) -> None:
    folder = Path(store.root).parent / "sessions"
    folder.mkdir()
    os.mkfifo(folder / "a.jsonl")
    assert run_in(store, "import", folder, "--json").code == 0


def test_other_files_are_for_other_kinds(store: Store) -> None:
    files = {
        "a.jsonl": session(store.root, said(DECIDED)),
        "CLAUDE.md": b"# Style\n\nShort functions, and names of two words at most.\n",
    }
    assert len(outcomes(imported(store, files, "--dry-run"))) == 2
    for kind, category in (("transcript", "decision"), ("instructions", "preference")):
        ran = imported(store, {}, "--dry-run", "--from", kind)
        assert [outcome["category"] for outcome in ran.document["outcomes"]] == [category]


def test_a_large_transcript_is_streamed(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "large.jsonl"
    filler = in_jsonl([{"type": "attachment", "sessionId": "s-1", "rendered": "x" * 4000}]) * 250
    with file.open("wb") as stream:
        stream.write(session(store.root, typed("Which store?")))
        stream.write(b'{"type":"user","sessionId":"s","message":"' + b"y" * (17 << 20) + b'"}\n')
        for _ in range(60):
            stream.write(filler)
        stream.write(session(store.root, said(DECIDED)))
    started = time.process_time()
    head = read_head(file)
    assert head is not None
    assert head.cwd == store.root
    assert time.process_time() - started < 1
    assert len(outcomes(run_in(store, "import", file, "--json"))) == 1


def test_a_bar_is_drawn_while_many_are_read(tmp_path: Path) -> None:
    store = make_store(tmp_path / "project")
    folder = tmp_path / "sessions"
    folder.mkdir()
    for number in range(40):
        folder.joinpath(f"{number}.jsonl").write_bytes(session(store.root, typed("hello"), said("Hello.")) * 40)
    assert "reading" in run_on_terminal(tmp_path, Path(store.root), "import", str(folder), "--dry-run").stdout


LINES: Sequence[object] = [
    typed(DECIDED),
    said(DECIDED),
    said("```\n`a\n`` ` **b** - \n1. [x](y) | ✅"),
    typed(COMPACTED, isCompactSummary=True),
    {"type": "compacted", "payload": {"message": "## Goal\n\n# \n"}},
    {"type": "compacted", "payload": {"message": 1}},
    {"type": "user", "isCompactSummary": True, "message": {"content": [{"type": "text", "text": "Goal:\n x"}]}},
    {"type": "session_meta", "payload": []},
    {"type": [], "sessionId": {}},
    typed("앞으로 \ud800 써 줘.\u2028 결정했"),
    7,
    None,
]


@given(st.lists(st.sampled_from(LINES) | st.text(max_size=30), max_size=12))
def test_whatever_stands_in_a_transcript_something_comes_of_it(lines: list[object]) -> None:
    path = Path(tempfile.gettempdir(), f"cuecard-import-{os.getpid()}.jsonl")
    path.write_bytes("".join([json.dumps(line) + "\n" for line in lines]).encode())
    try:
        read_head(path)
        conversation = read_conversation(str(path), 1 << 30)
    finally:
        path.unlink()
    found = find_drafts(conversation, read_triage_settings("", "current"), "t.jsonl", "")
    summary = draft_of_summary(conversation.summary, "t.jsonl", "")
    for made in [*found, *([summary] if summary else [])]:
        if not any(0xD800 <= ord(char) < 0xE000 for char in json.dumps(made.content, ensure_ascii=False)):
            check(fix_new(made.record(), made.category, "2026-01-01T00:00:00Z")[0])

"""What triage finds in transcripts of two hosts, complete or damaged, and how good its decisions are."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuecard.capture.triage import lines_from_end as tail
from cuecard.capture.triage.conversation import Conversation, read_conversation
from cuecard.capture.triage.lines_from_end import lines_from_end
from cuecard.capture.triage.plugin_record import MalformedMessage
from cuecard.capture.triage.triage import triage
from cuecard.capture.triage.triage_patterns import CURRENT, V5_0220
from cuecard.capture.triage.triage_scoring import score_lines
from cuecard.capture.triage.triage_settings import TriageSettings, read_triage_settings
from triage_cases import DECIDED, in_jsonl, read_sessions, said, transcript_of, typed, used


def read(tmp_path: Path, *records: object, most: int = 50) -> Conversation:
    file = tmp_path / "t.jsonl"
    file.write_bytes(in_jsonl(records))
    return read_conversation(str(file), most)


def texts(found: Conversation) -> list[str]:
    return [text for message in found.messages for text in message.texts]


def codex(kind: str, **members: object) -> dict[str, Any]:
    return {"timestamp": "2026-11-01T00:00:00Z", "type": "response_item", "payload": {"type": kind, **members}}


def codex_said(role: str, text: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return codex("message", role=role, content=[{"type": kind, "text": text}])


# --- Claude Code -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "record",
    [
        said(DECIDED, isSidechain=True),
        typed(DECIDED, isMeta=True),
        typed(DECIDED, isCompactSummary=True),
        said(DECIDED, isApiErrorMessage=True),
        typed(f'<memory-context source=".claude/memory/">\n{DECIDED}\n</memory-context>'),
        typed(f"<system-reminder>{DECIDED}</system-reminder>"),
        typed(f"Stop hook feedback:\n{DECIDED}"),
        typed("/cuecard:save We decided"),
        {"type": "user", "message": {"content": [{"type": "tool_result", "content": DECIDED}]}},
        {"type": "assistant", "message": {"content": [{"type": "thinking", "thinking": DECIDED}]}},
        {"type": "attachment", "attachment": {"type": "hook_additional_context", "rendered": DECIDED}},
        {"type": "api-request", "message": {"role": "user", "content": DECIDED}},
        {"type": "user", "message": DECIDED},
        {"type": "user"},
        {"type": "assistant", "message": {"content": [None, 1, {"type": "text"}, {"type": "text", "text": 5}]}},
        ["user", DECIDED],
    ],
)
def test_what_nobody_said_is_not_heard(tmp_path: Path, record: object) -> None:
    assert read(tmp_path, record).messages == []


def test_the_lines_of_one_message_are_one_exchange(tmp_path: Path) -> None:
    lines = [said("I will look."), used("Read"), used("Edit")]
    for line in lines:
        line["message"]["id"] = "m-1"
    found = read(tmp_path, typed("go on"), *lines, typed("thanks"))
    assert [(message.is_typed, message.texts, message.tools) for message in found.messages] == [
        (True, ["go on"], []),
        (False, ["I will look."], ["Read", "Edit"]),
        (True, ["thanks"], []),
    ]
    assert found.activity.tool_uses == 2


def test_a_repeated_record_counts_once(tmp_path: Path) -> None:
    assert texts(read(tmp_path, typed("once", uuid="u"), typed("once", uuid="u"))) == ["once"]


def test_only_the_last_messages_are_read(tmp_path: Path) -> None:
    found = read(tmp_path, *[typed(f"prompt {number}") for number in range(100)], most=10)
    assert texts(found) == [f"prompt {number}" for number in range(90, 100)]
    assert 0 < found.start < found.end == (tmp_path / "t.jsonl").stat().st_size


def test_asking_alone_is_nothing_to_sum_up(tmp_path: Path) -> None:
    def summary(*records: object) -> float:
        found = read(tmp_path, *records)
        return score_lines(found.lines(), found.activity, CURRENT)[-1].score

    reading = [used(tool) for tool in ("Read", "Grep", "Bash", "TodoWrite") * 4]
    assert summary(typed("explain"), *reading) == 0.0
    assert summary(typed("change"), *reading, used("Edit")) == 1.0


# --- Codex -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_bare", [False, True])
def test_a_rollout_of_codex_is_read(tmp_path: Path, is_bare: bool) -> None:
    items = [
        codex_said("developer", DECIDED),
        codex_said("user", "<environment_context><cwd>/p</cwd></environment_context>"),
        codex_said("user", f"# AGENTS.md instructions for /p\n{DECIDED}"),
        codex_said("user", "Which database?"),
        codex("reasoning", summary=[{"type": "summary_text", "text": DECIDED}]),
        codex("function_call", name="shell", arguments='{"command":["bash","-lc","ls"]}'),
        codex("function_call_output", output=DECIDED),
        codex("custom_tool_call", name="apply_patch", input="*** Begin Patch"),
        codex_said("assistant", "PostgreSQL."),
    ]
    records = [item["payload"] for item in items] if is_bare else items
    event = {"type": "event_msg", "payload": {"type": "agent_message", "message": DECIDED}}
    found = read(tmp_path, {"type": "session_meta", "payload": {"id": "x"}}, *records, event)
    assert [(message.is_typed, message.texts, message.tools) for message in found.messages] == [
        (True, ["Which database?"], []),
        (False, ["PostgreSQL."], ["shell", "apply_patch"]),
    ]
    assert found.activity.has_changes


# --- files -----------------------------------------------------------------------------------------------------


def test_a_torn_line_is_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    file.write_bytes(in_jsonl([typed("whole")]) + in_jsonl([typed("torn")])[:-20])
    assert texts(read_conversation(str(file), 50)) == ["whole"]


def test_ten_thousand_malformed_lines_are_passed_over(tmp_path: Path) -> None:
    shapes = [
        b"{",
        b'{"type":"user","message":',
        b"\xff\xfe\x00",
        b"[" * 5000,
        b'{"type":"user"}',
        b"null",
        b'"x',
        b"1e999",
    ]
    file = tmp_path / "t.jsonl"
    whole = in_jsonl([said(DECIDED)])
    file.write_bytes(whole + b"".join([shapes[number % len(shapes)] + b"\n" for number in range(10_000)]))
    for revision in ("current", "v5-0220"):
        settings = read_triage_settings(str(tmp_path), revision)
        found = triage(str(file), settings)
        if revision == "current":
            assert [score.category for score in found.triggered] == ["decision"]


def test_a_line_beyond_the_limit_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tail, "MAX_LINE_BYTES", 500)
    monkeypatch.setattr(tail, "CHUNK_BYTES", 64)
    found = read(tmp_path, typed("first"), typed("x" * 1000), typed("last"))
    assert texts(found) == ["first", "last"]


@given(
    lines=st.lists(st.binary(max_size=40).map(lambda data: data.replace(b"\n", b"")), max_size=12),
    chunk=st.integers(1, 50),
    ends=st.booleans(),
)
def test_lines_from_the_end_are_the_lines(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], chunk: int, ends: bool
) -> None:
    file = tmp_path_factory.mktemp("tail") / "t"
    data = b"\n".join(lines) + (b"\n" if ends else b"")
    file.write_bytes(data)
    with file.open("rb") as stream, pytest.MonkeyPatch.context() as patch:
        patch.setattr(tail, "CHUNK_BYTES", chunk)
        found = list(lines_from_end(stream.fileno(), len(data)))
    assert [line for _, line in reversed(found)] == [line for line in data.split(b"\n") if line.strip()]
    assert all(data[offset : offset + len(line)] == line for offset, line in found)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "message", "content", "text", "name", "role", "payload", "id", "uuid"]),
            inner | st.sampled_from(["user", "assistant", "text", "tool_use", "response_item", "message", DECIDED]),
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(
    records=st.lists(VALUES, max_size=6), junk=st.binary(max_size=60), revision=st.sampled_from(["current", "v5-0220"])
)
def test_no_transcript_is_too_odd(
    tmp_path_factory: pytest.TempPathFactory, records: list[object], junk: bytes, revision: str
) -> None:
    folder = tmp_path_factory.mktemp("odd")
    file = folder / "t.jsonl"
    file.write_bytes(json.dumps(records).encode() + b"\n" + b"".join(map(as_line, records)) + junk)
    try:
        found = triage(str(file), read_triage_settings(str(folder), revision), last_said="x")
    except MalformedMessage:
        assert revision == "v5-0220"
    else:
        assert all(0 <= score.score <= 1 for score in found.scores)


def as_line(record: object) -> bytes:
    return json.dumps(record).encode() + b"\n"


@given(
    triage_value=VALUES
    | st.dictionaries(
        st.sampled_from(["enabled", "max_messages", "thresholds", "parallel", "revision", "quiet_seconds"]),
        VALUES,
        max_size=6,
    ),
    categories=VALUES,
)
def test_no_settings_are_too_odd(
    tmp_path_factory: pytest.TempPathFactory, triage_value: object, categories: object
) -> None:
    folder = tmp_path_factory.mktemp("odd")
    (folder / "memory-config.json").write_text(json.dumps({"triage": triage_value, "categories": categories}))
    settings: TriageSettings = read_triage_settings(str(folder))
    assert 10 <= settings.max_messages <= 200
    assert all(0 <= threshold <= 1 for threshold in settings.thresholds.values())


# --- judgement -------------------------------------------------------------------------------------------------


def judge(sessions: list[dict[str, Any]], tmp_path: Path, revision: str) -> tuple[list[str], list[str]]:
    """The ids of the sessions in which triage missed something worth keeping, and of those it stopped needlessly."""
    missed, false = [], []
    file = tmp_path / "t.jsonl"
    for session in sessions:
        file.write_bytes(in_jsonl(transcript_of(session)))
        settings = read_triage_settings(str(tmp_path), revision)
        triggered = {score.category for score in triage(str(file), settings).triggered}
        if session["worth"] and not triggered.intersection(session["worth"]):
            missed.append(session["id"])
        if not session["worth"] and triggered:
            false.append(session["id"])
    return missed, false


@pytest.mark.parametrize(
    ("name", "most_missed", "most_false"),
    [("sessions", 2, 1), ("heldout", 16, 1)],
)
def test_most_of_what_is_worth_keeping_is_found_and_nothing_else(
    tmp_path: Path, name: str, most_missed: int, most_false: int
) -> None:
    sessions = read_sessions(name)
    assert len(sessions) >= 50
    assert {session["language"] for session in sessions} == {"en", "ko"}
    missed, false = judge(sessions, tmp_path, "current")
    assert len(missed) <= most_missed, missed
    assert len(false) <= most_false, false
    assert len(judge(sessions, tmp_path, "v5-0220")[0]) > len(missed)


def test_every_threshold_can_be_reached_and_is_that_of_its_revision() -> None:
    for revision in (CURRENT, V5_0220):
        assert list(revision.thresholds) == [
            "decision",
            "runbook",
            "constraint",
            "tech_debt",
            "preference",
            "session_summary",
        ]
        assert all(0 < threshold < 1 for threshold in revision.thresholds.values())

"""What Qwen Code 0.24.4 and Kimi Code 2.1.0 record reaches the ledger, and no line of theirs is a failure.

`qwen.jsonl` and `kimi.jsonl` are lines of sessions in the real clients.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cuecard.capture.ledger.entries import Batch, NewEntries, read_batch
from cuecard.capture.ledger.ledger_lines import Ledger
from cuecard.capture.ledger.transcripts.read_record import MAX_LINE_BYTES, read_record, read_timed
from cuecard.capture.ledger.transcripts.record import COMMAND, EDIT, OPENED

Record = dict[str, Any]
DATA = Path(__file__).parents[1] / "data" / "capture"
RECORDED = {host: (DATA / f"{host}.jsonl").read_bytes().splitlines() for host in ("qwen", "kimi")}
SAID = "remember this: the nightly copy must end before the shops open"
each_host = pytest.mark.parametrize("host", RECORDED)
FIRST = {"qwen": "please write a small parser for the ledger", "kimi": "write a small parser for the ledger"}
# Values of every type, none of which the hosts write.
WRONG: tuple[Any, ...] = (None, 7, True, "x", "\ud800", [], [1, None, {}], {}, {"kind": 1, "type": []})


def read(*lines: bytes) -> NewEntries:
    placed = list(enumerate(lines))
    return read_batch(Batch(Ledger(), "s", placed, len(placed), str))


def prompts_of(*records: Record) -> list[str]:
    found = read(*[json.dumps(record).encode() for record in records])
    return [entry["text"] for entry in found.entries if entry["k"] == "prompt"]


@each_host
def test_a_recorded_session_has_what_was_typed_said_and_done(host: str) -> None:
    found = read(*RECORDED[host])
    told = [(entry["k"], entry.get("text", entry.get("command"))) for entry in found.entries if entry["k"] != "failed"]
    typed = [text for kind, text in told if kind == "prompt"]
    assert typed[:3] == [FIRST[host], "now run the tools and see @rules.md please", "go on with the parser now please"]
    assert [text for kind, text in told if kind == "agent"][:2] == ["Done with tools.", "Done."]
    assert [entry["command"] for entry in found.entries if entry["k"] == "failed"] == ["cat nothing.txt"]
    assert found.edited == ["/project"]
    actions = [item.action for _, item in found.acts if item.action.text]
    assert [(action.kind, action.text) for action in actions] == [
        (COMMAND, "cat nothing.txt"),
        (COMMAND, "echo hi > made.txt"),
        (OPENED, "/project/a.txt"),
        (EDIT, "/project/a.txt"),
    ]
    assert (actions[-1].old, actions[-1].new) == ("old words", "new words")
    times = {read_timed(line)[0] for line in RECORDED[host]} - {None}
    assert {moment // 86_400 for moment in times if moment} == {20_786}


def test_kimi_code_says_when_it_was_compacted_and_when_it_plans() -> None:
    found = read(*RECORDED["kimi"])
    assert [entry["k"] for entry in found.entries].count("compaction") == 1
    assert found.is_read_only
    left = {"type": "plan_mode.exit", "agentId": "main", "time": 1}
    assert read(*RECORDED["kimi"], json.dumps(left).encode()).is_read_only is False


def qwen(text: str, **more: object) -> Record:
    message = {"role": "user", "parts": [{"text": text}]}
    return {"type": "user", "provenance": "real_user", "uuid": "u", "sessionId": "s", "message": message, **more}


def kimi(text: str, kind: str = "user", role: str = "user") -> Record:
    message = {"role": role, "content": [{"type": "text", "text": text}], "id": "m", "origin": {"kind": kind}}
    return {"type": "context.append_message", "agentId": "main", "message": message, "time": 1}


def test_a_message_that_was_typed_while_qwen_code_worked_counts() -> None:
    [item] = read_record(RECORDED["qwen"][-1])
    assert (item.text, item.is_queued) == ("remember this: tests never sleep, they take the clock", True)
    assert prompts_of(qwen(SAID, subtype="mid_turn_user_message")) == [SAID]


@pytest.mark.parametrize(
    "more",
    [
        {"subtype": "cron", "provenance": "system"},
        {"subtype": "notification", "provenance": "system"},
        {"subtype": "goal_runtime", "provenance": "goal_runtime"},
        {"subtype": "realtime_message"},
        {"provenance": None},
        {"type": "tool_result", "provenance": "tool_result"},
        {"type": "assistant", "provenance": "assistant_output"},
    ],
)
def test_what_qwen_code_writes_in_the_name_of_the_user_was_not_typed(more: Record) -> None:
    assert prompts_of(qwen(SAID, **more)) == []


@pytest.mark.parametrize("kind", ["injection", "system_trigger", "hook_result", "skill_activation", "", "subagent"])
def test_what_kimi_code_writes_in_the_name_of_the_user_was_not_typed(kind: str) -> None:
    assert prompts_of(kimi(SAID, kind)) == []
    assert prompts_of(kimi(SAID, role="tool")) == []
    assert prompts_of(kimi(SAID)) == [SAID]


def test_files_and_thoughts_in_parts_of_qwen_code_are_left_out() -> None:
    record = qwen("see @a.txt")
    record["message"]["parts"] += [{"text": "\n--- Content from referenced files ---"}, {"text": SAID}]
    assert prompts_of(record) == ["see @a.txt"]
    thought = {"role": "model", "parts": [{"text": "I wonder.", "thought": True}, {"text": "Done."}]}
    [item] = read_record(json.dumps({"type": "assistant", "message": thought}).encode())
    assert item.text == "Done."


def test_a_compression_of_qwen_code_is_a_compaction() -> None:
    record = {"type": "system", "subtype": "chat_compression", "uuid": "c", "systemPayload": {"info": {}}}
    assert [entry["k"] for entry in read(json.dumps(record).encode()).entries] == ["compaction"]


def spoiled(value: Any) -> Iterator[Any]:  # noqa: ANN401 - any JSON
    """The value with each of its parts in turn replaced by each wrong value."""
    for place in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        for wrong in (*WRONG, *spoiled(value[place])):
            changed = copy.copy(value)
            changed[place] = wrong
            yield changed


@each_host
def test_members_of_wrong_types_are_no_failure(host: str) -> None:
    tried = 0
    for line in RECORDED[host]:
        for record in spoiled(json.loads(line)):
            read(json.dumps(record).encode())
            tried += 1
    assert tried > 4000


@each_host
def test_a_torn_line_and_a_huge_one_are_passed_over(host: str) -> None:
    longest = max(RECORDED[host], key=len)
    for length in range(0, len(longest), 7):
        assert read_record(longest[:length]) == []
    make = qwen if host == "qwen" else kimi
    assert read_record(json.dumps(make("word " * (MAX_LINE_BYTES // 5))).encode()) == []
    [item] = read_record(json.dumps(make("word " * (MAX_LINE_BYTES // 8))).encode())
    assert len(item.text) > MAX_LINE_BYTES // 2

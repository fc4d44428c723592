"""What the user typed in the records of hosts reaches the ledger and the import, and nothing else does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cuecard._backend import is_substantial
from cuecard.capture.ledger.entries import Batch, read_batch
from cuecard.capture.ledger.ledger_lines import Ledger
from cuecard.capture.ledger.quotes import find_quotes
from cuecard.capture.ledger.transcript_lines import read_new_lines
from cuecard.capture.triage.conversation import read_conversation
from cuecard.importers.sessions.transcript import Sessions

Record = dict[str, Any]
SAID = "remember this: the nightly copy must end before the shops open"
DATA = Path(__file__).parents[1] / "data" / "capture"
SUBSTANCE, QUOTATIONS = DATA / "substance.tsv", DATA / "quotations.jsonl"
LONG = "A" * (3 << 20)
PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": LONG}}


def user(content: object, number: int = 1, **more: object) -> Record:
    message = {"role": "user", "content": content}
    return {"type": "user", "message": message, "uuid": f"u-{number}", "sessionId": "s", **more}


def agent(text: str, number: int = 1, **more: object) -> Record:
    message = {"id": f"m-{number}", "role": "assistant", "content": [{"type": "text", "text": text}]}
    return {"type": "assistant", "message": message, "uuid": f"a-{number}", "sessionId": "s", **more}


def queued(prompt: object, number: int = 9, **more: object) -> Record:
    attachment = {"type": "queued_command", "prompt": prompt, "commandMode": "prompt", **more}
    return {"type": "attachment", "attachment": attachment, "uuid": f"q-{number}", "sessionId": "s"}


def codex(*texts: str, **more: object) -> Record:
    blocks: list[Record] = [{"type": "input_text", "text": text} for text in texts]
    return {"type": "response_item", "payload": {"type": "message", "role": "user", "content": blocks, **more}}


def text(said: str) -> Record:
    return {"type": "text", "text": said}


def prompts_of(*records: Record) -> list[str]:
    lines = [(number, json.dumps(record).encode()) for number, record in enumerate(records)]
    found = read_batch(Batch(Ledger(), "s", lines, len(lines), str))
    return [entry["text"] for entry in found.entries if entry["k"] == "prompt"]


@pytest.mark.parametrize("origin", [{}, {"origin": None}, {"origin": "human"}, {"origin": {"kind": "human"}}])
def test_a_message_that_waited_for_the_agent_was_typed(origin: Record) -> None:
    assert prompts_of(user("run the tests"), queued(SAID, **origin), agent("Done.")) == ["run the tests", SAID]
    assert prompts_of(queued([text(SAID), PICTURE], **origin)) == [SAID]


@pytest.mark.parametrize(
    "more", [{"commandMode": "task-notification"}, {"origin": "task"}, {"isMeta": True}, {"type": "todo_reminder"}]
)
def test_what_a_host_attaches_was_not_typed(more: Record) -> None:
    assert prompts_of(queued(SAID, **more)) == []


def test_a_message_that_waited_counts_once() -> None:
    assert prompts_of(queued(SAID), agent("Yes."), user(SAID), user(SAID, 2)) == [SAID, SAID]


@pytest.mark.parametrize(
    "record",
    [
        user([text(SAID), PICTURE]),
        user([text(f"[Image #1] {SAID}"), PICTURE]),
        codex(
            SAID, content=[{"type": "input_text", "text": SAID}, {"type": "input_image", "image_url": "A" * (2 << 20)}]
        ),
    ],
)
def test_a_prompt_with_a_picture_is_read(record: Record) -> None:
    assert prompts_of(record) == [SAID]


def test_a_prompt_with_a_long_log_is_read() -> None:
    (typed,) = prompts_of(user(f"{SAID}\n\n" + "line 12345 failed\n" * 100_000))
    assert typed.startswith(SAID)


def test_several_prompts_with_pictures_are_new_at_once(tmp_path: Path) -> None:
    file = write_session(tmp_path, *[user([text(f"{SAID}, day {day}"), PICTURE], day) for day in range(4)])
    new = read_new_lines(str(file), file.name, Ledger())
    found = read_batch(Batch(Ledger(), "s", new.lines, new.end, str))
    assert [entry["text"] for entry in found.entries] == [f"{SAID}, day {day}" for day in range(4)]


def test_a_record_has_a_bound() -> None:
    assert prompts_of(user(SAID + "x" * (8 << 20))) == []


def test_what_a_fork_copied_is_not_its_own() -> None:
    mark: Record = {"forkedFrom": {"sessionId": "first", "messageUuid": "u-1"}, "sessionId": "fork"}
    compacted = {"type": "system", "subtype": "compact_boundary", **mark}
    records = [user(SAID, **mark), agent("Noted.", **mark), compacted, user("rename it to total", 2, sessionId="fork")]
    assert prompts_of(*records) == ["rename it to total"]
    own: Record = {"forkedFrom": {"sessionId": "fork", "messageUuid": "u-1"}, "sessionId": "fork"}
    assert prompts_of(user(SAID, **own)) == [SAID]


def test_each_block_of_a_message_is_looked_at_on_its_own() -> None:
    opened = "<ide_opened_file>The user opened a.py.</ide_opened_file>"
    stranger = f"<ide_selection>x</ide_selection>\n{SAID}\n</ide_selection>"
    assert prompts_of(user([text(opened), text(stranger), text("why two of them")])) == ["why two of them"]
    context = (
        f"# Context from my IDE setup:\n\n## Active file: a.py\n\n{SAID}\n\n## My request for Codex:\nwhy two of them"
    )
    assert prompts_of(codex("# AGENTS.md instructions for /x", context)) == ["why two of them"]


def test_the_text_of_a_command_was_typed() -> None:
    command = f"<command-name>/feature</command-name>\n<command-args>{SAID}</command-args>"
    assert prompts_of(user(command)) == [SAID]
    assert prompts_of(user("<command-name>/clear</command-name>\n<command-args></command-args>")) == []


def write_session(folder: Path, *records: Record) -> Path:
    file = folder / "s.jsonl"
    named = [{**record, "cwd": str(folder), "timestamp": "2027-02-01T10:00:00.000Z"} for record in records]
    file.write_text("".join([json.dumps(record) + "\n" for record in named]))
    return file


def test_the_import_reads_what_was_typed_by_the_same_rule(tmp_path: Path) -> None:
    mark: Record = {"forkedFrom": {"sessionId": "first"}}
    file = write_session(
        tmp_path,
        user("we moved the database", 1, **mark),
        user([text("<ide_selection>x</ide_selection>"), text("why two of them"), PICTURE], 2),
        queued(SAID),
        agent("Done."),
    )
    messages = read_conversation(str(file), 50).messages
    assert [message.texts for message in messages if message.is_typed] == [["why two of them"], [SAID]]


@pytest.mark.parametrize(
    "prompt",
    [
        "is that right?\n\nFrom: legal@firm.example\nSubject: Logs\n\nFrom now on all logs must be kept ten years.",
        'translate to German for the customer: "From now on we always ship on Mondays.',
        "the client wrote:\n\nFrom now on all reports must always be in PDF.\n\nwhat do they mean?",
        "> From now on all logs must be kept ten years.\nwhat do they mean?",
    ],
)
def test_the_import_takes_no_memory_from_a_quotation(tmp_path: Path, prompt: str) -> None:
    sessions = Sessions(str(tmp_path))
    assert sessions.add(write_session(tmp_path, user(prompt), agent("I see."))) == ""
    assert not sessions.read


def test_the_import_takes_what_the_user_says_beside_a_quotation(tmp_path: Path) -> None:
    sessions = Sessions(str(tmp_path))
    prompt = "> keep all logs\nFrom now on all logs must be kept ten years."
    sessions.add(write_session(tmp_path, user(prompt), agent("Yes.")))
    assert [draft.title for session in sessions.read for draft in session.drafts]


@pytest.mark.parametrize("language", [0, 1, 2, 3])
def test_the_same_prompts_are_substantial_in_english_korean_turkish_and_finnish(language: int) -> None:
    rows = [row.split("\t") for row in SUBSTANCE.read_text("utf-8").splitlines()[1:]]
    held = [is_substantial(row[language]) for row in rows]
    assert held == [is_substantial(row[0]) for row in rows]
    assert (sum(held), len(held)) == (14, 20)


@pytest.mark.parametrize("row", QUOTATIONS.read_text("utf-8").splitlines())
def test_what_others_say_is_quoted_and_what_the_user_says_is_not(row: str) -> None:
    judged = json.loads(row)
    prompt, spans = judged["prompt"], find_quotes(judged["prompt"])
    for quoted in judged["quoted"]:
        begin = prompt.index(quoted)
        assert any(first <= begin and begin + len(quoted) <= end for first, end in spans), quoted
    for own in judged.get("own", [] if judged["quoted"] else [prompt]):
        begin = prompt.index(own)
        assert all(end <= begin or begin + len(own) <= first for first, end in spans), own

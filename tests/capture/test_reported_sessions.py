"""Sessions in the form of public reports: each prompt is in the right ledger, and a wish is heard in each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cuecard.capture.ledger.preview import SessionPreview, preview_sessions

Record = dict[str, Any]
DATA = Path(__file__).parents[1] / "data" / "capture"
SAID = "remember this: staging deploys need the VPN, because the gateway checks the address"
QUESTION = "how long is stock reserved?"
PIXELS = "A" * 1_300_000
CODE = 'def resize(image, width):\n    """Resize an uploaded product image once."""'
EDITOR = (
    f"<ide_selection>The user selected the lines 1 to 3 from app/images/resize.py:\n{CODE}\n"
    f"This may or may not be related to the current task.</ide_selection>\n{QUESTION}"
)
CODEX_EDITOR = (
    "# Context from my IDE setup:\n\n## Active file: app/images/resize.py\n\n## Open tabs:\n- resize.py:"
    f" app/images/resize.py\n\n## My request for Codex:\n{QUESTION}"
)


def user(content: object, **more: object) -> Record:
    return {"type": "user", "message": {"role": "user", "content": content}, "uuid": "u", "sessionId": "s", **more}


def agent(said: str = "Done.", **more: object) -> Record:
    message = {"role": "assistant", "content": [{"type": "text", "text": said}]}
    return {"type": "assistant", "message": message, "uuid": "a", "sessionId": "s", **more}


def codex(*content: Record, role: str = "user") -> Record:
    return {"type": "response_item", "payload": {"type": "message", "role": role, "content": list(content)}}


def codex_session(*content: Record) -> list[Record]:
    meta = {"id": "s", "cwd": "/project", "originator": "codex_cli_rs", "source": "cli"}
    answer = codex({"type": "output_text", "text": "Done."}, role="assistant")
    return [{"type": "session_meta", "payload": meta}, codex(*content), answer]


def text(said: str, kind: str = "text") -> Record:
    return {"type": kind, "text": said}


def preview_of(folder: Path, *records: Record) -> SessionPreview:
    file = folder / "s.jsonl"
    file.write_text("".join([json.dumps(record) + "\n" for record in records]), "utf-8")
    return preview_sessions([str(file)], 8)[0]


def prompts_of(preview: SessionPreview) -> list[str]:
    return [entry["text"] for entry in preview.ledger.entries if entry["k"] == "prompt"]


def test_a_message_that_was_typed_while_the_agent_worked_is_heard() -> None:
    [preview] = preview_sessions([str(DATA / "midturn-attachment.jsonl")], 8)
    assert prompts_of(preview) == ["run the tests please and tell me what failed", SAID]
    assert [part.cause for part in preview.stops] == ["word"]


PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXELS}}
CODEX_PICTURE = {"type": "input_image", "image_url": f"data:image/png;base64,{PIXELS}"}


@pytest.mark.parametrize(
    "records",
    [
        [user([text(SAID), PICTURE]), agent()],
        [user(f"{SAID}\n\n" + "line 12345 failed\n" * 70_000), agent()],
        codex_session(text(SAID, "input_text"), CODEX_PICTURE),
    ],
    ids=["a screenshot", "a log", "a screenshot in Codex"],
)
def test_a_wish_beside_a_large_paste_is_heard(tmp_path: Path, records: list[Record]) -> None:
    preview = preview_of(tmp_path, *records)
    [typed] = prompts_of(preview)
    assert typed.startswith(SAID)
    assert [part.cause for part in preview.stops] == ["word"]


def test_a_fork_has_only_what_was_typed_in_it(tmp_path: Path) -> None:
    records: list[Record] = []
    for number in range(10):
        mark = {"forkedFrom": {"sessionId": "first", "messageUuid": f"u-{number}"}, "sessionId": "fork"}
        records += [user(f"remember this: host number {number} is the slow one", **mark), agent("Noted.", **mark)]
    own = user("please rename this variable to total", sessionId="fork")
    preview = preview_of(tmp_path, *records, own, agent("Renamed.", sessionId="fork"))
    assert prompts_of(preview) == ["please rename this variable to total"]
    assert [part.cause for part in preview.stops if part.cause] == []


@pytest.mark.parametrize(
    "records",
    [[user(EDITOR), agent()], codex_session(text(CODEX_EDITOR, "input_text"))],
    ids=["Claude Code", "Codex"],
)
def test_what_the_editor_shows_is_not_in_the_ledger(tmp_path: Path, records: list[Record]) -> None:
    assert prompts_of(preview_of(tmp_path, *records)) == [QUESTION]

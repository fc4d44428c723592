"""What is typed into the real Claude Code ends in the ledger of its session, in whatever form (`make e2e`)."""

from __future__ import annotations

import json
import random
import struct
import zlib
from typing import TYPE_CHECKING, Any

# `client`, `clone`, `project` and `terminal` are imported because they are fixtures.
from test_capture_client import PROMPTS, SESSION, Client, project, terminal  # noqa: F401
from test_plugin_client import client, clone, pytestmark  # noqa: F401

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

WISH = "remember this: tests never sleep, they take the clock"
LAST = "rename this variable to total in all the files"
SLEEPS: dict[str, Any] = {"tool": "Bash", "input": {"command": "sleep 8", "description": "run the suite"}}
PASTE = "\x1b[200~", "\x1b[201~"


def ledgers_of(project: Client) -> dict[str, list[str]]:  # noqa: F811
    """The prompts in the ledger of each session."""
    typed: dict[str, list[str]] = {}
    for file in project.ledgers.glob("*.jsonl"):
        lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        entries = [entry for line in lines for entry in line.get("entries", []) if entry["k"] == "prompt"]
        typed[file.stem] = [entry["text"] for entry in entries]
    return typed


def write_picture(file: Path) -> Path:
    """Write a picture of noise, which no client can make small."""
    width = height = 700
    chance = random.Random(7)
    rows = b"".join([b"\0" + chance.randbytes(3 * width) for _ in range(height)])

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    file.write_bytes(b"\x89PNG\r\n\x1a\n" + body)
    return file


def test_a_wish_that_was_typed_while_the_agent_worked_is_heard(
    terminal: ModuleType,  # noqa: F811
    project: Client,  # noqa: F811
) -> None:
    script = [SLEEPS, "It passes.", "Noted.", "Nothing worth keeping."]
    prompts = (PROMPTS[3], f"+ {WISH}")
    ran = project.run(terminal, prompts, "--session-id", SESSION, "--allowedTools", "Bash(sleep:*)", script=script)
    assert project.asked(ran) == 1
    assert ledgers_of(project)[SESSION] == [PROMPTS[3], WISH]


def test_a_wish_beside_a_screenshot_is_heard(
    terminal: ModuleType,  # noqa: F811
    project: Client,  # noqa: F811
    tmp_path: Path,
) -> None:
    picture = write_picture(tmp_path / "screenshot.png")
    script = ["Noted.", "Nothing worth keeping.", "Done."]
    ran = project.run(terminal, (f"{PASTE[0]}{picture}{PASTE[1]} {WISH}",), "--session-id", SESSION, script=script)
    assert '"type": "image"' in json.dumps(ran.main_requests[0]["body"]["messages"])
    assert project.asked(ran) == 1
    [typed] = ledgers_of(project)[SESSION]
    assert typed.endswith(WISH)


def test_a_branch_has_only_what_was_typed_in_it(
    terminal: ModuleType,  # noqa: F811
    project: Client,  # noqa: F811
) -> None:
    script = ["Written.", "Added.", "Renamed.", "Done."]
    project.run(terminal, (*PROMPTS[:2], "/branch", LAST), "--session-id", SESSION, script=script)
    typed = ledgers_of(project)
    assert [LAST] in typed.values()
    assert typed.get(SESSION, list(PROMPTS[:2])) == list(PROMPTS[:2])


def test_what_is_selected_in_an_editor_is_not_typed(
    terminal: ModuleType,  # noqa: F811
    project: Client,  # noqa: F811
) -> None:
    file, text = project.launcher.project / "parser.py", "# remember this: amounts are floats\nrows = parse(path)"
    file.write_text(f"{text}\n")
    selected = (str(file), text)
    ran = project.run(terminal, PROMPTS[:2], "--session-id", SESSION, script=["Written.", "Added."], selected=selected)
    counts = [json.dumps(request["body"]).count("rows = parse(path)") for request in ran.main_requests]
    assert counts == [1, 2]
    assert project.asked(ran) == 0
    assert ledgers_of(project)[SESSION] == list(PROMPTS[:2])

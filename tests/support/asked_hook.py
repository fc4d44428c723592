"""Asks the hook in a process of its own, and says what an answer has to be."""

import json
from pathlib import Path

from hook_process import Hook, Outcome

PROMPT = "why is the auth token expired on login?"
LINE = "- [DECISION] Use JWT auth token -> .claude/memory/decisions/jwt.json #tags:auth"
BLOCK_OF_LINES = f'<memory-context source=".claude/memory/">\n{LINE}\n</memory-context>\n'
HEADER = '<memory-context source=".claude/memory/" more="cuecard show ID|SLUG">'
BLOCK = f"{HEADER}\n- [DECISION] Use JWT auth token (2020-01-01) -> jwt\n</memory-context>\n"
RECORD = {"title": "Use JWT auth token", "category": "decision", "tags": ["auth"], "updated_at": "2020-01-01"}


def payload(project: Path, **fields: object) -> bytes:
    return json.dumps({"prompt": PROMPT, "cwd": str(project), **fields}).encode()


def ask(
    hook: Hook,
    sent: bytes,
    *,
    cwd: Path | None = None,
    arguments: tuple[str, ...] = ("prompt",),
    environment: dict[str, str] | None = None,
) -> Outcome:
    return hook.run(*arguments, stdin=sent, cwd=cwd or hook.scratch, **(environment or {}))


def assert_silent(ran: Outcome, *notes: str) -> None:
    assert (ran.code, ran.stdout, ran.stderr) == (0, b"", b"")
    assert ran.log == list(notes)


def assert_answered(ran: Outcome, *notes: str) -> None:
    assert (ran.code, ran.stderr) == (0, b"")
    answer = json.loads(ran.stdout)["hookSpecificOutput"]
    assert answer["hookEventName"] == "UserPromptSubmit"
    # Blocks that are made from `index.md` have lines in the format of `index.md`.
    assert answer["additionalContext"] in (BLOCK.rstrip("\n"), BLOCK_OF_LINES.rstrip("\n"))
    assert ran.log == list(notes)

"""Nothing below the data folder holds a secret that was typed, in real sessions of every way to run the hook."""

from __future__ import annotations

import json
import os
import random
import string
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from command_process import run_in
from cuecard import Store
from cuecard.files.user_folder import data_path
from records import put, stored
from scratch_home import kept_of, write_user_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hook_process import Hook

pytestmark = pytest.mark.process

ID = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
CHOSEN = random.Random(7)
ALNUM = string.ascii_letters + string.digits


def chosen(length: int, letters: str = ALNUM) -> str:
    return "".join(CHOSEN.choice(letters) for _ in range(length))


# Twelve kinds of secrets. Their beginnings are apart, so that scanners do not report this file.
SECRETS = {
    "github": "ghp" + "_" + chosen(36),
    "gitlab": "glpat" + "-" + chosen(20),
    "aws key": "AKI" + "A" + chosen(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"),
    "slack": "xoxb" + "-" + chosen(12, string.digits) + "-" + chosen(12, string.digits) + "-" + chosen(24),
    "stripe": "sk_li" + "ve_" + chosen(24),
    "google": "AIz" + "a" + chosen(35),
    "npm": "npm" + "_" + chosen(36),
    "openai": "sk-pr" + "oj-" + chosen(48),
    "anthropic": "sk-a" + "nt-api03-" + chosen(93) + "AA",
    "password": "Kx7" + chosen(13),
    "bearer": chosen(40),
    "hugging face": "hf" + "_" + chosen(34, string.ascii_letters),
}
SAID = {
    "password": "the password of the database is {}, please rotate the signing keys with it",
    "bearer": "call the queue with `Authorization: Bearer {}` when you rotate the signing keys",
}
USUAL = "use {} to rotate the signing keys of the queue"


def said(kind: str) -> str:
    return SAID.get(kind, USUAL).format(SECRETS[kind])


def files_below(folder: Path) -> Iterator[Path]:
    for place, _folders, names in os.walk(folder):
        yield from (Path(place) / name for name in names)


def what_is_told(folder: Path) -> list[str]:
    """The file and the kind of each secret of which a half stands in a file or in a file's name."""
    found = []
    for file in files_below(folder):
        held = (str(file) + "\n").encode() + file.read_bytes()
        for kind, secret in SECRETS.items():
            middle = len(secret) // 2
            halves = {secret, secret[:middle], secret[middle:], secret.lower()[:middle], secret.lower()[middle:]}
            found += [f"{file}: {kind}" for half in halves if len(half) >= 8 and half.encode() in held]
    return found


@dataclass
class Sitting:
    """A session in a project with memories: its hook, and the transcript that the host writes."""

    hook: Hook
    store: Store
    path: str
    records: list[dict[str, Any]] = field(default_factory=list)

    @property
    def root(self) -> Path:
        return Path(self.store.root)

    @property
    def transcript(self) -> Path:
        return self.root.parent / "transcript.jsonl"

    def write(self, *records: dict[str, Any]) -> None:
        with self.transcript.open("ab") as file:
            file.write(b"".join(json.dumps(record).encode() + b"\n" for record in records))

    def send(self, event: str, **members: object) -> bytes:
        payload = {"session_id": ID, "cwd": str(self.root), "transcript_path": str(self.transcript), **members}
        stdin = json.dumps(payload).encode()
        ran = self.hook.run(event, stdin=stdin, cwd=self.root, PATH=self.path, CUECARD_LOG="")
        assert (ran.code, ran.stderr) == (0, b"")
        return ran.stdout

    def ask(self, prompt: str) -> bytes:
        self.write({"type": "user", "message": {"role": "user", "content": prompt}})
        answer = self.send("prompt", prompt=prompt, hook_event_name="UserPromptSubmit")
        self.write(
            {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "Done."}]}}
        )
        return answer

    def call(self, tool: str, number: int, arguments: object, result: str, *, is_error: bool) -> None:
        """Add a tool call and its result to the transcript."""
        use = {"type": "tool_use", "id": f"t{number}", "name": tool, "input": arguments}
        end = {"type": "tool_result", "tool_use_id": f"t{number}", "content": result, "is_error": is_error}
        self.write(
            {"type": "assistant", "message": {"role": "assistant", "content": [use]}},
            {"type": "user", "message": {"role": "user", "content": [end]}},
        )

    def stop(self) -> bytes:
        return self.send(
            "stop",
            hook_event_name="Stop",
            stop_hook_active=False,
            permission_mode="default",
            last_assistant_message="Done.",
        )


@pytest.fixture
def sitting(hook: Hook, store: Store, tmp_path: Path) -> Sitting:
    put(store, stored("rotate", "runbook", title="Rotate the signing keys of the queue", tags=["signing", "keys"]))
    put(store, stored("queue", "decision", title="Background jobs use a queue in Postgres", tags=["queue", "jobs"]))
    programs = tmp_path / "programs"
    programs.mkdir()
    program = programs / "cuecard"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return Sitting(hook, store, f"{programs}{os.pathsep}{os.environ['PATH']}")


def test_prompts_with_secrets_leave_none_of_them_in_the_session(sitting: Sitting) -> None:
    for kind in SECRETS:
        sitting.ask(said(kind))
    sitting.ask(" and ".join(SECRETS.values()) + " rotate the signing keys")
    assert (kept_of(sitting.store.memory_dir) / "sessions" / ID).exists()
    assert what_is_told(Path(data_path())) == []


@pytest.mark.parametrize("keeps_texts", [False, True])
def test_a_whole_session_leaves_no_secret_in_any_file(sitting: Sitting, keeps_texts: bool) -> None:
    write_user_settings({"log": {"prompts": keeps_texts}})
    for number, kind in enumerate(SECRETS):
        secret = SECRETS[kind]
        sitting.ask(said(kind))
        command = f"export API_TOKEN={secret} && make check"
        error = f"x509: the token API_TOKEN={secret} of the signing keys was refused"
        for is_error in (True, False):
            sitting.call("Bash", 2 * number + is_error, {"command": command}, error, is_error=is_error)
        sitting.send(
            "tool-context",
            hook_event_name="PostToolUseFailure",
            tool_name="Bash",
            tool_input={"command": command},
            error=error,
            is_interrupt=False,
        )
        asked = {"questions": [{"question": "Which token is it?", "options": []}]}
        sitting.call("AskUserQuestion", 100 + number, asked, f"The token is API_TOKEN={secret}", is_error=False)
        edit = {"file_path": f"{sitting.root}/src/a.py", "old_string": "x", "new_string": f"token = '{secret}'"}
        sitting.send("guard", hook_event_name="PreToolUse", tool_name="Edit", tool_input=edit)
        sitting.send("validate", hook_event_name="PostToolUse", tool_name="Edit", tool_input=edit, tool_response={})
        sitting.stop()
    sitting.ask(f"remember this: the deployment uses {SECRETS['github']} and nothing else")
    sitting.stop()
    sitting.send("session", hook_event_name="PreCompact", trigger="auto")
    sitting.send("session", hook_event_name="SessionEnd", reason="other")
    # Payloads that are no payloads must not be repeated in the log.
    for event in ("prompt", "stop", "session", "guard", "validate", "tool-context"):
        sitting.hook.run(event, stdin=f"{SECRETS['npm']}{{".encode(), cwd=sitting.root, CUECARD_LOG="")
    sitting.hook.run(SECRETS["gitlab"], stdin=b"{}", cwd=sitting.root, CUECARD_LOG="")
    kept = kept_of(sitting.store.memory_dir)
    assert {file.relative_to(kept).parts[0] for file in files_below(kept)} >= {"sessions", "ledger", "log"}
    assert what_is_told(Path(data_path())) == []


def test_drafts_with_secrets_leave_none_of_them_where_they_wait(store: Store) -> None:
    folder = kept_of(store.memory_dir) / "staging" / "s-1"
    folder.mkdir(parents=True, mode=0o700)
    (folder / "triage.json").write_text('{"version": 1, "session_id": "s-1", "start": 0, "end": 9}')
    failing, vague = [], []
    for kind, secret in SECRETS.items():
        content = {"rule": f"the token is {secret}", secret: [f"API_TOKEN={secret}"]}
        failing.append({"category": "nonsense", "partial_content": {"title": said(kind), "content": content}})
        new = {"title": f"API_TOKEN={secret}", "tags": [], "content": {"topic": "a", "value": f"API_TOKEN={secret}"}}
        vague.append(
            {"category": "preference", "action": "create", "new_info_summary": said(kind), "partial_content": new}
        )
    for drafts in (failing, vague, vague):
        run_in(store, "capture", "commit", folder, "--json", send=drafts)
    assert [file for file in folder.iterdir() if file.name.startswith("failed-")]
    assert what_is_told(Path(data_path())) == []


def test_a_failed_draft_that_is_sent_again_with_its_secret_replaces_the_kept_one(store: Store) -> None:
    folder = kept_of(store.memory_dir) / "staging" / "s-1"
    folder.mkdir(parents=True, mode=0o700)
    (folder / "triage.json").write_text('{"version": 1, "session_id": "s-1", "start": 0, "end": 9}')
    draft = {"category": "nonsense", "partial_content": {"title": said("github"), "content": {}}}
    for _ in range(2):
        run_in(store, "capture", "commit", folder, "--json", send=[draft])
    assert len([file for file in folder.iterdir() if file.name.startswith("failed-")]) == 1


def test_a_pass_phrase_is_not_kept_in_its_order(sitting: Sitting) -> None:
    put(sitting.store, stored("pass", "decision", title="A battery of staple horses is correct", tags=["battery"]))
    for phrase in ("correct horse battery staple", "correct-horse-battery-staple", "CorrectHorseBatteryStaple"):
        sitting.ask(f"the pass phrase is {phrase} for the queue")
    text = (kept_of(sitting.store.memory_dir) / "sessions" / ID).read_text().lower()
    lines = [line for line in text.split("\n") if line.startswith("prompt ")]
    assert lines
    for line in lines:
        assert "batteri=256" in line
        assert not [word for word in line.split(" ") if "batteri" in word and ("hors" in word or "stapl" in word)]
        places = [line.find(term) for term in ("correct=", "hors=", "batteri=", "stapl=")]
        assert places != sorted(places)


def test_no_token_that_no_memory_has_is_kept(sitting: Sitting) -> None:
    sitting.ask("why does the xylophone of Frobnicator4861390 rotate the signing keys at midnight in Reykjavik?")
    text = (kept_of(sitting.store.memory_dir) / "sessions" / ID).read_text().lower()
    assert "rotat=256" in text
    # The number is long, because the file also has times.
    for token in ("xyloph", "frobn", "4861390", "midnight", "reykj"):
        assert token not in text

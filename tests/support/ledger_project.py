"""A project whose sessions are kept in ledgers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scratch_home import kept_of, write_user_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hook_process import Hook, Outcome

PROMPTS = [f"we change part number {number} of the parser" for number in range(18)]
# The answer to a prompt that corrected the agent.
SORRY = "Sorry, you are right."


class Project:
    """A project with memories, in which sessions take place."""

    def __init__(self, hook: Hook, root: Path, path: str) -> None:
        self.hook = hook
        self.root = root
        self.memory_dir = root / ".claude" / "memory"
        self.memory_dir.mkdir(parents=True)
        self.path = path

    def session(self, name: str) -> Session:
        return Session(self, name)

    def configure(self, **settings: object) -> None:
        write_user_settings(settings)

    @property
    def ledgers(self) -> Path:
        return kept_of(self.memory_dir) / "ledger"

    def names(self) -> list[str]:
        return sorted(file.name for file in self.ledgers.iterdir()) if self.ledgers.is_dir() else []


class Session:
    """A session of Claude Code: its transcript, and the calls of the hook."""

    def __init__(self, project: Project, name: str) -> None:
        self.project = project
        self.name = name
        self.transcript = project.root.parent / f"{name}.jsonl"
        self.transcript.touch()

    def write(self, *records: dict[str, Any]) -> None:
        with self.transcript.open("ab") as file:
            file.write(b"".join(json.dumps(record).encode() + b"\n" for record in records))

    def say(self, prompt: str, answer: str = "Done.") -> None:
        self.write(
            {"type": "user", "message": {"role": "user", "content": prompt}},
            {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": answer}]}},
        )

    def event(self, name: str, **members: object) -> bytes:
        event = {"hook_event_name": name, "session_id": self.name, "cwd": str(self.project.root)}
        return json.dumps({**event, "transcript_path": str(self.transcript), **members}).encode()

    def stop(self, *arguments: str, environment: Mapping[str, str] | None = None, **members: object) -> Outcome:
        variables = {"PATH": self.project.path, **(environment or {})}
        stdin = self.event("Stop", **{"stop_hook_active": False, "permission_mode": "default", **members})
        ran = self.project.hook.run("stop", *arguments, stdin=stdin, cwd=self.project.root, **variables)
        assert (ran.code, ran.stderr) == (0, b"")
        return ran

    def turn(self, prompt: str, answer: str = "Done.", mode: str = "default") -> str:
        """Add a turn to the session, and return the hook's request to the agent; "" if the agent may stop."""
        self.say(prompt, answer)
        printed = self.stop(permission_mode=mode).stdout
        return str(json.loads(printed)["reason"]) if printed else ""

    def end(self, name: str = "SessionEnd", *arguments: str) -> None:
        stdin, cwd = self.event(name), self.project.root
        ran = self.project.hook.run("session", *arguments, stdin=stdin, cwd=cwd, PATH=self.project.path)
        assert (ran.code, ran.stdout, ran.stderr) == (0, b"", b"")
        self.project.hook.wait_for_background()

    def lines(self, ending: str = ".jsonl") -> list[dict[str, Any]]:
        text = (self.project.ledgers / (self.name + ending)).read_text("utf-8")
        return [json.loads(line) for line in text.splitlines()]

    def entries(self) -> list[dict[str, Any]]:
        return [entry for line in self.lines() if line["kind"] == "part" for entry in line["entries"]]

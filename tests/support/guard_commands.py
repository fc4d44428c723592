"""Runs the guard on 300 tool calls that agents have made, or could have made.

`python tests/support/guard_commands.py` prints the rates of the pure guard. Each call in `data/guard_commands.json`
has the host's name of the tool, the tool's input (`$PROJECT` is the project's folder), and the source of the call.
Its label is `dangerous` (it writes, moves or deletes below the store) or `harmless`. `refused` says whether the
guard refuses it, `refused_before` whether the guard refused it when the calls were collected.
"""

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cuecard._pure.guard import guard
from cuecard.files.environment import Environment
from hook_process import Hook
from small_project import write_project

DATA = Path(__file__).resolve().parents[1] / "data" / "guard_commands.json"
COMMANDS: list[dict[str, Any]] = json.loads(DATA.read_text("utf-8"))

# Commands with the name of cuecard in them; `asks` says whether the guard must ask a person, else they are harmless.
PEOPLE_COMMANDS: list[dict[str, Any]] = json.loads((DATA.parent / "guard_people_commands.json").read_text("utf-8"))


def payload_of(command: dict[str, Any], project: Path) -> bytes:
    """The event that a host would send before this call in the project."""
    event = {
        "hook_event_name": "PreToolUse",
        "tool_name": command["tool"],
        "cwd": str(project / command.get("cwd", "")),
        "tool_input": {
            name: value.replace("$PROJECT", str(project)) if isinstance(value, str) else value
            for name, value in command["input"].items()
        },
    }
    return json.dumps(event).encode()


def environment_of(project: Path) -> Environment:
    """The environment of a host that works in this project."""
    environment = Environment()
    environment.shell_home, environment.root = str(project.parent / "home"), ""
    environment.project_dir = str(project)
    return environment


def refused(project: Path) -> Iterator[bool]:
    """For each of the calls, whether the pure guard refuses it."""
    environment = environment_of(project)
    for command in COMMANDS:
        yield bool(guard.deny(payload_of(command, project), "claude-code", environment))


def refused_by(hook: Hook, project: Path) -> Iterator[bool]:
    """For each of the calls, whether the hook refuses it."""
    variables = {"HOME": str(project.parent / "home"), "CLAUDE_PROJECT_DIR": str(project)}
    for command in COMMANDS:
        ran = hook.run("guard", stdin=payload_of(command, project), cwd=project, **variables)
        yield b'"deny"' in ran.stdout


def main() -> None:
    """Print the rates, and the calls for which the guard's answer has changed."""
    with tempfile.TemporaryDirectory() as folder:
        now = list(refused(write_project(Path(folder) / "project")))
    for label in ("dangerous", "harmless"):
        pairs = [
            (row["refused_before"], is_now) for row, is_now in zip(COMMANDS, now, strict=True) if row["label"] == label
        ]
        before, after = sum(was for was, _ in pairs), sum(is_now for _, is_now in pairs)
        kept = sum(was and is_now for was, is_now in pairs)
        sys.stdout.write(
            f"{label}: {len(pairs)}, refused before {before}, now {after}, of those refused before {kept}\n"
        )
    for row, is_now in zip(COMMANDS, now, strict=True):
        if row["refused_before"] != is_now:
            sys.stdout.write(
                f"{'newly refused' if is_now else 'newly missed'} ({row['label']}): {row['tool']} {row['input']}\n"
            )


if __name__ == "__main__":
    main()

"""Records the session that the README shows: `docs/pictures/session.cast`, and its picture `session.svg`.

Usage: `python tools/record_session.py` (`make picture`), in an environment in which cuecard is installed. Every command
and the hook really run, in a copy of `examples/teashop` with a home folder of its own. Only the typing is invented. Its
pauses are the same in every run, so that the recording changes only if the programs print something else. A test
compares both files with a new recording.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from textwrap import wrap

from cast_picture import draw
from terminal import ROOT, environment, run_in_terminal, without_home

PROJECT = ROOT / "examples" / "teashop"
PICTURES = ROOT / "docs" / "pictures"
TITLE = "cuecard in a project of 30 memories"
WIDTH, HEIGHT = 88, 24
PROMPT = "why don't we just call the gateway again after a timeout?"
OFF_TOPIC = "write a haiku about autumn"

BOLD, DIM, GREEN, CYAN, END = "\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[36m", "\x1b[0m"
CLEAR = "\x1b[2J\x1b[H"


class Recording:
    """The events of a cast (version 2 of asciinema's format), and the scratch project in which its commands run."""

    def __init__(self, scratch: Path) -> None:
        self.home = scratch / "home"
        self.project = self.home / "teashop"
        self.home.mkdir()
        shutil.copytree(PROJECT, self.project, ignore=shutil.ignore_patterns(".cuecard"))
        self.events: list[tuple[float, str]] = []
        self.time = 0.0

    def show(self, text: str, pause: float) -> None:
        """Print `text`, then wait for `pause` seconds."""
        self.events.append((round(self.time, 2), text.replace("\n", "\r\n")))
        self.time += pause

    def type(self, lead: str, text: str) -> None:
        """Print `lead`, then type `text` after it, four characters at a time."""
        self.show(f"{BOLD}{GREEN}{lead}{END}{BOLD}", 0.5)
        for start in range(0, len(text), 4):
            self.show(text[start : start + 4], 0.12)
        self.show(f"{END}\n", 0.4)

    def command(self, line: str) -> None:
        """Type a command and show what it prints."""
        self.type("$ ", line)
        self.show(self.run_in_terminal(line), 0.5)

    def comment(self, text: str) -> None:
        """Print a line that explains what follows."""
        self.show(f"{DIM}# {text}{END}\n", 0.8)

    def ask(self, prompt: str) -> None:
        """Type a prompt as for the agent, and show the block that the hook prints for it."""
        self.type("> ", prompt)
        payload = {"hook_event_name": "UserPromptSubmit", "prompt": prompt, "cwd": str(self.project)}
        answer = self.run("cuecard-hook prompt --host claude-code", json.dumps(payload))
        block = json.loads(answer)["hookSpecificOutput"]["additionalContext"] if answer else ""
        self.show(f"{DIM}  cuecard-hook adds {len(block.splitlines())} lines to the prompt{END}\n", 0.8)
        for line in block.splitlines():
            indent = "    " if line.startswith(" ") else "  "
            rows = wrap(line, WIDTH - 4, initial_indent="  ", subsequent_indent=indent + "  ", break_long_words=False)
            if line.startswith(" "):
                rows[0] = f"  {rows[0]}"
            self.show("".join([f"{CYAN}{row}{END}\n" for row in rows]), 0.25)

    def clear(self, pause: float) -> None:
        """Wait for `pause` seconds, so that a person can read, then clear the screen."""
        self.time += pause
        self.show(CLEAR, 0.3)

    def show_at_once(self) -> None:
        """Show everything so far in the first moment."""
        self.events = [(0.0, "".join([text for _time, text in self.events]))]
        self.time = 0.0

    def run(self, line: str, payload: str = "") -> str:
        """The output of a command whose stdout is a pipe."""
        done = subprocess.run(
            ["/bin/sh", "-c", line],
            input=payload.encode(),
            stdout=subprocess.PIPE,
            cwd=self.project,
            env=environment(self.home),
            check=True,
        )
        return without_home(done.stdout.decode(), self.home)

    def run_in_terminal(self, line: str) -> str:
        """The output of a command on a terminal, with colours."""
        text, status = run_in_terminal(line, self.project, self.home, (HEIGHT, WIDTH))
        if status:
            raise SystemExit(f"record_session: `{line}` ends with status {status}\n{text}")
        return text

    def cast(self) -> str:
        """The content of the cast file: a header, then a line for each event."""
        header = {"version": 2, "width": WIDTH, "height": HEIGHT, "title": TITLE}
        rows = [json.dumps(header), *[json.dumps([time, "o", text]) for time, text in self.events]]
        return "\n".join(rows) + "\n"


def record() -> str:
    """Run all commands of the session; returns the recording as the content of a cast file."""
    with tempfile.TemporaryDirectory(prefix="cuecard-picture-") as scratch:
        session = Recording(Path(scratch))
        session.run("cuecard index rebuild && cuecard trust --all --yes")
        # Where nothing moves, the first picture is all that is seen. So it has a whole answer.
        session.comment("A web shop with 30 memories in .claude/memory. In Claude Code:")
        session.ask(PROMPT)
        session.show_at_once()
        session.clear(7.0)
        session.comment("Connect the agent once; from then on the hook runs at every prompt:")
        session.command("cuecard install claude-code")
        session.show("\n", 0.5)
        session.comment("Nothing fits this prompt, so the agent gets nothing:")
        session.ask(OFF_TOPIC)
        session.show("\n", 1.0)
        session.comment("How sure was cuecard, and of what? `cuecard why MEMORY` goes on from here.")
        session.command(f'cuecard recall "{PROMPT}"')
        session.time += 7.0
        session.show("", 0.0)
    return session.cast()


def shown_text(cast: str) -> str:
    """The text that a cast prints, without colours."""
    texts = [json.loads(line)[2] for line in cast.splitlines()[1:]]
    return re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", "".join(texts)).replace("\r\n", "\n")


if __name__ == "__main__":
    made = record()
    PICTURES.mkdir(exist_ok=True)
    (PICTURES / "session.cast").write_text(made, "utf-8", newline="\n")
    (PICTURES / "session.svg").write_text(draw(made), "utf-8", newline="\n")
    print(shown_text(made))

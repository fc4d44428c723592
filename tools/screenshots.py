"""Takes the screenshots of the documentation: a picture of a terminal for each row of `SHOTS`, in `docs/pictures`.

Usage: `python tools/screenshots.py` (`make picture`), in an environment in which cuecard is installed. The commands and
the hook really run, in a copy of `examples/teashop` with a home folder of its own. Values that depend on the machine or
the moment (times, folders, the ids of events, the version of Python) are replaced as in `STEADY`. A test compares the
pictures with newly taken pictures.
"""

from __future__ import annotations

import json
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap

from cast_picture import draw, width_of
from console_pages import TODAY, Scratch
from terminal import ROOT, run_in_terminal

PICTURES = ROOT / "docs" / "pictures"
PROJECT = "examples/teashop"
TIMEOUT = "why don't we just call the gateway again after a timeout?"
DEPLOY = "how is a version deployed?"
BOLD, DIM, GREEN, END = "\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[0m"
CODE = re.compile(r"\x1b\[[0-9;]*m")
TOOL = "~/.local/share/uv/tools/cuecard"
# Patterns whose matches depend on the machine or the moment, and their replacements.
STEADY = (
    # A code of a colour may stand before a date or a time and ends with a letter: `\b` would find no edge there.
    (re.compile(r"(?<!\d)20\d\d-\d\d-\d\d(?!\d)"), TODAY),
    (re.compile(r"(?<!\d)\d\d:\d\d:\d\d(?!\d)"), "09:30:00"),
    # Three digits, so that a time over 10 ms on a busy machine matches too.
    (re.compile(r"(?<![\d.])[ \d.]{3}\d (?=ms|…)"), "1.31 "),
    (re.compile(r"\x1b\[36m[0-9a-f]{7}(?=\x1b)"), "\x1b[36m4c1f0d7"),
    (re.compile(r" in \S+/cuecard(?= |$)", re.MULTILINE), f" in {TOOL}/lib/python3.12/site-packages/cuecard"),
    (re.compile(r"3\.\d+\.\d+\S* at \S+"), f"3.12.3 at {TOOL}/bin/python"),
    (re.compile(r" at \S+/cuecard-hook"), f" at {TOOL}/bin/cuecard-hook"),
    (re.compile(r"~/data/stores/[0-9a-f]+/"), "~/.local/share/cuecard/stores/8d1f.../"),
    (re.compile(r"~/data/"), "~/.local/share/cuecard/"),
)


@dataclass(frozen=True)
class Shot:
    """A screenshot: steps that prepare the project, and the command whose output is shown."""

    title: str
    # A command, whose output is shown; or `> ` and a prompt, for which the hook's notice to the user is shown.
    line: str
    # What runs before: commands, and prompts to the hook after `> `.
    prepare: tuple[str, ...] = ()
    # A wide terminal, so that no path is wrapped; the picture is as wide as its text.
    columns: int = 88


TRUSTED = ("cuecard index rebuild", "cuecard trust --all --yes")
SHOTS = {
    "explain": Shot("why these memories", f'cuecard recall "{TIMEOUT}" --explain', TRUSTED),
    "trust": Shot("the first prompt in a project that was cloned", f"> {DEPLOY}", ("cuecard index rebuild",)),
    "log": Shot(
        "what the hook has decided",
        "cuecard log",
        (*TRUSTED, f"> {TIMEOUT}", f"> {DEPLOY}", "> write a haiku about autumn", "> thanks"),
        columns=110,
    ),
    "doctor": Shot("is everything in order?", "cuecard doctor", (*TRUSTED, "cuecard install claude-code"), columns=220),
}


def ask(prompt: str, scratch: Scratch) -> str:
    """The notice that the hook shows to the user at a prompt; "" if it shows none."""
    payload = json.dumps({"hook_event_name": "UserPromptSubmit", "session_id": "a1", "prompt": prompt})
    printed, _status = scratch.run(f"cuecard-hook prompt --host claude-code <<'END'\n{payload}\nEND")
    return str(json.loads(printed[0]).get("systemMessage", "")) if printed else ""


def take(shot: Shot) -> str:
    """The cast of a screenshot: a recording in which everything is printed at once."""
    with tempfile.TemporaryDirectory(prefix="cuecard-screenshot-") as folder:
        scratch = Scratch(Path(folder), PROJECT)
        for line in shot.prepare:
            if line.startswith("> "):
                ask(line[2:], scratch)
            elif (done := scratch.run(line))[1]:
                raise SystemExit(f"screenshots: `{line}` ends with status {done[1]}: {done[0]}")
        if shot.line.startswith("> "):
            lead, line = "> ", shot.line[2:]
            rows = wrap(ask(line, scratch), shot.columns - 4, break_on_hyphens=False)
            text = "".join([f"{DIM}  {row}{END}\n" for row in rows])
        else:
            lead, line = "$ ", shot.line
            text, _status = run_in_terminal(line, scratch.project, scratch.home, (60, shot.columns))
    for pattern, steady in STEADY:
        text = steady.join(pattern.split(text))
    shown = f"{BOLD}{GREEN}{lead}{END}{BOLD}{line}{END}\n{text.rstrip()}\n"
    widths = [width_of(CODE.sub("", row).rstrip()) for row in shown.splitlines()]
    header = {"version": 2, "width": max(widths), "height": len(widths), "title": shot.title}
    return f"{json.dumps(header)}\n{json.dumps([0, 'o', shown.replace(chr(10), chr(13) + chr(10))])}\n"


if __name__ == "__main__":
    for name, shot in SHOTS.items():
        PICTURES.joinpath(f"{name}.svg").write_text(draw(take(shot)), "utf-8", newline="\n")
        print(f"docs/pictures/{name}.svg is taken")

"""Drives the plugin's mod in the real client and takes its pictures: `docs/pictures/mod-*.svg`.

Usage: `python tools/mod_session.py`, with tmux, npm (for the client) and an installed cuecard. The client runs offline
against a stub of the model, in a copy of `examples/teashop` with a home folder of its own.
`tests/hosts/test_mod_client.py` presses the same keys.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cast_picture import draw
from terminal import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

PICTURES = ROOT / "docs" / "pictures"
PROMPT = "a customer was charged twice, what do we do?"
COLUMNS, ROWS = 118, 30
LINE_END = "\r\n"
# What is there only because the session is watched, and letters that few fonts have.
DEBUG = re.compile(r"Debug mode enabled · logging to /[\w./-]+|▎")
GLYPHS = str.maketrans("⎿⏵", "└▸")


def draft(title: str, category: str, path: str, content: dict[str, Any]) -> dict[str, Any]:
    """A draft that was made from a document."""
    source = {"kind": "adr", "path": path, "heading": title, "digest": "0123456789abcdef"}
    partial = {"title": title, "tags": ["shop"], "confidence": 0.9, "change_summary": "Decided", "content": content}
    return {
        "category": category,
        "action": "create",
        "new_info_summary": title,
        "source": source,
        "partial_content": partial,
    }


DRAFTS = [
    draft(
        "Prices in the catalogue are whole cents",
        "constraint",
        "docs/adr/0008.md",
        {
            "kind": "policy",
            "rule": "No price is a float",
            "impact": ["a rounding error reaches the invoice"],
            "severity": "high",
            "active": True,
        },
    ),
    draft(
        "Print the labels again after the printer was away",
        "runbook",
        "docs/runbooks/labels.md",
        {
            "trigger": "The printer was away for a while",
            "steps": ["open the queue of labels", "send the failed ones again"],
            "verification": "the queue is empty",
        },
    ),
]
BAND = r"cuecard: \d+ shown"
# The steps of `cc_screen.drive`. Each page is shown before something on it is pressed.
ASK = (("until", "shift.tab|shortcuts"), ("type", PROMPT), ("key", "Enter"), ("until", "stub reply"), ("until", BAND))
VERDICT = (
    # A digit and a letter that are typed as text press nothing.
    ("type", "1"),
    ("show", "typed"),
    ("key", "BSpace"),
    ("show", "band"),
    ("key", "C-x", "Tab"),
    ("key", "a"),
    ("until", "wrong: [A-Z].* undo"),
    ("show", "verdict"),
    ("key", "u"),
    ("until", "taken back"),
    ("key", "Escape"),
)
PANE = (
    ("type", "/memories"),
    ("key", "Enter"),
    ("until", "% sure"),
    ("show", "pane"),
    ("key", "a"),
    ("until", "^.*why *$"),
    ("show", "memory"),
    ("key", "b"),
    ("until", "a: more"),
    ("key", "i"),
    ("until", "read and decide"),
    ("show", "inbox"),
    ("key", "a"),
    ("until", "the nearest memory"),
    ("show", "draft"),
    ("key", "y"),
    ("until", "accepted: "),
    ("show", "accepted"),
    ("key", "u"),
    ("until", "taken back"),
    ("key", "f"),
    ("until", "words"),
    ("type", "backup"),
    ("key", "Enter"),
    ("until", "a: more"),
    ("show", "found"),
)


def prepare(folder: Path) -> tuple[Path, Path]:
    """A user's home and a project of theirs, with memories that they vouch for and drafts that wait."""
    home = folder / "home"
    project = home / "teashop"
    home.mkdir()
    shutil.copytree(ROOT / "examples" / "teashop", project, ignore=shutil.ignore_patterns(".cuecard"))
    run_as(home, project, "git init -q && cuecard index rebuild && cuecard trust --all --yes")
    run_as(home, project, "cuecard capture commit --origin import --json", json.dumps(DRAFTS))
    return home, project


def run_as(home: Path, project: Path, line: str, stdin: str = "") -> str:
    """The output of a command that the user runs in the project."""
    beside = str(Path(sys.executable).parent)
    variables = {"PATH": os.pathsep.join([beside, os.environ.get("PATH", "")]), "HOME": str(home), "LANG": "C.UTF-8"}
    done = subprocess.run(
        ["/bin/sh", "-c", line], input=stdin, capture_output=True, text=True, cwd=project, env=variables, check=True
    )
    return done.stdout


def copy_plugin(folder: Path) -> Path:
    """A copy of the plugin as it is now; the client writes into the folder of a plugin that it loads from there."""
    for name in (".claude-plugin", "bin", "commands", "hooks", "skills", "agents"):
        shutil.copytree(ROOT / name, folder / name)
    ignored = shutil.ignore_patterns("__pycache__", "_native*")
    shutil.copytree(ROOT / "python", folder / "python", ignore=ignored)
    return folder


def drive(steps: tuple[tuple[str, ...], ...], home: Path, project: Path, plugins: list[Path], **more: Any) -> Any:  # noqa: ANN401
    """Run one session of the client (`tests/e2e/cc_screen.py`)."""
    sys.path.insert(0, str(ROOT / "tests" / "e2e"))
    os.environ["E2E_PATH"] = str(Path(sys.executable).parent)
    os.environ.setdefault("CLAUDE_CODE_VERSION", "2.1.332")
    return import_module("cc_screen").drive(steps, project, plugins, str(home), size=(COLUMNS, ROWS), **more)


# Pictures


def cast_of(title: str, screen: str, project: Path) -> str:
    """A screen as a cast in which everything is printed at once, without most of its empty lines."""
    lines = [_plain_colours(line).rstrip() for line in screen.replace(str(project), "~/teashop").splitlines()]
    lines = [DEBUG.sub(lambda found: " " * len(found[0]), line).translate(GLYPHS) for line in lines]
    blank = [not _text_of(line).strip() for line in lines]
    # One of several empty lines is left, and none at the end.
    lines = [line for place, line in enumerate(lines) if not (blank[place] and all(blank[place : place + 2]))]
    header = {"version": 2, "width": COLUMNS, "height": len(lines), "title": title}
    return f"{json.dumps(header)}\n{json.dumps([0, 'o', LINE_END.join(lines)])}\n"


def _text_of(line: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", line)


def _plain_colours(line: str) -> str:
    """A line with the few styles that `cast_picture` draws in place of those of the client."""
    parts, style = [], "0"
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        if part.startswith("\x1b["):
            style = _style_of(part[2:-1], style)
        elif part:
            parts.append(f"\x1b[0m\x1b[{style}m{part}\x1b[0m" if style != "0" else f"\x1b[0m{part}")
    return "".join(parts)


def _style_of(codes: str, before: str) -> str:
    style, numbers = before, iter([int(code or 0) for code in codes.split(";")])
    for number in numbers:
        if number in (0, 39, 22, 27):
            style = "0"
        elif number in (1, 2):
            style = str(number)
        elif number == 7:
            style = "1"
        elif number in (38, 48):
            colour = _named(numbers)
            style = colour if number == 38 else style
        elif 30 <= number <= 37 or 90 <= number <= 97:
            style = {0: "2", 1: "31", 2: "32", 3: "33", 4: "36", 5: "36", 6: "36", 7: "0"}[number % 10]
    return style


def _named(numbers: Iterator[int]) -> str:
    """The style for a colour of 256 or of three parts: gray is dim, and the others are the nearest of four."""
    if next(numbers) == 5:
        index = next(numbers)
        if index >= 232 or index < 16:
            return "2" if 236 <= index < 248 or index == 8 else "0"
        red, green, blue = (index - 16) // 36, (index - 16) // 6 % 6, (index - 16) % 6
        top = 5
    else:
        red, green, blue = next(numbers), next(numbers), next(numbers)
        top = 255
    if max(red, green, blue) - min(red, green, blue) < top * 0.15:
        return "2" if max(red, green, blue) < top * 0.8 else "0"
    if blue >= red and blue >= green:
        return "36"
    if green > red:
        return "32"
    return "33" if green > top * 0.4 else "31"


SHOTS = {
    "band": "what was shown, over the prompt",
    "verdict": "a verdict, and how it is taken back",
    "pane": "what was shown, and why",
    "inbox": "the drafts that wait",
    "draft": "a draft, what accepting it would do, and the nearest memory",
}


def main() -> None:
    """Take all pictures of one session."""
    with tempfile.TemporaryDirectory(prefix="cuecard-mod-") as scratch:
        home, project = prepare(Path(scratch))
        # The client tells a new user of its news once.
        drive(ASK[:1], home, project, [])
        driven = drive(ASK + VERDICT + PANE, home, project, [copy_plugin(Path(scratch, "plugin"))])
        for name, title in SHOTS.items():
            file = PICTURES / f"mod-{name}.svg"
            file.write_text(draw(cast_of(title, driven.screens[name], project)), "utf-8", newline="\n")
            print(f"docs/pictures/{file.name} is taken")
        for name in driven.screens:
            print(f"--- {name}\n{driven.text(name)}")
        print(f"{len(driven.requests)} request(s) to the model, blocks: {[driven.blocks(0)]}")


if __name__ == "__main__":
    main()

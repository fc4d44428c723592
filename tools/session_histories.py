"""Reads sessions from Markdown histories of agents, such as `.specstory/history` in public repositories."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from capture_sessions import CaptureSession, CaptureTurn

_HEADING = re.compile(r"^_\*\*(User|Agent|Assistant|Human)\b[^\n]*\*\*_\s*$", re.MULTILINE)
_PART_ENDS = re.compile(r"^---\s*$", re.MULTILINE)
_TOOL = re.compile(r"<tool-use\b.*?</tool-use>|<details>.*?</details>|<think>.*?</think>", re.DOTALL)
_USERS = ("User", "Human")


def read_histories(folders: Iterable[Path]) -> Iterator[CaptureSession]:
    """The sessions of all files below some folders, in the order of their names, each once.

    A session without a prompt or without an answer is left out. Some histories have a session in two files.
    """
    seen: set[tuple[str, ...]] = set()
    for folder in folders:
        for number, file in enumerate(sorted(folder.rglob("*.md"))):
            turns = tuple(_turns(file.read_text("utf-8", "replace")))
            prompts = tuple(turn.prompt for turn in turns)
            if turns and prompts not in seen:
                seen.add(prompts)
                name = re.sub("[^A-Za-z0-9_-]", "-", file.stem)[:60]
                yield CaptureSession(f"{number}-{name}", "claude-code", "en", "ferry", turns, ())


def _turns(text: str) -> Iterator[CaptureTurn]:
    """One turn for each run of consecutive user messages, with the agent's last text after them."""
    prompt = said = ""
    parts = _HEADING.split(text)
    for side, body in zip(parts[1::2], parts[2::2], strict=True):
        body = _PART_ENDS.sub("", body)
        if side not in _USERS:
            said = _TOOL.sub("", body).strip() or said
            continue
        if prompt and said:
            yield CaptureTurn(prompt, said)
            prompt = said = ""
        prompt = f"{prompt}\n{body.strip()}".strip() if not said else body.strip()
    if prompt and said:
        yield CaptureTurn(prompt, said)

"""Reads the texts in `assets` that tell agents, models and people how to write a memory.

The page about a good memory repeats the sentences about its questions; a test compares them.
"""

from pathlib import Path

from ..basics.tables import asset_path


def good_memory() -> str:
    """What makes a good memory."""
    return _read("good_memory.md")


def good_questions() -> str:
    """Which questions a memory needs so that it is found, in one line."""
    return " ".join(_read("good_questions.md").split())


def _read(name: str) -> str:
    return Path(asset_path(name)).read_text("utf-8").rstrip()

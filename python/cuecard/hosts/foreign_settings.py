"""Reads settings files of hosts; cuecard never changes these files."""

from collections.abc import Sequence
from pathlib import Path

from ..files.folder import Unread
from ..files.store_files import read_bounded
from . import jsonc

MAX_BYTES = 4 << 20


def read_json_file(file: Path) -> dict[str, object]:
    """The object in a JSON file, with or without comments; empty if the file cannot be read or contains no object."""
    try:
        found = jsonc.parse(read_bounded(str(file), MAX_BYTES).decode("utf-8-sig")).to_plain()
    except (Unread, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def says_off(title: str, files: Sequence[Path], member: str, off: bool) -> str:
    """Why the host `title` runs no hook at all; "" if its settings do not switch hooks off.

    `member` is the name of the setting, with dots between the names of objects, and `off` the value that switches hooks
    off. The last of the files that has the setting decides.
    """
    deciding = ""
    for file in files:
        value: object = read_json_file(file)
        for name in member.split("."):
            value = value.get(name) if isinstance(value, dict) else None
        if isinstance(value, bool):
            deciding = f"{title} runs no hooks: `{member}` is {str(off).lower()} in {file}" if value is off else ""
    return deciding

"""Reads settings files of hosts; cuecard never changes these files."""

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

"""Settings that a host keeps for itself and that we only look at."""

from pathlib import Path

from ..files.folder import Unread
from ..files.store_files import read_bounded
from . import jsonc

MAX_BYTES = 4 << 20


def read_json_file(file: Path) -> dict[str, object]:
    """The object in a JSON file, comments allowed; an empty one where there is none that can be read."""
    try:
        found = jsonc.parse(read_bounded(str(file), MAX_BYTES).decode("utf-8-sig")).to_plain()
    except (Unread, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}

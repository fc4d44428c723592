"""What the merge driver may read and write: git hands it temporary files, and nothing else is its business."""

import os

from ...basics.category import FOLDERS
from ...errors import InputError
from ...files.folder import Unread
from ...files.store_files import MAX_RECORD_BYTES, read_bounded
from ...files.user_folder import config_path, data_path
from ..records.record_file import Fields, decode

_CATEGORIES = frozenset(category for _folder, category in FOLDERS)


def read_version(path: str) -> bytes:
    """A version of a memory file. Raises `InputError` if it cannot be read or is larger than a memory."""
    try:
        return read_bounded(path, MAX_RECORD_BYTES)
    except Unread as unread:
        raise InputError(f"`{path}` {unread.words}", "give the three versions of a memory file") from None


def decode_memory(data: bytes, source: str) -> Fields:
    """A version of a memory. Raises `InputError` for any other file; `source` is its name in messages."""
    record = decode(data, source)
    if record.get("category") not in _CATEGORIES or not isinstance(record.get("content"), dict):
        raise InputError(f"{source} is no memory", "only memory files are merged this way")
    return record


def refuse_kept_file(path: str) -> None:
    """Raise `InputError` for a file of a store or of the user's own folders.

    Git gives its driver a temporary file. Every other writer of memories asks whose text it is, and this one cannot.
    """
    place = os.path.realpath(path)
    kept = [os.path.realpath(folder) for folder in (data_path(), config_path()) if folder]
    in_store = "/.claude/memory/" in place.replace(os.sep, "/")
    if in_store or any(place.startswith(folder.rstrip(os.sep) + os.sep) for folder in kept):
        raise InputError(f"`{path}` is no temporary file of git", "`cuecard merge` repairs the memories of a store")

"""Moves what the user's data folder keeps for a store to another path of that store (SPEC 48.12).

A project that was moved or cloned again has another path. Nothing is moved by itself, because a stranger can choose a
remote: the user names both paths.
"""

import os

from ..basics.light_dataclass import dataclass
from ..errors import StoreError, WriteError
from ..files.store_files import store_of
from ..files.user_folder import open_store_folder, store_key

# What stays: the path for people, and what is made again for the store at its new path.
MADE_AGAIN = frozenset(("path", "seal", "vouched", "derived", "git", "greeted", "remote"))


@dataclass(frozen=True)
class Moved:
    """What is moved between two data folders, by name, and what stays because the new path has it too."""

    names: list[str]
    kept: list[str]


def move_data(old: str, new: str, *, is_dry: bool) -> Moved:
    """Move what is kept for the project `old` to the project `new`; with `is_dry` only say what would be moved.

    Raises `StoreError` if nothing is kept for `old` or neither has memories, and `WriteError`.
    """
    source_dir, target_dir = store_of(os.path.abspath(old)), store_of(os.path.abspath(new))
    # On the way back, only the old path has them.
    if not os.path.isdir(target_dir) and not os.path.isdir(source_dir):
        raise StoreError(f"`{new}` has no memories", "name the folder of the project as it is now")
    if store_key(source_dir) == store_key(target_dir):
        raise StoreError("both paths are the same project", "name the path as it was, then as it is")
    source = open_store_folder(source_dir)
    if source is None:
        raise StoreError(f"nothing is kept for `{old}`", "`cuecard stores` shows the path of this project")
    with source:
        names = sorted({entry.name for entry in source.scan()} - MADE_AGAIN)
        target = open_store_folder(target_dir, make=not is_dry)
        if target is None:
            return Moved(names, [])
        with target:
            taken = {entry.name for entry in target.scan()}
            moved = Moved([name for name in names if name not in taken], [name for name in names if name in taken])
            for name in () if is_dry else moved.names:
                try:
                    os.rename(os.path.join(source.path, name), os.path.join(target.path, name))
                except OSError as error:  # noqa: PERF203 - each name has its own error
                    raise WriteError(f"`{name}` cannot be moved: {error.strerror}") from None
    return moved

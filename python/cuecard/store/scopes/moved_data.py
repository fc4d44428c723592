"""Moves what the user's data folder keeps for a store to another path of that store (SPEC 48.12).

A project that was moved or cloned again has another path. Nothing is moved by itself, because a stranger can choose a
remote: the user names both paths.
"""

import os

from ...basics.light_dataclass import dataclass
from ...errors import StoreError, WriteError
from ...files.store_files import store_of
from ...files.user_folder import OF_PROJECT, open_store_folder, place_of, store_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...files.folder import Folder

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
    moved, is_known = Moved([], []), False
    # What all checkouts of a repository share is found by the shared one.
    shared = place_of(source_dir, OF_PROJECT[0]), place_of(target_dir, OF_PROJECT[0])
    for is_shared, (before, after) in ((False, (source_dir, target_dir)), (True, shared)):
        source = open_store_folder(before) if before != after else None
        if source is None:
            continue
        is_known = True
        with source:
            names = sorted({entry.name for entry in source.scan()} - MADE_AGAIN)
            names = [name for name in names if (name in OF_PROJECT) is is_shared]
            target = open_store_folder(after, make=not is_dry)
            if target is None:
                moved.names.extend(names)
                continue
            with target:
                _move(source, target, names, moved, is_dry=is_dry)
    if not is_known:
        raise StoreError(f"nothing is kept for `{old}`", "`cuecard stores` shows the path of this project")
    return Moved(sorted(moved.names), sorted(moved.kept))


def _move(source: "Folder", target: "Folder", names: list[str], moved: Moved, *, is_dry: bool) -> None:
    taken = {entry.name for entry in target.scan()}
    for name in names:
        (moved.kept if name in taken else moved.names).append(name)
        if is_dry or name in taken:
            continue
        try:
            os.rename(os.path.join(source.path, name), os.path.join(target.path, name))
        except OSError as error:
            raise WriteError(f"`{name}` cannot be moved: {error.strerror}") from None

"""Packs: the memories of a team as an immutable store with its own snapshot, which prompts read.

`packs/NAME/VERSION` in the user's data folder is a folder like that of a project, with `.claude/memory` in it. The file
`packs/NAME/current` names the version that counts, and is replaced when a version is complete.
"""

import hashlib
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from ..basics.category import FOLDERS
from ..errors import CuecardError, SyncError
from ..files.folder import PRIVATE_FILE, PRIVATE_FOLDER, REGULAR, Folder, Unread
from ..files.memory_files import read_all_files
from ..files.scopes import CURRENT, MAX_NAME_CHARS, PACKS
from ..files.store_files import store_of
from ..files.user_folder import data_path, open_data_folder, remove_store_folder
from ..store.derived.reindex import reindex
from ..store.records.record_file import content_hash

READ_ONLY = 0o400


@dataclass(frozen=True)
class Tampered:
    """What is wrong with the files of a pack."""

    changed: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    added: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changed or self.missing or self.added)


def pack_path(team: str) -> str:
    """The folder with the versions of a team's pack."""
    return os.path.join(data_path(), PACKS, team)


def current_version(team: str) -> str:
    """The version of a team's pack that counts; "" if there is none."""
    data = open_data_folder()
    if data is None:
        return ""
    try:
        with data, data.folder(PACKS) as packs, packs.folder(team) as folder:
            name = folder.read(CURRENT, MAX_NAME_CHARS)[0].decode("ascii", "replace").strip()
            return name if folder.kind(name) else ""
    except (OSError, Unread, ValueError):
        return ""


def current_root(team: str) -> str:
    """The folder of the version that counts; "" if there is none."""
    version = current_version(team)
    return os.path.join(pack_path(team), version) if version else ""


def version_of(memories: Sequence[tuple[str, bytes]]) -> str:
    """The name of the version with these memories: the same memories have the same name on every machine."""
    digest = hashlib.sha256()
    for path, data in memories:
        digest.update(f"{path}\0{content_hash(data)}\n".encode())
    return digest.hexdigest()[:32]


def swap_pack(team: str, memories: Sequence[tuple[str, bytes]]) -> bool:
    """Make these memories the pack of a team; False if they are it already. Raises SyncError.

    `memories` are pairs of a path such as `decisions/a.json` and the bytes of the file, by path.
    """
    version = version_of(memories)
    before = current_version(team)
    if version == before and not examine_pack(team, memories):
        return False
    data = open_data_folder(make=True)
    if data is None:
        raise SyncError("your data folder cannot be opened or created", f"make `{data_path()}` writable")
    try:
        with data, data.make_folder(PACKS, PRIVATE_FOLDER) as packs, packs.make_folder(team, PRIVATE_FOLDER) as folder:
            if version == before:
                # Somebody has changed the files of the version that counts.
                folder.replace(CURRENT, b"\n", mode=PRIVATE_FILE)
                before = ""
            _remove(folder, version)
            with folder.make_folder(version, PRIVATE_FOLDER) as root:
                _write_store(root, memories, os.path.join(pack_path(team), before) if before else "")
            root_path = os.path.join(folder.path, version)
            reindex(root_path, store_of(root_path))
            folder.sync()
            folder.replace(CURRENT, f"{version}\n".encode(), mode=PRIVATE_FILE)
            # A reader may have looked up the version before just before it was replaced.
            _sweep(folder, (version, before))
    except OSError as error:
        raise SyncError(f"the pack of `{team}` cannot be written: {error.strerror or error}", "make room") from error
    except CuecardError as error:
        raise SyncError(f"the pack of `{team}` cannot be written: {error.what}", error.hint) from error
    return True


def remove_pack(team: str) -> None:
    """Remove the pack of a team."""
    data = open_data_folder()
    if data is None:
        return
    try:
        with data, data.folder(PACKS) as packs, packs.folder(team) as folder:
            if folder.kind(CURRENT) == REGULAR:
                folder.remove(CURRENT)
            _sweep(folder, ())
        shutil.rmtree(pack_path(team), ignore_errors=True)
    except OSError:
        return


def examine_pack(team: str, memories: Sequence[tuple[str, bytes]]) -> Tampered:
    """How the files of the pack differ from what was pulled. Cost: every file is read."""
    root = current_root(team)
    there = {}
    if root:
        for _category, path, data, _size, _modified in read_all_files(store_of(root)):
            there[path.removeprefix(".claude/memory/")] = data
    wanted = dict(memories)
    return Tampered(
        changed=tuple([path for path, data in wanted.items() if path in there and there[path] != data]),
        missing=tuple([path for path in wanted if path not in there]),
        added=tuple([path for path in there if path not in wanted]),
    )


def _write_store(root: Folder, memories: Sequence[tuple[str, bytes]], before: str) -> None:
    """Write the files of a version. A file that the version `before` has too is shared with it."""
    with root.make_folder(".claude", PRIVATE_FOLDER) as above, above.make_folder("memory", PRIVATE_FOLDER) as store:
        folders = {name: store.make_folder(name, PRIVATE_FOLDER) for name, _category in FOLDERS}
        try:
            for path, data in memories:
                name, _slash, file = path.partition("/")
                old = os.path.join(before, ".claude", "memory", name, file) if before else ""
                if not old or not _link(old, os.path.join(folders[name].path, file), data):
                    folders[name].create(file, data, READ_ONLY)
        finally:
            for folder in folders.values():
                folder.sync()
                folder.close()


def _link(old: str, new: str, data: bytes) -> bool:
    """Give a file of the last version a second name if it has these bytes."""
    try:
        if os.lstat(old).st_size != len(data):
            return False
        with open(old, "rb") as file:
            if file.read() != data:
                return False
        os.link(old, new, follow_symlinks=False)
    except (OSError, NotImplementedError):
        return False
    return True


def _sweep(folder: Folder, kept: tuple[str, ...]) -> None:
    """Remove the versions that do not count any more, and what cuecard has noted about them."""
    for name in [entry.name for entry in folder.scan() if entry.is_dir(follow_symlinks=False)]:
        if name not in kept:
            _remove(folder, name)


def _remove(folder: Folder, name: str) -> None:
    """Remove a version, whole or not; nothing happens if there is none."""
    if not folder.kind(name):
        return
    with suppress(OSError):
        remove_store_folder(store_of(os.path.join(folder.path, name)))
    folder.remove_tree(name)

"""Renames the damaged files of a store, so that they are no longer read."""

from ...files.folder import RefusedError
from ...files.lock import locked
from ...files.quarantine import set_aside
from ...files.store_files import open_store
from ..derived.health import BLANK_IN_PATH, LINKED_FOLDER
from ..derived.reindex import renew

# Damage for which a file is not renamed, with the advice for the user.
KEPT = {
    BLANK_IN_PATH: "rename it; its content is correct",
    LINKED_FOLDER: "put a folder in the place of the link",
}


def isolate(root: str, memory_dir: str, damaged: list[tuple[str, str]]) -> tuple[dict[str, str], list[str]]:
    """Rename damaged files. Returns a dictionary from old to new path, and a sentence for each file that stays.

    `damaged` comes from `Health.damaged`. A file stays if only its name is wrong, or if its folder is a link.
    Then index and snapshot are brought up to date. Raises `LockError` and `WriteError`.
    """
    moved: dict[str, str] = {}
    failures: list[str] = []
    if not damaged:
        return moved, failures
    with locked(memory_dir):
        for path, reason in damaged:
            folder, name = path.split("/")[-2:]
            new, problem = "", KEPT.get(reason, "")
            if not problem:
                new, problem = _move(memory_dir, folder, name)
            if problem:
                failures.append(f"`{path}` stays: {problem}")
            else:
                moved[path] = f"{path.rpartition('/')[0]}/{new}"
        if moved:
            failures += renew(root, memory_dir).problems
    return moved, failures


def _move(memory_dir: str, folder: str, name: str) -> tuple[str, str]:
    """Rename a damaged file. Returns its new name and "", or "" and the reason why it stays."""
    try:
        with open_store(memory_dir) as store, store.folder(folder) as place:
            return set_aside(place, name), ""
    except RefusedError:
        return "", "its folder is a link"
    except OSError as error:
        return "", f"it cannot be renamed: {error.strerror or error}"

"""Sets the damaged files of a store aside."""

import os

from .health import BLANK_IN_PATH
from .lock import locked
from .quarantine import set_aside
from .reindex import renew


def isolate(root: str, memory_dir: str, damaged: list[tuple[str, str]]) -> tuple[dict[str, str], list[str]]:
    """Old and new path of each file that was moved, and a sentence for each that was not.

    `damaged` is that of `Health`. A file whose name alone is wrong stays where it is, and so does what lies behind
    a link. Index and snapshot are brought up to date. Raises `LockError` and `WriteError`.
    """
    moved: dict[str, str] = {}
    failures: list[str] = []
    if not damaged:
        return moved, failures
    store = os.path.realpath(memory_dir)
    with locked(memory_dir):
        for path, reason in damaged:
            folder, name = path.split("/")[-2:]
            problem = ""
            if reason == BLANK_IN_PATH:
                problem = "rename it, its content is in order"
            elif os.path.realpath(os.path.join(memory_dir, folder)) != os.path.join(store, folder):
                problem = "its folder is a link"
            else:
                new, problem = _move(os.path.join(memory_dir, folder, name))
            if problem:
                failures.append(f"`{path}` stays: {problem}")
            else:
                moved[path] = f"{path.rpartition('/')[0]}/{new}"
        if moved:
            failures += renew(root, memory_dir).problems
    return moved, failures


def _move(path: str) -> tuple[str, str]:
    """The file's new name, or why it has none."""
    try:
        return os.path.basename(set_aside(path)), ""
    except OSError as error:
        return "", f"it cannot be renamed: {error.strerror or error}"

"""Reads a memory that was shown, from the store that it was shown from."""

from ...errors import MissingError
from ..records.memory import Memory, read_memory
from .scoped_stores import scope_reader, stores_of_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...files.root import Project


def read_shown(project: "Project", scope: str, category: str, path: str) -> Memory:
    """A memory that was shown in a project, from the store that the log calls `scope`.

    Raises `MissingError` if no store that counts has it, and what `read_memory` raises.
    """
    every = stores_of_project(project)
    label = scope_reader(every)(scope)
    stores = [store for store in every if store.label == label and not store.left_out]
    missing = MissingError(f"`{path}` is in no store that counts here")
    for store in stores:
        try:
            return read_memory(store.root, store.memory_dir, category, path)
        except MissingError as error:  # noqa: PERF203 - a worktree's store lies over the one of its checkout
            missing = error
    raise missing

"""Reads a project's memories, without loading the models that only writes need."""

import os

from ...basics.category import FOLDERS
from ...errors import UsageError
from ...files.environment import named_root
from ...files.root import choose_project, locate_project
from ...files.user_folder import home_path
from .find_memory import find_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...basics.options import Category, Status
    from .memory import Memory

CATEGORIES = tuple(category for _folder, category in FOLDERS)
STATUSES = ("active", "retired", "archived", "all")


class StoreReader:
    """Read access to the memories of a project; `StoreWriter` adds write access.

    `root` is a project's folder or its `.claude/memory`. Without it, the project is `CUECARD_ROOT`, or the nearest
    project with memories from the working directory upwards. Raises `StoreError` if there are no memories, unless
    `create` is set.
    """

    def __init__(self, root: "str | os.PathLike[str] | None" = None, *, create: bool = False) -> None:
        find = choose_project if create else locate_project
        self.root, self.memory_dir = find(root, named_root(), home_path() or os.path.expanduser("~"))

    @property
    def project(self) -> "tuple[str, str]":
        """The project's folder and its folder of memories."""
        return self.root, self.memory_dir

    def show(self, name: str) -> "Memory":
        """Return the memory that `name` means: an id, `CATEGORY/ID`, a title or a path.

        Raises `MissingError` if there is none, `StoreError` if there are several, and `InputError` if the file is
        damaged. Cost: one file is read.
        """
        from .memory import read_memory

        return read_memory(*self.project, *find_memory(*self.project, name))

    def memories(self, category: "Category | None" = None, status: "Status" = "active") -> "list[Memory]":
        """Return the memories of a category (None for all) with a status, in the order of folders and names.

        Files that cannot be read are left out; `cuecard health` reports them. Raises `UsageError` for an unknown
        category or status. Cost: every file is read.
        """
        from .memory import read_memories

        if category is not None:
            check_choice("category", category, CATEGORIES)
        check_choice("status", status, STATUSES)
        found = read_memories(*self.project, category)
        return [memory for memory in found if status in ("all", memory.status)]


def check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    """Raise UsageError, which lists the choices, if `value` is not one of them."""
    if value not in choices:
        names = ", ".join([f"`{choice}`" for choice in choices])
        raise UsageError(f"unknown {name} `{value}`", f"use {names}", field=name, expected=names, found=f"`{value}`")

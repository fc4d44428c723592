"""A project's memories as they are read: all that commands without a write need, and without the models."""

import os

from ...basics.category import FOLDERS
from ...errors import UsageError
from ...files.root import choose_project, locate_project
from .find_memory import find_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...settings.options import Category, Status
    from .memory import Memory

CATEGORIES = tuple(category for _folder, category in FOLDERS)
STATUSES = ("active", "retired", "archived", "all")


class StoreReader:
    """The memories of a project, to be read; `StoreWriter` writes them too.

    `root` is a project or its `.claude/memory`; without it, `CUECARD_ROOT` or the nearest project with memories
    from the working directory upwards. Raises `StoreError` where there are none; with `create` they need not be there.
    """

    def __init__(self, root: "str | os.PathLike[str] | None" = None, *, create: bool = False) -> None:
        named, home = os.environ.get("CUECARD_ROOT", ""), os.path.expanduser("~")
        self.root, self.memory_dir = (choose_project if create else locate_project)(root, named, home)

    @property
    def project(self) -> "tuple[str, str]":
        """The project's folder and its memory folder."""
        return self.root, self.memory_dir

    def show(self, name: str) -> "Memory":
        """The memory that `name` names: an id, `CATEGORY/ID` or a path.

        Raises `MissingError` where there is none, `InputError` where there are several. Cost: one file.
        """
        from .memory import read_memory

        return read_memory(*self.project, *find_memory(*self.project, name))

    def memories(self, category: "Category | None" = None, status: "Status" = "active") -> "list[Memory]":
        """The memories of a category, or all, with a status, or `all`, in the order of folders and names.

        What cannot be read is left out; `cuecard health` reports it. Raises `UsageError` for an unknown category or
        status. Cost: every file is read.
        """
        from .memory import read_memories

        if category is not None:
            check_choice("category", category, CATEGORIES)
        check_choice("status", status, STATUSES)
        found = read_memories(*self.project, category)
        return [memory for memory in found if status in ("all", memory.status)]


def check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    """Raises UsageError, which lists the choices, for any other value."""
    if value not in choices:
        names = ", ".join([f"`{choice}`" for choice in choices])
        raise UsageError(f"the {name} is `{value}`", f"use {names}", field=name, expected=names, found=f"`{value}`")

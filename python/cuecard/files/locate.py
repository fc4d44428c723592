"""Finds the project that a command or a hook works in."""

from .root import locate_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os

    from .environment import Environment
    from .root import Project


def locate(environment: "Environment", root: "str | os.PathLike[str] | None") -> "Project":
    """Folder and memory folder of the project that `root` or the environment names; `StoreError` without one."""
    return locate_project(root, environment.root, environment.home)

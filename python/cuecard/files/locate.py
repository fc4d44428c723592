"""Finds the project in which a command or a hook works."""

from .root import locate_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os

    from .environment import Environment
    from .root import Project


def locate(environment: "Environment", root: "str | os.PathLike[str] | None") -> "Project":
    """The project at `root`, or else the project of the environment or the working directory. Raises `StoreError`."""
    return locate_project(root, environment.root, environment.home)

"""Finds the project in which a command or a hook works."""

from .root import locate_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os

    from .environment import Environment
    from .root import Project


def locate(environment: "Environment", root: "str | os.PathLike[str] | None") -> "Project":
    """The project at `root`, or the one that the environment or the working directory gives. Raises `StoreError`."""
    return locate_project(root, environment.root, environment.home)

"""Finds the project in which a command or a hook works."""

from .environment import Environment
from .root import locate_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os

    from .root import Project


def locate(root: "str | os.PathLike[str] | None", environment: Environment | None = None) -> "Project":
    """The project at `root`, or else the project of the environment or the working directory. Raises `StoreError`."""
    environment = environment or Environment()
    return locate_project(root, environment.root, environment.home)

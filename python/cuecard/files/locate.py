"""Which project is meant."""

from .root import locate_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os

    from ..recall.prompt_path import Project
    from .environment import Environment


def locate(environment: "Environment", root: "str | os.PathLike[str] | None") -> "Project":
    """Folder and memory folder of the project that `root` or the environment names; `StoreError` without one."""
    return locate_project(root, environment.root, environment.home)

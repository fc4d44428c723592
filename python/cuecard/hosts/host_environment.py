"""Where hosts keep their files on this machine: all of it from the environment."""

import os
from collections.abc import Mapping
from pathlib import Path

from ..basics.light_dataclass import dataclass
from ..basics.programs import find_program
from ..errors import UsageError
from ..files.environment import Environment
from ..files.root import choose_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Scope = Literal["user", "project"]
else:
    # `typing` takes 2 ms to load.
    Scope = str


@dataclass(frozen=True)
class HostEnvironment:
    """The user's home, the project, and the variables by which hosts can be told to look elsewhere."""

    home: Path
    project: Path
    variables: Mapping[str, str]
    is_windows: bool = os.name == "nt"

    def folder(self, variable: str, *default: str) -> Path:
        """What a variable names, where it is set; else that folder of the home."""
        named = self.variables.get(variable, "").strip()
        return Path(named) if named else self.home.joinpath(*default)

    def has_program(self, *names: str) -> bool:
        """Whether one of these programs is on PATH."""
        return any(find_program(name, self.variables.get("PATH", "")) for name in names)


def read_host_environment(root: str | None) -> HostEnvironment:
    """The environment of this process, for the project at `root`, else for the one that the working directory is in.

    Raises UsageError where nothing names a home, StoreError where `root` is no folder.
    """
    environment = Environment()
    if not environment.home:
        raise UsageError("there is no home folder: `HOME` is not set", "set it")
    project, _memory_dir = choose_project(root, environment.root, environment.home)
    return HostEnvironment(Path(environment.home), Path(project), dict(os.environ))

"""Where hosts keep their files on this machine, as told by environment variables."""

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
    """The user's home, the project, and the environment variables that can move a host's folders."""

    home: Path
    project: Path
    variables: Mapping[str, str]
    is_windows: bool = os.name == "nt"

    def folder(self, variable: str, *default: str) -> Path:
        """The folder that an environment variable names if it is set; else the folder `default` in the user's home."""
        named = self.variables.get(variable, "").strip()
        return Path(named) if named else self.home.joinpath(*default)

    def has_program(self, *names: str) -> bool:
        """Whether one of these programs is on PATH."""
        return any(find_program(name, self.variables.get("PATH", "")) for name in names)


def read_host_environment(root: str | None) -> HostEnvironment:
    """The environment of this process for the project at `root`, or for the project of the working directory.

    Raises UsageError if no variable names the user's home, StoreError if `root` is not a folder.
    """
    environment = Environment()
    if not environment.home:
        raise UsageError("there is no home folder: `HOME` is not set", "set it")
    project, _memory_dir = choose_project(root, environment.root, environment.home)
    return HostEnvironment(Path(environment.home), Path(project), dict(os.environ))

"""The options and the environment variables that recall uses (SPEC 14.3)."""

import os

from ..basics.surroundings import is_in_project
from .user_folder import home_path, named_home, state_home_path
from .user_settings import user_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

OPTIONS = ("--strategy", "--output", "--root")
CLASSIC = "classic"


def take_options(arguments: "Sequence[str]") -> tuple[dict[str, str], list[str]]:
    """The options of `OPTIONS` in the arguments of the hook, and the other arguments.

    What is repeated or has no value is left among the others.
    """
    options: dict[str, str] = {}
    left = []
    place = 0
    while place < len(arguments):
        word = arguments[place]
        place += 1
        name, equals, value = word.partition("=")
        if name not in OPTIONS:
            left.append(word)
            continue
        if not equals and place < len(arguments):
            value = arguments[place]
        if not value or name in options:
            left.append(word)
            continue
        options[name] = value
        place += not equals
    return options, left


class Environment:
    """The values of the options and variables that recall uses; "" stands for one that is not set.

    Options of the command line come from the user, because a host takes its hooks from the user. Variables can come
    from a repository.
    """

    def __init__(self, options: "dict[str, str] | None" = None) -> None:
        """Read the variables from the environment of this process; `options` are those of `take_options`."""
        variables = os.environ
        self.options = options or {}
        self.root = self.options.get("--root", "") or named_root()
        self.strategy = variables.get("CUECARD_STRATEGY", "").strip()
        self.output = variables.get("CUECARD_OUTPUT", "").strip()
        self.log = variables.get("CUECARD_LOG", "")
        self.project_dir = variables.get("CLAUDE_PROJECT_DIR", "").strip()
        # What `~` means in the commands of the agent's shell.
        self.shell_home = named_home()

    @property
    def home(self) -> str:
        """The user's home folder."""
        return home_path()

    @property
    def state_home(self) -> str:
        """The folder of state files of programs."""
        return state_home_path()

    @property
    def is_not_interactive(self) -> bool:
        """Whether a program waits for the agent's answer, as far as the environment tells."""
        return os.environ.get("CLAUDE_CODE_ENTRYPOINT", "").strip().startswith("sdk")

    @property
    def prints_classic(self) -> bool:
        """Whether blocks have the form of the claude-memory plugin."""
        return (self.options.get("--output") or self.output) == CLASSIC

    @property
    def is_exactly_classic(self) -> bool:
        """Whether the user has asked for exactly the block of the claude-memory plugin, which marks no memories."""
        return self.options.get("--output") == CLASSIC


def named_root() -> str:
    """The project that `CUECARD_ROOT` names; "" unless the user's settings let variables count."""
    root = os.environ.get("CUECARD_ROOT", "")
    return root if root and lets_variables_count() else ""


def lets_variables_count() -> bool:
    """Whether the user's own settings have `variables: true`."""
    return user_settings().get("variables") is True


def plugin_root() -> str:
    """The folder of the plugin that started this process; "" if no plugin did, or if it lies in the project."""
    root = os.environ.get("CLAUDE_PLUGIN_ROOT", "")
    is_elsewhere = os.path.isabs(root) and os.path.exists(root) and not is_in_project(os.path.realpath(root))
    return root if is_elsewhere else ""

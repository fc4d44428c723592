"""The interface of a host: where the file with its hooks is, what we write into it, and what the user must know."""

from abc import ABC, abstractmethod
from pathlib import Path

from ..basics.light_dataclass import dataclass, field
from ..errors import HostFileError
from .features import hooks_of, state_of, wires_of
from .hook_entries import HookEntries, HookEntry
from .host_environment import HostEnvironment, Scope
from .shells import join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .features import State
    from .shells import Shell


# The stop hook reads a transcript and writes files; no prompt waits for it, so it gets this many times as long.
STOP_TIMES = 2
# What stands before the command of the hook in a script that a host loads. A list in JSON is also valid JavaScript.
SCRIPT_COMMAND = "const command = "


@dataclass(frozen=True)
class WiredHook:
    """A hook as the table of hosts has it, for hosts whose settings are made from that table."""

    event: str
    verb: str
    """The event of the hook."""
    command: str
    """The line that a shell of the host runs."""
    matcher: str
    """The tools that matter, in the form of the host; "" for all, and where the event is about no tool."""
    times: int
    """How many times as long as a prompt's hook this one may take."""


class Host(ABC):
    """An agent program.

    Its file is the file that tells it which hooks to call. A `text` is the content of this file without a byte order
    mark; "" if the file does not exist.
    """

    name: str
    title: str
    # Sentences about what the user has to know, or has to do besides installing.
    promises: tuple[str, ...] = ()
    # The first scope is the default.
    scopes: tuple[Scope, ...] = ("user", "project")
    # Whether the host's file is a program, which must be executable.
    is_program: bool = False
    # The names of the host's programs. If PATH has one of them, the host counts as installed.
    programs: tuple[str, ...] = ()
    # The tools that write files or run commands, and those that touch a file or run one, as the host matches them.
    writing_tools: str = ""
    acting_tools: str = ""
    # The oldest version of the host that runs our hooks as installed; empty if none is known.
    least_version: tuple[int, ...] = ()

    @property
    def injection(self) -> "State":
        """Whether the host gives the model memories at the prompt."""
        return state_of(self.name, "prompt")

    @abstractmethod
    def folder(self, scope: Scope, environment: HostEnvironment) -> Path:
        """The host's own folder, which contains its file directly or in a subfolder."""

    @abstractmethod
    def file(self, scope: Scope, environment: HostEnvironment) -> Path:
        """The file that `install` and `uninstall` change."""

    @abstractmethod
    def install(self, text: str, hook: list[str], environment: HostEnvironment) -> str:
        """Return `text` with our hook added; `hook` is the command that starts the hook. Raises HostFileError."""

    @abstractmethod
    def uninstall(self, text: str) -> str:
        """Return `text` without our hook. Raises HostFileError."""

    @abstractmethod
    def find(self, text: str) -> list[list[str]]:
        """The cuecard commands in `text`, each as a list of words. Raises HostFileError."""

    @abstractmethod
    def is_bare(self, text: str) -> bool:
        """Whether the host's file can be deleted, because its content `text` has nothing that a user would miss."""

    def wired(self, hook: list[str], shell: "Shell") -> list[WiredHook]:
        """The hooks that the table has for this host, in its order; `hook` is the command that starts the hook."""
        matchers = {"guard": self.writing_tools, "validate": self.writing_tools, "tool-context": self.acting_tools}
        return [
            WiredHook(
                event,
                verb,
                join([*hook, verb, "--host", self.name], shell),
                matchers.get(verb, ""),
                STOP_TIMES if verb == "stop" else 1,
            )
            for event, verb in hooks_of(self.name)
        ]

    def is_there(self, environment: HostEnvironment) -> bool:
        """Whether the host seems to be installed on this machine."""
        return self.folder("user", environment).is_dir() or environment.has_program(*self.programs)

    def find_other(self, environment: HostEnvironment) -> str:
        """What else already calls our hook, such as a plugin, in a few words; "" if nothing does."""
        return ""

    def deciding_files(self, environment: HostEnvironment) -> list[Path]:
        """The files whose settings decide which files the host shows its agent by itself."""
        del environment
        return []

    def waits_for(self, scope: Scope, environment: HostEnvironment) -> str:
        """Why the host ignores the installed hook until the user acts; "" if the host seems to run the hook."""
        return ""

    def notes(self, scope: Scope, environment: HostEnvironment) -> list[str]:
        """Sentences for the user after the installation."""
        shared = "the file names a program of this machine: all who share the project's files need it at the same path"
        is_shared = scope == "project" and bool(wires_of(self.name))
        waits_for = self.waits_for(scope, environment)
        return [*self.promises, *([shared] if is_shared else []), *([waits_for] if waits_for else [])]


class SettingsHost(Host):
    """A host whose hooks are entries in a JSON file that other programs write to as well."""

    shape: HookEntries

    @abstractmethod
    def entries(self, hook: list[str], environment: HostEnvironment) -> list[HookEntry]:
        """Our entries for the host's file; `hook` is the command that starts the hook."""

    def install(self, text: str, hook: list[str], environment: HostEnvironment) -> str:
        return self.shape.install(text, self.entries(hook, environment))

    def uninstall(self, text: str) -> str:
        return self.shape.uninstall(text)

    def find(self, text: str) -> list[list[str]]:
        return self.shape.find(text)

    def is_bare(self, text: str) -> bool:
        return self.shape.is_bare(text)


class OwnFileHost(Host):
    """A host for which we write a file of our own, recognised by the text `mark` in it."""

    mark: str

    @abstractmethod
    def content(self, hook: list[str], environment: HostEnvironment) -> str:
        """The whole content of our file; `hook` is the command that starts the hook."""

    @abstractmethod
    def words(self, text: str) -> list[str]:
        """The words of the cuecard command in `text`, the content of our file; empty if the file has no command."""

    @staticmethod
    def find_command(text: str) -> list[str]:
        """The command that is a list in a line of JavaScript; empty if there is none."""
        import json

        for line in text.splitlines():
            if line.startswith(SCRIPT_COMMAND):
                try:
                    found = json.loads(line[len(SCRIPT_COMMAND) :])
                except ValueError:
                    break
                return found if isinstance(found, list) and all(isinstance(word, str) for word in found) else []
        return []

    def install(self, text: str, hook: list[str], environment: HostEnvironment) -> str:
        if text.strip() and self.mark not in text:
            raise HostFileError(
                "it exists already, and cuecard has not written it", "move it away, or merge the two by hand"
            )
        return self.content(hook, environment)

    def uninstall(self, text: str) -> str:
        return "" if self.mark in text else text

    def find(self, text: str) -> list[list[str]]:
        return [self.words(text)] if self.mark in text else []

    def is_bare(self, text: str) -> bool:
        return not text.strip()


@dataclass(frozen=True)
class HookInstallation:
    """The cuecard commands in one file of a host, or the reason why the file cannot be read."""

    scope: Scope
    file: Path
    commands: list[list[str]] = field(default_factory=list)
    problem: str = ""

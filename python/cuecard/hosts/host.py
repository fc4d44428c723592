"""What a host is to the commands: where its file is, what we put there, and what can be promised."""

from abc import ABC, abstractmethod
from pathlib import Path

from ..basics.light_dataclass import dataclass, field
from ..errors import HostFileError
from .hook_entries import HookEntries, HookEntry
from .host_environment import HostEnvironment, Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    InjectionSupport = Literal["yes", "undocumented", "partly", "no"]
else:
    # `typing` takes 2 ms to load.
    InjectionSupport = str


class Host(ABC):
    """An agent program. Texts are those of its file without a byte order mark, "" where there is none."""

    name: str
    title: str
    injection: InjectionSupport
    # What a user has to know or to do beside, a sentence each.
    promises: tuple[str, ...] = ()
    # The first is the one that is meant where none is named.
    scopes: tuple[Scope, ...] = ("user", "project")
    # Whether the file can be run; it is made so.
    is_program: bool = False
    # Folders and programs by which it is known to be there.
    programs: tuple[str, ...] = ()

    @abstractmethod
    def folder(self, scope: Scope, environment: HostEnvironment) -> Path:
        """The host's own folder; its file lies in it, or below."""

    @abstractmethod
    def file(self, scope: Scope, environment: HostEnvironment) -> Path:
        """The file that is changed."""

    @abstractmethod
    def install(self, text: str, hook: list[str], environment: HostEnvironment) -> str:
        """The text with ours in it, as `hook` starts the hook. Raises HostFileError."""

    @abstractmethod
    def uninstall(self, text: str) -> str:
        """The text without ours. Raises HostFileError."""

    @abstractmethod
    def find(self, text: str) -> list[list[str]]:
        """The commands of ours in it, in words. Raises HostFileError."""

    @abstractmethod
    def is_bare(self, text: str) -> bool:
        """Whether nothing is in it that anybody would miss."""

    def is_there(self, environment: HostEnvironment) -> bool:
        """Whether the host seems to be installed on this machine."""
        return self.folder("user", environment).is_dir() or environment.has_program(*self.programs)

    def find_other(self, environment: HostEnvironment) -> str:
        """What already calls our hook in another way, in a few words; "" where nothing does."""
        return ""

    def waits_for(self, scope: Scope, environment: HostEnvironment) -> str:
        """Why the host ignores what is installed until the user acts; "" where it does not, as far as can be seen."""
        return ""

    def notes(self, scope: Scope, environment: HostEnvironment) -> list[str]:
        """What there is to know once ours is in the file."""
        shared = "the file names a program of this machine: all who share the project's files need it at the same path"
        return [*self.promises, *([shared] if scope == "project" and self.injection != "no" else [])]


class SettingsHost(Host):
    """A host whose hooks are entries in a JSON file that others write to as well."""

    shape: HookEntries

    @abstractmethod
    def entries(self, hook: list[str], environment: HostEnvironment) -> list[HookEntry]:
        """What stands in the file for a hook."""

    def install(self, text: str, hook: list[str], environment: HostEnvironment) -> str:
        return self.shape.install(text, self.entries(hook, environment))

    def uninstall(self, text: str) -> str:
        return self.shape.uninstall(text)

    def find(self, text: str) -> list[list[str]]:
        return self.shape.find(text)

    def is_bare(self, text: str) -> bool:
        return self.shape.is_bare(text)


class OwnFileHost(Host):
    """A host that takes a file of its own from us; the mark in it says that it is ours."""

    mark: str

    @abstractmethod
    def content(self, hook: list[str], environment: HostEnvironment) -> str:
        """The whole file."""

    @abstractmethod
    def words(self, text: str) -> list[str]:
        """The command in a file of ours."""

    def install(self, text: str, hook: list[str], environment: HostEnvironment) -> str:
        if text.strip() and self.mark not in text:
            raise HostFileError("it is there already and not ours", "move it away, or join the two by hand")
        return self.content(hook, environment)

    def uninstall(self, text: str) -> str:
        return "" if self.mark in text else text

    def find(self, text: str) -> list[list[str]]:
        return [self.words(text)] if self.mark in text else []

    def is_bare(self, text: str) -> bool:
        return not text.strip()


@dataclass(frozen=True)
class HookInstallation:
    """An installation: the commands of ours in a file, or why the file cannot be read."""

    scope: Scope
    file: Path
    commands: list[list[str]] = field(default_factory=list)
    problem: str = ""

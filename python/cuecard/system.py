"""What a prompt asks of the operating system: as `os` has it, without what `os` loads first.

The abstract classes that `os` takes its types from cost as much as a third of a prompt. Where nothing has loaded `os`
yet, a stand-in serves: the same functions, and `os` itself for every name that it does not have.
"""

import sys

__all__ = ["os"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os

_KIND, _FOLDER, _REGULAR, _LINK = 0o170000, 0o040000, 0o100000, 0o120000


class System:
    """The functions of `posix`, with an `environ` and a `path`."""

    name, sep = "posix", "/"
    # Asked for by those who run on Windows too.
    O_BINARY = 0

    def __init__(self, posix: object) -> None:
        self.__dict__.update(vars(posix))
        self.environ = Environ(self.__dict__["environ"])
        self.path = Path()

    def fsencode(self, path: str) -> bytes:
        """A path as the system has it."""
        return path.encode(sys.getfilesystemencoding(), "surrogateescape")

    def fsdecode(self, path: bytes) -> str:
        """A path as text."""
        return path.decode(sys.getfilesystemencoding(), "surrogateescape")

    def __getattr__(self, name: str) -> object:
        """What is needed too seldom to stand here."""
        import os

        return getattr(os, name)


class Environ:
    """The variables of the process."""

    __slots__ = ("_variables",)

    def __init__(self, variables: dict[bytes, bytes]) -> None:
        self._variables = variables

    def get(self, name: str, default: str) -> str:
        """One of them."""
        value = self._variables.get(name.encode())
        return default if value is None else value.decode(sys.getfilesystemencoding(), "surrogateescape")


class Path:
    """The functions of `posixpath`."""

    def __getattr__(self, name: str) -> object:
        """As that of `System`."""
        import os

        return getattr(os.path, name)

    def join(self, path: str, *others: str) -> str:
        """A path and others below it; one that is absolute stands for itself."""
        for other in others:
            if other.startswith("/") or not path:
                path = other
            else:
                path += other if path.endswith("/") else f"/{other}"
        return path

    def dirname(self, path: str) -> str:
        """What is above the last part."""
        above = path[: path.rfind("/") + 1]
        return above.rstrip("/") or above

    def abspath(self, path: str) -> str:
        """The path from the root, without detours."""
        if path.startswith("/") and not {"", ".", ".."}.intersection(path.split("/")[1:]):
            return path
        import os

        return os.path.abspath(path)

    def isabs(self, path: str) -> bool:
        """Whether a path begins at the root."""
        return path.startswith("/")

    def realpath(self, path: str) -> str:
        """The path from the root, links followed; most paths have none."""
        if self.abspath(path) == path:
            end = 0
            while end >= 0:
                end = path.find("/", end + 1)
                try:
                    if os.lstat(path[:end] if end > 0 else path).st_mode & _KIND == _LINK:
                        break
                except (OSError, ValueError):
                    break
            else:
                return path
        import os as whole

        return whole.path.realpath(path)

    def exists(self, path: str) -> bool:
        """Whether something is there, links followed."""
        return _mode(path) != 0

    def isdir(self, path: str) -> bool:
        """Whether that is a folder."""
        return _mode(path) & _KIND == _FOLDER

    def isfile(self, path: str) -> bool:
        """Whether that is a regular file."""
        return _mode(path) & _KIND == _REGULAR


def _mode(path: str) -> int:
    try:
        return os.stat(path).st_mode
    except (OSError, ValueError):
        return 0


if not TYPE_CHECKING:
    if "os" in sys.modules or sys.platform == "win32":
        import os
    else:
        import posix

        os = System(posix)

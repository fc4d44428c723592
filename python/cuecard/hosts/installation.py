"""Plans installing and uninstalling as changes of files, which can be shown before they are made."""

import os
import stat
from pathlib import Path

from ..basics.light_dataclass import dataclass, field
from ..errors import HostFileError
from ..files import atomic
from ..files.folder import Unread
from ..files.store_files import read_bounded
from . import made_folders
from .host_environment import HostEnvironment, Scope
from .host_file import HookInstallation, Host

MAX_FILE_BYTES = 4 << 20
BACKUP_ENDING = ".cuecard-backup"
_MARK = "\ufeff"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Action = Literal["install", "update", "unchanged", "uninstall", "absent"]


@dataclass(frozen=True)
class FileChange:
    """A change of a file: its bytes before and after; None if the file does not exist."""

    host: Host
    scope: Scope
    action: "Action"
    file: Path
    before: bytes | None
    after: bytes | None
    command: list[str] = field(default_factory=list)
    # Whether the old bytes are kept in a backup beside the file.
    keeps_backup: bool = False
    # Whether the backup is deleted with the change.
    drops_backup: bool = False

    @property
    def backup_file(self) -> Path:
        """The path of the backup of the host's file, which is in the same folder."""
        return self.file.with_name(self.file.name + BACKUP_ENDING)

    def diff(self) -> str:
        """The change as a unified diff; "" if nothing changes."""
        import difflib

        before, after = (_show(data) for data in (self.before, self.after))
        names = [str(self.file) if data is not None else os.devnull for data in (self.before, self.after)]
        lines = difflib.unified_diff(before, after, fromfile=names[0], tofile=names[1])
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)

    def apply(self) -> None:
        """Make the change: first write the backup, then replace the host's file atomically. Raises OSError."""
        target = Path(os.path.realpath(self.file))
        if self.before == self.after:
            return
        if self.after is None:
            target.unlink(missing_ok=True)
            self._drop_empty_folders()
        else:
            missing = [folder for folder in self.file.parents if not folder.exists()]
            target.parent.mkdir(parents=True, exist_ok=True)
            made_folders.remember(missing)
            if self.keeps_backup and self.before is not None:
                _write_as(self.backup_file, self.before, target)
            atomic.replace(str(target), self.after)
            if self.host.is_program:
                mode = stat.S_IMODE(target.stat().st_mode)
                target.chmod(mode | (mode & 0o444) >> 2)
        if self.drops_backup:
            self.backup_file.unlink(missing_ok=True)

    def _drop_empty_folders(self) -> None:
        """Remove the empty folders around the file that the installation created."""
        for folder in self.file.parents:
            if not made_folders.is_remembered(folder) or any(folder.iterdir()):
                return
            folder.rmdir()
            made_folders.forget(folder)


def plan_install(host: Host, scope: Scope, environment: HostEnvironment, hook: list[str]) -> FileChange:
    """Plan the change that adds our hook to a host's file. Raises HostFileError if the file does not allow it."""
    file = host.file(scope, environment)
    other = host.find_other(environment)
    if other:
        raise HostFileError(other, "keep the other hook, or remove it first")
    before = _read(file)
    try:
        text = _decode(before)
        found = host.find(text)
        installed = host.install(text, hook, environment)
    except HostFileError as error:
        raise _in_file(file, error) from None
    after = _encode(installed, before)
    action: Action = "unchanged" if after == before else "update" if found else "install"
    return FileChange(
        host,
        scope,
        action,
        file,
        before,
        after,
        command=hook,
        # If the file already has our entries, the backup was made when they were first added.
        keeps_backup=before is not None and not found,
    )


def plan_uninstall(host: Host, scope: Scope, environment: HostEnvironment) -> FileChange:
    """Plan the change that removes our hook. Raises HostFileError if the file does not allow it."""
    file = host.file(scope, environment)
    before = _read(file)
    try:
        text = _decode(before)
        found = host.find(text)
        if before is None or not found:
            return FileChange(host, scope, "absent", file, before, before)
        rest = host.uninstall(text)
        backup = _read(file.with_name(file.name + BACKUP_ENDING))
        if backup is not None and _is_untouched(host, environment, rest, backup):
            after: bytes | None = backup
        elif backup is None and host.is_bare(rest):
            after = None
        else:
            after = _encode(rest, before)
    except HostFileError as error:
        raise _in_file(file, error) from None
    return FileChange(host, scope, "uninstall", file, before, after, command=found[0], drops_backup=backup is not None)


def look_up(host: Host, scope: Scope, environment: HostEnvironment) -> HookInstallation:
    """Our commands in a host's file, or the reason why the file cannot be read. Raises nothing."""
    file = host.file(scope, environment)
    try:
        return HookInstallation(scope, file, host.find(_decode(_read(file))))
    except HostFileError as error:
        return HookInstallation(scope, file, problem=error.what)


def _is_untouched(host: Host, environment: HostEnvironment, rest: str, backup: bytes) -> bool:
    """Whether only our hook was changed since the backup, so that the backup can be restored byte by byte."""
    try:
        text = _decode(backup)
        return not host.find(text) and host.uninstall(host.install(text, ["cuecard-hook"], environment)) == rest
    except HostFileError:
        return False


def _in_file(file: Path, error: HostFileError) -> HostFileError:
    return HostFileError(f"`{file}` cannot be changed: {error.what}", error.hint)


def _read(file: Path) -> bytes | None:
    """The bytes of a file, with links followed; None if it does not exist. Raises HostFileError."""
    try:
        return read_bounded(str(file), MAX_FILE_BYTES)
    except Unread as unread:
        if unread.words == Unread.MISSING:
            return None
        raise HostFileError(
            f"`{file}` {unread.words}", "check that it is a file, its size and its permissions"
        ) from None


def _decode(data: bytes | None) -> str:
    """The text of a file without its byte order mark; "" if it does not exist. Raises HostFileError."""
    try:
        return (data or b"").decode().removeprefix(_MARK)
    except UnicodeDecodeError as error:
        hint = "save it as UTF-8, then run this again; nothing was changed"
        raise HostFileError(f"byte {error.start + 1} is not UTF-8", hint) from None


def _encode(text: str, before: bytes | None) -> bytes:
    """A text as bytes, with a byte order mark if the file had one before. Raises HostFileError."""
    try:
        return (_MARK * (before or b"").startswith(_MARK.encode()) + text).encode()
    except UnicodeEncodeError:
        raise HostFileError(
            "the path of the hook is not valid Unicode", "install cuecard in a folder with a plain name"
        ) from None


def _show(data: bytes | None) -> list[str]:
    return (data or b"").decode("utf-8", "replace").splitlines(keepends=True)


def _write_as(file: Path, data: bytes, model: Path) -> None:
    """Write a new file with the permissions of the file `model`."""
    file.unlink(missing_ok=True)
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    with open(handle, "wb") as opened:  # noqa: PTH123 - it is open already
        opened.write(data)
    file.chmod(stat.S_IMODE(model.stat().st_mode))

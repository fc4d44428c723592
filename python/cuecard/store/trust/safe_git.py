"""Runs git in an untrusted repository: no program that the repository names is ever started (SPEC 45.8)."""

import copy
import os
import signal
import subprocess
import sys
from collections.abc import Sequence

from ...basics.programs import find_program
from ...basics.surroundings import offers_programs
from ...errors import StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing_extensions import Self

TIMEOUT_SECONDS = 20.0
MAX_OUTPUT_BYTES = 64 << 20
# Settings for git's command line. They override settings by which a repository could start programs or reach files.
OVERRIDES = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.attributesFile": os.devnull,
    "core.excludesFile": os.devnull,
    "core.pager": "cat",
    "core.editor": "false",
    "core.askPass": "",
    "core.sshCommand": "false",
    "core.gitProxy": "",
    "core.alternateRefsCommand": "false",
    # A commit graph is a file that can name other trees and parents than the commits do.
    "core.commitGraph": "false",
    "core.multiPackIndex": "false",
    "core.useReplaceRefs": "false",
    "core.untrackedCache": "false",
    "credential.helper": "",
    "diff.external": "",
    "diff.trustExitCode": "false",
    "diff.orderFile": os.devnull,
    "interactive.diffFilter": "",
    "gpg.format": "openpgp",
    "gpg.program": "false",
    "gpg.openpgp.program": "false",
    "gpg.x509.program": "false",
    "gpg.ssh.program": "false",
    "gpg.ssh.defaultKeyCommand": "",
    "gpg.ssh.allowedSignersFile": os.devnull,
    "gpg.ssh.revocationFile": "",
    "gpg.minTrustLevel": "undefined",
    "log.showSignature": "false",
    "log.mailmap": "false",
    "log.follow": "false",
    "mailmap.file": "",
    "mailmap.blob": "",
    "protocol.allow": "never",
    "protocol.ext.allow": "never",
    "protocol.file.allow": "never",
    "protocol.git.allow": "never",
    "protocol.http.allow": "never",
    "protocol.https.allow": "never",
    "protocol.ssh.allow": "never",
    "safe.bareRepository": "explicit",
    "submodule.recurse": "false",
    "color.ui": "false",
}


class SafeGit:
    """Git in the repository that a folder belongs to; `folder` is the working directory of each command."""

    overrides = OVERRIDES
    """The settings for git's command line."""

    def __init__(self, folder: str) -> None:
        """Find git. Raises StoreError if git is not installed outside of the repository."""
        self.folder = self._project = os.path.realpath(folder)
        self._path = _search_path(self._project)
        self._git = self.find_program("git")
        if not self._git:
            raise StoreError("git is not installed", "choose memories by their ids instead")

    def find_program(self, name: str) -> str:
        """Return the path of an installed program; "" if there is none, or if it is inside the repository."""
        found = find_program(name, self._path) or ""
        return "" if found and _is_below(os.path.realpath(found), self._project) else found

    def has_plain_files(self) -> bool:
        """Whether the nearest `.git` and what git reads first are ordinary files; git would wait for a pipe forever."""
        folder = self.folder
        while not os.path.lexists(os.path.join(folder, ".git")) and folder != os.path.dirname(folder):
            folder = os.path.dirname(folder)
        place = os.path.join(folder, ".git")
        if not os.path.isdir(place):
            return os.path.isfile(place)
        names = [os.path.join(place, name) for name in ("HEAD", "config", "index")]
        return all(os.path.isfile(name) or not os.path.lexists(name) for name in names)

    def at(self, folder: str) -> "Self":
        """Return git in another folder. Programs are still only looked for outside of the first one."""
        other = copy.copy(self)
        other.folder = os.path.realpath(folder)
        return other

    def run(
        self,
        arguments: Sequence[str],
        *,
        settings: dict[str, str] | None = None,
        stdin: bytes = b"",
        timeout: float = TIMEOUT_SECONDS,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a git command and return the finished process, whatever its exit status.

        Raises StoreError if the command times out or prints too much.

        `settings` are added to `overrides`, such as `{"gpg.ssh.program": "/usr/bin/ssh-keygen"}` to allow a program.
        """
        command = [self._git, "--no-pager", "--no-optional-locks", "--literal-pathspecs"]
        for name, value in {**self.overrides, **(settings or {})}.items():
            command += ["-c", f"{name}={value}"]
        command += arguments
        started = {"start_new_session": True} if os.name == "posix" else {}
        process = subprocess.Popen(
            command,
            cwd=self.folder,
            env=self._environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **started,  # type: ignore[call-overload]
        )
        try:
            stdout, stderr = process.communicate(stdin, timeout=timeout)
        except subprocess.TimeoutExpired:
            _stop(process)
            raise StoreError(
                f"git took longer than {timeout:.0f} seconds", "choose memories by their ids instead"
            ) from None
        if len(stdout) > MAX_OUTPUT_BYTES:
            raise StoreError("git printed more than cuecard reads", "choose memories by their ids instead")
        return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)

    def _environment(self) -> dict[str, str]:
        """Return the process's environment without variables that control git, and with variables that restrict it."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.upper().startswith(("GIT_", "SSH_ASKPASS", "PAGER", "EDITOR", "VISUAL"))
        }
        return {
            **kept,
            "PATH": self._path,
            "LC_ALL": "C",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ASKPASS": "",
            "GIT_SSH_COMMAND": "false",
            "GIT_PAGER": "cat",
            "GIT_EDITOR": "false",
            # A partial clone would otherwise fetch missing objects.
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_ALLOW_PROTOCOL": "",
            "GIT_PROTOCOL_FROM_USER": "0",
            "GIT_NO_REPLACE_OBJECTS": "1",
        }


def _search_path(folder: str) -> str:
    """Return the search path for programs, without folders inside the repository or of the project."""
    found = os.environ.get("PATH", os.defpath).split(os.pathsep)
    kept = [name for name in found if os.path.isabs(name) and offers_programs(name)]
    kept = [name for name in kept if not _is_below(os.path.realpath(name), folder)]
    return os.pathsep.join(kept)


def _is_below(path: str, folder: str) -> bool:
    path, folder = os.path.normcase(path), os.path.normcase(folder)
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _stop(process: "subprocess.Popen[bytes]") -> None:
    """Kill a process and all processes that it has started."""
    try:
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    except OSError:
        process.kill()
    process.communicate()

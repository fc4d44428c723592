"""The ways to run the hook, as real processes with an environment of their own."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

EXECUTABLE_NAME = "cuecard-hook.exe" if os.name == "nt" else "cuecard-hook"


class Ran:
    """What a run of the hook left behind."""

    def __init__(self, status: int, stdout: bytes, stderr: bytes, log: str) -> None:
        """Keep the outcome; a note is a line of the log without its time."""
        self.status = status
        self.stdout = stdout
        self.stderr = stderr
        self.notes = [line.split(" prompt: ", 1)[1] for line in log.splitlines()]


class HookWay:
    """One way to run the hook."""

    def __init__(self, name: str, command: list[str], backend: str) -> None:
        """`command` runs the hook; `backend` is the twin that it has to use."""
        self.name = name
        self._command = command
        self._backend = backend

    def __repr__(self) -> str:
        return self.name

    def start(
        self,
        *,
        cwd: Path | None = None,
        arguments: tuple[str, ...] = ("prompt",),
        environment: dict[str, str] | None = None,
    ) -> "subprocess.Popen[bytes]":
        """A running hook with pipes, in an environment that holds nothing of the caller's."""
        variables = {"PATH": os.defpath, "CUECARD_BACKEND": self._backend, "CUECARD_LOG": os.devnull}
        return subprocess.Popen(
            [*self._command, *arguments],
            cwd=cwd,
            env=variables | (environment or {}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(
        self,
        payload: bytes,
        *,
        cwd: Path | None = None,
        arguments: tuple[str, ...] = ("prompt",),
        environment: dict[str, str] | None = None,
    ) -> Ran:
        """Feed a payload, wait for the end."""
        with tempfile.TemporaryDirectory() as scratch:
            log = Path(scratch, "log")
            variables = {"HOME": scratch, "CUECARD_LOG": str(log)} | (environment or {})
            process = self.start(cwd=cwd, arguments=arguments, environment=variables)
            stdout, stderr = process.communicate(payload, timeout=60)
            text = log.read_text(encoding="utf-8") if log.exists() else ""
        return Ran(process.returncode, stdout, stderr, text)


def find_executable() -> str | None:
    """The native executable of this installation, or None."""
    found = shutil.which(EXECUTABLE_NAME, path=str(Path(sys.executable).parent)) or shutil.which(EXECUTABLE_NAME)
    if found is None:
        return None
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout
    return found if "(native)" in version else None

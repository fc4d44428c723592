"""Starts the programs of cuecard: those in Python by forking, with one process of `forks.py` for each backend."""

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

# A time limit in seconds: many times what the slowest program takes on a busy machine.
SECONDS = float(os.environ.get("CUECARD_ATTACK_SECONDS", "20"))


@dataclass(frozen=True)
class Ran:
    """The result of a program's run."""

    code: int
    is_hung: bool
    printed: bytes
    complained: bytes
    names: list[str]
    """The names that the resolver was asked for."""

    @property
    def stdout(self) -> str:
        return self.printed.decode("utf-8", "replace")

    @property
    def stderr(self) -> str:
        return self.complained.decode("utf-8", "replace")


class Launcher:
    """A process that forks programs with one backend. It ends with the `with` block."""

    def __init__(self, backend: str) -> None:
        """Start the process with the backend `native` or `pure`."""
        self._folder = tempfile.TemporaryDirectory(prefix="forks-")
        command = [sys.executable, str(Path(__file__).with_name("forks.py"))]
        self._process = subprocess.Popen(
            command,
            env={"PATH": os.environ.get("PATH", ""), "HOME": self._folder.name, "CUECARD_BACKEND": backend},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # An answer in a buffer of this process could not be waited for.
            bufsize=0,
        )
        # The process id of the child that stays.
        self._child = 0

    def __enter__(self) -> "Launcher":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()

    def run(
        self,
        program: str,
        arguments: Sequence[str],
        stdin: bytes,
        *,
        cwd: Path,
        environment: dict[str, str],
        links: Sequence[tuple[str, str]] = (),
        has_terminal: bool = False,
        is_endless: bool = False,
        stays: bool = False,
        seconds: float = SECONDS,
    ) -> Ran:
        """Run a program: `hook`, `cli`, or the executable at a path.

        The child itself creates each of `links` first; `{pid}` in a link's path stands for the child's process id. With
        `is_endless`, stdin is a pipe that gives half of `stdin`, then nothing more, and never ends. With `stays`, the
        child runs all programs until `leave`, one after another: they share what cuecard's modules remember.
        """
        folder = Path(self._folder.name)
        places = {name: folder / name for name in ("stdin", "stdout", "stderr", "names")}
        places["stdin"].unlink(missing_ok=True)
        pipe = None
        if is_endless:
            os.mkfifo(places["stdin"])
            pipe = os.open(places["stdin"], os.O_RDWR)
            os.write(pipe, stdin[: len(stdin) // 2])
        else:
            places["stdin"].write_bytes(stdin)
        places["names"].write_text("")
        request = {
            "program": program,
            "arguments": [*arguments],
            "cwd": str(cwd),
            "environment": environment,
            "links": [*links],
            "has_terminal": has_terminal,
            "stays": stays,
            "seconds": seconds,
            **{name: str(place) for name, place in places.items()},
        }
        # A fork of a large process costs more than many an executable, which therefore starts without one.
        is_plain = program not in ("hook", "cli") and not links and not has_terminal and sys.platform == "linux"
        answer = _start(request) if is_plain else self._stay(request) if stays else self._fork(request)
        if pipe is not None:
            os.close(pipe)
        printed, complained = places["stdout"].read_bytes(), places["stderr"].read_bytes()
        return Ran(answer["code"], answer["is_hung"], printed, complained, places["names"].read_text().split())

    def _fork(self, request: dict[str, Any]) -> dict[str, Any]:
        """What the process of `forks.py` answers to a request."""
        self.leave()
        self._send(request)
        return self._receive()

    def _stay(self, request: dict[str, Any]) -> dict[str, Any]:
        """What the child that stays answers to a request; the first request starts the child."""
        assert self._process.stdout
        self._send(request)
        self._child = self._child or self._receive()["child"]
        is_hung = not select.select([self._process.stdout], [], [], request["seconds"])[0]
        if is_hung:
            os.killpg(self._child, signal.SIGKILL)
        answer = self._receive()
        if "has_ended" in answer:
            self._child = 0
        return {**answer, "is_hung": is_hung}

    def leave(self) -> None:
        """End the child that stays, if there is one."""
        if self._child:
            self._send({"stays": False})
            self._receive()
            self._child = 0

    def _send(self, request: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(request).encode() + b"\n")

    def _receive(self) -> dict[str, Any]:
        assert self._process.stdout
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin
        assert self._process.stdout
        self.leave()
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(timeout=60)
        self._folder.cleanup()


def _start(request: dict[str, Any]) -> dict[str, Any]:
    """Run an executable with the limits and the streams that a fork would have; the answer is that of `forks.py`."""
    # Only on Linux, because other systems cannot set the limits of another process, or have none.
    import resource  # noqa: PLC0415

    from forks import LIMITS, wait_for  # noqa: PLC0415

    stdin, stdout, stderr = (Path(request[name]) for name in ("stdin", "stdout", "stderr"))
    with stdin.open("rb") as given, stdout.open("wb") as printed, stderr.open("wb") as complained:
        process = subprocess.Popen(
            [request["program"], *request["arguments"]],
            cwd=request["cwd"],
            env=request["environment"],
            stdin=given,
            stdout=printed,
            stderr=complained,
            start_new_session=True,
        )
    for kind, most in LIMITS.items():
        with suppress(ProcessLookupError):
            resource.prlimit(process.pid, kind, (most, most))
    answer = wait_for(process.pid, request["seconds"])
    process.returncode = answer["code"]
    return answer

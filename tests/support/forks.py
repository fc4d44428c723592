"""Runs cuecard's programs, each in a forked child with everything already imported.

A child behaves like a new process: it has its own working directory, environment, standard streams and process id, and
it may hang or die. Forking takes some milliseconds, much less than the start of an interpreter. A child that `stays`
reads more requests after the first, so that many commands of one test cost one fork.

    python forks.py          each line of stdin is a request (JSON), each line of stdout an answer
"""

import gc
import importlib
import json
import os
import pkgutil
import resource
import select
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any, TextIO

# Limits for a child, so that a child that reads an endless device does not fill the machine.
LIMITS = {resource.RLIMIT_AS: 4 << 30, resource.RLIMIT_FSIZE: 1 << 30, resource.RLIMIT_CORE: 0}

# A memory as short as any.
RECORD = {
    **{"schema_version": "1.0", "category": "decision", "id": "short", "title": "Short", "tags": ["short"]},
    **{"record_status": "active", "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"},
    "content": {"status": "accepted", "context": "A choice.", "decision": "This.", "rationale": ["Short."]},
}


def main() -> None:
    """Answer requests until standard input ends."""
    _import_everything()
    # With the pure backend, loading the patterns takes most of the time of a prompt, and making the models most of the
    # time of a write. Both depend only on the package, so they are made before the fork.
    importlib.import_module("cuecard._backend").engine.instruction_signs("an ordinary text")
    importlib.import_module("cuecard.store.records.record_check").check(RECORD)
    # A garbage collection in a child would copy every memory page that it shares with this process.
    gc.collect()
    gc.freeze()
    requests, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    for line in requests:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            _be_the_program(request, requests, answers)
        if request["stays"]:
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            _tell(answers, {"code": code, "is_hung": False, "has_ended": True})
        else:
            _tell(answers, wait_for(child, request["seconds"]))


def _tell(answers: TextIO, answer: dict[str, Any]) -> None:
    answers.write(json.dumps(answer) + "\n")
    answers.flush()


def _import_everything() -> None:
    package = importlib.import_module("cuecard")
    for module in pkgutil.walk_packages(package.__path__, "cuecard."):
        # The pure backend loads its modules on demand. Modules that are loaded early would hide functions with the same
        # names.
        if not module.name.endswith(("__main__", "_native")) and "._pure." not in module.name:
            importlib.import_module(module.name)


def wait_for(child: int, seconds: float) -> dict[str, Any]:
    """Wait for the child, and return its result. After `seconds`, the child and its own children are killed."""
    deadline = time.monotonic() + seconds
    is_hung = False
    handle = os.pidfd_open(child) if hasattr(os, "pidfd_open") else None
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
        left = deadline - time.monotonic()
        if left <= 0 and not is_hung:
            is_hung = True
            os.killpg(child, signal.SIGKILL)
        if handle is None:
            time.sleep(0.002)
        else:
            select.select([handle], [], [], max(left, 0.01))
    if handle is not None:
        os.close(handle)
    return {"code": os.waitstatus_to_exitcode(status), "is_hung": is_hung}


def _be_the_program(request: dict[str, Any], requests: TextIO, answers: TextIO) -> None:
    """Run the program of the request in this child, and of the next requests if the child stays; never returns."""
    code = 70
    try:
        os.setsid()
        if request["stays"]:
            _tell(answers, {"child": os.getpid()})
        for kind, most in LIMITS.items():
            resource.setrlimit(kind, (most, most))
        if request["has_terminal"]:
            _take_terminal()
        for path, target in request["links"]:
            Path(path.replace("{pid}", str(os.getpid()))).symlink_to(target)
        _note_names(request["names"])
        code = _run(request)
        while request["stays"]:
            _tell(answers, {"code": code, "is_hung": False})
            request = json.loads(requests.readline() or '{"stays": false}')
            code = _run(request) if request["stays"] else 0
    except BaseException as error:  # the child of a fork must never go on as its parent
        code = 70
        os.write(2, f"{type(error).__name__}: {error}\n".encode("utf-8", "replace"))
    finally:
        os._exit(code)


def _run(request: dict[str, Any]) -> int:
    os.chdir(request["cwd"])
    _redirect(request["stdin"], request["stdout"], request["stderr"])
    program, arguments = request["program"], request["arguments"]
    if program not in ("hook", "cli"):
        os.execve(program, [program, *arguments], request["environment"])
    os.environ.clear()
    os.environ.update(request["environment"])
    return _run_python(program, arguments)


def _run_python(program: str, arguments: list[str]) -> int:
    sys.argv = [program, *arguments]
    # The streams of an earlier program must not close what the next one uses.
    sys.stdin, sys.stdout, sys.stderr = (open(number, mode, closefd=False) for number, mode in enumerate("rww"))  # noqa: SIM115
    try:
        if program == "hook":
            code = importlib.import_module("cuecard.hook").main()
        else:
            code = importlib.import_module("cuecard.cli").main()
    except SystemExit as ended:
        code = ended.code
    sys.stdout.flush()
    sys.stderr.flush()
    return code if isinstance(code, int) else 0


def _redirect(*paths: str) -> None:
    flags = (os.O_RDONLY, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for number, (path, flag) in enumerate(zip(paths, flags, strict=True)):
        handle = os.open(path, flag, 0o600)
        os.dup2(handle, number)
        os.close(handle)


def _take_terminal() -> None:
    """Give the process a controlling terminal on which nobody types, so that reading from it blocks forever."""
    fcntl, termios = importlib.import_module("fcntl"), importlib.import_module("termios")
    ours, theirs = os.openpty()
    # The other end of the terminal stays open; if it were closed, the terminal would hang up.
    os.set_inheritable(ours, True)
    fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)


def _note_names(path: str) -> None:
    """From now on, append every host name that the resolver is asked for to the file `path`."""
    ask = socket.getaddrinfo

    def noted(host: object, *rest: Any, **named: Any) -> Any:  # noqa: ANN401 - what the function takes and gives
        with Path(path).open("a") as file:
            file.write(f"{host}\n")
        return ask(host, *rest, **named)  # type: ignore[arg-type]

    socket.getaddrinfo = noted


if __name__ == "__main__":
    main()

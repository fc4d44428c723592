"""The hook without the executable: the same bytes out (SPEC 14).

    python -m cuecard.hook prompt [--host claude-code|plain] < payload.json

Any failure of any kind ends with exit status 0, nothing on standard output and a line in the log. The prompt's
way is in `recall.prompt_path`.
"""

import os
import sys

HELP = """\
Usage: cuecard-hook prompt [--host claude-code|plain]

Reads a host's prompt event (JSON) on standard input and prints the memories that matter, or nothing.

Options:
  --host HOST  the form of the answer: `claude-code` (the default) or `plain`
  --version    print the version
  --help       print this text
"""
MAX_PAYLOAD_BYTES = 1 << 20


def main() -> int:
    """Run the hook with the arguments and standard streams of this process; always 0."""
    try:
        _run(sys.argv[1:])
    except BaseException as error:  # whatever it is, the host must not see it
        _log_defect(error)
    return 0


def _run(arguments: list[str]) -> None:
    if arguments == ["--version"]:
        from . import __version__
        from ._backend import backend

        return _print(f"cuecard-hook {__version__} ({backend})\n".encode())
    if arguments in (["--help"], ["-h"]):
        return _print(HELP.encode())
    from .recall import log
    from .recall.environment import Environment

    environment = Environment()
    problem = ""
    host = _read_host(arguments)
    if host is None:
        problem = f"unknown arguments `{' '.join(arguments)}`"
    else:
        from ._backend import twin
        from .errors import CuecardError

        try:
            twin.budget_of(host)
        except CuecardError as error:
            problem = error.what
    if problem or host is None:
        return log.append(environment, "", [problem])

    from .recall.prompt_path import Answer, answer

    try:
        payload = _read_payload()
    except CuecardError as error:
        found = Answer()
        found.notes.append(error.what)
    else:
        found = answer(payload, host, environment)
    _print(found.stdout)
    # The prompt goes on with what is printed; the rest is upkeep.
    if found.rebuilt_index:
        from .store.index_md import write

        try:
            write(*found.rebuilt_index)
        except OSError:
            found.notes.append("index.md cannot be written")
    return log.append(environment, found.memory_dir, found.notes)


def _read_host(arguments: list[str]) -> str | None:
    """The host that the arguments name, or None where they are not ours."""
    if arguments == ["prompt"]:
        return "claude-code"
    if len(arguments) == 3 and arguments[:2] == ["prompt", "--host"]:
        return arguments[2]
    if len(arguments) == 2 and arguments[0] == "prompt" and arguments[1].startswith("--host="):
        return arguments[1][len("--host=") :]
    return None


def _read_payload() -> bytes:
    """What the host sends, up to its end or that of a whole JSON object: some hosts keep the pipe open."""
    from ._pure.json_reader import JsonError, read_json
    from .errors import PayloadError

    payload = b""
    while True:
        try:
            chunk = os.read(0, 1 << 16)
        except OSError:
            raise PayloadError("standard input cannot be read") from None
        if not chunk:
            return payload
        payload += chunk
        if len(payload) > MAX_PAYLOAD_BYTES:
            raise PayloadError("the payload is over 1 MiB")
        if payload.rstrip().endswith(b"}"):
            try:
                read_json(payload)
            except JsonError:
                continue
            return payload


def _print(data: bytes) -> None:
    """Print; a host that has hung up is no failure."""
    try:
        while data:
            data = data[os.write(1, data) :]
    except OSError:
        pass


def _log_defect(error: BaseException) -> None:
    """A defect of ours must not become the host's error: it is logged, and the process ends well."""
    try:
        from .recall import log
        from .recall.environment import Environment

        log.append(Environment(), "", [f"defect in cuecard: {type(error).__name__}: {error}"])
    except BaseException:  # there is nobody left to tell
        pass


if __name__ == "__main__":
    sys.exit(main())

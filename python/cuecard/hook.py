"""The hook as a Python program; it prints the same bytes as the executable (SPEC 14).

    python -m cuecard.hook prompt [--host HOST] < payload.json
    python -m cuecard.hook guard [--host HOST] < payload.json
    python -m cuecard.hook validate [--host HOST] < payload.json
    python -m cuecard.hook session [--host HOST] < payload.json
    python -m cuecard.hook tool-context [--host HOST] < payload.json
    python -m cuecard.hook stop [--host HOST] [--revision REVISION] < payload.json
    python -m cuecard.hook approve < payload.json

Any failure ends with exit status 0, nothing on standard output and a line in the log. There is one exception: if
the executable has delegated a prompt and waits for the status (SPEC 14.5), a defect of cuecard ends with 1.

With the native module its engine answers, and calls back where it asks a model. Without it, the reference in `_pure`
answers, except a stop, which `capture.ledger.stop` answers. `approve` (`capture.triage.approval`) and the revision
`v5-0220` of `stop` (`capture.triage.triage`) exist only in Python.
"""

import sys

# The environment variable that the executable sets when it delegates a prompt; it answers itself if Python fails.
DELEGATED = "CUECARD_HANDED_OVER"
# The environment variable that switches the hook off: no event is answered, and nothing is written.
DISABLE = "CUECARD_DISABLE"
# The revision of `stop` that behaves as the claude-memory plugin.
PLUGIN = "v5-0220"
# The events whose answer depends on the host.
WITH_HOST = ("prompt", "session", "stop", "guard", "validate", "tool-context", "need")
# The events of a session at which something may have to be done.
DECIDED = (b"PreCompact", b"PreCompress", b"SessionEnd", b"SessionStart")
# Stands for a note in which secrets cannot be searched for.
UNSEARCHED = "a note is left out, because the search for secrets failed"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._backend import OpenModels
    from .files.environment import Environment


def start() -> None:
    """Call `main` and end the process without garbage collection and without the interpreter's usual cleanup."""
    import gc

    # The process is so short that garbage collection and the usual cleanup at its end would only cost time.
    gc.disable()
    status = main()
    try:
        # Not `os`: importing it would add an eighth of the interpreter's start to the native hook.
        from posix import _exit
    except ImportError:
        from os import _exit
    _exit(status)


def main() -> int:
    """Run the hook with this process's arguments and streams; returns the exit status.

    The status is 1 only for a defect in a delegated prompt, which the executable then answers itself; else it is 0.
    """
    try:
        _run(sys.argv[1:])
    except BaseException as error:  # the host must not see any error
        import os

        _log_defect(error)
        return 1 if os.environ.get(DELEGATED, "") else 0
    return 0


def _run(arguments: list[str]) -> None:
    # Not `os`, as above.
    try:
        from posix import environ

        is_disabled, is_delegated = bool(environ.get(DISABLE.encode())), bool(environ.get(DELEGATED.encode()))
    except ImportError:
        from os import environ as variables

        is_disabled, is_delegated = bool(variables.get(DISABLE)), bool(variables.get(DELEGATED))
    given, options = arguments, dict[str, str]()
    if any(word.partition("=")[0] in ("--strategy", "--output", "--root") for word in arguments):
        from .files.environment import take_options

        options, arguments = take_options(arguments)
    # Nothing is logged either: a model that drafts memories must leave no trace of its own session.
    if is_disabled and not _runs_disabled(arguments):
        return None
    if arguments[:1] in (["approve"], ["permit"]):
        return _approve(options)
    if arguments[:1] == ["stop"] and arguments[1:] in (["--revision", PLUGIN], [f"--revision={PLUGIN}"]):
        return _answer_as_plugin(_read_payload(), options)
    if arguments == ["background"]:
        return _start_background(options)
    if arguments[:2] == ["hosted", "--host"] and len(arguments) == 3:
        return _read_hosted(arguments[2], _read_payload(), options)
    if is_delegated and arguments[:1] in (["stop"], ["session"]):
        # The executable that has started this process has already asked its engine.
        return _run_here(arguments, None, options)
    from ._backend import backend

    payload = None
    if backend == "native":
        from ._native import run_hook

        payload = run_hook(given, _open_models)
        if payload is None:
            return None
    return _run_here(arguments, payload, options)


def _runs_disabled(arguments: list[str]) -> bool:
    """Whether the variable that disables the hook has no effect.

    A host may take the variable from a repository, which must not switch the guard off; the user's own settings can let
    the variable count.
    """
    if arguments[:1] in (["guard"], ["validate"]):
        from .files.environment import lets_variables_count

        return not lets_variables_count()
    return arguments in (["--version"], ["--help"], ["-h"])


def _run_here(arguments: list[str], payload: bytes | None, options: dict[str, str]) -> None:
    """Answer an event in Python.

    The pure backend answers every event so, the native backend only a stop by the rules of the claude-memory plugin.

    `payload` is None unless the engine has already read it.
    """
    if arguments == ["--version"]:
        from ._backend import backend
        from .basics.version import __version__

        return _print(f"cuecard-hook {__version__} ({backend})\n".encode())
    if arguments in (["--help"], ["-h"]):
        from .basics.tables import asset_path, read_lines

        with open(asset_path("hook_help.txt"), encoding="utf-8") as file:
            return _print(file.read().replace("HOSTS", "\n".join(read_lines("hosts", "help"))).encode())
    from .files.environment import Environment

    environment = Environment(options)
    if arguments[:1] == ["shown"] or arguments == ["status-line"]:
        return _show(arguments, environment)
    problem = ""
    host = _read_host(arguments)
    if host is None:
        problem = f"unknown arguments `{' '.join(arguments)}`"
    else:
        from ._backend import budget_of
        from .errors import CuecardError

        try:
            budget_of(host)
        except CuecardError as error:
            problem = error.what
    if problem or host is None:
        return _log(environment, "", _event_of(arguments), [problem])
    if arguments[0] in ("guard", "validate"):
        return _answer_tool(arguments[0], host, environment)
    if arguments[0] in ("tool-context", "need"):
        return _answer_tool_context(host, environment)
    if arguments[0] in ("session", "stop"):
        return (
            _note_session(host, payload, environment)
            if arguments[0] == "session"
            else _answer_stop(host, payload, environment)
        )

    from ._backend import HookAnswer, answer_prompt_event

    try:
        payload = _read_payload()
    except CuecardError as error:
        found = HookAnswer()
        found.notes.append(error.what)
    else:
        found = answer_prompt_event(payload, host, environment, _open_models)
    _print(found.stdout)
    # The host continues as soon as the answer is printed; everything after it is upkeep.
    from ._backend import keep_answer

    keep_answer(found, environment, "prompt")
    if payload and found.begins:
        _refresh_hosted(host, payload, found.memory_dir, environment)


def _show(arguments: list[str], environment: "Environment") -> None:
    """Print what a session was shown last, for programs or for a status line."""
    from ._backend import shown_last, status_line
    from .errors import CuecardError

    event, *words = arguments
    words = words[:-1] if words[-1:] == ["--json"] else words
    if words and (len(words) != 2 or words[0] != "--session"):
        return _log(environment, "", "prompt", [f"unknown arguments `{' '.join([event, *words])}`"])
    try:
        is_line = event == "status-line"
        session = words[1] if words else ""
        _print(status_line(_read_payload(), environment) if is_line else shown_last(session, environment))
    except CuecardError as error:
        _log(environment, "", event, [error.what])


def _open_models(memory_dir: str, cwd: str | None, prompt: str, transcript: str | None) -> "OpenModels":
    """Open the models that the settings of a store name; few settings name one."""
    from .models.prompt_models import PromptModels

    models = PromptModels(memory_dir, cwd, prompt, "hook")
    if transcript:
        from .capture.ledger.earlier_prompts import read_earlier_prompts

        models.read_texts_with(lambda: read_earlier_prompts(transcript, prompt))
    return models


def _log(environment: "Environment", memory_dir: str, event: str, notes: list[str]) -> None:
    """Append a line for each note to the hook's log, without secrets. Most events have no notes."""
    if notes:
        from ._backend import append_hook_log
        from .store.intake.redaction import redact_texts

        shown = [(redact_texts([note]) or [UNSEARCHED])[0] for note in notes]
        append_hook_log(environment, memory_dir, event, shown)


def _approve(options: dict[str, str]) -> None:
    """Approve the command that the hook asked the agent to run; for any other command nothing is printed."""
    from .capture.triage.approval import answer
    from .files.environment import Environment

    _print(answer(_read_payload(), Environment(options)))


def _start_background(options: dict[str, str]) -> None:
    """Start a background run at the end of a session, if the user wants one; nothing is printed."""
    from .capture.background.detached import start_run
    from .files.environment import Environment

    start_run(_read_payload(), Environment(options))


def _read_hosted(host: str, payload: bytes, options: dict[str, str]) -> None:
    """Read the files that a host shows its agent by itself, so that no prompt repeats what they say."""
    from .files.environment import Environment
    from .hosts.shown_files import refresh_quietly

    environment = Environment(options)
    problem = refresh_quietly(host, _cwd_of(payload), environment)
    _log(environment, "", "session", [problem] if problem else [])


def _refresh_hosted(host: str, payload: bytes, memory_dir: str, environment: "Environment") -> None:
    """Read the files that a host shows, if they have changed since they were read."""
    import os

    from ._backend import hosted_is_stale

    root = memory_dir and os.path.dirname(os.path.dirname(memory_dir))
    cwd = _cwd_of(payload)
    if root and hosted_is_stale((root, memory_dir), host, os.path.abspath(cwd), environment.home):
        _read_hosted(host, payload, environment.options)


def _cwd_of(payload: bytes) -> str:
    """The working directory that an event names, else that of this process."""
    from .basics.json_reader import read_json_object

    cwd = (read_json_object(payload) or {}).get("cwd")
    return cwd if isinstance(cwd, str) and cwd else "."


def _answer_tool_context(host: str, environment: "Environment") -> None:
    """Answer a tool event with the memories that matter for its file or failed command; usually there are none."""
    from ._backend import HookAnswer, answer_tool_context
    from .errors import CuecardError

    try:
        payload = _read_payload()
    except CuecardError as error:
        found = HookAnswer()
        found.notes.append(error.what)
    else:
        found = answer_tool_context(payload, host, environment, _open_models)
    _print(found.stdout)
    from ._backend import keep_answer

    keep_answer(found, environment, "need")


def _answer_stop(host: str, payload: bytes | None, environment: "Environment") -> None:
    """Answer the event that the agent has stopped; usually there is nothing to do.

    If the engine has handed over the payload, or the executable has started this process, they have decided that there
    is something.
    """
    import os

    from .errors import CuecardError

    is_due = payload is not None or bool(os.environ.get(DELEGATED))
    try:
        payload = payload or _read_payload()
        if not is_due and not _has_stop_work(payload, host, environment):
            return None
    except CuecardError as error:
        return _log(environment, "", "stop", [error.what])
    from .capture.ledger.stop import StopAnswer, answer
    from .retrieval.near import find_near

    verdict = StopAnswer()
    try:
        verdict = answer(payload, host, environment, find_near)
        if verdict.is_plugin:
            return _answer_as_plugin(payload, environment.options)
        _print(verdict.stdout)
    except CuecardError as error:
        verdict.notes.append(error.what)
    _log(environment, verdict.memory_dir, "stop", verdict.notes)


def _has_stop_work(payload: bytes, host: str, environment: "Environment") -> bool:
    """Whether a stop has anything to do; if not, the session's file is written where the stop has changed it."""
    from ._backend import decide_stop

    decision = decide_stop(payload, host, environment)
    if decision.file and not decision.is_due:
        try:
            decision.file.write()
        except OSError:
            decision.notes.append("the session's file cannot be written")
    if not decision.is_due:
        _log(environment, decision.memory_dir, "stop", decision.notes)
    return decision.is_due


def _answer_as_plugin(payload: bytes, options: dict[str, str]) -> None:
    """Answer the event that the agent has stopped as the claude-memory plugin does."""
    from .capture.triage.triage import answer
    from .errors import CuecardError
    from .files.environment import Environment

    environment = Environment(options)
    notes, memory_dir = [], ""
    try:
        verdict = answer(payload, environment, PLUGIN)
        _print(verdict.stdout)
        notes, memory_dir = verdict.notes, verdict.memory_dir
    except CuecardError as error:
        notes.append(error.what)
    except OSError as error:
        notes.append(f"the transcript cannot be read: {error.strerror or error}")
    _log(environment, memory_dir, "stop", notes)


def _answer_tool(event: str, host: str, environment: "Environment") -> None:
    """Answer `guard`, before a tool runs, or `validate`, after a tool ran; usually nothing is printed.

    Modules are imported only where they are needed, because this runs at every tool call.
    """
    from .errors import CuecardError

    stdout, notes, memory_dir = b"", [], ""
    try:
        payload = _read_payload()
        if event == "guard":
            from ._backend import guard_tool as deny

            stdout = deny(payload, host, environment)
        else:
            from ._backend import validate_writes as validate

            verdict = validate(payload, host, environment)
            stdout, notes, memory_dir = verdict.stdout, verdict.notes, verdict.memory_dir
    except CuecardError as error:
        notes.append(error.what)
    _print(stdout)
    if notes:
        import os

        from .files.root import find_project

        if not memory_dir:
            try:
                project = find_project(os.path.abspath("."), environment.root, environment.home)
            except (CuecardError, OSError):
                project = None
            memory_dir = project[1] if project else ""
        _log(environment, memory_dir, event, notes)


def _note_session(host: str, payload: bytes | None, environment: "Environment") -> None:
    """Remove from the session's file the memories that its agent no longer sees, and extend the session's ledger.

    If the engine has handed over the payload, or the executable has started this process, only the ledger is left.
    """
    import os

    from ._backend import note_session_event as note_event
    from ._backend import read_session_event
    from .errors import CuecardError
    from .files.root import find_project

    notes: list[str] = []
    memory_dir, begins = "", False
    is_due = payload is not None or bool(os.environ.get(DELEGATED))
    try:
        payload = payload or _read_payload()
        cwd, session_id, kept = read_session_event(payload)
        project = None
        if kept != "all" and not is_due:
            project = find_project(os.path.abspath(cwd or "."), environment.root, environment.home)
        if project:
            memory_dir = project[1]
            note_event(memory_dir, session_id, kept)
        if not is_due and any(name in payload for name in DECIDED):
            from ._backend import decide_event

            decision = decide_event(payload, host, environment)
            memory_dir = memory_dir or decision.memory_dir
            is_due, begins = decision.is_due, decision.begins
            if decision.file:
                decision.file.write()
        if is_due and b"SessionStart" in payload:
            from .capture.background.detached import start_pull

            start_pull(environment)
        elif is_due:
            from .capture.ledger.stop import note_event as complete_ledger

            complete_ledger(payload, host, environment)
        if begins:
            _refresh_hosted(host, payload, memory_dir, environment)
    except CuecardError as error:
        notes.append(error.what)
    except OSError:
        notes.append("the session's file cannot be written")
    _log(environment, memory_dir, "session", notes)


def _event_of(arguments: list[str]) -> str:
    """The event's name in the log; arguments without a known event count as `prompt`."""
    name = arguments[0] if arguments else ""
    if name in ("tool-context", "need"):
        return "need"
    if name in ("approve", "permit"):
        return "permit"
    return name if name in ("guard", "validate", "session", "stop") else "prompt"


def _read_host(arguments: list[str]) -> str | None:
    """The host that the arguments name, `claude-code` if they name none; None for unknown arguments."""
    event, options = arguments[:1], arguments[1:]
    if not event or event[0] not in WITH_HOST:
        return None
    if not options or (event == ["stop"] and options in (["--revision", "ledger"], ["--revision=ledger"])):
        return "claude-code"
    if len(options) == 2 and options[0] == "--host":
        return options[1]
    if len(options) == 1 and options[0].startswith("--host="):
        return options[0][len("--host=") :]
    return None


def _read_payload() -> bytes:
    """The payload on standard input. Raises PayloadError."""
    from .files.payload_input import read_input

    return read_input()


def _print(data: bytes) -> None:
    """Write bytes to standard output; errors, such as a pipe that the host has closed, are ignored."""
    import os

    try:
        while data:
            data = data[os.write(1, data) :]
    except OSError:
        pass


def _log_defect(error: BaseException) -> None:
    """Log a defect of cuecard, so that it does not become an error of the host. Never raises."""
    try:
        from .files.environment import Environment

        _log(Environment(), "", _event_of(sys.argv[1:]), [f"defect in cuecard: {type(error).__name__}: {error}"])
    except BaseException:  # the failure to log cannot be reported anywhere
        pass


if __name__ == "__main__":
    start()

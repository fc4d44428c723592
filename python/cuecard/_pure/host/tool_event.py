"""Reads the tool events at which an agent gets memories without a prompt: before a tool touches a file, and after a
command failed (SPEC 37.1)."""

from ...basics.chars import scrub
from ...errors import PayloadError, UsageError
from .host import check_cwd, quote, read_object, text_field

MOMENTS = ("file", "failure", "other")
# How many characters of a failed command are used: of the end of its output, and of the beginning of the command.
MAX_ERROR_CHARS = 2000
MAX_COMMAND_CHARS = 200
# For an event and a tool: the moment, and the field of the tool's input that has the subject.
_KNOWN = {
    ("PreToolUse", "Read"): ("file", "file_path"),
    ("PreToolUse", "Write"): ("file", "file_path"),
    ("PreToolUse", "Edit"): ("file", "file_path"),
    ("PreToolUse", "MultiEdit"): ("file", "file_path"),
    ("PreToolUse", "NotebookEdit"): ("file", "notebook_path"),
    ("PostToolUseFailure", "Bash"): ("failure", "command"),
}


def read_tool_event(data: bytes) -> tuple[str, str, str | None, str | None]:
    """Return the kind of a tool event (one of `MOMENTS`), its subject, the working directory and the session.

    The subject is the path of a file; or, in one text, the output of a failed command, a line feed and the command. A
    subagent has a session of its own, because it does not see what other agents were shown. Raises `PayloadError` for
    anything that is not a JSON object with a `tool_name` and text in the known fields.
    """
    payload = read_object(data)
    event, tool = text_field(payload, "hook_event_name"), text_field(payload, "tool_name")
    cwd, session = check_cwd(text_field(payload, "cwd")), text_field(payload, "session_id")
    agent = text_field(payload, "agent_id")
    if tool is None:
        raise PayloadError("the payload has no `tool_name`", "register the hook for `PreToolUse` or `PostToolUse`")
    moment, field = _KNOWN.get((event or "", tool), ("other", ""))
    given = payload.get("tool_input")
    subject = (text_field(given, field) or "") if isinstance(given, dict) and moment != "other" else ""
    if moment == "failure":
        error = text_field(payload, "error") or ""
        subject = "" if payload.get("is_interrupt") is True else _describe_failure(error, subject)
    if session is not None and agent is not None:
        session = f"{session}-{agent}"
    return moment if subject else "other", subject, cwd, session


def _describe_failure(error: str, command: str) -> str:
    if not error or not command:
        return error[-MAX_ERROR_CHARS:]
    return f"{error[-MAX_ERROR_CHARS:]}\n{command[:MAX_COMMAND_CHARS]}"


def write_tool_context(moment: str, block: str) -> bytes:
    """Return the bytes for standard output that give a block to the agent; empty for an empty block.

    `moment` is the kind of the tool event, from `read_tool_event`. Raises `UsageError` for an unknown kind.
    """
    if moment not in MOMENTS:
        raise UsageError(f"unknown moment `{scrub(moment)}`", f"use `{'` or `'.join(MOMENTS)}`")
    if moment == "other":
        return b""
    return write_context("PreToolUse" if moment == "file" else "PostToolUseFailure", block)


def write_context(event: str, block: str) -> bytes:
    """Return the bytes for standard output that give a block to the agent at an event; empty for an empty block."""
    if not block:
        return b""
    context = f'"hookEventName":"{event}","additionalContext":{quote(scrub(block).rstrip(chr(10)))}'
    return ('{"hookSpecificOutput":{' + context + "}}\n").encode()

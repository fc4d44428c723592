"""Reads the tool events at which an agent gets memories without a prompt: when a tool touches a file, and after a
command failed (SPEC 37.1)."""

import os

from ...basics.chars import scrub
from ...basics.host_table import TOOL_EVENTS
from ...basics.json_reader import object_in, read_json_object
from ...basics.tables import find_row, read_lines
from ...errors import PayloadError
from .act import read_act
from .host import check_cwd, read_object, session_of, text_field
from .tool_use import fields_of, known_name

# How many characters of a failed command are used: of the end of its output, and of the beginning of the command.
MAX_ERROR_CHARS = 2000
MAX_COMMAND_CHARS = 200
# How many bytes at the end of a transcript are searched for the record of a command.
MAX_TRANSCRIPT_END = 1 << 18
TABLE = "tool_inputs"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .act import Act


class ToolEvent:
    """A tool event, with the parts that recall needs.

    `moment` is `file`, `failure`, `unsure` (only the host's transcript says whether the command failed) or `other`.
    `subject` is the path of the file; or, in one text, the output of the command, a line feed and the command. A
    subagent has a session of its own, because it does not see what other agents were shown. `record` is the path of
    the transcript and the host's id of the call, where the moment is `unsure`.
    """

    def __init__(self, event: str, cwd: str | None, session: str | None, act: "Act | None") -> None:
        """Begin with an event about no file and no failure."""
        self.event, self.cwd, self.session, self.act = event, cwd, session, act
        self.moment, self.subject = "other", ""
        self.record: tuple[str, str] | None = None

    def is_about(self, moment: str, subject: str) -> None:
        """Set the moment, if the subject has text."""
        if subject:
            self.moment, self.subject = moment, subject


def read_tool_event(data: bytes) -> tuple[str, str, str | None, str | None]:
    """Return the moment of a tool event, its subject, the working directory and the session.

    Raises `PayloadError` for anything that is not a JSON object with a `tool_name` and text in the known fields.
    """
    found = parse_tool_event(data)
    return found.moment, found.subject, found.cwd, found.session


def parse_tool_event(data: bytes) -> ToolEvent:
    """Read a tool event. Raises `PayloadError` as `read_tool_event` does."""
    payload = read_object(data)
    event, tool = text_field(payload, "hook_event_name") or "", text_field(payload, "tool_name")
    cwd, session = check_cwd(text_field(payload, "cwd")), text_field(payload, "session_id")
    agent = text_field(payload, "agent_id")
    if tool is None:
        raise PayloadError("the payload has no `tool_name`", "register the hook for `PreToolUse` or `PostToolUse`")
    session = session_of(payload) if session is None else session
    if session is not None and agent is not None:
        session = f"{session}-{agent}"
    found = ToolEvent(event, cwd, session, read_act(data))
    name, kind = known_name(tool), TOOL_EVENTS.get(event)
    fields = find_row(TABLE, "tools", name)
    is_command = fields.startswith("command=")
    if kind == "failed" and is_command:
        command = _first_text(payload, fields_of(fields, "command"))
        error = text_field(payload, "error") or ""
        found.is_about("failure", "" if payload.get("is_interrupt") is True else _describe_failure(error, command))
    elif kind == "after" and is_command:
        _read_result(payload, _first_text(payload, fields_of(fields, "command")), found)
    elif kind in ("before", "after"):
        path = _first_text(payload, find_row(TABLE, "readers", name).split(" "))
        path = path or _first_text(payload, fields_of(fields, "path"))
        edited = [edit[0] for edit in found.act[2] if edit[0]] if found.act else []
        found.is_about("file", path or (edited[0] if edited else ""))
    return found


def settle(found: ToolEvent) -> None:
    """Look up in the host's transcript whether a command failed, where the event does not say so."""
    if found.record is None:
        return
    transcript, call = found.record
    from ...files.folder import Unread
    from ...files.store_files import read_end

    try:
        lines = (
            read_end(transcript, MAX_TRANSCRIPT_END) if os.path.isabs(transcript) and "\0" not in transcript else b""
        )
    except Unread:
        lines = b""
    found.moment = "failure" if _has_failed(lines, call) else "other"


def _read_result(payload: "dict[str, Any]", command: str, found: ToolEvent) -> None:
    """Read the result of a command that has run."""
    output, response = _failed_output(payload), payload.get("tool_response")
    if output is not None:
        found.is_about("failure", _describe_failure(output, command))
        return
    transcript, call = payload.get("transcript_path"), payload.get("tool_use_id")
    if isinstance(response, str) and isinstance(transcript, str) and isinstance(call, str):
        found.is_about("unsure", _describe_failure(response, command))
        found.record = (transcript, call) if found.moment == "unsure" else None


def _first_text(payload: "dict[str, Any]", fields: list[str]) -> str:
    """Return the first text that is not empty in one of the fields of a tool's input; "" if there is none."""
    given = object_in(payload, "tool_input")
    for field in fields:
        text = text_field(given, field) if field else None
        if text:
            return text
    return ""


def _failed_output(payload: "dict[str, Any]") -> str | None:
    """Return the result of a command whose text ends with an exit code other than 0; None if it tells no failure."""
    for row in read_lines(TABLE, "results"):
        members, _blank, words = row.partition(" ")
        value: Any = payload
        for member in members.split("."):
            value = value.get(member) if isinstance(value, dict) else None
        if not isinstance(value, str) or words not in value:
            continue
        code = value.rpartition(words)[2].lstrip(" ")
        digits = code[: len(code) - len(code.lstrip("0123456789"))]
        if digits.strip("0"):
            return value
    return None


def _has_failed(lines: bytes, call: str) -> bool:
    """Whether the last lines of a transcript say that a command has failed."""
    for line in reversed(lines.split(b"\n")):
        if b'"CommandExecution"' not in line or scrub(call).encode() not in line:
            continue
        item = object_in(object_in(read_json_object(line), "payload"), "item")
        if item.get("id") == call:
            code = item.get("exit_code")
            return isinstance(code, int) and not isinstance(code, bool) and code != 0
    return False


def _unframed(text: str) -> str:
    """Return the output of a command without the lines that a host puts around it; `text` if it has no such lines."""
    before, behind, first, none = (find_row(TABLE, "frame", key) for key in ("before", "behind", "first", "none"))
    _lines, has_begun, rest = f"\n{text}".partition(f"\n{before}")
    output, has_ended, _lines = rest.rpartition(f"\n{behind}")
    if not (has_begun and has_ended and text.startswith(tuple(first.split(" ")))):
        return text
    return output.removesuffix(f"\n{none}").lstrip(" ")


def _describe_failure(error: str, command: str) -> str:
    error = _unframed(error)
    if not error or not command:
        return error[-MAX_ERROR_CHARS:]
    return f"{error[-MAX_ERROR_CHARS:]}\n{command[:MAX_COMMAND_CHARS]}"

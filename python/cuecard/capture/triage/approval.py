"""Approves the two tool calls that triage asks for, so that the host does not ask the user each time.

One call reads a text to draft from. The other call sends the drafts.

Rules: docs/reference/capture-commit.md, "Approval".
"""

import json
import os
import re
from pathlib import Path

from ...basics.json_reader import read_json_object
from ...errors import CuecardError
from ...files.environment import Environment
from ...files.root import Project, find_future_project
from ...store.records.record_file import decode_any
from ..commit_folder import CommitFolder
from ..draft import MAX_INPUT_BYTES
from ..program import known_words
from ..staging import folder_name
from .triage_settings import read_triage_settings

# The command exactly as triage writes it, with nothing before, between or behind it.
_COMMAND = re.compile(
    r"([^\n]+?) capture commit (?:'([^'\n]+)'|([A-Za-z0-9_@%+=:,./-]+)|--origin import) <<'CUECARD'\n(.*)\nCUECARD\n?",
    re.DOTALL,
)
# The command that prints the page on good memories.
PAGE = " capture commit --page"
_CONTEXT = re.compile(r"context-[a-z_]+\.txt")
REASON = "cuecard asked for these drafts"


def answer(payload: bytes, environment: Environment) -> bytes:
    """The hook's output for a tool that is about to run: an approval, or nothing. It never denies."""
    event = read_json_object(payload) or {}
    given, cwd, session = event.get("tool_input"), event.get("cwd"), event.get("session_id")
    if not (isinstance(given, dict) and isinstance(cwd, str) and isinstance(session, str)):
        return b""
    command, file = given.get("command"), given.get("file_path")
    if event.get("tool_name") == "Bash" and isinstance(command, str):
        is_asked_for = _is_asked_for(command, cwd, session, environment)
    elif event.get("tool_name") == "Read" and isinstance(file, str):
        is_asked_for = _is_context(file, cwd, session, environment)
    else:
        is_asked_for = False
    if not is_asked_for:
        return b""
    decision = {"permissionDecision": "allow", "permissionDecisionReason": REASON}
    return json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}).encode() + b"\n"


def _is_asked_for(command: str, cwd: str, session: str, environment: Environment) -> bool:
    """Whether a command prints the page on good memories, or sends drafts to the inbox or to the session's own folder.

    The folder counts while triage waits for drafts.

    The here-document is safe for the shell: JSON cannot contain its last line, and the quotes prevent expansion.
    Drafts in the inbox have no effect until the user accepts them.
    """
    if command.endswith(PAGE):
        project = _find_permitting_project(cwd, environment)
        return project is not None and command.removesuffix(PAGE) in known_words(project[0])
    found = _COMMAND.fullmatch(command)
    if not found:
        return False
    program, folder, drafts = found[1], found[2] or found[3], found[4].encode("utf-8", "replace")
    if len(drafts) > MAX_INPUT_BYTES:
        return False
    try:
        decode_any(drafts, "the drafts")
    except CuecardError:
        return False
    project = _find_permitting_project(cwd, environment)
    if project is None or program not in known_words(project[0]):
        return False
    return not folder or _is_waiting(folder, session, project)


def _is_context(file: str, cwd: str, session: str, environment: Environment) -> bool:
    """Whether a file is one of the texts that triage has written for this session."""
    folder, name = os.path.split(file)
    if not _CONTEXT.fullmatch(name):
        return False
    project = _find_permitting_project(cwd, environment)
    return project is not None and _is_waiting(folder, session, project)


def _find_permitting_project(cwd: str, environment: Environment) -> Project | None:
    """The project of a folder if its settings permit an approval; else None."""
    try:
        project = find_future_project(str(Path(cwd).absolute()), environment.root, environment.home)
        return project if read_triage_settings(project[1]).approves_commit else None
    except (CuecardError, OSError, ValueError):
        return None


def _is_waiting(folder: str, session: str, project: Project) -> bool:
    """Whether a folder is the session's own staging folder and triage waits for drafts in it."""
    if not Path(folder).is_absolute() or Path(folder).name != folder_name(session):
        return False
    try:
        return CommitFolder(project[1], folder).is_asked_for
    except (CuecardError, OSError, ValueError):
        return False

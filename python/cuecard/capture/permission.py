"""Leave for the one command that answers triage, for which the host would ask the user each time (SPEC 42.9)."""

import json
import re
from pathlib import Path

from .._pure.json_reader import JsonError, read_json
from ..errors import CuecardError
from ..recall.environment import Environment
from ..store.record_file import decode_any
from ..store.root import find_project
from .commit_folder import CommitFolder
from .draft import MAX_INPUT_BYTES
from .staging import folder_name
from .triage_settings import read_triage_settings

# As the reason of triage has it: nothing may stand before, between or behind.
_COMMAND = re.compile(
    r"cuecard capture commit (?:'([^'\n]+)'|([A-Za-z0-9_@%+=:,./-]+)) <<'CUECARD'\n(.*)\nCUECARD\n?", re.DOTALL
)
REASON = "cuecard asked for these drafts"


def answer(payload: bytes, environment: Environment) -> bytes:
    """What the hook prints for a tool that is about to run: leave, or nothing. Never a denial."""
    try:
        event = read_json(payload)
    except JsonError:
        return b""
    if not isinstance(event, dict) or event.get("tool_name") != "Bash":
        return b""
    given, cwd, session = event.get("tool_input"), event.get("cwd"), event.get("session_id")
    command = given.get("command") if isinstance(given, dict) else None
    if not (isinstance(command, str) and isinstance(cwd, str) and isinstance(session, str)):
        return b""
    if not _is_asked_for(command, cwd, session, environment):
        return b""
    decision = {"permissionDecision": "allow", "permissionDecisionReason": REASON}
    return json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}).encode() + b"\n"


def _is_asked_for(command: str, cwd: str, session: str, environment: Environment) -> bool:
    """Whether a command hands drafts in to the session's own folder, from which triage waits for some.

    What is JSON holds no line that ends it for the shell, and the quoted mark keeps the shell from reading it.
    """
    found = _COMMAND.fullmatch(command)
    if not found:
        return False
    folder = found[1] or found[2]
    drafts = found[3].encode("utf-8", "replace")
    if not Path(folder).is_absolute() or Path(folder).name != folder_name(session) or len(drafts) > MAX_INPUT_BYTES:
        return False
    try:
        decode_any(drafts, "the drafts")
        project = find_project(str(Path(cwd).absolute()), environment.root, environment.home)
        if project is None or not CommitFolder(project[1], folder).is_asked_for:
            return False
        return read_triage_settings(project[1]).gives_leave
    except (CuecardError, OSError, ValueError):
        return False

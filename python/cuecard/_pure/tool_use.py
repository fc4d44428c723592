"""What a host says about a tool, and what a guard answers it (SPEC 16.1 and 16.2)."""

from ..errors import PayloadError, UsageError
from .chars import scrub
from .host import check_cwd, quote, read_object

TOOLS = ("file", "shell", "powershell", "other")
# Tools by name: what a guard sees in them, and the field that says what they are about.
_KNOWN = {
    "Write": ("file", "file_path"),
    "Edit": ("file", "file_path"),
    "MultiEdit": ("file", "file_path"),
    "NotebookEdit": ("file", "notebook_path"),
    "Bash": ("shell", "command"),
    "PowerShell": ("powershell", "command"),
}


def read_tool_use(data: bytes) -> tuple[str, str, str | None]:
    """What a guard sees in a tool event (one of `TOOLS`), the file or command, and the working directory.

    Raises `PayloadError` for anything that is not a JSON object with a `tool_name` and text in the fields we know; a
    tool that no guard looks at, or that names neither file nor command, is `other`.
    """
    payload = read_object(data)
    name, cwd = _text(payload, "tool_name"), check_cwd(_text(payload, "cwd"))
    if name is None:
        raise PayloadError("the payload has no `tool_name`", "register the hook for `PreToolUse` or `PostToolUse`")
    tool, field = _KNOWN.get(name, ("other", ""))
    given = payload.get("tool_input")
    subject = _text(given, field) if isinstance(given, dict) else None
    return (tool, subject, cwd) if subject else ("other", "", cwd)


def _text(members: dict[str, object], field: str) -> str | None:
    value = members.get(field)
    if value is not None and not isinstance(value, str):
        raise PayloadError(f"the payload's `{field}` is not a string", "send the host's JSON unchanged")
    return value


def find_writes(tool: str, subject: str, cwd: str, home: str, project: str) -> list[tuple[str, str]]:
    """What a tool writes, in its order, at most 1,000: what happens, and the path with dots and links as they are.

    What happens is `write`, `remove`, `remove_tree` or `move`. `project` is `CLAUDE_PROJECT_DIR`; "" stands for what
    is not set. In a path U+0000 stands for what only the shell could know.
    """
    if tool not in TOOLS:
        raise UsageError(f"unknown tool `{scrub(tool)}`", f"use `{'` or `'.join(TOOLS)}`")
    place = scrub(cwd), scrub(home), scrub(project)
    if tool == "file":
        from .shell_scope import Scope

        scope = Scope(*place)
        return [("write", scope.locate(scope.expand_home(scrub(subject))))]
    if tool == "shell":
        from .shell_writes import find_shell_writes

        return find_shell_writes(scrub(subject), *place)
    if tool == "powershell":
        from .powershell_writes import find_powershell_writes

        return find_powershell_writes(scrub(subject), *place)
    return []


def write_denial(reason: str) -> bytes:
    """The bytes for standard output that keep a tool from running."""
    return (
        '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":'
        f"{quote(scrub(reason))}}}}}\n"
    ).encode()


def write_complaint(reason: str, context: str) -> bytes:
    """The bytes for standard output that say what is wrong with what a tool has done, and more about it."""
    return (
        f'{{"decision":"block","reason":{quote(scrub(reason))},"hookSpecificOutput":'
        f'{{"hookEventName":"PostToolUse","additionalContext":{quote(scrub(context))}}}}}\n'
    ).encode()

"""Reads a host's event about a tool that is about to run or has run (SPEC 16.1)."""

from ...basics.chars import scrub
from ...basics.tables import find_row
from ...errors import PayloadError
from .host import HOSTS, check_cwd, read_object, text_field

# How many files of a patch are looked at.
MAX_PATCHED = 1000
# The lines of a patch that name a file, and what happens to the file.
PATCH_LINES = (
    ("*** Add File: ", "write"),
    ("*** Update File: ", "write"),
    ("*** Delete File: ", "remove"),
    ("*** Move to: ", "write"),
)

# What Mistral Vibe puts before the names of its own tools.
OWN_TOOLS = "file_system."


def read_tool_use(data: bytes) -> tuple[list[tuple[str, str]], str | None]:
    """Return the actions of a tool that a guard checks, each with its subject, and the working directory.

    The actions are `write`, `remove` and `move` with the path of a file, and `shell` and `powershell` with a command.
    Raises `PayloadError` for anything that is not a JSON object with a `tool_name` and text in the known fields.
    """
    payload = read_object(data)
    name, cwd = text_field(payload, "tool_name"), check_cwd(text_field(payload, "cwd"))
    if name is None:
        raise PayloadError("the payload has no `tool_name`", "register the hook for `PreToolUse` or `PostToolUse`")
    row = find_row("writing_commands", "tools", known_name(name))
    given = payload.get("tool_input")
    if not row or not isinstance(given, dict):
        return [], cwd
    uses = []
    for use in row.split(" "):
        action, _sign, field = use.partition("=")
        subject = text_field(given, field)
        if subject and action == "patch":
            uses += _files_of_patch(scrub(subject))[:MAX_PATCHED]
        elif subject:
            uses.append((action, subject))
    return uses, cwd


def known_name(name: str) -> str:
    """The name under which the tables have a tool, which is behind the last `__` for a tool of an MCP server; "" for a
    tool that they do not have."""
    name = name.removeprefix(OWN_TOOLS)
    server, separator, tool = name.rpartition("__")
    if not separator or not server.startswith("mcp__"):
        return name
    # MCP servers for Git hosts have tools with the same names, which write files on the host and not here.
    return "" if "git" in server else tool


def fields_of(row: str, role: str) -> list[str]:
    """The fields of a tool's input that have a role, by the row of the tool: `path=file_path text=content`."""
    return [field for known, _sign, field in [pair.partition("=") for pair in row.split(" ")] if known == role]


def _files_of_patch(patch: str) -> list[tuple[str, str]]:
    """The files that a patch writes and removes."""
    lines = [line.removesuffix("\r") for line in patch.split("\n")]
    return [(action, line[len(begin) :]) for line in lines for begin, action in PATCH_LINES if line.startswith(begin)]


def can_ask(data: bytes, host: str) -> bool:
    """Whether the host can ask the user before a tool runs; `data` is an event that `read_tool_use` has read.

    Claude Code can, unless its user has switched questions off. Other hosts send events of the same form with members
    that Claude Code does not send. Codex runs the tool if a hook wants a question.
    """
    payload = read_object(data)
    is_other = host != HOSTS[0] or payload.get("turn_id") is not None or payload.get("timestamp") is not None
    return not is_other and payload.get("permission_mode") != "bypassPermissions"

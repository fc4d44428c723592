"""Rewrites advice about errors for clients that may have no shell (docs/reference/mcp.md, "Tools")."""

import re

# `_WHOLE` replaces whole texts of advice; `_TOOLS` replaces only the commands in them.
_WHOLE = (
    ("`cuecard list --status all` shows what there is", "`memory_search` with `status` `all` shows what there is"),
    ("use `cuecard retire` or `restore`", "use `memory_retire`, or leave `record_status` out"),
)
_TOOLS = {
    "add": "memory_save",
    "list": "memory_search",
    "retire": "memory_retire",
    "search": "memory_search",
    "show": "memory_get",
    "update": "memory_update",
}
_COMMAND = re.compile(r"`cuecard ([a-z]+)(?: [^`]*)?`")
PEOPLE = "commands that begin with `cuecard` are for the user, in a terminal"


def without_shell(advice: str) -> str:
    """An error's advice with tools in place of commands. Commands without a tool are marked as for the user."""
    for command, tool in _WHOLE:
        advice = advice.replace(command, tool)
    advice = _COMMAND.sub(lambda found: f"`{_TOOLS[found[1]]}`" if found[1] in _TOOLS else found[0], advice)
    return f"{advice}; {PEOPLE}" if _COMMAND.search(advice) else advice

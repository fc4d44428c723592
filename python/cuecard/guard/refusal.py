"""Decides which writes the agent's tools must not make, and names the command to use instead (SPEC 16.2)."""

from ..basics.chars import scrub
from ..basics.memory_name import is_id, is_memory
from ..protocol.host import quote
from .store_path import split_store_path

MAX_SHOWN_CHARS = 120


def judge_write(path: str, action: str, exists: bool) -> str | None:
    """The reason why a write is refused, with the command to use instead; None if the write is allowed.

    `path` is absolute or as written in a command, and `action` is `write`, `remove` or `move`. This function does not
    look at files: the caller resolves links and says with `exists` whether the file exists.
    """
    inside = split_store_path(scrub(path))
    if inside is None:
        return None
    first = inside[0] if inside else ""
    is_removal = action != "write"
    # Derived state may be removed, because cuecard writes it again.
    if first in (".staging", "memory-config.json") or (first == ".cuecard" and is_removal):
        return None
    what = "belongs to the memories of this project" if inside else "holds the memories of this project"
    instead = "`cuecard add`, or `cuecard update ID` for an existing memory"
    if is_removal:
        instead = "`cuecard retire ID` or `cuecard archive ID`"
    if first == ".cuecard" or inside == ["index.md"]:
        what, instead = "is derived from the memories", "`cuecard index rebuild`"
    elif len(inside) == 2 and is_memory(*inside):
        what = "is a memory" if is_removal or exists else "would be a memory"
        stem = inside[1].rpartition(".")[0]
        name = stem if is_id(stem) else "ID"
        if is_removal:
            instead = f"`cuecard retire {name}` or `cuecard archive {name}`"
        else:
            instead = f"`cuecard update {name}`" if exists else "`cuecard add`"
    # `?` stands for any file below a folder in which `find` deletes files.
    shown = "/".join([".claude/memory"] + [component for component in inside if component != "?"])
    shown = "".join([char for char in shown if " " <= char != "\x7f" and char != "`"])[:MAX_SHOWN_CHARS]
    return f"`{shown}` {what}, which only cuecard writes: use {instead}"


def write_denial(reason: str) -> bytes:
    """The answer of the hook for standard output that keeps a tool from running."""
    return (
        '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":'
        f"{quote(scrub(reason))}}}}}\n"
    ).encode()

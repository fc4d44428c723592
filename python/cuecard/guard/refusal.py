"""Which writes are not for the agent's tools, and what to do instead (SPEC 16.2)."""

from ..basics.chars import scrub
from ..basics.memory_name import is_id, is_memory
from ..protocol.host import quote
from .store_path import split_store_path

MAX_SHOWN_CHARS = 120


def judge_write(path: str, action: str, exists: bool) -> str | None:
    """Why a write must not happen; None where it may.

    `path` is absolute or as a command has it, `action` is `write`, `remove` or `move`; whether links lead elsewhere is
    for who can follow them, and so is `exists`: whether there is a file by that name.
    """
    inside = split_store_path(scrub(path))
    if inside is None:
        return None
    first = inside[0] if inside else ""
    is_removal = action != "write"
    # Derived state may go; it comes back by itself.
    if first in (".staging", "memory-config.json") or (first == ".cuecard" and is_removal):
        return None
    what = "belongs to the memories of this project" if inside else "holds the memories of this project"
    instead = "`cuecard add`, or `cuecard update ID` for a memory that is there"
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
    # `?` stands for anything below a folder that a sweep goes through.
    shown = "/".join([".claude/memory"] + [component for component in inside if component != "?"])
    shown = "".join([char for char in shown if " " <= char != "\x7f" and char != "`"])[:MAX_SHOWN_CHARS]
    return f"`{shown}` {what}, which cuecard writes: use {instead}"


def write_denial(reason: str) -> bytes:
    """The bytes for standard output that keep a tool from running."""
    return (
        '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":'
        f"{quote(scrub(reason))}}}}}\n"
    ).encode()

"""Which writes are not for the agent's tools, and what to do instead (SPEC 16.2)."""

from .chars import scrub
from .memory_name import is_id, is_memory
from .path_pattern import matches_path

MAX_SHOWN_CHARS = 120
# No file system has longer names.
MAX_NAME_BYTES = 255


def judge_write(path: str, action: str, exists: bool) -> str | None:
    """Why a write must not happen; None where it may.

    `path` is absolute or as a command has it, `action` is `write`, `remove` or `move`; whether links lead elsewhere is
    for who can follow them, and so is `exists`: whether there is a file by that name.
    """
    inside = _split_store(scrub(path))
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


def find_store_part(path: str) -> str | None:
    """The part of a path below the memory folder it lies in, joined by `/`; None outside of any."""
    inside = _split_store(scrub(path))
    return None if inside is None else "/".join(inside)


def _split_store(path: str) -> list[str] | None:
    """The components below the first `.claude/memory` of a path."""
    components: list[str] = []
    for component in path.replace("\\", "/").split("/"):
        if component == "..":
            del components[-1:]
        elif component not in ("", "."):
            components.append(component)
    for at in range(len(components) - 1):
        if _could_be(components[at], ".claude") and _could_be(components[at + 1], "memory"):
            return components[at + 2 :]
    return None


def _could_be(component: str, name: str) -> bool:
    """Whether a component could be of that name on some file system, or stand for it as a pattern."""
    known = component.rpartition("\0")[2].rstrip(". ")
    # A pattern that does not begin with a dot never stands for a name that does.
    is_pattern = ("*" in known or "?" in known) and (known[0] == "." or name[0] != ".") and known.isascii()
    return (known.lower() == name and known.isascii()) or (
        is_pattern and len(known) <= MAX_NAME_BYTES and matches_path(known.lower(), name)
    )

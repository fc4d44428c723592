"""Which writes are not for the agent's tools, and what to do instead (SPEC 16.2)."""

from ..errors import UsageError
from .chars import scrub

ACTIONS = ("write", "remove", "remove_tree", "move")
# Category folders and their categories.
CATEGORIES = {
    "sessions": "session_summary",
    "decisions": "decision",
    "runbooks": "runbook",
    "constraints": "constraint",
    "tech-debt": "tech_debt",
    "preferences": "preference",
}
MAX_SHOWN_CHARS = 120
MAX_ID_CHARS = 80
# No file system has longer names.
MAX_NAME_BYTES = 255

_ID_ENDS = "abcdefghijklmnopqrstuvwxyz0123456789"


def judge_write(path: str, action: str, exists: bool) -> str | None:
    """Why a write must not happen; None where it may.

    `path` is absolute or as a command has it; whether links lead elsewhere is for who can follow them, and so is
    `exists`: whether there is a file by that name.
    """
    if action not in ACTIONS:
        raise UsageError(f"unknown action `{scrub(action)}`", f"use `{'` or `'.join(ACTIONS)}`")
    inside = split_store(scrub(path))
    if inside is None:
        return None
    first = inside[0] if inside else ""
    is_removal = action != "write"
    # Below a file there is nothing: such a path is a guess at what a folder of that name would get. Derived state may
    # go; it comes back by itself.
    if first in (".staging", "memory-config.json") or (first == ".cuecard" and is_removal):
        return None
    what, instead = "belongs to the memories of this project", _general(is_removal)
    if not inside:
        what = "holds the memories of this project"
    elif first == ".cuecard" or inside == ["index.md"]:
        what, instead = "is derived from the memories", "`cuecard index rebuild`"
    elif len(inside) == 2 and is_memory(*inside):
        what = "is a memory" if is_removal or exists else "would be a memory"
        stem = inside[1].rpartition(".")[0]
        name = stem if is_id(stem) else "ID"
        if is_removal:
            instead = f"`cuecard retire {name}` or `cuecard archive {name}`"
        else:
            instead = f"`cuecard update {name}`" if exists else "`cuecard add`"
    return f"`{_show(inside)}` {what}, which cuecard writes: use {instead}"


def _general(is_removal: bool) -> str:
    if is_removal:
        return "`cuecard retire ID` or `cuecard archive ID`"
    return "`cuecard add`, or `cuecard update ID` for a memory that is there"


def find_store_part(path: str) -> str | None:
    """The part of a path below the memory folder it lies in, joined by `/`; None outside of any."""
    inside = split_store(scrub(path))
    return None if inside is None else "/".join(inside)


def is_memory(folder: str, name: str) -> bool:
    """Whether a file of a category folder is a memory, by its name alone."""
    return category_of(folder) is not None and _is_name(name[-5:], ".json")


def category_of(folder: str) -> str | None:
    """The category of a folder of the store."""
    for name, category in CATEGORIES.items():
        if _is_name(folder, name):
            return category
    return None


def split_store(path: str) -> list[str] | None:
    """The components below the first `.claude/memory` of a path."""
    components: list[str] = []
    for component in path.replace("\\", "/").split("/"):
        if component == "..":
            if components:
                components.pop()
        elif component not in ("", "."):
            components.append(component)
    for at in range(len(components) - 1):
        if _could_be(components[at], ".claude") and _could_be(components[at + 1], "memory"):
            return components[at + 2 :]
    return None


def _is_name(text: str, name: str) -> bool:
    """Whether a text is that name in ASCII letters of any case."""
    return text.isascii() and text.lower() == name


def _could_be(component: str, name: str) -> bool:
    """Whether a component could be of that name on some file system, or stand for it as a pattern."""
    component = component.rpartition("\0")[2].rstrip(". ")
    if _is_name(component, name):
        return True
    # A pattern that does not begin with a dot never stands for a name that does.
    if not any(char in component for char in "*?[{") or (name[0] == "." and component[0] != "."):
        return False
    if len(component.encode()) > MAX_NAME_BYTES:
        return False
    before, opening, rest = component.partition("{")
    choices, closing, behind = rest.partition("}")
    if opening and closing:
        return any(_fits(before + choice + behind, name) for choice in choices.split(","))
    return _fits(component, name)


def _fits(pattern: str, name: str) -> bool:
    """Whether a pattern of `*`, `?` and `[...]` fits a name; letters of any case, any character for brackets."""
    # Which beginnings of the name fit the pattern up to here.
    reached = [True] + [False] * len(name)
    place = 0
    while place < len(pattern):
        char = pattern[place]
        place += 1
        if char == "*":
            if True in reached:
                first = reached.index(True)
                reached = [False] * first + [True] * (len(reached) - first)
            continue
        close = pattern.find("]", place) if char == "[" else -1
        if close >= 0:
            place = close + 1
        is_any = char == "?" or close >= 0
        reached = [False] + [fits and (is_any or _is_name(char, own)) for fits, own in zip(reached, name, strict=False)]
    return reached[-1]


def is_id(text: str) -> bool:
    """Whether a text can be the id of a memory (SPEC 17.2)."""
    return (
        0 < len(text) <= MAX_ID_CHARS
        and text[0] in _ID_ENDS
        and text[-1] in _ID_ENDS
        and all(char in _ID_ENDS or char == "-" for char in text)
    )


def _show(inside: list[str]) -> str:
    """A path of the store as a person would write it."""
    # `?` stands for anything below a folder that a sweep goes through.
    shown = "/".join([".claude/memory"] + [component for component in inside if component != "?"])
    return "".join([char for char in shown if " " <= char != "\x7f" and char != "`"])[:MAX_SHOWN_CHARS]

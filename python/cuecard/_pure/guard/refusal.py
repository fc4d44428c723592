"""Decides which writes the agent's tools must not make, and names the command to use instead (SPEC 16.2)."""

from ...basics.chars import scrub
from ...basics.memory_name import category_of, is_id, is_memory
from ..text.sanitize import legible_path
from .store_path import split_store_path

STORE = ".claude/memory"
# The id of a memory behind a link is named only if it is not longer: more words could be a sentence of a stranger.
MAX_TARGET_ID_CHARS = 32
MAX_TARGET_ID_HYPHENS = 2


def judge_write(path: str, action: str, exists: bool) -> str | None:
    """The reason why a write is refused, with the command to use instead; None if the write is allowed.

    `path` is absolute or as written in a command, and `action` is `write`, `remove` or `move`. This function does not
    look at files: the caller resolves links and says with `exists` whether the file exists.
    """
    inside = split_store_path(scrub(path))
    found = _find_verdict(inside, action, exists) if inside is not None else None
    if inside is None or found is None:
        return None
    what, instead = found
    # `?` stands for any file below a folder in which `find` deletes files.
    shown = legible_path("/".join([STORE] + [component for component in inside if component != "?"]))
    # Only the path is judged: the words of the reason are cuecard's own.
    if _addresses_model(shown):
        shown, instead = f"{STORE}/...", _without_id(inside, action, exists)
    return f"`{shown}` {what}, which only cuecard writes: use {instead}"


def judge_target(target: str, given: str, action: str, exists: bool) -> str | None:
    """The reason why a write is refused whose path `given` leads to `target`, through links or as another name.

    The result is None if the write is allowed; `action` and `exists` are as in `judge_write`. A repository chooses the
    targets of its links, so the target is named only if it is a memory with a short plain id, or a name that cuecard
    chose.
    """
    inside = split_store_path(scrub(target))
    found = _find_verdict(inside, action, exists) if inside is not None else None
    if inside is None or found is None:
        return None
    _what, instead = found
    shown = f"{STORE}/{'/'.join(inside)}"
    if not _is_own_name(inside):
        folder = f"{inside[0]}/" if inside and category_of(inside[0]) else ""
        shown, instead = f"{STORE}/{folder}", _without_id(inside, action, exists)
    path = legible_path(given)
    named = "the path" if _addresses_model(path) else f"`{path}`"
    return f"{named} leads to `{shown}`, which only cuecard writes: use {instead}"


def _without_id(inside: list[str], action: str, exists: bool) -> str:
    """The command to use instead of a write, without the id of the memory."""
    unnamed = [inside[0], "?.json"] if len(inside) == 2 and is_memory(*inside) else inside
    found = _find_verdict(unnamed, action, exists)
    return found[1] if found else ""


def _is_own_name(inside: list[str]) -> bool:
    """Whether cuecard chose the name of this path below the store, or could have chosen it and it is no sentence."""
    if len(inside) == 1:
        return inside == ["index.md"] or category_of(inside[0]) is not None
    if len(inside) != 2 or not is_memory(*inside):
        return False
    stem = inside[1].rpartition(".")[0]
    is_short = len(stem) <= MAX_TARGET_ID_CHARS and stem.count("-") <= MAX_TARGET_ID_HYPHENS
    return is_short and is_id(stem) and not _addresses_model(stem)


def _addresses_model(text: str) -> bool:
    from ..memory.sign_search import instruction_signs

    return bool(instruction_signs(text))


def _find_verdict(inside: list[str], action: str, exists: bool) -> tuple[str, str] | None:
    """What a path below the store is, and the command to use instead of the write; None if the write is allowed."""
    first = inside[0] if inside else ""
    is_removal = action != "write"
    # Derived state may be removed, because cuecard writes it again.
    if first in (".staging", "memory-config.json") or (first == ".cuecard" and is_removal):
        return None
    what = "belongs to the memories of this project" if inside else "holds the memories of this project"
    instead = "`cuecard add`, or `cuecard update ID` for an existing memory"
    if is_removal:
        instead = "`cuecard retire ID`"
    if first == ".cuecard" or inside == ["index.md"]:
        what, instead = "is derived from the memories", "`cuecard index rebuild`"
    elif len(inside) == 2 and is_memory(*inside):
        what = "is a memory" if is_removal or exists else "would be a memory"
        stem = inside[1].rpartition(".")[0]
        name = stem if is_id(stem) else "ID"
        if is_removal:
            instead = f"`cuecard retire {name}`"
        else:
            instead = f"`cuecard update {name}`" if exists else "`cuecard add`"
    return what, instead

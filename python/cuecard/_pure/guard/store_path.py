"""Finds the part of a path that is inside a store, without looking at files (SPEC 16.2)."""

from ...basics.chars import scrub
from ..memory.path_pattern import matches_path

# No file system allows longer names.
MAX_NAME_BYTES = 255


def find_store_part(path: str) -> str | None:
    """The part of a path below its `.claude/memory`, joined by `/`; None if the path is not in a memory folder."""
    inside = split_store_path(scrub(path))
    return None if inside is None else "/".join(inside)


def path_components(path: str) -> list[str]:
    """The components of a path; `.` and `..` are resolved as text."""
    components: list[str] = []
    for component in path.replace("\\", "/").split("/"):
        if component == "..":
            del components[-1:]
        elif component not in ("", "."):
            components.append(component)
    return components


def split_store_path(path: str) -> list[str] | None:
    """The components of a path below its first `.claude/memory`; None if the path has none."""
    components = path_components(path)
    for at in range(len(components) - 1):
        if could_be(components[at], ".claude") and could_be(components[at + 1], "memory"):
            return components[at + 2 :]
    return None


def could_be(component: str, name: str) -> bool:
    """Whether a component could name the same file as `name` on some file system, or match it as a pattern."""
    known = component.rpartition("\0")[2].rstrip(". ")
    # A pattern matches a name that begins with a dot only if it begins with a dot itself.
    is_pattern = ("*" in known or "?" in known) and (known[0] == "." or name[0] != ".") and known.isascii()
    return (known.lower() == name and known.isascii()) or (
        is_pattern and len(known) <= MAX_NAME_BYTES and matches_path(known.lower(), name)
    )

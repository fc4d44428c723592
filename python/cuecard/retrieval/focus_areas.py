"""The areas of a focus: tags, categories and paths of a project's memories (SPEC 36.1)."""

import os
import time
from difflib import get_close_matches

from .._backend import FOCUS_FILE, FOCUS_HEADER, MAX_AREAS, Budget, engine, find_focus, session_place
from ..errors import InputError, UsageError
from ..files.folder import PRIVATE_FILE
from ..files.user_folder import open_store_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._backend import Numbers
    from ..files.root import Project

KINDS = ("tag", "category", "path")
MAX_CHARS = 200
# How many similar tags are suggested for an unknown tag.
MAX_NEAR = 3
# Endings of a path that stand for everything below a folder.
BELOW = ("/**", "/*")


def set_focus(memory_dir: str, session_id: str | None, areas: list[str]) -> None:
    """Set the focus of the session, or of the project if `session_id` cannot name a file. Raises OSError.

    Each area must be one line of text that is not blank.
    """
    *names, file = session_place(session_id) or (FOCUS_FILE,)
    folder = open_store_folder(memory_dir, *names, make=True)
    if folder is None:
        raise FileNotFoundError(2, "the user's data folder cannot be opened or created")
    lines = [FOCUS_HEADER, f"set {int(time.time())}", *[f"area {area}" for area in areas[:MAX_AREAS]], ""]
    with folder:
        folder.replace(file, "\n".join(lines).encode(), mode=PRIVATE_FILE, durable=False)


def clear_focus(memory_dir: str, session_id: str | None) -> None:
    """Remove the current focus, if there is one. Raises OSError."""
    focus = find_focus(memory_dir, session_id)
    if focus:
        *names, file = (session_place(session_id) if focus.is_of_session else None) or (FOCUS_FILE,)
        folder = open_store_folder(memory_dir, *names)
        if folder:
            with folder:
                folder.remove(file)


def read_areas(areas: list[str], project: "Project", cwd: str) -> list[str]:
    """Return areas in the form in which they are stored, without duplicates; paths are relative to the project's root.

    Raises UsageError for a malformed area or too many areas, and InputError for an area with a secret, because areas
    are stored in a file and shown to the agent.
    """
    _refuse_secrets(areas)
    read = list(dict.fromkeys([_read_area(area, project[0], cwd) for area in areas]))
    if len(read) > MAX_AREAS:
        raise UsageError(f"{len(read)} areas are too many", f"use at most {MAX_AREAS}")
    return read


def _refuse_secrets(areas: list[str]) -> None:
    from ..store.intake.redaction import redact

    found = redact({"content": {"areas": [" ".join(area.split()) for area in areas]}})[1]
    if found:
        what = f"an area contains what looks like a secret ({found[0].kind})"
        raise InputError(what, "name a tag, a path or a category; nothing was kept")


def _read_area(area: str, root: str, cwd: str) -> str:
    text = " ".join(area.split())
    if not text.isprintable() or len(text) > MAX_CHARS:
        raise UsageError("an area is not one line of printable text", f"use at most {MAX_CHARS} characters in one line")
    kind, name = split_kind(text)
    if not name:
        raise UsageError(f"`{text}` is not an area" if text else "an area is empty", "use a tag, a path or a category")
    is_path = kind == "path" or (not kind and ("/" in name or "\\" in name))
    if not is_path:
        return text
    path = _from_root(name.replace("\\", "/"), root, cwd)
    for ending in BELOW:
        if path.endswith(ending):
            path = path.removesuffix(ending) + "/"
    return f"path:{path}"


def split_kind(area: str) -> tuple[str, str]:
    """Split an area such as `tag:auth` into its kind and its name; the kind is "" if the area gives none."""
    kind, colon, name = area.partition(":")
    return (kind, name.strip()) if colon and kind in KINDS else ("", area)


def _from_root(path: str, root: str, cwd: str) -> str:
    """Return a path relative to the project's root if it exists there or below `cwd`; otherwise as it was given."""
    folder = path.rstrip("/*")
    for place in (cwd, root):
        whole = os.path.normpath(os.path.join(place, folder))
        below = os.path.relpath(whole, root).replace(os.sep, "/")
        if (os.path.exists(whole) or os.path.isabs(folder)) and below.partition("/")[0] not in ("..", "."):
            is_folder = os.path.isdir(whole) and not path[len(folder) :]
            return below + (path[len(folder) :] or ("/" if is_folder else ""))
    return path.removeprefix("./")


def find_unknown(areas: list[str], project: "Project", numbers: "Numbers") -> list[tuple[str, list[str]]]:
    """Return the areas that match no memory, each with similar tags."""
    loaded = engine.load_snapshot(project[0], numbers, Budget())
    if loaded is None:
        return []
    categories: set[str] = set()
    tags: set[str] = set()
    for line in loaded.snapshot.active_lines:
        parts = engine.parse_index_line(line)
        if parts:
            categories.update((parts.category.lower(), parts.path.split("/")[-2]))
            tags.update(parts.tags)
    unknown = []
    for area in areas:
        kind, name = split_kind(area)
        low = name.lower()
        is_known = (
            (kind in ("", "tag") and low in tags)
            or (kind in ("", "category") and low in categories)
            or (kind in ("", "path") and loaded.snapshot.is_anchored(name))
        )
        if not is_known:
            near = sorted(tag for tag in tags if low in tag)[:MAX_NEAR]
            unknown.append((area, near or get_close_matches(low, sorted(tags), MAX_NEAR)))
    return unknown

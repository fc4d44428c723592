"""The anchors of an unreviewed memory: only anchors that name exactly one file count (SPEC 45.4)."""

from ...basics.chars import scrub
from ...basics.json_reader import read_json_object
from .links import FILE, normalize_path, read_links

# The most paths of a prompt that are considered, as in SPEC 34.2.
MAX_NAMED = 16


def concrete_anchors(data: bytes) -> list[str]:
    """The anchors in a memory's file that name exactly one file of the project; not patterns or absolute paths."""
    links = read_links(read_json_object(data) or {})
    files = [link.removeprefix(FILE) for link in links if link.startswith(FILE)]
    return [path for path in files if is_concrete(path)]


def is_concrete(anchor: str) -> bool:
    """Whether an anchor can name only one file of the project."""
    path = normalize_path(scrub(anchor))
    if path is None or path.startswith("~") or path[1:2] == ":":
        return False
    leaves = any(part in ("", ".", "..") for part in path.split("/"))
    return not leaves and not any(char in path for char in "*?[")


def anchors_file(anchors: list[str], path: str) -> bool:
    """Whether one of these anchors names the file at a path in the project."""
    wanted = normalize_path(scrub(path))
    return any(scrub(anchor) == wanted for anchor in anchors)


def anchors_named(anchors: list[str], paths: list[str]) -> bool:
    """Whether one of `paths` in a prompt names one of these anchors. A path may lack leading folders (SPEC 34.2)."""
    named = [normalize_path(scrub(path)) for path in paths[:MAX_NAMED]]
    return any(_stands_for(path, anchor) for path in named if path for anchor in map(scrub, anchors))


def _stands_for(path: str, anchor: str) -> bool:
    """Whether a path may mean the file of an anchor, such as `src/app.py`.

    The path may lack leading folders (`app.py`), have more of them (`/home/me/src/app.py`), or be a folder (`src/`).
    """
    is_folder = "/" in path and "." not in path.rpartition("/")[2]
    return (
        anchor == path
        or anchor.endswith(f"/{path}")
        or ("/" in anchor and path.endswith(f"/{anchor}"))
        or (is_folder and anchor.startswith(path.rstrip("/") + "/"))
    )

"""Finds a memory by an id, `CATEGORY/ID`, the path of its file, or the title that its id was made from."""

import os

from ...basics.category import FOLDERS
from ...basics.memory_name import HOW_TO_SEE, NAMELESS
from ...errors import MissingError, StoreError
from ...files.memory_files import list_records
from ...files.store_files import StoreFiles

# A comparison of two names takes about 60 microseconds, and a writer may hold the lock during it.
MAX_COMPARED = 1000
MAX_GUESSES = 3
# Stands for the middle of an id in the lists of a terminal.
MIDDLE = "\u2026"
# Shorter words and beginnings are not compared with names.
MIN_PART_CHARS = 3
# Folder and category, by the name of either.
_PLACES = {name: (folder, category) for folder, category in FOLDERS for name in (folder, category)}


def find_memory(root: str, memory_dir: str, name: str) -> tuple[str, str]:
    """Return the category (by its folder) and the path (relative to the project) of the one memory that `name` means.

    Raises `MissingError` if there is none, and `StoreError` if there are several.
    """
    found = find_places(root, memory_dir, name)
    if not found and name.isprintable() and not name.startswith((".", "/", "\\")):
        # The name may be a title, because agents see titles.
        from .slug import slugify

        found = find_places(root, memory_dir, slugify(name))
    if not found and MIDDLE in name:
        found = _find_by_ends(memory_dir, name)
    if not found:
        what = f"there is no memory `{name}`"
        expected = "an id, CATEGORY/ID, a title, or the path of a memory's file"
        raise MissingError(what, _hint(memory_dir, name), field="memory", expected=expected, found=f"`{name}`")
    if len(found) > 1:
        names = " or ".join([f"`{category}/{name}`" for category, _path in found])
        what = f"there are {len(found)} memories `{name}`"
        raise StoreError(what, f"say which: {names}", field="memory", expected="one memory", found=f"{len(found)}")
    return found[0]


def _find_by_ends(memory_dir: str, name: str) -> list[tuple[str, str]]:
    """Return category and path of every memory whose id begins and ends as a shortened name does."""
    begin, _, end = name.removesuffix(".json").rpartition("/")[2].partition(MIDDLE)
    found = []
    for category, path in list_records(memory_dir):
        stem = path.rpartition("/")[2].removesuffix(".json")
        if begin and end and len(stem) > len(begin) + len(end) and stem.startswith(begin) and stem.endswith(end):
            found.append((category, path))
    return found


def find_places(root: str, memory_dir: str, name: str) -> list[tuple[str, str]]:
    """Return category and path of every existing memory that `name` could mean by the rules of `find_memory`."""
    with StoreFiles(memory_dir) as files:
        return [
            (category, path)
            for folder, category, stem in _candidates(root, memory_dir, name)
            if files.exists(path := f".claude/memory/{folder}/{stem}.json")
        ]


def _candidates(root: str, memory_dir: str, name: str) -> list[tuple[str, str, str]]:
    """Return folder, category and file stem of every path that the memory could have."""
    stem = name.removesuffix(".json")
    if "\0" in stem:
        return []
    parts = stem.replace(os.sep, "/").split("/")
    if len(parts) == 1:
        return [(folder, category, stem) for folder, category in FOLDERS if stem not in ("", ".", "..")]
    if len(parts) > 2:
        # A path is relative to the project, as in the index; or to the working directory, as a shell completes it.
        is_here = not os.path.lexists(os.path.join(root, name)) and os.path.lexists(name)
        relative = os.path.relpath(os.path.join(os.getcwd() if is_here else root, stem), memory_dir)
        parts = relative.replace(os.sep, "/").split("/")
    if len(parts) != 2 or parts[0] not in _PLACES or parts[1] in ("", ".", ".."):
        return []
    folder, category = _PLACES[parts[0]]
    return [(folder, category, parts[1])]


def _hint(memory_dir: str, name: str) -> str:
    from .slug import slugify

    stems = [path.rpartition("/")[2].removesuffix(".json") for _category, path in list_records(memory_dir)]
    typed = name.removesuffix(".json").rpartition("/")[2]
    if typed == NAMELESS:
        return f"this stands for a name that is withheld; {HOW_TO_SEE}"
    close = _nearest(slugify(typed) or typed, stems)
    if close:
        return f"did you mean {' or '.join([f'`{stem}`' for stem in close])}?"
    return "`cuecard list --status all` shows what there is"


def _nearest(wanted: str, stems: list[str]) -> list[str]:
    """Return at most three of `stems` that `wanted` could mean.

    These are stems with a similar spelling, or else stems that begin with `wanted` or share most of its words.
    """
    compared = stems
    words = _words_of(wanted)
    if len(stems) > MAX_COMPARED:
        near = [stem for stem in stems if stem[:2] == wanted[:2]]
        compared = [*near, *[stem for stem in stems if stem[:2] != wanted[:2] and words & _words_of(stem)]]
    import difflib

    close = difflib.get_close_matches(wanted, compared[:MAX_COMPARED], n=MAX_GUESSES)
    if close or len(wanted) < MIN_PART_CHARS:
        return close
    begun = sorted([stem for stem in stems if stem.startswith(wanted)], key=len)
    shared = {stem: len(words & _words_of(stem)) for stem in stems}
    by_words = [stem for stem in stems if shared[stem] * 2 > len(words)]
    return list(dict.fromkeys([*begun, *sorted(by_words, key=lambda stem: (-shared[stem], len(stem)))]))[:MAX_GUESSES]


def _words_of(stem: str) -> set[str]:
    return {word for word in stem.split("-") if len(word) >= MIN_PART_CHARS}

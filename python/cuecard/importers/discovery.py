"""Finds sources from which memories of a project can be imported: in the project itself, and in the user's home.

Rules: docs/reference/import.md, "What `cuecard init` offers".
"""

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import documents, instructions, places
from .sessions.transcript import SUFFIX, is_in_project, read_head
from .source import ImportSource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..basics.options import ImportKind
    from ..store.writes.store_writer import StoreWriter

PROJECT = "this project"
DOCUMENTS = "documents of this project"
# The names of folders with decision records and runbooks.
_DOCUMENTS = re.compile(
    r"(?:^|.*?/)(?:adrs?|rfcs?|decisions|decision[-_]?records?|architecture[-_]decisions?(?:[-_]records?)?"
    r"|runbooks?|playbooks?)(?=/)",
    re.IGNORECASE,
)
# Files for tests are not rules of the project.
_TEST_DATA = frozenset(("fixtures", "__fixtures__", "testdata", "test-data"))
_TESTS = re.compile(r"(?:^|/)(?:__tests__|(?:[\w-]+[-_])?tests?(?:[-_][\w-]+)?)/", re.IGNORECASE)
# Claude Code names a project's session folder after its path, with other characters replaced.
_NO_SLUG = re.compile(r"[^A-Za-z0-9]")
MAX_SESSIONS = 500
# The headings of at most this many other documents are read, to find the runbooks among them.
MAX_EXAMINED = 2000
# A folder is offered instead of its runbooks if it has as many, and if half of its documents are runbooks.
MIN_RUNBOOKS = 3


@dataclass(frozen=True)
class FoundSources:
    """Sources that are offered together."""

    title: str
    """What the sources are, such as `sessions of Codex`; `PROJECT` for files of the project."""
    paths: tuple[str, ...]
    kind: "ImportKind | None" = None
    is_extra: bool = False
    """Whether the sources are imported only if the user asks for this group by itself."""


def find_sources(root: str, home: str, variables: Mapping[str, str]) -> list[FoundSources]:
    """The sources for the project at `root`, the project's own files first. Reads names, first lines, and Markdown that
    may be a runbook.

    Links are not followed, except from one file of the project to another. Raises `InputError` if the project cannot be
    listed.
    """
    own, documents_found = _find_in_project(root)
    found = [FoundSources(PROJECT, tuple(own))] if own else []
    found += [FoundSources(DOCUMENTS, tuple(documents_found), "document", is_extra=True)] if documents_found else []
    return found + list(_find_in_home(root, Path(home), variables))


def find_passed_over(root: str, taken: Sequence[str]) -> list[str]:
    """The documents of the project that lie in none of the sources `taken`, relative to the project.

    Files of one user, of test data and of other repositories are not named.
    """
    foreign: dict[str, bool] = {}
    taken_places = {Path(path) for path in taken}
    found = []
    # A kind is given, so that JSON data files do not count as documents.
    for file in ImportSource(root, instructions.KIND, root).files:
        name = file.relative_to(os.path.realpath(root)).as_posix()
        here = Path(root, name)
        is_private = _TEST_DATA.intersection(name.split("/")) or file.name.lower() in places.PRIVATE_NAMES
        if is_private or file.is_symlink() or not taken_places.isdisjoint((here, *here.parents)):
            continue
        if not _is_in_other_repository(file.parent, Path(root), foreign):
            found.append(name)
    return sorted(found)


def find_imported(store: "StoreWriter") -> list[str]:
    """The sources of the project from which its store has memories, so that the user wanted their import."""
    paths = set()
    for memory in store.memories(status="all"):
        source = memory.extension.get("source")
        paths.add(str(source.get("path")) if isinstance(source, dict) else "")
    return [
        path
        for path in _find_in_project(store.root)[0]
        for name in [os.path.relpath(os.path.realpath(path), os.path.realpath(store.root)).replace(os.sep, "/")]
        if name in paths or any(known.startswith(f"{name}/") for known in paths)
    ]


def _find_in_project(root: str) -> tuple[list[str], list[str]]:
    """Folders with records, runbooks, rules or notes, and single files with instructions, each once; and the folders
    and files with ordinary documents."""
    found: dict[str, None] = {}
    others: dict[str, None] = {}
    seen: set[str] = set()
    foreign: dict[str, bool] = {}
    ordinary: dict[str, bool] = {}
    source = ImportSource(root, None, root)
    for file in source.files:
        name = file.relative_to(os.path.realpath(root)).as_posix()
        real = os.path.realpath(file)
        if real in seen or not Path(real).is_relative_to(os.path.realpath(root)):
            continue
        if _TEST_DATA.intersection(name.split("/")) or _is_in_other_repository(file.parent, Path(root), foreign):
            continue
        folder = places.rule_folder_of(name) or places.note_folder_of(name) or _document_folder_of(name)
        is_single = not folder and (places.is_instructions(name) or places.is_data(name))
        if (folder or is_single) and file.name.lower() not in places.PRIVATE_NAMES:
            seen.add(real)
            # A link counts as the file to which it leads, unless only the link says what is in it.
            own = os.path.relpath(real, os.path.realpath(root)).replace(os.sep, "/")
            found[str(Path(root, folder or (own if places.is_instructions(own) else name)))] = None
        else:
            ordinary[name] = len(ordinary) < MAX_EXAMINED and source.is_runbook(file)
            if place := documents.place_of(name, lambda path: Path(root, path).is_file()):
                others[str(Path(root, place))] = None
    found |= dict.fromkeys([str(Path(root, place)) for place in _places_of_runbooks(ordinary)])
    return list(found), list(others)


def _places_of_runbooks(documents: dict[str, bool]) -> Iterator[str]:
    """The topmost folders most of whose documents are runbooks, and each other runbook.

    `documents` says of each document, by its path in the project, whether it is a runbook.
    """
    total, runbooks = Counter[str](), Counter[str]()
    for name, is_runbook in documents.items():
        folders = list(_folders_above(name))
        total.update(folders)
        runbooks.update(folders if is_runbook else ())
    for name in [name for name, is_runbook in documents.items() if is_runbook]:
        fit = (place for place in _folders_above(name) if MIN_RUNBOOKS <= runbooks[place] >= total[place] / 2)
        yield next(fit, name)


def _folders_above(name: str) -> Iterator[str]:
    """The folders above a file, given by its path in the project, from the top down."""
    return ("/".join(name.split("/")[:depth]) for depth in range(1, name.count("/") + 1))


def _document_folder_of(name: str) -> str:
    """The folder of decision records or runbooks that contains a document; "" if there is none."""
    found = None if name.lower().endswith((".json", ".jsonl", ".db")) else _DOCUMENTS.match(name)
    return found[0] if found and not _TESTS.search(f"{found[0]}/") else ""


def _is_in_other_repository(folder: Path, root: Path, known: dict[str, bool]) -> bool:
    """Whether a folder of the project belongs to a nested repository, such as a submodule."""
    place = str(folder)
    if place not in known:
        is_outside = folder.resolve() == root.resolve() or folder == folder.parent
        known[place] = not is_outside and (
            os.path.lexists(folder / ".git") or _is_in_other_repository(folder.parent, root, known)
        )
    return known[place]


def _find_in_home(root: str, home: Path, variables: Mapping[str, str]) -> Iterator[FoundSources]:
    """The sessions of the project, and the notes that other tools have stored about it."""
    for projects, top in _folders(home, variables, "CLAUDE_CONFIG_DIR", ".claude", "projects"):
        sessions, memories = [], []
        for folder in _list_folders(projects, top):
            if _is_session_folder(folder.name, root):
                sessions.append(str(folder))
                notes = folder / "memory"
                if notes.is_dir() and not notes.is_symlink() and _is_of_project(folder, root):
                    memories.append(str(notes))
        if sessions:
            yield FoundSources("sessions of Claude Code", tuple(sessions), "transcript")
        if memories:
            yield FoundSources("notes that Claude Code has made", tuple(memories))
    for sessions_of_codex, top in _folders(home, variables, "CODEX_HOME", ".codex", "sessions"):
        if not _is_behind_link(sessions_of_codex, top):
            yield FoundSources("sessions of Codex", (str(sessions_of_codex),), "transcript")
    for database, top in _folders(home, variables, "CLAUDE_MEM_DATA_DIR", ".claude-mem", "claude-mem.db"):
        if database.is_file() and not _is_behind_link(database, top):
            yield FoundSources("claude-mem", (str(database),), "claude-mem")


def _folders(
    home: Path, variables: Mapping[str, str], variable: str, default: str, name: str
) -> Iterator[tuple[Path, Path]]:
    """Yield the file or folder `name` of a tool, if it exists, and the folder below which no link is allowed."""
    named = variables.get(variable, "").strip()
    is_named = Path(named).is_absolute()
    place = Path(named, name) if is_named else home / default / name
    if place.exists():
        yield place, Path(named) if is_named else home


def _is_behind_link(path: Path, top: Path) -> bool:
    """Whether a path, or a folder between it and `top`, is a link."""
    return path != top and (path.is_symlink() or _is_behind_link(path.parent, top))


def _list_folders(folder: Path, top: Path) -> list[Path]:
    try:
        inside = [] if _is_behind_link(folder, top) else sorted(folder.iterdir())
    except OSError:
        return []
    return [path for path in inside if path.is_dir() and not path.is_symlink()]


def _is_session_folder(name: str, root: str) -> bool:
    """Whether a folder with this name may contain sessions of the project or of a folder in the project.

    Other projects can have the same name, so each session is checked by its own content.
    """
    slugs = {_NO_SLUG.sub("-", path) for path in (root, os.path.realpath(root))}
    return any(name == slug or name.startswith(f"{slug}-") for slug in slugs)


def _is_of_project(folder: Path, root: str) -> bool:
    """Whether all sessions in a folder ran in the project, since its notes do not name their project."""
    files = [file for file in sorted(folder.glob(f"*{SUFFIX}"))[:MAX_SESSIONS] if not file.is_symlink()]
    try:
        heads = [read_head(file) for file in files if file.is_file()]
        places = {head.cwd for head in heads if head and head.cwd}
        return bool(places) and all(is_in_project(place, root) for place in places)
    except (OSError, RuntimeError, ValueError):
        return False

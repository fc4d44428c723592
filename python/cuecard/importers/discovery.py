"""Finds sources from which memories of a project can be imported: in the project itself, and in the user's home.

Rules: docs/reference/import.md, "What `cuecard init` offers".
"""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from . import instructions
from .source import ImportSource
from .transcript import SUFFIX, is_in_project, read_head

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..settings.options import ImportKind

PROJECT = "this project"
# The names of folders with decision records and runbooks.
_DOCUMENTS = re.compile(
    r"(?:^|.*?/)(?:adrs?|rfcs?|decisions|decision[-_]?records?|architecture[-_]decisions?(?:[-_]records?)?"
    r"|runbooks?|playbooks?)(?=/)",
    re.IGNORECASE,
)
_RULES = re.compile(
    r"(?:^|.*?/)(?:\.(?:claude|cursor|windsurf)/rules|\.clinerules|\.agents|\.github/instructions)(?=/)"
)
_NOTES = re.compile(r"(?:^|.*?/)\.memsearch(?=/)")
# These files belong to one user and are not in the repository. The project's memories are shared.
_PRIVATE = frozenset(("claude.local.md", "agents.override.md"))
# Files for tests are not rules of the project.
_TEST_DATA = frozenset(("fixtures", "__fixtures__", "testdata", "test-data"))
# Claude Code names a project's session folder after its path, with other characters replaced.
_NO_SLUG = re.compile(r"[^A-Za-z0-9]")
MAX_SESSIONS = 500


@dataclass(frozen=True)
class FoundSources:
    """Sources that are offered together."""

    title: str
    """What the sources are, such as `sessions of Codex`; `PROJECT` for files of the project."""
    paths: tuple[str, ...]
    kind: "ImportKind | None" = None


def find_sources(root: str, home: str, variables: Mapping[str, str]) -> list[FoundSources]:
    """The sources for the project at `root`, the project's own files first. Reads only names and first lines.

    Links are not followed, except from one file of the project to another. Raises `InputError` if the project cannot be
    listed.
    """
    own = tuple(_find_in_project(root))
    found = [FoundSources(PROJECT, own)] if own else []
    return found + list(_find_in_home(root, Path(home), variables))


def _find_in_project(root: str) -> list[str]:
    """Folders with records, runbooks, rules or notes, and single files with instructions, each once."""
    found: dict[str, None] = {}
    seen: set[str] = set()
    foreign: dict[str, bool] = {}
    # A kind is given, so that JSONL data files do not count as sources.
    for file in ImportSource(root, instructions.KIND, root).files:
        name = file.relative_to(os.path.realpath(root)).as_posix()
        real = os.path.realpath(file)
        if real in seen or not Path(real).is_relative_to(os.path.realpath(root)):
            continue
        if _TEST_DATA.intersection(name.split("/")) or _is_in_other_repository(file.parent, Path(root), foreign):
            continue
        folder = next((match[0] for form in (_RULES, _NOTES, _DOCUMENTS) if (match := form.match(name))), "")
        base = name.rpartition("/")[2].lower()
        is_single = not folder and instructions.is_instructions(name) and base not in _PRIVATE
        if (folder and base not in _PRIVATE) or is_single:
            seen.add(real)
            found[str(Path(root, folder or name))] = None
    return list(found)


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

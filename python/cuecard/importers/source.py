"""What a source is: which files it has, of what kind each is, and the memories in them (SPEC 45.2)."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from ..errors import InputError, UsageError
from ..files.folder import Unread
from ..files.store_files import read_bounded
from . import adr, claude_mem, instructions, notes, runbook, session_sentences
from .draft import ImportedDraft, Reading
from .markdown import MarkdownDocument, parse
from .transcript import SUFFIX, Sessions

KINDS = (
    adr.KIND,
    runbook.KIND,
    instructions.KIND,
    instructions.CURSOR_KIND,
    notes.AUTO_KIND,
    notes.BASIC_KIND,
    notes.MEMSEARCH_KIND,
    claude_mem.KIND,
    session_sentences.KIND,
)
MAX_FILE_BYTES = 1 << 20
MAX_FILES = 10_000
_SUFFIXES = (".md", ".markdown", ".mdc")
# What tools are told to do is no memory of the project.
_LEFT_OUT_BELOW = {
    ".claude": frozenset(("commands", "agents", "skills", "plugins", "projects")),
    ".github": frozenset(("ISSUE_TEMPLATE", "PULL_REQUEST_TEMPLATE", "workflows")),
    ".cursor": frozenset(("commands",)),
}
_HIDDEN = frozenset((".cursor", ".claude", ".github", ".memsearch"))
_LEFT_OUT = frozenset(("node_modules", "vendor", "target", "dist", "build", "__pycache__", ".cuecard"))
_STORE = (".claude", "memory")


class ImportSource:
    """A file or a folder to import from."""

    def __init__(self, path: str, kind: str | None, root: str) -> None:
        """`kind` goes before what the files look like; rows and sessions count that are those of the project `root`.

        Raises `UsageError` for a kind, `InputError` where there is nothing at the path, or a link out of the project.
        """
        if kind is not None and kind not in KINDS:
            names = ", ".join([f"`{name}`" for name in KINDS])
            raise UsageError(f"the kind is `{kind}`", f"use {names}", field="from", expected=names, found=f"`{kind}`")
        if not os.path.lexists(path):
            what = f"there is nothing at `{path}`"
            raise InputError(what, "name a file or a folder", field="source", expected="a file", found="nothing")
        _refuse_links_out(path, root)
        self._kind = kind
        self._project = Path(root).resolve().name
        self._sessions = Sessions(root)
        place = Path(os.path.realpath(path))
        self._is_folder = place.is_dir()
        self._base = place if self._is_folder else place.parent
        self._is_cut = False
        self.files = sorted(self._list()) if self._is_folder else [place]
        """The files that may hold memories, in the order of their names."""

    def is_in(self, folder: str) -> bool:
        """Whether the source belongs to a folder, such as that of the project."""
        return self._base.is_relative_to(os.path.realpath(folder))

    def read(self, advance: Callable[[], None]) -> Iterator[Reading]:
        """What each file holds, one after the other; `advance` is called after each.

        Raises `InputError` for a single file that is of no use.
        """
        for file in self.files:
            yield self._read_file(file)
            advance()
        yield from self._read_sessions()
        if self._is_cut:
            yield Reading(skipped=[(str(self._base), f"more than {MAX_FILES} files: only the first count")])

    def _read_sessions(self) -> Iterator[Reading]:
        """The memories of transcripts, and in a line each how many have none, and are none of ours."""
        for session in self._sessions.newest_first():
            yield Reading(session.drafts)
        for names, why in (
            (self._sessions.empty, "with nothing that would stand by itself as a memory"),
            (self._sessions.foreign, "of other projects"),
        ):
            if names:
                where = names[0] if len(names) == 1 else self._base.name
                yield Reading(skipped=[(where, f"{len(names)} session{'s' if len(names) > 1 else ''} {why}")])

    def _list(self) -> list[Path]:
        found: list[Path] = []
        for folder, folders, files in os.walk(self._base):
            folders[:] = sorted(
                name
                for name in folders
                if name not in _LEFT_OUT
                and (not name.startswith(".") or name in _HIDDEN)
                and (Path(folder).name, name) != _STORE
                and name not in _LEFT_OUT_BELOW.get(Path(folder).name, ())
            )
            for name in sorted(files):
                path = Path(folder, name)
                if self._is_wanted(path):
                    found.append(path)
            if len(found) > MAX_FILES:
                self._is_cut = True
                return found[:MAX_FILES]
        return found

    def _is_wanted(self, path: Path) -> bool:
        name = path.name.lower()
        if name.endswith(SUFFIX) or self._kind == session_sentences.KIND:
            return name.endswith(SUFFIX) and self._kind in (None, session_sentences.KIND)
        is_text = name.endswith(_SUFFIXES) or name in instructions.NAMES
        return is_text or (name.endswith(".db") and path.is_file() and claude_mem.is_database(path))

    def _read_file(self, file: Path) -> Reading:
        name = file.relative_to(self._base).as_posix()
        if not file.resolve().is_relative_to(self._base):
            return Reading(skipped=[(name, "a link out of the folder")])
        # Opening a pipe would block.
        if not file.is_file():
            return self._refuse(name, "is not a regular file" if os.path.lexists(file.resolve()) else Unread.MISSING)
        if self._kind == session_sentences.KIND or (self._kind is None and name.lower().endswith(SUFFIX)):
            refused = self._sessions.add(file)
            return self._refuse(name, refused) if refused else Reading()
        if self._kind == claude_mem.KIND or (self._kind is None and claude_mem.is_database(file)):
            try:
                return claude_mem.read_claude_mem(file, self._project)
            except InputError as error:
                if not self._is_folder:
                    raise
                return Reading(skipped=[(name, error.what)])
        try:
            text = read_bounded(str(file), MAX_FILE_BYTES).decode("utf-8-sig")
        except Unread as unread:
            return self._refuse(name, unread.words)
        except UnicodeDecodeError:
            return self._refuse(name, "is not UTF-8")
        document = parse(text)
        kind = self._kind or self.kind_of(document, name)
        if not kind:
            return Reading(skipped=[(name, "neither an ADR nor a runbook, no instructions and no note of a memory")])
        return read_as(kind, document, name, text)

    def _refuse(self, name: str, reason: str) -> Reading:
        if not self._is_folder:
            raise InputError(f"`{name}` {reason}", "name another file", field="source", expected="text", found=reason)
        return Reading(skipped=[(name, reason)])

    def kind_of(self, document: MarkdownDocument, name: str) -> str:
        """What a file looks like, "" where it looks like nothing that is known."""
        base = name.rpartition("/")[2].lower()
        # What stands at a single file's place in its project is not part of its name here.
        place = name if self._is_folder and "/" in name else f"{self._base.name}/{name}"
        if base.endswith(".mdc"):
            return instructions.CURSOR_KIND
        if base in instructions.NAMES or base.endswith(".instructions.md") or ".claude/rules/" in f"/{place}":
            return instructions.KIND
        if notes.is_auto_memory(document):
            return notes.AUTO_KIND
        if notes.is_memsearch(document, name):
            return notes.MEMSEARCH_KIND
        if adr.is_adr(document):
            return adr.KIND
        if notes.is_basic_memory(document):
            return notes.BASIC_KIND
        return runbook.KIND if runbook.is_runbook(document, place) else ""


def read_as(kind: str, document: MarkdownDocument, name: str, text: str) -> Reading:
    """The memories of a file in Markdown that is of a kind."""
    if kind == instructions.KIND:
        return instructions.read_instructions(document, name, text)
    if kind == instructions.CURSOR_KIND:
        return instructions.read_cursor_rule(document, name, text)
    if kind == notes.MEMSEARCH_KIND:
        return notes.read_memsearch(document, name)
    read = {
        adr.KIND: adr.read_adr,
        runbook.KIND: runbook.read_runbook,
        notes.AUTO_KIND: notes.read_auto_memory,
        notes.BASIC_KIND: notes.read_basic_memory,
    }[kind]
    found = read(document, name)
    return Reading([found]) if isinstance(found, ImportedDraft) else Reading(skipped=[(name, found)])


def _refuse_links_out(path: str, root: str) -> None:
    """Raise `InputError` where a path inside the project leads out of it: the repository would choose what is read."""
    place, project = (Path(os.path.normpath(Path(each).absolute())) for each in (path, root))
    real, real_project = Path(os.path.realpath(path)), Path(os.path.realpath(root))
    is_inside = place.is_relative_to(project) or place.is_relative_to(real_project)
    if is_inside and not real.is_relative_to(real_project):
        what = f"`{path}` is a link out of the project"
        hint = f"name `{real}` itself, if you want its text among the project's memories"
        raise InputError(what, hint, field="source", expected="a file of the project", found="a link")

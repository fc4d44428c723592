"""A source of an import: its files, the kind of each, and the memories in them.

Rules: docs/reference/import.md, "Files" and "Kinds".
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from ..basics.time_limit import TakesTooLong, check_time, time_limit
from ..errors import InputError, UsageError
from ..files.folder import Unread
from ..files.store_files import read_bounded
from ..store.backup.restore import KIND as EXPORT
from . import adr, documents, instructions, places
from .at_files import MAX_BYTES, MAX_DEPTH, find_at_files
from .at_files import MAX_FILES as MAX_AT_FILES
from .draft import TOO_LONG, ImportedDraft, Reading, account
from .markup import asciidoc, restructured_text
from .markup.markdown import MarkdownDocument, parse
from .pointers import point_at
from .readers import basic_memory, claude_mem, knowledge_graph, mem0, memory_bank, notes
from .runbooks import runbook
from .sessions import session_sentences
from .sessions.transcript import SUFFIX, Sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..basics.options import ImportKind

# The kinds of Markdown files, of which each section is accounted for.
MARKDOWN_KINDS = (
    adr.KIND,
    runbook.KIND,
    documents.KIND,
    instructions.KIND,
    instructions.CURSOR_KIND,
    notes.AUTO_KIND,
    basic_memory.KIND,
    memory_bank.KIND,
)
DATA_KINDS = (mem0.KIND, knowledge_graph.KIND)
KINDS = (*MARKDOWN_KINDS, *DATA_KINDS, notes.MEMSEARCH_KIND, claude_mem.KIND, session_sentences.KIND, EXPORT)
MAX_FILE_BYTES = 1 << 20
MAX_FILES = 10_000
# A file of people takes less than a tenth of a second. These are seconds of CPU time.
FILE_SECONDS, ALL_SECONDS = 5.0, 300.0
MAX_DRAFTS = 1000
TOO_SLOW = "takes too long"
_SUFFIXES = (".md", ".markdown", ".mdx", ".mdc")
# Files in other markup are read as Markdown. Of a folder only those among records of decisions are.
_OTHER_MARKUP = {
    ".rst": restructured_text.to_markdown,
    ".adoc": asciidoc.to_markdown,
    ".asciidoc": asciidoc.to_markdown,
}
# Files with memories in JSON, by kind: whether a text is one, and its memories.
_DATA = {
    knowledge_graph.KIND: (knowledge_graph.is_graph, knowledge_graph.read_graph),
    mem0.KIND: (mem0.is_export, mem0.read_export),
}
_DATA_SUFFIXES = (".json", ".jsonl")


class ImportSource:
    """A file or a folder from which memories are imported."""

    def __init__(self, path: str, kind: str | None, root: str) -> None:
        """`kind` is the kind of the files; if it is None, the kind of each file is recognised.

        From databases and transcripts only rows and sessions of the project at `root` are read. Raises `UsageError` for
        an unknown kind, and `InputError` if the path does not exist or is a link out of the project.
        """
        if kind is not None and kind not in KINDS:
            names = ", ".join([f"`{name}`" for name in KINDS])
            raise UsageError(f"unknown kind `{kind}`", f"use {names}", field="from", expected=names, found=f"`{kind}`")
        if not os.path.lexists(path):
            what = f"there is nothing at `{path}`"
            raise InputError(
                what, "name a file or a folder", field="source", expected="a file or a folder", found="nothing"
            )
        _refuse_links_out(path, root)
        self._kind = kind
        self._root = Path(root).resolve()
        self._project = self._root.name
        self._sessions = Sessions(root)
        place = Path(os.path.realpath(path))
        # A link such as `AGENTS.md` says what the file is, and to which folder it applies.
        here, top = Path(path).absolute(), Path(root).absolute()
        self._link = here.relative_to(top).as_posix() if here.is_symlink() and here.is_relative_to(top) else ""
        self._is_folder = place.is_dir()
        self._base = place if self._is_folder else place.parent
        self._top = _top_of(self._base, Path(root))
        self._is_cut = False
        self._seen: set[Path] = set()
        self.files = sorted(self._list()) if self._is_folder else [place]
        """The files that may contain memories, sorted by name."""

    @property
    def place(self) -> str | None:
        """The folder relative to the project's root; None if the source is a file or outside of the project."""
        if not self._is_folder or self._top != self._root:
            return None
        name = self._base.relative_to(self._top).as_posix()
        return "" if name == "." else name

    def is_runbook(self, file: Path) -> bool:
        """Whether a Markdown file that no place recommends is a runbook by its content."""
        is_markdown = file.suffix.lower() in (".md", ".markdown") and file.is_file()
        text = _read_text(file) if is_markdown else ""
        name = self._name_of(file)
        if not isinstance(text, str) or not runbook.may_be_runbook(text, name):
            return False
        return self.kind_of(parse(text), name) == runbook.KIND

    def is_in(self, folder: str) -> bool:
        """Whether the source is in a folder, such as the project's folder."""
        return self._base.is_relative_to(os.path.realpath(folder))

    def read(self, advance: Callable[[], None], seen: set[Path] | None = None) -> Iterator[Reading]:
        """Read the files one after the other. `advance` is called after each file.

        Files in `seen` are skipped, and read files are added to it. Raises `InputError` for a single file that cannot
        be imported.
        """
        self._seen = seen if seen is not None else set()
        for number, file in enumerate(self.files):
            try:
                check_time()
                yield self._read_or_refuse(file)
            except TakesTooLong:
                left = len(self.files) - number
                files = "1 file was" if left == 1 else f"{left} files were"
                yield Reading(skipped=[(self._name_of(file), f"{TOO_SLOW} with all files before it: {files} not read")])
                break
            advance()
        yield from self._read_sessions()
        if self._is_cut:
            yield Reading(skipped=[(str(self._base), f"more than {MAX_FILES} files: only the first count")])

    def _read_or_refuse(self, file: Path) -> Reading:
        """The memories of a file; if reading it takes too long, a row that says so.

        Raises `TakesTooLong` if a limit for all files is over.
        """
        if file.resolve() in self._seen:
            return Reading(parts=[(self._name_of(file), "already read, because another file includes it")])
        with time_limit(FILE_SECONDS) as limit:
            try:
                return self._read_file(file)
            except TakesTooLong as error:
                if error.limit is not limit:
                    raise
        return Reading(skipped=[(self._name_of(file), TOO_SLOW)])

    def _read_sessions(self) -> Iterator[Reading]:
        """The memories of transcripts, and report rows that count sessions without memories and of other projects."""
        for session in self._sessions.newest_first():
            yield Reading(session.drafts)
        for names, why in (
            (self._sessions.empty, "without a sentence that is a memory on its own"),
            (self._sessions.foreign, "of other projects"),
        ):
            if names:
                where = names[0] if len(names) == 1 else self._base.name
                yield Reading(skipped=[(where, f"{len(names)} session{'s' if len(names) > 1 else ''} {why}")])

    def _list(self) -> list[Path]:
        found: list[Path] = []
        for folder, folders, files in os.walk(self._base):
            place = Path(folder).relative_to(self._top)
            folders[:] = sorted(name for name in folders if places.is_entered((place / name).as_posix()))
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
        if places.is_of_store(path.relative_to(self._top).as_posix()):
            return False
        if self._kind in (None, *_DATA) and places.is_data(path.name) and self._find_data(path):
            return True
        if name.endswith(SUFFIX) or self._kind == session_sentences.KIND:
            return name.endswith(SUFFIX) and self._kind in (None, session_sentences.KIND)
        is_text = name.endswith(_SUFFIXES) or name in places.NAMES or self._is_record(path)
        return is_text or (name.endswith(".db") and path.is_file() and claude_mem.is_database(path))

    def _is_record(self, path: Path) -> bool:
        """Whether a file in other markup than Markdown is among records of decisions."""
        # The name of the source's own folder says where its files are.
        place = f"{self._base.name}/{path.relative_to(self._base).as_posix()}"
        return path.suffix.lower() in _OTHER_MARKUP and adr.is_in_folder_of_records(place)

    def _find_data(self, path: Path) -> "DataFile | None":
        """The content of a file with memories in JSON, and how it is read; None for any other file."""
        is_here = path.is_file() and path.resolve().is_relative_to(self._base) and path.suffix.lower() in _DATA_SUFFIXES
        text = _read_text(path) if is_here else None
        if not isinstance(text, str):
            return None
        wanted = [self._kind] if self._kind else list(_DATA)
        return next((DataFile(kind, text) for kind in wanted if kind in _DATA and _DATA[kind][0](text)), None)

    def _name_of(self, file: Path) -> str:
        return file.relative_to(self._top if file.is_relative_to(self._top) else self._base).as_posix()

    def _read_file(self, file: Path) -> Reading:
        name = self._name_of(file)
        if not file.resolve().is_relative_to(self._base):
            return Reading(skipped=[(name, "a link out of the folder")])
        # Opening a named pipe would block.
        if not file.is_file():
            return self._refuse(name, "is not a regular file" if os.path.lexists(file.resolve()) else Unread.MISSING)
        data = self._find_data(file)
        if data:
            self._seen.add(file.resolve())
            return _bounded(_DATA[data.kind][1](data.text, name), name)
        if self._kind in _DATA:
            return self._refuse(name, f"is no file of the kind `{self._kind}`")
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
        self._seen.add(file.resolve())
        text = _read_text(file)
        if isinstance(text, Refused):
            return self._refuse(name, text.why)
        document = parse(_as_markdown(text, file))
        kind = self._kind or self.kind_of(document, name)
        if not kind and places.is_instructions(self._link):
            folder = instructions.folder_of(self._link)
            reading = instructions.read_instructions(document, name, text, instructions.KIND, folder)
            self._follow(document, file, folder, reading, [0, 0], 1)
            return _bounded(reading, name)
        other = self.kind_of(document, name) if kind == documents.KIND else ""
        # A document with the parts of a record is one only in a folder for records; nothing else offers it.
        if other and (other != adr.KIND or adr.is_in_folder_of_records(name)):
            return Reading(parts=[(name, f"a file of the kind `{other}`, which gives memories of its own")])
        if not kind:
            is_plan = places.is_plan(name)
            why = "a plan of one task" if is_plan else "not an ADR, a runbook, instructions or a note"
            return Reading(skipped=[(name, why)], files=[name])
        reading = point_at(file, name, read_as(kind, document, name, text), is_inside=self._top == self._root)
        if kind == documents.KIND:
            reading.documents, reading.files = reading.files, []
        if kind in (instructions.KIND, instructions.CURSOR_KIND):
            self._follow(document, file, instructions.folder_of(name), reading, [0, 0], 1)
        return _bounded(reading, name)

    def _follow(
        self, document: MarkdownDocument, file: Path, folder: str, reading: Reading, spent: list[int], depth: int
    ) -> None:
        """Read the files that instructions include, and add them to `reading`.

        `spent` has the number of included files so far, and their total number of bytes.
        """
        followed = find_at_files(document, file, self._top)
        where = self._name_of(file)
        reading.skipped += [(f"{where}#{name}", why) for name, why in followed.refused]
        for target in followed.files:
            name = self._name_of(target)
            row = f"{where}#@{name}"
            if target in self._seen:
                reading.parts.append((row, "read as a file of its own"))
                continue
            text = _read_text(target)
            if isinstance(text, Refused):
                reading.skipped.append((row, text.why))
                continue
            size = len(text.encode())
            if depth > MAX_DEPTH or spent[0] >= MAX_AT_FILES or spent[1] + size > MAX_BYTES:
                reading.skipped.append((row, f"over {MAX_DEPTH} steps, {MAX_AT_FILES} files or {MAX_BYTES >> 20} MiB"))
            else:
                self._seen.add(target)
                spent[0], spent[1] = spent[0] + 1, spent[1] + size
                reading.parts.append((row, "followed"))
                below = parse(text)
                found = self.kind_of(below, name)
                if found in ("", instructions.KIND):
                    reading.add(instructions.read_instructions(below, name, text, instructions.KIND, folder))
                else:
                    reading.add(read_as(found, below, name, text))
                self._follow(below, target, folder, reading, spent, depth + 1)

    def _refuse(self, name: str, reason: str) -> Reading:
        if not self._is_folder:
            raise InputError(f"`{name}` {reason}", "name another file", field="source", expected="text", found=reason)
        return Reading(skipped=[(name, reason)])

    def kind_of(self, document: MarkdownDocument, name: str) -> str:
        """The kind that a file looks like; "" if it looks like no kind."""
        base = name.rpartition("/")[2].lower()
        # Outside of a project, the names of the folders above help to recognise the kind.
        is_root = self._top == self._root or (self._top / ".git").exists()
        place = name if "/" in name or is_root else "/".join((*self._base.parts[-2:], name))
        if base.endswith(".mdc"):
            return instructions.CURSOR_KIND
        if places.is_instructions(place):
            return instructions.KIND
        if places.is_plan(place):
            return ""
        if memory_bank.is_memory_bank(place):
            return memory_bank.KIND
        if notes.is_auto_memory(document):
            return notes.AUTO_KIND
        if notes.is_memsearch(document, name):
            return notes.MEMSEARCH_KIND
        # The parts of a runbook, such as `Impact` and `Resolution`, look like those of a record.
        if runbook.is_in_folder(place) and runbook.is_runbook(document, place):
            return runbook.KIND
        if adr.is_adr(document, place):
            return adr.KIND
        if basic_memory.is_basic_memory(document):
            return basic_memory.KIND
        if places.note_folder_of(place):
            return instructions.KIND
        return runbook.KIND if runbook.is_runbook(document, place) else ""


def read_as(kind: str, document: MarkdownDocument, name: str, text: str) -> Reading:
    """The memories of a Markdown file of the kind `kind`, with a report row for each section."""
    reading = _read_kind(kind, document, name, text)
    told = set(reading.skipped)
    reading.skipped += [row for place in document.too_long if (row := (f"{name}#{place}", TOO_LONG)) not in told]
    return reading


def _read_kind(kind: str, document: MarkdownDocument, name: str, text: str) -> Reading:
    if kind in (instructions.KIND, instructions.CURSOR_KIND):
        return instructions.read_instructions(document, name, text, kind)
    if kind == adr.KIND:
        return adr.read_adr(document, name)
    if kind == runbook.KIND:
        return runbook.read_runbook(document, name)
    if kind == documents.KIND:
        return documents.read_document(document, name)
    if kind == notes.MEMSEARCH_KIND:
        return account(notes.read_memsearch(document, name), document, name, "the summary of its session")
    if kind == basic_memory.KIND:
        return basic_memory.read_basic_memory(document, name, text)
    if kind == memory_bank.KIND:
        return memory_bank.read_memory_bank(document, name, text)
    found = notes.read_auto_memory(document, name)
    reading = Reading([found]) if isinstance(found, ImportedDraft) else Reading(skipped=[(name, found)])
    return account(reading, document, name, "the memory of the note")


def _bounded(reading: Reading, name: str) -> Reading:
    """A reading with at most `MAX_DRAFTS` drafts."""
    if len(reading.drafts) > MAX_DRAFTS:
        del reading.drafts[MAX_DRAFTS:]
        reading.skipped.append((name, f"more than {MAX_DRAFTS} memories: only the first count"))
    return reading


def read_sources(sources: Sequence[ImportSource], advance: Callable[[], None]) -> list[Reading]:
    """Read several sources, each file only once. Decision records that other records supersede are marked as ended.

    What takes too long is left out, with a row in the report.
    """
    seen: set[Path] = set()
    with time_limit(ALL_SECONDS):
        readings = [reading for source in sources for reading in source.read(advance, seen)]
    adr.apply_succession(readings, adr.KIND)
    return readings


def read_apart(
    paths: Sequence[str],
    kind: "ImportKind | None",
    root: str,
    progress: Callable[[str, int], AbstractContextManager[Callable[[], None]]],
) -> dict[str, "tuple[Reading, ...] | InputError"]:
    """The readings of each of several sources, read together as `read_sources` reads them; or why it cannot be read.

    `progress` gets a name and the number of files, and its context manager gives the function to call after each file.
    """
    seen: set[Path] = set()
    found: dict[str, tuple[Reading, ...] | InputError] = {}
    sources: dict[str, ImportSource] = {}
    for path in paths:
        try:
            sources[path] = ImportSource(path, kind, root)
        except InputError as error:  # noqa: PERF203 - it hinders no other source
            found[path] = error
    files = sum([len(source.files) for source in sources.values()])
    with time_limit(ALL_SECONDS), progress("reading", files) as advance:
        for path, source in sources.items():
            try:
                found[path] = tuple(source.read(advance, seen))
            except InputError as error:  # noqa: PERF203 - as above
                found[path] = error
    adr.apply_succession([one for each in found.values() if isinstance(each, tuple) for one in each], adr.KIND)
    return found


@dataclass(frozen=True)
class DataFile:
    """A file with memories in JSON."""

    kind: str
    text: str


@dataclass(frozen=True)
class Refused:
    """A file that cannot be read, with the reason."""

    why: str


def _read_text(file: Path) -> "str | Refused":
    try:
        return read_bounded(str(file), MAX_FILE_BYTES).decode("utf-8-sig")
    except Unread as unread:
        return Refused(unread.words)
    except UnicodeDecodeError:
        return Refused("is not UTF-8")


def _as_markdown(text: str, file: Path) -> str:
    convert = _OTHER_MARKUP.get(file.suffix.lower())
    return convert(text) if convert else text


def _top_of(base: Path, root: Path) -> Path:
    """The folder to which file names are relative: the project, else the source's repository, else its folder."""
    project = root.resolve()
    if base.is_relative_to(project):
        return project
    return next((folder for folder in (base, *base.parents) if (folder / ".git").exists()), base)


def _refuse_links_out(path: str, root: str) -> None:
    """Raise `InputError` if a path in the project leads out of it. A repository must not choose other files to read."""
    place, project = (Path(os.path.normpath(Path(each).absolute())) for each in (path, root))
    real, real_project = Path(os.path.realpath(path)), Path(os.path.realpath(root))
    is_inside = place.is_relative_to(project) or place.is_relative_to(real_project)
    if is_inside and not real.is_relative_to(real_project):
        what = f"`{path}` is a link out of the project"
        hint = f"name `{real}` itself, if you want its text among the project's memories"
        raise InputError(what, hint, field="source", expected="a file of the project", found="a link")

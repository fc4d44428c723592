"""The sections of sources from which an agent drafts memories, each with the importer's own draft.

Rules: docs/reference/import.md, "Work for an agent".
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from .._backend import engine, texts_in
from ..basics.time_limit import TakesTooLong, check_time
from ..capture.inbox import key_of, read_dealt_with
from ..files.folder import Unread
from ..files.store_files import read_bounded
from ..store.intake.intake import admit
from ..store.records.record_file import Fields
from ..store.trust.agent_view import views_of
from ..store.writes.store_writer import StoreWriter
from .draft import BOILERPLATE, IS_TEMPLATE, ImportedDraft, Reading, digest_of
from .source import MAX_FILE_BYTES, TOO_SLOW, ImportSource, read_sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..basics.options import ImportKind

BATCH = 10
# So many memories of the same file are named beside a section.
MAX_KNOWN = 20
# The kind of a task with the parts of a file for which the importer has no draft.
REST = "file"


@dataclass(frozen=True)
class ImportTask:
    """A section with the importer's draft, or all parts of a file for which the importer has no draft."""

    source: Fields
    """Kind, path, heading and digest of the section. The agent's draft repeats this object."""
    draft: Fields | None
    """The memory that the importer would write; None for parts of a file without a draft."""
    left_out: tuple[tuple[str, str], ...] = ()
    """The headings of the parts without a draft, each with the reason."""
    known: tuple[str, ...] = ()
    """The memories that the store already has from the same file, each with its title."""

    @property
    def sections(self) -> int:
        """The number of sections that an agent has to look at."""
        return len(self.left_out) or 1

    def as_dict(self) -> dict[str, object]:
        """The JSON object that `--json` prints."""
        return {**self._own(), "known": list(self.known)}

    def _own(self) -> dict[str, object]:
        left_out = [{"heading": heading or None, "why": why} for heading, why in self.left_out]
        return {"source": self.source, "draft": self.draft, "left_out": left_out}

    @property
    def addresses_model(self) -> bool:
        """Whether the text addresses the model, its tools or secrets."""
        return any(engine.instruction_signs(text) for text in texts_in([self._own()]))


@dataclass(frozen=True)
class ImportWork:
    """The tasks for some sources."""

    tasks: list[ImportTask]
    """The tasks that no agent has processed, in the order of the sources."""
    count: int
    """The number of all sections, including processed ones."""
    unread: tuple[str, ...] = ()
    """The files that were left out because reading them takes too long."""


def find_import_work(
    store: StoreWriter, paths: Sequence[str], kind: "ImportKind | None" = None, *, again: bool = False
) -> ImportWork:
    """The sections of sources that have no memory, no waiting draft and no answer of an agent.

    With `again`, sections that an agent has processed are included. A section that has changed since then counts as
    new. Writes nothing. Raises what `read_sources` and `ImportSource` raise.
    """
    readings = read_sources([ImportSource(path, kind, store.root) for path in paths], lambda: None)
    tasks: dict[str, ImportTask] = {}
    try:
        for reading in readings:
            for task in _tasks_of(reading, store.root):
                tasks[key_of(task.source)] = task
                check_time()
    except TakesTooLong:
        # The tasks so far are work enough; the others follow when these are done.
        pass
    known = _handled(store, are_answers_known=not again)
    unread = [where for reading in readings for where, why in reading.skipped if why.startswith(TOO_SLOW)]
    titles = _known_titles(store)
    left = [
        replace(task, known=tuple(titles.get(str(task.source["path"]), ())[:MAX_KNOWN]))
        for key, task in tasks.items()
        if key not in known
    ]
    return ImportWork(left, sum([task.sections for task in tasks.values()]), tuple(unread))


def find_handled_files(store: StoreWriter, readings: Sequence[Reading]) -> set[str]:
    """The files of which an agent has handled the parts that have no draft, since they were changed last."""
    known = _handled(store)
    return {
        str(task.source["path"])
        for reading in readings
        for task in _tasks_of(replace(reading, drafts=[]), store.root)
        if key_of(task.source) in known
    }


def _handled(store: StoreWriter, *, are_answers_known: bool = True) -> set[str]:
    """The keys of the sections with a memory, and of those with a waiting draft or an answer of an agent."""
    known = read_dealt_with(store.memory_dir) if are_answers_known else set()
    sources = [memory.extension.get("source") for memory in store.memories(status="all")]
    return known | {key_of(source) for source in sources if isinstance(source, dict)}


def _known_titles(store: StoreWriter) -> dict[str, list[str]]:
    """The names and titles of the memories from each file, without those that are withheld from agents."""
    memories = store.memories()
    found: dict[str, list[str]] = {}
    for memory, view in zip(memories, views_of(store.memory_dir, memories), strict=True):
        source = memory.extension.get("source")
        if isinstance(source, dict) and not view.is_withheld:
            found.setdefault(str(source.get("path")), []).append(f"{memory.name}: {memory.title}")
    return found


def _tasks_of(reading: Reading, root: str) -> Iterator[ImportTask]:
    """A task for each valid draft in `reading`, then a task for the parts of each file that have no draft."""
    for draft in reading.drafts:
        if not draft.is_over:
            yield ImportTask(_source_of(draft), _shown_draft(draft))
    for name in dict.fromkeys(reading.files):
        left_out = [
            (heading, why)
            for where, why in reading.skipped
            for path, _, heading in [where.partition("#")]
            # A file that is included with `@` has its own tasks, or must not be read.
            if path == name and not heading.startswith("@") and why not in (IS_TEMPLATE, BOILERPLATE)
        ]
        if left_out:
            shown = admit({"path": name, "left_out": [list(pair) for pair in left_out]}).fields
            source = {
                "kind": REST,
                "path": shown["path"],
                "heading": "",
                "digest": _digest_of_file(root, name, left_out),
            }
            yield ImportTask(source, None, tuple([(heading, why) for heading, why in shown["left_out"]]))


def _source_of(draft: ImportedDraft) -> Fields:
    shown = admit({"path": draft.path, "heading": draft.heading}).fields
    return {"kind": draft.kind, **shown, "digest": draft.digest()}


def _shown_draft(draft: ImportedDraft) -> Fields:
    """The fields that an import would write for a draft, without secrets."""
    record = admit(draft.record()).fields
    return {name: record[name] for name in ("category", "title", "tags", "content") if name in record}


def _digest_of_file(root: str, name: str, left_out: list[tuple[str, str]]) -> str:
    """A digest of a file's text, or of the sections that were left out if the file cannot be read."""
    try:
        return digest_of(read_bounded(str(Path(root, name)), MAX_FILE_BYTES).decode("utf-8", "replace"))
    except (Unread, OSError, ValueError):
        return digest_of(left_out)

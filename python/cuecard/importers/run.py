"""Runs an import: compares drafts with existing memories, writes them, and reports each outcome.

Rules: docs/reference/import.md, "Provenance" and "Outcomes".
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from ..basics.time_limit import TakesTooLong, check_time, time_limit
from ..capture.comparing.contradictions import Claims
from ..capture.comparing.neighbours import Neighbour, Neighbourhood
from ..capture.comparing.similarity import Profile, Similarity, compare, make_profile
from ..capture.comparing.succession import NEVER, ON_SIMILAR, choose, with_relations
from ..errors import CuecardError, OverwriteError, ResurrectionError
from ..files.scopes import PROJECT
from ..files.trust_levels import UNREVIEWED
from ..store.backup.restore import KIND as EXPORT
from ..store.backup.restore import is_export, read_lines, restore
from ..store.intake.intake import admit
from ..store.intake.personal_data import describe_personal_data, find_in_shared
from ..store.records import autofix
from ..store.records.memory import Memory
from ..store.records.record_check import check
from ..store.records.record_file import Fields, encode, extension_of
from ..store.records.record_limits import MAX_TITLE_CHARS
from ..store.records.references import names_in
from ..store.records.slug import MAX_ID_CHARS, id_of_title
from ..store.records.store_reader import check_choice
from ..store.settings.writer_settings import read_writer_settings
from ..store.trust.agent_view import levels_of_files
from ..store.writes.journal import operation
from ..store.writes.store_writer import DRAFTED, StoreWriter
from ..store.writes.transaction import path_of
from .documents import KIND as DOCUMENT
from .draft import ImportedDraft, Reading, shorten
from .former_parts import Key, because_of_category, because_of_part, find_parts, find_same, gave_way
from .kept_changes import has_corrected_title, patch_of, says_the_same
from .markup.markdown import BEGINNING
from .outcomes import ImportOutcome, outcome_of, parts_of, shown, tell, where_of, why_left
from .provenance import is_other, seal, sealed, source_of, transcripts_of
from .sessions.session_sentences import KIND as TRANSCRIPT
from .source import ALL_SECONDS, DATA_KINDS, MARKDOWN_KINDS, TOO_SLOW, ImportSource, read_sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..basics.options import ImportKind, WriteTrust

# Takes the name of a phase and its number of steps. The context manager gives the function to call after each step.
Progress = Callable[[str, int], AbstractContextManager[Callable[[], None]]]
MAX_TRIES = 50
MIN_SHARED_WORDS = 0.6
SKIP = "skip"


# The text of such a draft is in the store.
_IN_STORE = ("created", "updated", "unchanged")
_STAYS = "you changed it or vouch for it, so it stays"


class Import:
    """Writes drafts to a store, or only reports what it would write."""

    def __init__(
        self, store: StoreWriter, is_dry: bool, *, are_sessions_own: bool = False, on_similar: str = SKIP
    ) -> None:
        """Read every memory of the store.

        With `is_dry` nothing is written. `on_similar` says what to do with a draft that is similar to a memory from
        another source. Imported memories are unreviewed until the user accepts them. With `are_sessions_own`, memories
        from transcripts count as drafted by an agent.
        """
        self._are_sessions_own = are_sessions_own
        self._store = store
        self._is_dry = is_dry
        self._on_similar = on_similar
        self._neighbourhoods: dict[str, Neighbourhood] = {}
        self._imported: dict[tuple[str, str, str], Memory] = {}
        self._drafted: dict[str, Memory] = {}
        self._known: dict[str, list[Profile]] = {}
        self._claims: dict[str, Claims] = {}
        self._paths: set[str] = set()
        self._gone: dict[tuple[str, str, str], Memory] = {}
        self._same: dict[tuple[str, str, str], tuple[tuple[str, str, str], Memory]] = {}
        self._active: list[Memory] = []
        summaries = 0
        for memory in store.memories(status="all"):
            source = source_of(memory.record)
            # What only gave way to another memory comes back when its source has it again.
            if source and not gave_way(memory):
                key = (str(source.get("kind")), str(source.get("path")), str(source.get("heading")))
                # The active one of two: its category has changed in the source.
                known = self._imported.get(key)
                self._imported[key] = memory if known is None or memory.status == "active" else known
            for transcript in transcripts_of(memory.record):
                self._drafted.setdefault(transcript, memory)
            self._paths.add(memory.path)
            if memory.status == "active":
                self._active.append(memory)
                self._remember(memory)
                summaries += memory.category == "session_summary"
        # Imported summaries must not push out summaries that were written in this store.
        self._room = max(0, read_writer_settings(store.memory_dir).max_retained - summaries)

    @operation("import")
    def run(
        self, readings: Sequence[Reading], advance: Callable[[], None], folders: Sequence[str] = ()
    ) -> list[ImportOutcome]:
        """Process the drafts and rows in `readings`, and return the outcomes in the order of the source.

        `advance` is called after each draft.
        `folders` were read completely: a memory is also reported as gone if its file was in one of them and is deleted.
        """
        files = {shown(name) for reading in readings for name in reading.files}
        documents = {shown(name) for reading in readings for name in reading.documents}
        drafts = [_as_told(draft) for reading in readings for draft in reading.drafts]
        keys = {draft.key for draft in drafts}
        self._gone = {
            key: memory
            for key, memory in self._imported.items()
            if memory.status == "active"
            and key[0] in (*MARKDOWN_KINDS, *DATA_KINDS)
            and key not in keys
            and (key[1] in (documents if key[0] == DOCUMENT else files) or self._is_deleted(key[1], folders))
        }
        read = {key[:2] for key in keys}
        former = {
            key: memory
            for key, memory in self._imported.items()
            if key not in keys and key[:2] in read and self._is_users(memory)
        }
        outcomes, brought = [], set[tuple[str, str, str]]()
        with time_limit(ALL_SECONDS):
            # When the time is over, no draft is brought and none is retired.
            with suppress(TakesTooLong):
                self._same = find_same(former, drafts)
            for reading in readings:
                for draft in map(_as_told, reading.drafts):
                    outcomes.append(self._bring_once(draft, brought))
                    advance()
                outcomes += [ImportOutcome("skipped", shown(where), why=why) for where, why in reading.skipped]
            told = {(one.where, one.status) for one in outcomes}
            held = [draft for draft in drafts if any((where_of(draft), status) in told for status in _IN_STORE)]
            parts = list[tuple[Key, ImportedDraft]]()
            with suppress(TakesTooLong):
                parts += list(find_parts(self._gone, held))
        outcomes += self._retire_parts(parts)
        for (_kind, path, heading), memory in self._gone.items():
            what = "section" if path in files | documents else "file"
            where = f"{path}#{heading}" if heading else path
            why = f"the {what} is not in the source any more; the memory stays"
            outcomes.append(ImportOutcome("gone", where, memory.category, memory.title, memory.path, why))
        return outcomes

    def _retire_parts(self, parts: Sequence[tuple[Key, ImportedDraft]]) -> list[ImportOutcome]:
        """Retire imported memories whose text is now a part of another memory from the same file, as `parts` says.

        A memory that somebody has changed in the store, or vouches for, stays and is reported.
        """
        found = []
        for key, draft in parts:
            memory = self._gone.pop(key)
            why = because_of_part(shorten(draft.title, MAX_TITLE_CHARS))
            outcome = ImportOutcome("retired", f"{key[1]}#{key[2]}", memory.category, memory.title, memory.path, why)
            if self._is_users(memory):
                outcome.status, outcome.why = "unchanged", f"{why}; {_STAYS}"
            elif not self._is_dry:
                tell(self._store.retire(memory.name, reason=why, expect_hash=memory.hash), outcome)
            found.append(outcome)
        return found

    def _is_users(self, memory: Memory) -> bool:
        """Whether the user has changed or retired an imported memory, or vouches for it."""
        is_changed = source_of(memory.record).get("written") != seal(memory.record)
        return memory.status != "active" or is_changed or self._is_vouched(memory)

    def _is_vouched(self, memory: Memory) -> bool:
        return levels_of_files(self._store.memory_dir, [memory.data]) != [UNREVIEWED]

    def _is_deleted(self, path: str, folders: Sequence[str]) -> bool:
        """Whether a file was in one of these folders of the project and has been deleted."""
        is_below = any(not folder or path.startswith(f"{folder}/") for folder in folders)
        return is_below and not os.path.lexists(Path(self._store.root, path))

    def _bring_once(self, draft: ImportedDraft, brought: set[tuple[str, str, str]]) -> ImportOutcome:
        """Bring a draft unless another one of the same key was brought, or the time of the import is over."""
        outcome = outcome_of(draft)
        if draft.key in brought:
            outcome.why = "another source of this import has the same path and heading"
            return outcome
        brought.add(draft.key)
        try:
            check_time()
            return self._bring(draft, outcome)
        except TakesTooLong:
            outcome.why = f"{TOO_SLOW}; another import goes on from here"
            return outcome

    def _bring(self, draft: ImportedDraft, outcome: ImportOutcome) -> ImportOutcome:
        try:
            key, same = self._same.get(draft.key, (draft.key, None))
            is_active = same is not None and same.status == "active"
            before = self._imported.get(draft.key) or (None if is_active else self._find_moved(draft))
            if before is None and same is not None:
                self._gone.pop(key, None)
                outcome.status, outcome.target = "unchanged" if is_active else "skipped", same.path
                outcome.why = f"`{same.name}` says the same; {_STAYS}" if is_active else f"it is {same.status} here"
            elif before is not None:
                self._follow(draft, before, outcome)
            else:
                self._add(draft, outcome)
        except ResurrectionError as error:
            outcome.why = error.what
        except CuecardError as error:
            outcome.status, outcome.why = "failed", error.what
        if outcome.status in ("created", "updated"):
            outcome.warnings = [*outcome.warnings, *[f"`content.{name}` was cut" for name in draft.cuts()]]
        return outcome

    def _find_moved(self, draft: ImportedDraft) -> Memory | None:
        """A memory that says nearly the same as the draft, and whose section is gone from the same file; else None."""
        profile = None
        section = draft.heading.rpartition(" > ")[0]
        for key, memory in self._gone.items():
            if key[:2] != draft.key[:2] or memory.category != draft.category:
                continue
            profile = profile or make_profile(self._as_memory(draft))
            known = make_profile(memory)
            if not profile or not known:
                continue
            similarity = compare(profile, known)
            # A rule counts as reworded, not as new, if it is in the same section and most words are the same.
            shared = len({*profile.words} & {*known.words}) / len({*profile.words} | {*known.words})
            is_reworded = bool(section) and key[2].rpartition(" > ")[0] == section and shared >= MIN_SHARED_WORDS
            if is_reworded or (similarity and similarity.is_near_duplicate):
                del self._gone[key]
                return memory
        return None

    def _as_memory(self, draft: ImportedDraft) -> Memory:
        fixed = self._preview(sealed(draft), draft.category)
        return Memory(encode(fixed), draft.category, path_of(draft.category, str(fixed["id"])), fixed)

    def _add(self, draft: ImportedDraft, outcome: ImportOutcome) -> None:
        if draft.is_over:
            outcome.why = draft.is_over
            return
        if draft.category == "session_summary" and self._room == 0:
            outcome.why = "the store already has as many session summaries as `max_retained` allows"
            return
        if draft.kind == TRANSCRIPT and draft.path in self._drafted:
            known = self._drafted[draft.path]
            outcome.why = f"an agent has already drafted from this session: `{known.name}`"
            return
        record = sealed(draft)
        if self._has_personal_data(record, outcome):
            return
        fixed = self._preview(record, draft.category)
        path = path_of(draft.category, str(fixed["id"]))
        memory = Memory(encode(fixed), draft.category, path, fixed)
        profile = make_profile(memory)
        same = self._find_same(draft, profile)
        if same:
            other, similarity = same
            outcome.status, outcome.target, outcome.why = "duplicate", other.path, similarity.describe()
            return
        similar = self._find_similar(draft, fixed, path)
        outcome.similar = [f"{neighbour.name}: {neighbour.reason}" for neighbour in similar]
        if similar and self._on_similar in (SKIP, "fail"):
            nearest = similar[0]
            outcome.status = "skipped" if self._on_similar == SKIP else "failed"
            outcome.target, outcome.why = nearest.memory.path, why_left(nearest)
            return
        relations = choose(similar, self._on_similar)
        claims = self._claims.get(draft.category, Claims())
        outcome.contradicts = [f"{other.name}: {why}" for other, why in claims.find_opposed(memory)]
        outcome.secrets = [found.kind for found in admit(record).redactions]
        for title in _titles_apart(draft) if path in self._paths else ():
            record = sealed(draft, title)
            fixed = self._preview(record, draft.category)
            path = path_of(draft.category, str(fixed["id"]))
            if path not in self._paths:
                break
        if path in self._paths:
            raise OverwriteError(f"there is a memory `{fixed['id']}` already", "rename the heading in the source")
        if not self._is_dry:
            written = self._store.add(with_relations(record, relations), trust=self._trust_of(draft))
            path = written.target
            tell(written, outcome)
            memory = self._store.show(f"{draft.category}/{written.id}")
        elif memory.path != path:
            memory = Memory(encode(fixed), draft.category, path, fixed)
        outcome.status, outcome.target = "created", path
        self._paths.add(path)
        self._imported[draft.key] = memory
        self._remember(memory)
        self._room -= draft.category == "session_summary"

    def _follow(self, draft: ImportedDraft, before: Memory, outcome: ImportOutcome) -> None:
        """Update the imported memory `before` to match its source, unless somebody has changed it in the store."""
        outcome.target = before.path
        source = source_of(before.record)
        name = before.name
        if before.status != "active":
            outcome.why = f"it is {before.status} here"
        elif source.get("digest") == draft.digest():
            outcome.status = "unchanged"
        elif draft.is_over:
            if not self._is_dry:
                tell(self._store.retire(name, reason=draft.is_over, expect_hash=before.hash), outcome)
            outcome.status, outcome.why = "retired", draft.is_over
        elif says_the_same(before, sealed(draft)):
            outcome.status = "unchanged"
        elif source.get("written") != seal(before.record) and not has_corrected_title(before, draft):
            outcome.why = "changed here and in its source: your version stays"
        elif before.category != draft.category and self._is_vouched(before):
            outcome.why = f"it is a {before.category} here, and its source makes it a {draft.category}; {_STAYS}"
        elif before.category != draft.category:
            why = because_of_category(before.category, draft.category)
            if not self._is_dry:
                tell(self._store.retire(name, reason=why, expect_hash=before.hash), outcome)
            self._paths.discard(before.path)
            self._add(draft, outcome)
            outcome.warnings = [*outcome.warnings, why]
        else:
            record = sealed(draft)
            if self._has_personal_data(record, outcome):
                return
            self._preview(record, draft.category)
            outcome.secrets = [found.kind for found in admit(record).redactions]
            if not self._is_dry:
                written = self._store.update(
                    name,
                    patch_of(before, record),
                    expect_hash=before.hash,
                    summary=f"its source {draft.path} changed",
                    trust=self._trust_of(draft),
                )
                outcome.target = written.target
                # With a new title the memory may have another file name.
                self._paths.add(written.target)
                tell(written, outcome)
            outcome.status = "updated"

    def _has_personal_data(self, record: Fields, outcome: ImportOutcome) -> bool:
        """Whether a record has personal data, which only a person may put into a store that travels."""
        found = find_in_shared(self._store.memory_dir, record)
        if found:
            outcome.why = (
                f"it has {describe_personal_data(found)}: `cuecard add` on a terminal asks before it writes that"
            )
        return found != []

    def _trust_of(self, draft: ImportedDraft) -> "WriteTrust":
        return DRAFTED if draft.kind == TRANSCRIPT and self._are_sessions_own else UNREVIEWED

    def _preview(self, record: Fields, category: str) -> Fields:
        """The record as the store would save it. Raises what the store raises for an invalid record."""
        admitted = dict(admit(record).fields)
        fixed, _fixes = autofix.fix_new(admitted, category, NEVER)
        check(fixed)
        return fixed

    def _remember(self, memory: Memory) -> None:
        profile = None if "pointer" in extension_of(memory.record) else make_profile(memory)
        if profile:
            self._known.setdefault(memory.category, []).append(profile)
            self._claims.setdefault(memory.category, Claims()).add(memory)

    def _find_similar(self, draft: ImportedDraft, record: Fields, path: str) -> list[Neighbour]:
        """The existing memories that the draft may repeat or replace.

        Memories from the same kind of source are left out: such sources say themselves which document replaces another.
        A pointer repeats nothing.
        """
        if draft.pointer:
            return []
        if draft.kind not in self._neighbourhoods:
            others = [memory for memory in self._active if is_other(memory.record, draft.kind)]
            self._neighbourhoods[draft.kind] = Neighbourhood(others)
        found = self._neighbourhoods[draft.kind].find(record, draft.category)
        named = names_in(record, "supersedes")
        return [
            neighbour
            for neighbour in found
            if neighbour.memory.path != path and neighbour.name not in named and neighbour.memory.id not in named
        ]

    def _find_same(self, draft: ImportedDraft, profile: Profile | None) -> tuple[Memory, Similarity] | None:
        """An active memory that says the same as the draft; None if there is none.

        Memories from the same file do not count, since sections of one file differ on purpose.
        """
        for known in self._known.get(draft.category, []) if profile and not draft.pointer else []:
            check_time()
            source = source_of(known.memory.record)
            if (source.get("kind"), source.get("path")) == (draft.kind, draft.path):
                continue
            similarity = compare(profile, known) if profile else None
            if similarity and similarity.is_near_duplicate:
                return known.memory, similarity
        return None


def import_source(
    store: StoreWriter,
    path: str,
    kind: "ImportKind | None" = None,
    is_dry: bool = False,
    progress: Progress | None = None,
    on_similar: str = SKIP,
) -> list[ImportOutcome]:
    """Import a file or a folder into a store, or only report what would be imported; see `Store.import_`."""
    return import_sources(store, [path], kind, is_dry, progress, on_similar)[0]


def import_sources(
    store: StoreWriter,
    paths: Sequence[str],
    kind: "ImportKind | None" = None,
    is_dry: bool = False,
    progress: Progress | None = None,
    on_similar: str = SKIP,
) -> tuple[list[ImportOutcome], list[dict[str, str]]]:
    """Import several sources into a store. Returns the outcomes, and the sections that became part of other memories.

    `progress` gets the name and the number of steps of each phase, and returns a context manager that gives the
    function to call after each step. Memories from transcripts are the user's own if no source is in the project.
    `on_similar` is `skip`, `add`, `update` or `fail`: what to do with a section that is similar to a memory from
    another source. Raises `UsageError` for any other value.
    """
    check_choice("policy for similar memories", on_similar, ON_SIMILAR)
    begin = progress or _without_progress
    exports = [path for path in paths if kind == EXPORT or (kind is None and is_export(path))]
    sources = [ImportSource(path, kind, store.root) for path in paths if path not in exports]
    restored = [one for path in exports for one in restore_export(store, path, is_dry, on_similar)]
    with begin("reading", sum([len(source.files) for source in sources])) as advance:
        readings = read_sources(sources, advance)
    folders = [source.place for source in sources if source.place is not None]
    are_sessions_own = not any(source.is_in(store.root) for source in sources)
    with begin("importing", sum([len(reading.drafts) for reading in readings])) as advance:
        found = Import(store, is_dry, are_sessions_own=are_sessions_own, on_similar=on_similar)
        return restored + (found.run(readings, advance, folders) if sources else []), parts_of(readings)


def restore_export(
    store: StoreWriter, path: str, is_dry: bool, on_similar: str, scope: str = PROJECT
) -> list[ImportOutcome]:
    """Write the memories of an export of cuecard as they were: those of a scope into the store of this scope.

    For the project's store, the memories of other scopes are named as skipped.
    """
    lines = list(read_lines(path))
    chosen = [line for line in lines if line.scope == scope]
    done = restore(store.project, path, chosen, is_dry=is_dry, merges=on_similar == "update")
    outcomes = [
        ImportOutcome(one.status, one.where, one.category, shown(one.title), one.path, one.why, one.secrets)
        for one in done
    ]
    for line in lines if scope == PROJECT else []:
        if line.scope != PROJECT:
            why = f"it is of the scope `{shown(line.scope)}`; `--scope all` writes it into the store of its scope"
            outcomes.append(ImportOutcome("skipped", f"{path}#{line.number}", line.category, why=why))
    return outcomes


@contextmanager
def _without_progress(_what: str, _steps: int) -> Iterator[Callable[[], None]]:
    yield lambda: None


def _titles_apart(draft: ImportedDraft) -> Iterator[str]:
    """Titles to try for a draft whose title is taken: first with its heading or path behind it, then with a number."""
    place = draft.heading.rpartition(" > ")[0] or draft.path
    known = id_of_title(draft.category, draft.title)
    heading = place.rpartition(" > ")[2]
    folder = draft.path.rpartition("/")[0]
    marks = [folder or draft.path] if heading == BEGINNING else [heading, place]
    for mark in (*marks, draft.path, *map(str, range(2, MAX_TRIES))):
        end = f" ({mark})"
        # Ids are shorter than titles, and the mark must also be part of the id.
        for limit in (MAX_TITLE_CHARS, MAX_ID_CHARS):
            title = shorten(draft.title, max(20, limit - len(end))) + end
            if len(title) <= MAX_TITLE_CHARS and id_of_title(draft.category, title) != known:
                yield title


def _as_told(draft: ImportedDraft) -> ImportedDraft:
    """The draft with its path and heading as they are stored and reported: without secrets."""
    return replace(draft, path=shown(draft.path), heading=shown(draft.heading))

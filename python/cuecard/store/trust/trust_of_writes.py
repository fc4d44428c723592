"""Decides whose a text is that is written: the one rule for all writers (SPEC 45.7).

It depends on where the text came from, on signs of instructions in it, and on the memories that it is based on. What is
written may also end the trust in the text that was there before.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar

from ..._backend import engine, read_effective_settings, texts_of_memory
from ...files.root import LinkedStoreError, locate_stores
from ...files.scopes import list_stores
from ...files.trust_levels import OWN, REVIEWED, UNREVIEWED, bring_back, grant, leave_behind, past_levels_of
from ...files.user_folder import home_path, is_users_own, open_store_folder
from ..records.find_memory import find_places
from ..records.memory import Memory, read_memories
from ..records.record_file import Fields, decode, extension_of, status_of
from .agent_view import levels_of_files
from .copied_text import CopiedText
from .folded_text import fold_letters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from ...basics.options import WriteTrust

Project = tuple[str, str]
# The projects of `compared_with`.
_read_before: ContextVar[tuple[Project, ...]] = ContextVar("_read_before", default=())

DRAFTED: "Final" = "drafted"
ACCEPTED: "Final" = "accepted"
# The fields of a record that name the memories it is based on.
_NAMING = ("supersedes", "derived_from")
_IMPORT, _TRANSCRIPT = "import", "transcript"
# More unreviewed text of one store is not compared. A thousand bytes take about 0.2 ms, and most memories have no more.
MAX_COMPARED_BYTES = 16 << 20
# When this file is gone, the host tells the user once more how many memories are unreviewed (SPEC 45.6).
GREETED = "greeted"

_SIGNS = "it addresses the model, its tools or secrets"
_BASED = "it replaces or derives from a memory that nobody vouches for"
_COPIED = "it repeats a memory that nobody vouches for"
_TOO_MUCH = "`{}` has more unreviewed text than can be compared with it"
_UNKEPT = "there is no folder in which that could be kept"


class TrustOfWrites:
    """Decides the trust of the memories that one transaction writes.

    `given` says where new text came from: `own` was typed by the user, `drafted` comes from an agent or a program,
    `accepted` was read and accepted by the user, and `unreviewed` comes from another source.
    """

    def __init__(self, project: Project) -> None:
        self.given: WriteTrust = DRAFTED
        self._reasons: list[str] = []
        self._project = project
        self._all: list[Memory] | None = None
        self._levels: list[str] = []
        # The memories of other stores, each with its level.
        self._beside: list[tuple[Memory, str]] | None = None
        # For each category that was looked at, the trust hash and the status of each file.
        self._held: dict[str, dict[str, tuple[str, bool]]] = {}

    def settle(self, before: bytes | None, memory: Memory) -> str:
        """Record the trust of a written memory, and return its level.

        `before` is its file before the write, None for a new one. If the trust cannot be stored, the memory stays
        unreviewed.
        """
        old = engine.trust_hash(before) if before is not None else None
        new = engine.trust_hash(memory.data)
        former = self._level_of(before)
        is_active = memory.status == "active"
        self._hold(memory, new, is_active=is_active)
        if new is None:
            return UNREVIEWED
        if new == old:
            return self._step(before or b"", memory, new, former)
        level, reason = self._decide(before, former, memory)
        try:
            if level != UNREVIEWED:
                grant([new], level)
                if not is_active:
                    leave_behind(self._project[1], new, level)
        except OSError:
            level, reason = UNREVIEWED, _UNKEPT
        if reason and self._reviews():
            self._reasons.append(
                f"`{memory.id}` is unreviewed, because {reason}; a person accepts it by `cuecard trust`"
            )
            self._tell_again()
        if old is not None:
            self._leave(memory.category, old, former)
        return level

    def take_out(self, category: str, path: str, before: bytes) -> None:
        """Record that the memory in a file was deleted."""
        former = self._level_of(before)
        self._holding(category).pop(path, None)
        old = engine.trust_hash(before)
        if old is not None:
            self._leave(category, old, former)

    def put_back(self, memory: Memory) -> None:
        """Record that a file has its former bytes again, after an undo: the user vouches for them as before."""
        found = engine.trust_hash(memory.data)
        self._hold(memory, found, is_active=memory.status == "active")
        if found is not None and memory.status == "active":
            self._return(found)

    def take_reasons(self) -> list[str]:
        """Return, once, why memories are unreviewed although their text is not said to come from elsewhere."""
        reasons, self._reasons = self._reasons, []
        return reasons

    def may_retire(self, memory: Memory, other: Memory) -> bool:
        """Whether a memory may retire one that it supersedes. A memory without trust retires none that has it."""
        if not self._reviews():
            return True
        return self._level_of(memory.data) != UNREVIEWED or self._level_of(other.data) == UNREVIEWED

    def _step(self, before: bytes, memory: Memory, trust_hash: str, former: str) -> str:
        """Record a step of a memory's life, such as retiring it, that leaves its text as it was."""
        was_active = _status_in(before) == "active"
        if was_active and memory.status != "active":
            self._leave(memory.category, trust_hash, former)
        elif not was_active and memory.status == "active":
            self._return(trust_hash)
        return former

    def _decide(self, before: bytes | None, former: str, memory: Memory) -> tuple[str, str]:
        """Return the level of a new text, and the reason if it is unreviewed and the writer would not expect that."""
        if before is not None and former == UNREVIEWED:
            return UNREVIEWED, ""
        given = self.given
        if given == UNREVIEWED or (given == DRAFTED and before is None and _is_imported(memory.record)):
            return UNREVIEWED, ""
        reason = _SIGNS if given == DRAFTED and _has_signs(before, memory) else ""
        reason = reason or self._find_source(before, memory)
        if not reason:
            return (former if before is not None else OWN), ""
        return (REVIEWED, "") if given == ACCEPTED else (UNREVIEWED, reason)

    def _find_source(self, before: bytes | None, memory: Memory) -> str:
        """The reason why a memory is as unreviewed as another one that it is based on; "" if there is none."""
        own = [other for other in self._find(UNREVIEWED) if other.path != memory.path]
        others = own + self._find_beside(UNREVIEWED)
        if not others:
            return ""
        accepted = _values(_member(_decoded(before), "supersedes")) if before is not None else []
        names = [name for name in _names_of(memory.record) if name not in accepted]
        named = {path for name in names for _category, path in find_places(*self._project, name)}
        if any(other.path in named for other in own):
            return _BASED
        if sum([len(other.data) for other in own]) > MAX_COMPARED_BYTES:
            return _TOO_MUCH.format(self._project[0])
        texts = _fresh_texts(before, _texts_of(memory))
        copied = CopiedText(texts)
        repeated = [other for other in others if copied.repeats(_texts_of(other))]
        if not repeated:
            return ""
        # A text of a memory that the user vouches for is the user's, although an unreviewed memory has it too.
        vouching = [other for other in self._find(OWN, REVIEWED) if other.path != memory.path]
        vouched = [_fold_all(_texts_of(other)) for other in vouching + self._find_beside(OWN, REVIEWED)]
        copied = CopiedText([text for text in texts if not any(fold_letters(text) in known for known in vouched)])
        return _COPIED if any(copied.repeats(_texts_of(other), vouched) for other in repeated) else ""

    def _find(self, *levels: str) -> list[Memory]:
        """Return the memories of the store with these levels, as they were at the first call."""
        if self._all is None:
            self._all = read_memories(*self._project) if self._reviews() else []
            self._levels = levels_of_files(self._project[1], [memory.data for memory in self._all])
        return [memory for memory, level in zip(self._all, self._levels, strict=True) if level in levels]

    def _find_beside(self, *levels: str) -> list[Memory]:
        """Return the memories with these levels in the other stores that the writer may have read (SPEC 48.9)."""
        if self._beside is None:
            self._beside = []
            for project in _stores_beside(self._project) if self._reviews() else ():
                memories = read_memories(*project)
                found = levels_of_files(project[1], [memory.data for memory in memories])
                self._beside += self._within_limit(project[0], list(zip(memories, found, strict=True)))
        return [memory for memory, level in self._beside if level in levels]

    def _within_limit(self, root: str, found: list[tuple[Memory, str]]) -> list[tuple[Memory, str]]:
        """The memories of another store that are compared: of unreviewed ones the shortest, as far as the limit goes.

        A store that others fill must not decide about what the user writes elsewhere.
        """
        left, kept = MAX_COMPARED_BYTES, []
        for memory, level in sorted(found, key=lambda one: len(one[0].data)):
            left -= len(memory.data) if level == UNREVIEWED else 0
            if level != UNREVIEWED or left >= 0:
                kept.append((memory, level))
        if left < 0:
            self._reasons.append(f"`{root}` has more unreviewed text than can be compared; not all of it was")
        return kept

    def _reviews(self) -> bool:
        """Whether the user's settings heed trust."""
        return read_effective_settings(self._project[1]).settings.reviews_trust

    def _level_of(self, data: bytes | None) -> str:
        return levels_of_files(self._project[1], [data])[0]

    def _holding(self, category: str) -> dict[str, tuple[str, bool]]:
        """The trust hash and whether it is active, for each file of a category."""
        if category not in self._held:
            self._held[category] = {
                memory.path: (engine.trust_hash(memory.data) or "", memory.status == "active")
                for memory in read_memories(*self._project, category)
            }
        return self._held[category]

    def _hold(self, memory: Memory, trust_hash: str | None, *, is_active: bool) -> None:
        if memory.category in self._held:
            self._held[memory.category][memory.path] = (trust_hash or "", is_active)

    def _leave(self, category: str, trust_hash: str, level: str) -> None:
        """End the trust in a text that is not active in the store any more, unless another file has it."""
        memory_dir = self._project[1]
        if level == UNREVIEWED or past_levels_of(memory_dir, [trust_hash]):
            return
        if (trust_hash, True) in self._holding(category).values():
            return
        try:
            leave_behind(memory_dir, trust_hash, level)
        except OSError:
            self._reasons.append("the earlier text still counts as yours, because there is no room to record that")

    def _return(self, trust_hash: str) -> None:
        """Vouch for a text again that was left behind in this store."""
        level = past_levels_of(self._project[1], [trust_hash]).get(trust_hash, "")
        try:
            if level:
                bring_back(self._project[1], trust_hash, level)
        except OSError:
            self._reasons.append("the memory is unreviewed, because its trust cannot be stored")

    def _tell_again(self) -> None:
        folder = open_store_folder(self._project[1])
        if folder is not None:
            with folder:
                try:
                    folder.remove(GREETED)
                except OSError:
                    return


@contextmanager
def compared_with(projects: Iterable[Project]) -> Iterator[None]:
    """Within the block, new text is also compared with the memories of these projects, which its writer has read."""
    before = _read_before.set((*_read_before.get(), *projects))
    try:
        yield
    finally:
        _read_before.reset(before)


def _stores_beside(project: Project) -> list[Project]:
    """The stores that count beside that of a project or in the working directory, and those of `compared_with`."""
    found = list(_read_before.get())
    if not is_users_own(project[1]):
        found += _counting_stores(project[0])
    with suppress(OSError, LinkedStoreError):
        found += _counting_stores(os.getcwd())
    own = os.path.realpath(project[1])
    known = {os.path.realpath(memory_dir): (root, memory_dir) for root, memory_dir in found}
    return [other for place, other in known.items() if place != own]


def _counting_stores(folder: str) -> list[Project]:
    located = locate_stores(os.path.realpath(folder), "", home_path())
    settings = read_effective_settings(located.nearest[1] if located.nearest else "").settings
    return [(store.root, store.memory_dir) for store in list_stores(located, settings) if not store.left_out]


def _fresh_texts(before: bytes | None, texts: list[str]) -> list[str]:
    """Those of the texts that the file did not have before the write."""
    if before is None:
        return texts
    # The history is no part of what the user vouches for, so a text that only it has is new.
    known = _fold_all(texts_of_memory(before, ""))
    return [text for text in texts if fold_letters(text) not in known]


def _fold_all(texts: Iterable[str]) -> str:
    """Folded texts in one, in which the end of a text can be seen."""
    return "\0".join([fold_letters(text) for text in texts])


def _has_signs(before: bytes | None, memory: Memory) -> bool:
    """Whether new texts of a memory have signs of instructions, alone or together."""
    changes = memory.record.get("changes")
    texts = [*texts_of_memory(memory.data, ""), *(_values(changes[-1:]) if isinstance(changes, list) else [])]
    if any(engine.instruction_signs(text) for text in _fresh_texts(before, texts)):
        return True
    # Recall shows the title and the gist in one line, so a text could be divided among them.
    line = _line_of(memory.record)
    former = _line_of(_decoded(before)) if before is not None else ""
    return line != former and bool(engine.instruction_signs(line))


def _line_of(record: Fields) -> str:
    gist = _member(record, "gist")
    return f"{record.get('title')} {gist}" if isinstance(gist, str) else ""


def _is_imported(record: Fields) -> bool:
    """Whether a draft says that its text comes from a document. In a transcript, user and agent have written it."""
    source = _member(record, "source")
    kind = source.get("kind") if isinstance(source, dict) else None
    return _member(record, "origin") == _IMPORT and kind != _TRANSCRIPT


def _texts_of(memory: Memory) -> list[str]:
    """The texts of a memory that say something: no names of members, of files or of other memories."""
    record = memory.record
    found = [*_values(record.get("title")), *_values(record.get("content"))]
    for field in ("gist", "questions", "evidence", "forbids", "sections"):
        found += _values(_member(record, field))
    return found


def _member(record: Fields, name: str) -> object:
    return extension_of(record).get(name)


def _values(value: object) -> list[str]:
    """The texts within a value, without the names of members."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [text for item in value for text in _values(item)] if isinstance(value, list) else []


def _names_of(record: Fields) -> Iterable[str]:
    for field in _NAMING:
        names = _member(record, field)
        yield from [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def _decoded(data: bytes) -> Fields:
    try:
        return decode(data, "the file")
    except ValueError:
        return {}


def _status_in(data: bytes) -> str:
    return status_of(_decoded(data))

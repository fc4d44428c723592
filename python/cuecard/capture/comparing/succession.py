"""Finds the memories similar to a new memory, and writes the new memory as its relations to them require.

Rules: docs/reference/succession.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...errors import InputError, StatusError
from ...store.intake.intake import admit_record
from ...store.records import autofix
from ...store.records.autofix import MAX_TAGS, UNTAGGED, tidy_tag
from ...store.records.memory import Memory
from ...store.records.record_check import check
from ...store.records.record_file import Fields, extension_of
from ...store.records.record_limits import MAX_EVIDENCE, MAX_QUESTIONS
from ...store.records.references import names_in
from ...store.trust.agent_view import views_of
from ...store.writes.store_writer import DRAFTED, StoreWriter
from ...store.writes.transaction import path_of
from .neighbours import UNCOMPARED, Neighbour, Neighbourhood
from .relations import CONTRADICTS, SAME, UPDATES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...basics.options import Category, WriteTrust
    from ...store.writes.written import Written

ON_SIMILAR = ("add", "skip", "update", "fail")
# If a record names a memory in one of these fields of `cuecard`, nobody is asked how the two relate.
_NAMING = ("supersedes", "contradicts", "derived_from")
# The timestamp in records that are only compared and never written.
NEVER = "1970-01-01T00:00:00Z"
QUESTION = (
    "say how the new memory relates to each of these: `same` (both say the same; what is new is added to the old one), "
    "`updates` (the new one replaces the old one), `contradicts` (only one can be true, and nobody has decided), or "
    "`unrelated`; send the new memory again with `relations`: [{id, verdict}]"
)


@dataclass(frozen=True)
class Relations:
    """How a new memory relates to existing memories, as the writer of the new memory states it."""

    same: Memory | None = None
    updates: tuple[Memory, ...] = ()
    contradicts: tuple[Memory, ...] = ()
    answered: frozenset[str] = field(default=frozenset())
    """The paths of all memories that the writer has judged, including unrelated ones."""

    @property
    def extension(self) -> Fields:
        """The `cuecard` fields for the new memory."""
        named = {"supersedes": self.updates, "contradicts": self.contradicts}
        return {name: [memory.name for memory in memories] for name, memories in named.items() if memories}


def resolve_relations(store: StoreWriter, verdicts: Sequence[tuple[str, str]]) -> Relations:
    """Look up the memories in `verdicts`, which are pairs of name and verdict.

    Raises what `Store.show` raises, and `StatusError` if the memory with the verdict `same` is not active.
    """
    memories = [(store.show(name), verdict) for name, verdict in verdicts]
    same = next((memory for memory, verdict in memories if verdict == SAME), None)
    if same is not None and same.status != "active":
        raise StatusError(f"`{same.id}` is {same.status}", "restore it, or say that it is `unrelated`")
    return Relations(
        same,
        tuple([memory for memory, verdict in memories if verdict == UPDATES]),
        tuple([memory for memory, verdict in memories if verdict == CONTRADICTS]),
        frozenset([memory.path for memory, _verdict in memories]),
    )


def choose(neighbours: Sequence[Neighbour], policy: str) -> Relations:
    """The relations of a new memory under the policy that a script has set with `--on-similar`.

    With the policy `update` the new memory replaces the most similar memory. With every other policy it is unrelated
    to all `neighbours`.
    """
    replaced = (neighbours[0].memory,) if neighbours and policy == "update" else ()
    return Relations(updates=replaced, answered=frozenset([neighbour.memory.path for neighbour in neighbours]))


def find_similar(
    store: StoreWriter, record: Fields, category: "Category | None" = None, relations: Relations | None = None
) -> list[Neighbour]:
    """The active memories that a new record may repeat or replace, except those with a verdict in `relations`.

    Empty if the store already has a memory with the record's id. Raises what `Store.add` raises for an invalid record.
    Cost: reads every memory.
    """
    wanted = str(category or record.get("category"))
    fixed, _fixes = autofix.fix_new(dict(admit_record(record).fields), wanted, NEVER)
    check(fixed)
    if wanted == UNCOMPARED:
        return []
    memories = store.memories(status="all")
    own = path_of(wanted, str(fixed["id"]))
    if any(memory.path == own and memory.status != "retired" for memory in memories):
        return []
    named = {name for field in _NAMING for name in names_in(fixed, field)}
    answered = relations.answered if relations else frozenset[str]()
    neighbours = Neighbourhood([memory for memory in memories if memory.status == "active"]).find(fixed, wanted)
    return [
        neighbour
        for neighbour in neighbours
        if neighbour.memory.path not in answered
        and not named & {neighbour.memory.id, neighbour.name, neighbour.memory.path}
    ]


def write(
    store: StoreWriter,
    record: Fields,
    category: "Category | None" = None,
    relations: Relations | None = None,
    trust: "WriteTrust" = DRAFTED,
) -> "Written":
    """Create a memory, or add what is new to the memory `relations.same`.

    Raises what `Store.add` and `Store.update` raise.
    """
    relations = relations or Relations()
    if relations.same is None:
        return store.add(with_relations(record, relations), category=category, trust=trust)
    same = relations.same
    admitted = dict(admit_record(record).fields)
    patch = _additions(same.record, admitted, relations.extension)
    summary = f"said again: {str(admitted.get('title'))[:100]}" if patch else ""
    return store.update(same.path, patch, expect_hash=same.hash, summary=summary, trust=trust)


def with_relations(record: Fields, relations: Relations) -> Fields:
    """A copy of the record that also names the memories that it replaces and contradicts."""
    if not relations.extension:
        return record
    extension = dict(extension_of(record))
    for name, names in relations.extension.items():
        extension[name] = list(dict.fromkeys([*names_in(record, name), *names]))
    return {**record, "cuecard": extension}


def describe(store: StoreWriter, neighbours: Sequence[Neighbour]) -> list[Fields]:
    """Neighbours as JSON for the writer of a draft. The writer may be an agent, so withheld texts are left out."""
    rows = []
    views = views_of(store.memory_dir, [neighbour.memory for neighbour in neighbours])
    for neighbour, view in zip(neighbours, views, strict=True):
        row = neighbour.as_dict()
        if view.is_withheld:
            row = {name: value for name, value in row.items() if name not in ("title", "excerpt")}
        rows.append({**row, "trust": view.trust} if view.is_unreviewed else row)
    return rows


def refusal(neighbours: Sequence[Neighbour]) -> InputError:
    """The error for a script with `--on-similar fail`, if the new memory is similar to existing memories."""
    listed = ", ".join([f"`{neighbour.name}`" for neighbour in neighbours])
    hint = "update that memory, or choose `--on-similar add` or `update`"
    return InputError(f"the new memory is similar to {listed}", hint, expected="no similar memory", found=listed)


def _additions(old: Fields, new: Fields, extension: Fields) -> Fields:
    """A patch with the tags, files, questions, evidence and relations that the old record lacks, and its new source."""
    patch: Fields = {}
    tags, known = _list(old, "tags"), {tidy_tag(str(tag)) for tag in _list(old, "tags")}
    given = [tidy_tag(str(tag)) for tag in _list(new, "tags")]
    fresh = [tag for tag in dict.fromkeys(given) if tag not in known and tag not in ("", UNTAGGED)]
    if fresh[: max(0, MAX_TAGS - len(tags))]:
        patch["tags"] = [*tags, *fresh[: MAX_TAGS - len(tags)]]
    files = [name for name in _list(new, "related_files") if name not in _list(old, "related_files")]
    if files:
        patch["related_files"] = [*_list(old, "related_files"), *files]
    mine, theirs = extension_of(old), extension_of(new)
    added: Fields = {}
    for name, limit in (("questions", MAX_QUESTIONS), ("evidence", MAX_EVIDENCE)):
        room = max(0, limit - len(_list(mine, name)))
        pieces = [piece for piece in _list(theirs, name) if piece not in _list(mine, name)][:room]
        if pieces:
            added[name] = [*_list(mine, name), *pieces]
    for name, names in extension.items():
        if any(other not in _list(mine, name) for other in names):
            added[name] = list(dict.fromkeys([*_list(mine, name), *names]))
    if (patch or added) and theirs.get("source"):
        # The former source stays in the history.
        added["source"] = {**dict.fromkeys(mine.get("source") or ()), **theirs["source"]}
    return {**patch, "cuecard": added} if added else patch


def _list(fields: Fields, name: str) -> list[object]:
    value = fields.get(name)
    return value if isinstance(value, list) else []

"""Finds pairs of memories that say the same or the opposite. The newer memory can then supersede the older.

Rules: docs/reference/consolidation.md.
"""

from collections import defaultdict
from dataclasses import dataclass, field

from ..._backend import KEYWORD_STOP_WORDS as STOP_WORDS
from ...errors import CuecardError
from ...store.records.find_memory import find_places
from ...store.records.memory import Memory
from ...store.records.references import names_in
from ...store.writes.journal import operation
from ...store.writes.store_writer import StoreWriter
from ...store.writes.supersession import MAX_NAMES
from .contradictions import NEGATIONS, Claims, is_number, opposite_words, other_numbers
from .similarity import Profile, Similarity, compare, make_profile, words_only_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...basics.options import Category

DUPLICATE = "duplicate"
CONTRADICTION = "contradiction"
# Each memory is compared with every other memory of its category. For this many it takes about ten seconds.
MAX_COMPARED = 10_000
MAX_WORDS_TOLD = 8
# A denied word is one of this many words behind the negation: `not in the Redis`.
MAX_DENIED_APART = 5


@dataclass
class Pair:
    """Two active memories that say the same or the opposite, and what was done about them."""

    kind: str
    """`DUPLICATE` or `CONTRADICTION`."""
    newer: Memory
    older: Memory
    similarity: Similarity | None
    """None if only single statements of the memories are similar, or `contradicts` names the pair."""
    why: str
    newer_only: list[str] = field(default_factory=list)
    """The first `MAX_WORDS_TOLD` words of the newer memory that the older memory lacks."""
    older_only: list[str] = field(default_factory=list)
    outcome: str = "found"
    """`found`, `linked` or `failed`."""
    problem: str = ""
    warnings: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, object]:
        """The JSON object that `--json` prints."""
        similarity = self.similarity
        return {
            "kind": self.kind,
            "newer": _named(self.newer),
            "older": _named(self.older),
            "cosine": round(similarity.cosine, 4) if similarity else None,
            "shingles": round(similarity.shingles, 4) if similarity else None,
            "why": self.why,
            "newer_only": self.newer_only,
            "older_only": self.older_only,
            "outcome": self.outcome,
            "problem": self.problem or None,
            "warnings": self.warnings,
        }


@dataclass
class Consolidation:
    """The result of a search for pairs."""

    compared: int = 0
    """The number of active memories that were compared."""
    pairs: list[Pair] = field(default_factory=list)
    kept_apart: int = 0
    """The number of similar pairs that were left out because somebody has linked them or undone the link."""
    warnings: list[str] = field(default_factory=list)


def find_pairs(store: StoreWriter, category: "Category | None" = None) -> Consolidation:
    """Find the pairs among the active memories of one category, or of every category. Reads every file, writes none.

    If several memories say the same, the newest is `newer` in each of their pairs. Raises `UsageError` for an unknown
    category.
    """
    found = Consolidation()
    by_category: dict[str, list[Memory]] = defaultdict(list)
    for memory in store.memories(category):
        by_category[memory.category].append(memory)
    for name, memories in by_category.items():
        memories.sort(key=_age, reverse=True)
        if len(memories) > MAX_COMPARED:
            found.warnings.append(
                f"only the newest {MAX_COMPARED} of {len(memories)} memories in the category `{name}` were compared"
            )
        _find_in_category(store, memories[:MAX_COMPARED], found)
    _add_recorded(store, [memory for memories in by_category.values() for memory in memories], found)
    return found


@operation("consolidate")
def link(store: StoreWriter, found: Consolidation, contradictions: bool = False) -> None:
    """Make the newer memory of each pair supersede the older, which is then retired. Each pair is one transaction.

    Contradictions are only linked with `contradictions`. If a pair cannot be linked, its outcome is `failed`, and the
    next pair follows.
    """
    gone: set[str] = set()
    for pair in found.pairs:
        if pair.kind != DUPLICATE and not contradictions:
            continue
        if pair.newer.path in gone or pair.older.path in gone:
            continue
        name = pair.older.name
        try:
            newer = store.show(pair.newer.name)
            if newer.status != "active" or store.show(name).hash != pair.older.hash:
                pair.outcome, pair.problem = "failed", "one of the two memories has changed meanwhile"
                continue
            known = names_in(newer.record, "supersedes")
            if len(known) >= MAX_NAMES:
                pair.outcome, pair.problem = "failed", f"`{newer.id}` supersedes {len(known)} memories already"
                continue
            patch = {"cuecard": {"supersedes": [*known, name]}}
            summary = f"consolidated with {pair.older.id}: {pair.why}"
            written = store.update(newer.name, patch, expect_hash=newer.hash, summary=summary)
        except CuecardError as error:
            pair.outcome, pair.problem = "failed", error.what
            continue
        pair.warnings = written.warnings
        if pair.older.id in written.superseded:
            pair.outcome = "linked"
            gone.add(pair.older.path)
        else:
            pair.outcome, pair.problem = "failed", "; ".join(written.warnings)


@operation("consolidate --undo")
def unlink(store: StoreWriter, name: str) -> list[str]:
    """Restore a superseded memory and remove its name from every `supersedes` list. Returns the written paths.

    Raises what `Store.restore` and `Store.update` raise. A second call with the same name writes nothing.
    """
    memory = store.show(name)
    written = []
    if memory.status == "retired":
        restored = store.restore(memory.name, reason="consolidation undone", expect_hash=memory.hash)
        written.append(restored.target)
    for other in store.memories(status="all"):
        names = names_in(other.record, "supersedes")
        kept = [named for named in names if not _means(store, named, memory)]
        if len(kept) < len(names):
            patch = {"cuecard": {"supersedes": kept or None}}
            summary = f"supersedes {memory.id} no longer: consolidation undone"
            done = store.update(other.name, patch, expect_hash=other.hash, summary=summary)
            if done.status != "unchanged":
                written.append(done.target)
    return written


def _find_in_category(store: StoreWriter, memories: list[Memory], found: Consolidation) -> None:
    """Add the pairs within one category to `found`; `memories` are sorted with the newest first."""
    profiles = [profile for memory in memories if (profile := make_profile(memory))]
    found.compared += len(profiles)
    repeated: set[str] = set()
    met: set[tuple[str, str]] = set()
    for place, newer in enumerate(profiles):
        if newer.memory.path in repeated:
            continue
        for older in profiles[place + 1 :]:
            similarity = compare(newer, older)
            if older.memory.path in repeated or similarity is None or not similarity.is_near_duplicate:
                continue
            met.add((newer.memory.path, older.memory.path))
            if _are_opposed(store, newer.memory, older.memory):
                # `_add_recorded` lists this pair as a contradiction.
                continue
            if _was_parted(store, newer.memory, older.memory):
                found.kept_apart += 1
                continue
            pair = _explain(newer, older, similarity)
            found.pairs.append(pair)
            if pair.kind == DUPLICATE:
                repeated.add(older.memory.path)
    claims, of_path = Claims(), {profile.memory.path: profile for profile in profiles}
    for older in profiles:
        if older.memory.path in repeated:
            continue
        for other, why in claims.find_opposed(older.memory):
            newer = of_path[other.path]
            if (other.path, older.memory.path) in met:
                continue
            if _was_parted(store, other, older.memory):
                found.kept_apart += 1
            else:
                found.pairs.append(_pair(CONTRADICTION, newer, older, compare(newer, older), why))
        claims.add(older.memory)


def _add_recorded(store: StoreWriter, memories: list[Memory], found: Consolidation) -> None:
    """Add the contradictions that `cuecard.contradicts` records, also between memories of two categories."""
    of_path = {memory.path: memory for memory in memories}
    met = {frozenset((pair.newer.path, pair.older.path)) for pair in found.pairs if pair.kind == CONTRADICTION}
    for memory in memories:
        for name in names_in(memory.record, "contradicts")[:MAX_NAMES]:
            places = find_places(store.root, store.memory_dir, name)
            other = of_path.get(places[0][1]) if len(places) == 1 else None
            both = frozenset((memory.path, other.path)) if other else frozenset[str]()
            if other is None or len(both) == 1 or both in met:
                continue
            met.add(both)
            newer, older = sorted((memory, other), key=_age, reverse=True)
            found.pairs.append(Pair(CONTRADICTION, newer, older, None, f"recorded in `{memory.name}`"))


def _explain(newer: Profile, older: Profile, similarity: Similarity) -> Pair:
    """The pair of two similar memories: a contradiction if their differing words are opposites, else a duplicate."""
    mine, others = words_only_in(newer, older), words_only_in(older, newer)
    against = opposite_words(frozenset(mine), frozenset(others)) or other_numbers(
        frozenset([word for word in mine if is_number(word)]), frozenset([word for word in others if is_number(word)])
    )
    denies = [any(word in NEGATIONS or word.endswith("n't") for word in words) for words in (mine, others)]
    if not against and denies[0] != denies[1]:
        against = "only one of the two is negated"
    against = against or _denied_by_one(newer, older)
    if against:
        return _pair(CONTRADICTION, newer, older, similarity, f"{against}, otherwise similar: {similarity.describe()}")
    return _pair(DUPLICATE, newer, older, similarity, similarity.describe())


def _denied_by_one(newer: Profile, older: Profile) -> str:
    """Explain which word only one memory denies and both use; "" for none. `PostgreSQL, not MySQL` denies `mysql`."""
    for one, other in ((newer, older), (older, newer)):
        for word in sorted(_denied(one.words) - _denied(other.words)):
            if word in other.words and _denied(other.words):
                return f"only one of the two denies `{word}`"
    return ""


def _denied(words: list[str]) -> frozenset[str]:
    """The denied words: for each negation, the first word behind it that is not a stop word."""
    found = set()
    for place, word in enumerate(words):
        if word in NEGATIONS:
            behind = [each for each in words[place + 1 : place + 1 + MAX_DENIED_APART] if each not in STOP_WORDS]
            found.update(behind[:1])
    return frozenset(found)


def _are_opposed(store: StoreWriter, one: Memory, other: Memory) -> bool:
    """Whether one of two memories names the other in `contradicts`."""
    return any(
        _means(store, name, named)
        for naming, named in ((one, other), (other, one))
        for name in names_in(naming.record, "contradicts")[:MAX_NAMES]
    )


def _pair(kind: str, newer: Profile, older: Profile, similarity: Similarity | None, why: str) -> Pair:
    mine, others = words_only_in(newer, older)[:MAX_WORDS_TOLD], words_only_in(older, newer)[:MAX_WORDS_TOLD]
    return Pair(kind, newer.memory, older.memory, similarity, why, mine, others)


def _was_parted(store: StoreWriter, newer: Memory, older: Memory) -> bool:
    """Whether somebody has linked two memories, or has undone the link.

    A link is a name in `supersedes`. The history of a restored memory shows a link that was undone.
    """
    for one, other in ((newer, older), (older, newer)):
        if any(_means(store, name, other) for name in names_in(one.record, "supersedes")):
            return True
        history = other.record.get("changes")
        wanted = f"retired: superseded by {one.id}"
        if isinstance(history, list) and any(
            isinstance(entry, dict) and entry.get("summary") == wanted for entry in history
        ):
            return True
    return False


def _means(store: StoreWriter, name: str, memory: Memory) -> bool:
    """Whether a name in `supersedes` or `contradicts` resolves to this memory and to no other."""
    return memory.id in name and [path for _category, path in find_places(store.root, store.memory_dir, name)] == [
        memory.path
    ]


def _age(memory: Memory) -> tuple[str, str, str]:
    updated, created = memory.record.get("updated_at"), memory.record.get("created_at")
    return str(updated or ""), str(created or ""), memory.id


def _named(memory: Memory) -> dict[str, str]:
    return {"category": memory.category, "id": memory.id, "title": memory.title, "path": memory.path}

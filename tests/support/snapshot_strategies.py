"""Strategies for snapshots: stores of memory files, changes to the stores, and prompts."""

import json
from functools import cache

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from cuecard.basics.category import FOLDERS
from format_strategies import PROMPT_WORDS, descriptions, json_files, memories, phrases, prompts, texts
from pooled import pooled

# A memory file: category of its folder, path, content, size, and modification time in nanoseconds.
File = tuple[str, str, bytes | None, int, int]
Filters = tuple[list[str], list[str], list[str], int | None, int | None, str]

STORE = ".claude/memory/"
STRATEGIES = ("keyword", "keyword_classic", "bm25", "vectors", "tfidf", "hybrid")
STATUSES = ("active", "retired", "archived", "other")
TIMES = (None, -1, 0, 1_767_312_000_000_000, 2**62)
DATES = ("2026-01-02", "2026-01-02T00:00:00Z", "2025-06-30T23:59:59+09:00", "yesterday")
# Names of memories. Some of them are also parts of paths in the stores.
NAMES = (
    "a",
    "b",
    "b-2",
    "decision/a",
    "runbooks/b.json",
    ".claude/memory/constraints/a.json",
    "nobody",
    "",
    "..",
    "\u00e9",
)
PATH_PARTS = ("src", "lib", "a.py", "b.ts", "*", "**", "*.py", "?.py", "a", "\u00e9.md", "[x].ts", "docker.yml")


@cache
def paths() -> SearchStrategy[str]:
    """Paths in a project, including patterns and a few invalid paths."""
    whole = st.lists(st.sampled_from(PATH_PARTS), min_size=1, max_size=4).map("/".join)
    begun = st.sampled_from(["", "", "", "./", "/", "../", " ", "x\\"])
    ended = st.sampled_from(["", "", "", "/", "\n", " "])
    return st.one_of(st.tuples(begun, whole, ended).map("".join), st.sampled_from(PATH_PARTS), texts())


WORDS = st.lists(st.sampled_from(PROMPT_WORDS), max_size=4)
TITLES = st.one_of(phrases(), phrases(), texts(), WORDS.map(lambda found: "-> ".join(found)))
FEW_PROMPTS = st.lists(prompts(), max_size=2)
QUESTIONS = st.lists(st.one_of(phrases(), texts(), st.sampled_from(["", " ", "a\nb", "\r"])), max_size=7)
FEW_PATHS = st.lists(paths(), max_size=3)
FEW_NAMES = st.lists(st.one_of(st.sampled_from(NAMES), texts()), max_size=2)


@cache
@st.composite
def _whole_memories(draw: st.DrawFn) -> bytes:
    """Memories with all members that cuecard reads, made of words that also occur in prompts."""
    memory: dict[str, object] = {"title": draw(TITLES), "tags": draw(WORDS)}
    if draw(st.booleans()):
        memory["content"] = {"a": draw(phrases()), "b": draw(FEW_PROMPTS)}
    if draw(st.integers(0, 3)) == 0:
        memory["record_status"] = draw(st.sampled_from([*STATUSES, None, "Active"]))
    if draw(st.integers(0, 3)) == 0:
        memory["category"] = draw(st.sampled_from(["decision", "OWN", "runbook", "stra\xdfe", "a]b"]))
    if draw(st.booleans()):
        memory["updated_at"] = draw(st.sampled_from(DATES))
    if draw(st.integers(0, 2)) == 0:
        memory["related_files"] = draw(FEW_PATHS)
    if draw(st.integers(0, 2)) == 0:
        memory["cuecard"] = {"anchors": draw(FEW_PATHS), "supersedes": draw(FEW_NAMES), "contradicts": draw(FEW_NAMES)}
    if draw(st.integers(0, 2)) == 0:
        memory["cuecard"] = {
            "questions": draw(st.one_of(QUESTIONS, st.sampled_from([None, "a", [1], {}, ["x" * 201]]))),
            "valid_from": draw(st.sampled_from([None, *DATES, 1])),
            "valid_until": draw(st.sampled_from([None, *DATES, "20260102", ""])),
        }
    return json.dumps(memory).encode()


def _any_contents() -> SearchStrategy[bytes | None]:
    whole = _whole_memories()
    damaged = json_files(whole.map(lambda data: data.decode()))
    return st.one_of(whole, whole, whole, whole, memories(), damaged, st.none())


# Contents of memory files; some of them are invalid.
CONTENTS = pooled(_any_contents)


@st.composite
def files_at(draw: st.DrawFn, places: list[tuple[str, str]]) -> list[File]:
    """For each of the given pairs of category and path, one memory file."""
    found: list[File] = []
    for category, path in places:
        data = draw(CONTENTS)
        modified = draw(st.sampled_from([0, -1, 1_700_000_000_123_456_789]))
        found.append((category, path, data, len(data or b""), modified))
    return found


PLACES = [
    (category, f"{STORE}{folder}/{name}.json")
    for folder, category in FOLDERS
    for name in ("a", "b", "b-2", "\u00e9", "#tags:x", "a b", "->")
]


@cache
def stores(most: int = 6) -> SearchStrategy[list[File]]:
    """The memory files of a store, in any order."""
    places = st.lists(st.sampled_from(PLACES), max_size=most, unique=True)
    return places.flatmap(files_at)


def in_scan_order(files: list[File]) -> list[File]:
    """The files in the order in which a scan of the folders finds them."""
    folders = [folder for folder, _category in FOLDERS]

    def place(file: File) -> tuple[int, str]:
        _store, folder, name = file[1].rsplit("/", 2)
        return folders.index(folder), name

    return sorted(files, key=place)


def changes_of(files: list[File]) -> SearchStrategy[tuple[list[File], list[str]]]:
    """Changes to a store: files that are written, some of them over existing files, and paths that are removed."""
    places = st.lists(st.sampled_from(PLACES), max_size=4, unique=True)
    removed = st.lists(st.sampled_from([file[1] for file in files] or ["none"]), max_size=3, unique=True)
    return st.tuples(places.flatmap(files_at), removed).map(
        lambda change: (change[0], [path for path in change[1] if path not in {file[1] for file in change[0]}])
    )


@cache
@st.composite
def changed_stores(draw: st.DrawFn) -> tuple[list[File], list[File], list[str]]:
    """The files of a store, files that are written later, and paths that are removed later."""
    files = draw(stores())
    changed, removed = draw(changes_of(files))
    return files, changed, removed


def after(files: list[File], changed: list[File], removed: list[str]) -> list[File]:
    """The files of a store after a change."""
    gone = {*removed, *(file[1] for file in changed)}
    return [file for file in files if file[1] not in gone] + changed


@cache
def filters() -> SearchStrategy[Filters]:
    """Filters of every kind; most of them accept at least one memory."""
    categories = st.lists(st.sampled_from(["decision", "DECISION", "own", "Runbook", "x\ud800"]), max_size=2)
    words = st.lists(st.sampled_from(["docker", "ci", "k8s", "\ud800"]), max_size=1)
    paths = st.sampled_from(["", "", "decisions/", "runbooks/b", "\ud800"])
    statuses = st.lists(st.sampled_from(STATUSES), max_size=2)
    times = st.sampled_from(TIMES)
    return st.tuples(categories, words, statuses, times, times, paths)


@cache
def settings() -> SearchStrategy[tuple[float, tuple[float, ...], tuple[float, ...]]]:
    """Values of k1, of the weights and of b, including the limits of their ranges."""
    weight, b = st.sampled_from([0.0, 0.5, 3.0, 100.0]), st.sampled_from([0.0, 0.3, 0.75, 1.0])
    k1 = st.sampled_from([0.0, 1.2, 10.0])
    return st.tuples(k1, st.tuples(weight, weight, weight, weight), st.tuples(b, b, b, b))


@cache
def synonyms() -> SearchStrategy[list[list[str]]]:
    """Groups of synonyms."""
    word = st.one_of(st.sampled_from(PROMPT_WORDS), phrases(), texts())
    return st.lists(st.lists(word, max_size=4), max_size=3)


@cache
def questions() -> SearchStrategy[tuple[str, list[tuple[str, str]], list[list[str]]]]:
    """Prompts with the descriptions and synonyms of a project."""
    return st.tuples(prompts(), descriptions(), synonyms())


@cache
def lexical_configs() -> SearchStrategy[bytes]:
    """Configurations with valid and invalid lexical settings."""
    number: SearchStrategy[object] = st.sampled_from(
        [0, -0.0, 1, 1.5, 10, 10.000001, 100, 101, -1, 2**70, "1", None, True, [], {}]
    )
    fields = st.one_of(st.dictionaries(st.sampled_from(["title", "tags", "questions", "body", "x"]), number), number)
    lexical = st.one_of(st.fixed_dictionaries({}, optional={"k1": number, "weights": fields, "b": fields}), number)
    group: SearchStrategy[object] = st.one_of(st.lists(st.one_of(phrases(), number), max_size=3), number)
    words = st.lists(st.lists(phrases(), max_size=3), max_size=3)
    groups = st.one_of(words, words, st.lists(group, max_size=3), number)
    retrieval = st.one_of(st.fixed_dictionaries({}, optional={"lexical": lexical, "synonyms": groups}), number)
    return json_files(st.fixed_dictionaries({}, optional={"retrieval": retrieval}).map(json.dumps))

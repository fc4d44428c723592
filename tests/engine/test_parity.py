"""Both backends with random inputs: they give equal values and equal errors, and each has the same properties."""

import inspect
import json
import re
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cuecard
from backends import outcome
from cuecard import Strategy
from cuecard import _pure as pure
from cuecard._pure.engine.recalled_memory import Ranking
from cuecard._pure.guard.shell_commands import find_writes
from cuecard._pure.memory.gist import gist_of_file
from cuecard._pure.memory.schema import check_schema
from cuecard._pure.present.render import render
from cuecard._pure.requests.results import StoredMemory
from cuecard._pure.text.token_estimate import estimate_tokens
from cuecard.basics import timestamp
from cuecard.basics.chars import scrub
from format_strategies import (
    LINE_PARTS,
    STRATEGY_NAMES,
    commands,
    configs,
    damaged_memories,
    descriptions,
    index_files,
    index_lines,
    prompts,
    revisions,
    sign_texts,
    strung,
    tags,
    texts,
    told_memories,
)
from settings_cases import seen
from snapshots import by_path
from test_vectors import fold

# The profile `deep` runs many examples, so it needs more time.
pytestmark = pytest.mark.timeout(7200)

BOTH_REVISIONS = st.sampled_from(["current", "classic"])
SCHEMAS = sorted(Path(cuecard.__path__[0], "assets", "schemas").glob("*.json"))
NAMES = st.one_of(st.sampled_from([*STRATEGY_NAMES, "current", "classic", "safe", "plain", "claude-code"]), texts())


def answer(snapshot: pure.Snapshot, method: str, *arguments: object) -> str:
    """The result of a snapshot's method that returns positions; in the result, paths replace the positions."""
    return outcome(lambda: by_path(snapshot, getattr(snapshot, method)(*arguments)))


def assert_equal(native: ModuleType, name: str, *arguments: object) -> None:
    assert outcome(getattr(native, name), *arguments) == outcome(getattr(pure, name), *arguments)


# Function by function


@given(texts(), revisions())
def test_tokens_are_equal(native: ModuleType, text: str, revision: str) -> None:
    assert_equal(native, "tokenize", text, revision)


@given(st.one_of(index_lines(), texts()))
def test_index_lines_have_equal_parts(native: ModuleType, line: str) -> None:
    assert_equal(native, "parse_index_line", line)


@given(sign_texts())
def test_signs_of_instructions_are_equal(native: ModuleType, text: str) -> None:
    assert_equal(native, "instruction_signs", text)
    assert native.instruction_signs(text, learned=True) == pure.instruction_signs(text, learned=True)


@given(st.none() | configs(), st.none() | configs())
def test_settings_are_read_equally(native: ModuleType, user: bytes | None, repository: bytes | None) -> None:
    ours, theirs = native.read_settings(user, repository), pure.read_settings(user, repository)
    # NaN is not equal to itself, so the texts of the values are compared.
    assert repr(seen(native, ours)) == repr(seen(native, theirs))


@given(index_files())
def test_indexes_hold_the_same(native: ModuleType, data: bytes) -> None:
    ours, theirs = native.IndexMd(data), pure.IndexMd(data)
    assert ours.bad_lines == theirs.bad_lines
    assert repr(ours.entries) == repr(theirs.entries)


@given(index_files(), prompts(), revisions(), descriptions(), st.integers(-2, 14))
def test_shortlists_and_their_explanations_are_equal(
    native: ModuleType,
    data: bytes,
    prompt: str,
    revision: str,
    descriptions: list[tuple[str, str]],
    position: int,
) -> None:
    ours, theirs = native.IndexMd(data), pure.IndexMd(data)
    asked = (prompt, revision, descriptions)
    assert outcome(ours.shortlist, *asked) == outcome(theirs.shortlist, *asked)
    assert outcome(ours.explain, position, *asked) == outcome(theirs.explain, position, *asked)


@given(
    index_files(),
    st.lists(st.tuples(st.integers(-1, 8), st.integers(0, 9)), max_size=8),
    st.lists(st.one_of(st.none(), st.integers(0, 1)), max_size=9),
)
def test_ranks_are_equal(
    native: ModuleType, data: bytes, shortlist: list[tuple[int, int]], verdicts: list[int | None]
) -> None:
    assert outcome(native.IndexMd(data).rank, shortlist, verdicts) == outcome(
        pure.IndexMd(data).rank, shortlist, verdicts
    )


CLASSES = {"IndexMd", "Loaded", "RecalledMemory", "Snapshot"}


@pytest.mark.parametrize("name", sorted({*pure.__all__} - CLASSES))
def test_signatures_are_equal(native: ModuleType, name: str) -> None:
    assert list(inspect.signature(getattr(native, name)).parameters) == list(
        inspect.signature(getattr(pure, name)).parameters
    )


# Attributes of a memory that only the pure backend itself uses.
INSIDE = {"contradictions", "data", "origin", "stamp", "standing", "updated_at"}


def test_both_have_the_same_names_and_methods(native: ModuleType) -> None:
    def callables(owner: object) -> dict[str, list[str]]:
        found = {name: getattr(owner, name) for name in dir(owner) if not name.startswith("_")}
        methods = {name: method for name, method in found.items() if callable(method)}
        return {name: list(inspect.signature(method).parameters) for name, method in methods.items()}

    assert {*native.__all__} - {"__version__", "run_hook"} == {*pure.__all__}
    assert callables(native.IndexMd) == callables(pure.IndexMd)
    assert {"entries", "bad_lines"} <= {*dir(native.IndexMd)} & {*dir(pure.IndexMd(b""))}
    for name, parameters in callables(native.Snapshot).items():
        assert list(inspect.signature(getattr(pure.Snapshot, name)).parameters) == parameters
    properties = {name for name in dir(native.RecalledMemory) if not name.startswith("_")}
    memory = pure.RecalledMemory(0, StoredMemory("", "active", None, None, 0, 0), Ranking(0))
    assert properties == {name for name in dir(memory) if not name.startswith("_")} - INSIDE
    assert list(inspect.signature(native.IndexMd).parameters) == list(inspect.signature(pure.IndexMd).parameters)


# Properties of each backend


@given(index_files(), prompts(), BOTH_REVISIONS, descriptions())
def test_the_parts_of_a_score_sum_to_it(
    reference: ModuleType, data: bytes, prompt: str, revision: str, descriptions: list[tuple[str, str]]
) -> None:
    index = reference.IndexMd(data)
    scores = dict(index.shortlist(prompt, revision, descriptions))
    for position in range(len(index.entries)):
        parts = index.explain(position, prompt, revision, descriptions)
        assert sum(points for _, _, _, points in parts) == scores.get(position, 0)


@given(index_files(), prompts(), BOTH_REVISIONS, st.lists(st.one_of(st.none(), st.integers(0, 1)), max_size=20))
def test_a_rank_keeps_its_order_and_what_was_not_dropped(
    reference: ModuleType, data: bytes, prompt: str, revision: str, verdicts: list[int | None]
) -> None:
    index = reference.IndexMd(data)
    shortlist = index.shortlist(prompt, revision, [])
    ranked = index.rank(shortlist, verdicts)
    dropped = {position for (position, _), verdict in zip(shortlist, verdicts, strict=False) if verdict is None}
    assert {position for position, _ in ranked} == {position for position, _ in shortlist} - dropped
    scores = [score for _, score in ranked]
    assert scores == sorted(scores, reverse=True)


@given(
    st.lists(st.tuples(st.sampled_from(["DECISION", "_X"]), texts(), texts(), tags()), min_size=1, max_size=4),
    descriptions(),
)
def test_nothing_printed_can_close_the_frame(
    entries: list[tuple[str, str, str, list[str]]], descriptions: list[tuple[str, str]]
) -> None:
    block = render(entries, descriptions, "safe", 10**6)
    assert block.startswith('<memory-context source=".claude/memory/"')
    assert block.endswith("</memory-context>\n")
    assert block.count("<") == block.count(">") - len(entries) == 2
    first, *lines = block.split("\n")
    assert first.count('"') in (2, 4)
    assert first.endswith('">')
    assert len(lines) == len(entries) + 2
    assert all(line.startswith(("- [DECISION] ", "- [_X] ")) for line in lines[:-2])


@given(
    st.lists(st.tuples(st.just("DECISION"), prompts(), texts(), tags()), max_size=4),
    descriptions(),
    st.integers(0, 600),
    st.integers(0, 600),
)
def test_a_larger_budget_never_changes_earlier_entries(
    entries: list[tuple[str, str, str, list[str]]],
    descriptions: list[tuple[str, str]],
    one: int,
    other: int,
) -> None:
    def shown(budget_chars: int) -> list[str]:
        block: str = render(entries, descriptions, "safe", budget_chars)
        assert len(block) <= budget_chars
        return block.split("\n")[1:-2]

    shorter, longer = sorted([shown(one), shown(other)], key=len)
    assert longer[: len(shorter)] == shorter


@given(told_memories())
def test_a_gist_is_one_short_line_of_what_the_memory_says(data: bytes) -> None:
    record = json.loads(data)
    gist = gist_of_file(data)
    is_given = bool((record.get("cuecard", {}).get("gist") or "").strip())
    assert len(gist) <= (200 if is_given else 160)
    assert gist.split() == gist.split(" ") or not gist
    if is_given or isinstance(record["content"], str):
        said = record["cuecard"]["gist"] if is_given else record["content"]
        assert "".join(gist.removesuffix("\u2026").split()) in "".join(scrub(said).split())


@given(texts(), texts())
def test_an_estimate_of_two_texts_is_about_that_of_each(one: str, other: str) -> None:
    apart = estimate_tokens(one) + estimate_tokens(other)
    # Each of the three estimates is rounded once. No run of characters crosses a line end, and the line feed counts,
    # too.
    assert abs(estimate_tokens(f"{one}\n{other}") - apart) <= 2


@given(commands())
def test_what_is_quoted_is_data(command: str) -> None:
    quoted = "echo '" + command.replace("'", "") + "' > .claude/memory/index.md"
    assert find_writes("shell", quoted, "/p", "/h", "") == [("write", "/p/.claude/memory/index.md")]


@given(st.data(), st.sampled_from(SCHEMAS))
def test_what_the_schema_takes_is_what_the_models_take(data: st.DataObject, schema: Path) -> None:
    from cuecard.store.records.record import MODELS  # noqa: PLC0415 - pydantic, which nothing else here needs

    category = schema.name.partition(".")[0]
    memory = data.draw(damaged_memories(category))
    try:
        MODELS[category].model_validate(json.loads(memory))
        is_sound = True
    except ValueError:
        is_sound = False
    assert (check_schema(memory, schema.read_bytes()) == []) == is_sound


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with thirty memories.

    Some are retired, some are recent, some are broken, and some have paths outside of the store.
    """
    root = tmp_path_factory.mktemp("store")
    folder = root / ".claude" / "memory" / "decisions"
    folder.mkdir(parents=True)
    contents = [
        "{}",
        '{"record_status": "retired"}',
        '{"updated_at": "2999-01-01"}',
        "{",
        '{"updated_at": "2001-01-01"}',
    ]
    words = ["docker", "cache", "auth", "Dockerfile CI", "authentication docker"]
    lines = []
    for number in range(30):
        (folder / f"{number}.json").write_text(contents[number % 5])
        path = f".claude/memory/decisions/{number}.json" if number % 7 else "../outside.json"
        lines.append(f"- [DECISION] {words[number % 4]} {number} -> {path} #tags:{words[number % 3]}")
    (folder.parent / "index.md").write_text("\n".join(lines))
    return root


@given(prompts(), st.sampled_from(["keyword", "keyword_classic"]), st.integers(1, 31))
def test_a_longer_limit_never_changes_earlier_hits(store: Path, prompt: str, strategy: Strategy, limit: int) -> None:
    longest = [hit.path for hit in cuecard.search(prompt, root=store, strategy=strategy, k=31)]
    found = [hit.path for hit in cuecard.search(prompt, root=store, strategy=strategy, k=limit)]
    assert found == longest[:limit]


# An index line by the rule of the claude-memory plugin; the pattern must match the whole stripped line.
REFERENCE_LINE = re.compile(r"-\s+\[([A-Z_]+)\]\s+(.+?)\s+->\s+(\S+)(?:\s+#tags:(.+))?\Z")


@given(st.one_of(index_lines(), strung(LINE_PARTS)))
def test_index_lines_are_those_of_the_reference_expression(engine: ModuleType, line: str) -> None:
    found = REFERENCE_LINE.match(re.sub("[\ud800-\udfff]", "\ufffd", line).strip())
    parts = engine.parse_index_line(line)
    if found is None:
        assert parts is None
        return
    category, title, path, listed = found.groups()
    expected = sorted({folded(engine, tag.strip()) for tag in (listed or "").split(",")} - {""})
    assert parts == (category, title.strip(), path, expected)


def folded(engine: ModuleType, tag: str) -> str:
    """A tag, stripped and without commas, in the form that an index line gives to it."""
    return fold(engine, tag) if tag else ""


@given(st.one_of(index_lines(), texts()))
def test_a_parsed_line_written_again_is_parsed_the_same(engine: ModuleType, line: str) -> None:
    parts = engine.parse_index_line(line)
    if parts and parts[1]:
        category, title, path, tags = parts
        marked = f" #tags:{','.join(tags)}" if tags else ""
        assert engine.parse_index_line(f"- [{category}] {title} -> {path}{marked}") == parts


@given(texts(), BOTH_REVISIONS)
def test_tokens_are_those_of_the_reference_rule(engine: ModuleType, text: str, revision: str) -> None:
    shortest = {"current": 2, "classic": 3}[revision]
    runs = dict.fromkeys(re.findall("[a-z0-9]+", text.lower()))
    kept = [run for run in runs if len(run) >= shortest]
    tokens = engine.tokenize(text, revision)
    assert set(tokens) <= set(kept)
    assert tokens == [run for run in kept if run in tokens]
    assert all(engine.tokenize(run, revision) == [] for run in set(kept) - set(tokens))


@given(st.lists(st.tuples(st.integers(0, 19), st.sampled_from("0123456789-:.TZ Wz+,x\u0662\t")), max_size=3))
def test_a_whole_time_is_read_as_any_other(changes: list[tuple[int, str]]) -> None:
    chars = [*"2026-01-31T12:00:00Z"]
    for place, char in changes:
        chars[place] = char
    text = "".join(chars)
    assert timestamp.parse_timestamp(text) == timestamp._parse_any(text)

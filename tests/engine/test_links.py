"""Links and situations: both backends give equal answers, and each has the same properties (SPEC 33, 34)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asking import ask
from backends import outcome
from cuecard import _pure as pure
from cuecard._pure.engine.snapshot import find_successor
from cuecard._pure.host.mentioned_paths import mentioned_paths
from cuecard._pure.memory.links import MAX_LINKS, normalize_path
from cuecard._pure.memory.path_pattern import matches_path
from cuecard._pure.rank.situation import FEW
from cuecard._pure.retrieve.anchors import FOUND_MAX
from cuecard.basics.chars import scrub
from cuecard.basics.light_dataclass import replace
from format_strategies import prompts, texts
from snapshot_strategies import STORE, File, after, changed_stores, paths, stores
from snapshots import build, build_changed, path_at, position_of
from test_parity import answer

if TYPE_CHECKING:
    from types import ModuleType

# The profile `deep` runs many examples, so it needs more time.
pytestmark = pytest.mark.timeout(7200)

NOW = 1_768_046_400_000_000
NUMBERS = (2.0, (3.0, 4.0, 2.0, 1.0), (0.75, 0.75, 0.75, 0.75))
LOOKUPS = ("anchored", "anchored_name", "anchored_below")
Change = tuple[list[File], list[File], list[str]]
Situation = tuple[list[str], list[str], list[str]]


def situations() -> st.SearchStrategy[Situation]:
    """Situations with paths in a prompt, changed files, and areas of every kind."""
    kinds = st.sampled_from(["", "tag:", "category:", "path:", "other:"])
    names = st.sampled_from(["docker", "CI", "decision", "Tech-Debt", "src", "src/a.py", ""])
    areas = st.tuples(kinds, st.one_of(names, paths())).map("".join)
    return st.tuples(st.lists(paths(), max_size=3), st.lists(paths(), max_size=3), st.lists(areas, max_size=2))


def open_files(engine: ModuleType, files: list[File]) -> pure.Snapshot:
    return build(engine, files, NUMBERS)


def open_change(engine: ModuleType, change: Change) -> pure.Snapshot:
    """A snapshot of files after a change; the native snapshot has a delta."""
    return build_changed(engine, change, NUMBERS)


def paths_found(snapshot: pure.Snapshot, name: str, path: str) -> list[str]:
    """The paths of the memories that the snapshot's method `name` finds for `path`."""
    return [path_at(snapshot, position) for position in getattr(snapshot, name)(path)]


def memory(name: str, **record: object) -> File:
    data = json.dumps({"title": name, **record}).encode()
    return "decision", f"{STORE}decisions/{name}.json", data, len(data), 0


@given(changed_stores(), st.lists(paths(), max_size=4))
def test_both_backends_know_the_same_paths(native: ModuleType, change: Change, asked: list[str]) -> None:
    ours, theirs = open_change(native, change), open_change(pure, change)
    for path in [*asked, "src/a.py", "a.py", "src"]:
        assert ours.is_anchored(path) == theirs.is_anchored(path)


@given(changed_stores(), st.lists(paths(), max_size=4))
def test_base_and_delta_find_what_a_whole_snapshot_finds(
    reference: ModuleType, change: Change, asked: list[str]
) -> None:
    in_two, whole = open_change(reference, change), open_files(reference, after(*change))

    def line(snapshot: pure.Snapshot, position: int) -> str:
        document = snapshot.document(position)
        assert document is not None
        assert document[1] == "active"
        return document[0]

    for path in [*asked, "src/a.py", "a.py", "src"]:
        for name in LOOKUPS:
            found = [[line(each, position) for position in getattr(each, name)(path)] for each in (in_two, whole)]
            assert found[0] == found[1]
    for file in after(*change):
        places = in_two.find(file[1]), whole.find(file[1])
        if places[0] is not None and places[1] is not None:
            heads = in_two.document(find_successor(in_two, places[0])), whole.document(find_successor(whole, places[1]))
            assert heads[0] == heads[1]


@given(stores())
def test_a_successor_is_active_or_the_memory_itself(reference: ModuleType, files: list[File]) -> None:
    snapshot = open_files(reference, files)
    for position in range(len(snapshot)):
        head = find_successor(snapshot, position)
        document = snapshot.document(head)
        assert head == position or (document is not None and document[1] == "active")


@given(paths())
def test_whatever_path_there_is_is_covered_by_itself(reference: ModuleType, path: str) -> None:
    snapshot = open_files(reference, [memory("a", related_files=[path]), memory("b", related_files=["x/y.md"])])
    if normalize_path(scrub(path)) is None:
        assert snapshot.anchored(path) == []
    elif not any(sign in path for sign in "*?"):
        assert snapshot.anchored(path) == [0]
        assert snapshot.anchored(f"{path.rstrip()}/z.py") == [0]


@given(st.lists(st.one_of(paths(), texts(), st.sampled_from(["(", "`", "://", "를", "@", "[", "]", ":", " "]))))
def test_a_path_that_is_found_is_found_again_when_it_is_the_whole_text(pieces: list[str]) -> None:
    for glue in (" ", ""):
        # Paths are an exception if they begin with a sign that is only accepted after a folder.
        plain = [path for path in mentioned_paths(glue.join(pieces)) if not path.startswith(("@", "+", "-"))]
        assert [mentioned_paths(path) for path in plain] == [[path] for path in plain]


@given(changed_stores(), prompts(), situations(), st.integers(0, 4))
def test_both_backends_recall_the_same_in_a_situation(
    native: ModuleType, change: Change, prompt: str, situation: Situation, k: int
) -> None:
    ours, theirs = open_change(native, change), open_change(pure, change)
    asked = [ask(snapshot, prompt, k, now=NOW, situation=situation) for snapshot in (ours, theirs)]
    for setting in ("off", "balanced"):
        assert answer(ours, "recall", asked[0], setting) == answer(theirs, "recall", asked[1], setting)
    for path in {file[1] for file in change[0] + change[1]}:
        traced = outcome(ours.trace, position_of(ours, path), asked[0])
        assert traced == outcome(theirs.trace, position_of(theirs, path), asked[1])


@given(changed_stores(), prompts())
def test_an_empty_situation_changes_nothing(reference: ModuleType, change: Change, prompt: str) -> None:
    snapshot = open_change(reference, change)
    asked = ask(snapshot, prompt, 9, now=NOW)
    assert snapshot.recall(asked, "off") == snapshot.recall(replace(asked, situation=([], [], [])), "off")


@given(changed_stores(), prompts(), situations())
def test_a_situation_moves_a_memory_within_its_bounds(
    reference: ModuleType, change: Change, prompt: str, situation: Situation
) -> None:
    snapshot = open_change(reference, change)
    alone = ask(snapshot, prompt, 99, now=NOW)
    situated = replace(alone, situation=situation)
    without = {position: row for position, *row in snapshot.recall(alone, "off")}
    for position, score, logit, _probability in snapshot.recall(situated, "off"):
        if position in without:
            assert 0 <= score - without[position][0] <= 640
        _cues, _terms, ranks, parts, features = snapshot.trace(position, situated)
        assert ranks is not None
        assert sum(points for *_rest, points in parts) == score == ranks[1]
        assert sum(share for *_rest, share in features) == logit


def test_a_memory_has_at_most_so_many_names(reference: ModuleType) -> None:
    names = [f"part{number}/x.py" for number in range(2 * MAX_LINKS)]
    snapshot = open_files(reference, [memory("a", related_files=names)])
    covered = [bool(snapshot.anchored(name)) for name in names]
    assert covered == [True] * MAX_LINKS + [False] * MAX_LINKS


# A matcher that backtracks would exceed the time limit of the test.
@pytest.mark.timeout(60)
def test_a_pattern_of_many_stars_is_matched_soon() -> None:
    assert not matches_path("*a" * 128 + "b", "a" * 512)
    assert not matches_path("**/a/" * 100 + "b", "a/" * 250 + "c")


def test_a_chain_through_the_delta_is_followed(reference: ModuleType) -> None:
    files = [memory("a"), memory("b", cuecard={"supersedes": ["a"]}), memory("c", cuecard={"supersedes": ["b"]})]
    retired = memory("b", cuecard={"supersedes": ["a"]}, record_status="retired")
    newest = memory("d", cuecard={"supersedes": ["decision/c", "nobody"]})
    snapshot = open_change(reference, (files, [retired, newest], []))
    ends = {path: position_of(snapshot, f"{STORE}decisions/{path}.json") for path in "abcd"}
    assert [find_successor(snapshot, ends[path]) for path in "abcd"] == [ends["d"]] * 4


def test_a_folder_of_everything_is_no_news_for_the_gate(engine: ModuleType) -> None:
    for count in (FEW, FEW + 1):
        files = [memory(f"number-{number}", related_files=["src/"]) for number in range(count)]
        snapshot = open_files(engine, files)
        asked = ask(snapshot, "number", count, now=NOW, situation=(["src/a.py"], [], []))
        for position in range(count):
            traced = snapshot.trace(position, asked)
            assert ("path", "", "", 320) in traced[3]
            assert (traced[4][-1][0] == "path") == (count == FEW)


def test_of_many_the_first_are_found_in_the_order_of_documents(reference: ModuleType) -> None:
    files = [memory(f"{number:03}", related_files=["src/"]) for number in range(0, 300, 2)]
    added = [memory(f"{number:03}", related_files=["src/a.py"]) for number in range(1, 300, 2)]
    snapshot = open_change(reference, (files, added, []))
    found = paths_found(snapshot, "anchored", "src/a.py")
    assert found == [f"{STORE}decisions/{number:03}.json" for number in range(FOUND_MAX)]

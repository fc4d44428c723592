"""After every write, `index.md` equals a rebuild, whatever program made the store and whatever was changed."""

import json
import os
import random
import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule, run_state_machine_as_test

from cuecard import Store
from cuecard._pure.memory.rebuild import HEADER, rebuild_index
from cuecard.errors import CuecardError, WriteError
from cuecard.store.derived.current_index import rebuild
from cuecard.store.derived.index_edit import Unsorted, edit
from cuecard.store.records.autofix import tidy_title
from records import (
    assert_index_is_a_rebuild,
    categories,
    draft,
    index_lines,
    let_time_pass,
    make_store,
    memory_dir_of,
    path_in,
    put,
    read_index,
    stored,
)

ODD_TITLES = (
    "a",
    "A",
    "a b",
    "a (b)",
    "a -> b",
    "a - b",
    "-> a",
    "a ->",
    "a->b",
    "B",
    "b",
    "Z",
    "é",
    "É",
    "ẞ",
    "ﬁ",
    "İstanbul",
    "ΟΔΟΣ",
    "가나다",
    "나",
    "🎉",
    "[x] #tag",
    "#tags:x",
    "a #tags:b",
    "x" * 120,
    "- [DECISION] a -> b",
)


pytestmark = pytest.mark.usefixtures("clean_environment")


def write_index(store: Store, text: str) -> None:
    (memory_dir_of(store) / "index.md").write_bytes(text.encode())


# Any sequence of writes


class Life(RuleBasedStateMachine):
    """A store with unusual titles; the state machine applies every kind of write to it."""

    memories: Bundle[str] = Bundle("memories")
    folder: Path

    def __init__(self) -> None:
        super().__init__()
        number = len(list(self.folder.iterdir()))
        self.store = make_store(self.folder / str(number), categories={"session_summary": {"max_retained": 2}})

    def do(self, method: str, **arguments: object) -> None:
        """Call a method that may be refused in the present state of the memory."""
        with suppress(CuecardError):
            getattr(self.store, method)(**arguments)

    @rule(target=memories, title=st.sampled_from(ODD_TITLES), category=categories, tags=st.lists(st.text(max_size=5)))
    def add(self, title: str, category: str, tags: list[str]) -> str:
        try:
            return self.store.add(draft(title, category, tags=tags)).target
        except CuecardError:
            return f"{category}/missing"

    @rule(name=memories, title=st.sampled_from(ODD_TITLES))
    def retitle(self, name: str, title: str) -> None:
        self.do("update", name=name, patch={"title": title})

    @rule(name=memories, step=st.sampled_from(["retire", "archive", "restore"]))
    def step(self, name: str, step: str) -> None:
        self.do(step, name=name)

    @rule(name=consumes(memories))
    def delete_by_hand(self, name: str) -> None:
        path = Path(self.store.root) / name
        if path.is_file():
            # File times change only with each tick of the clock, so two changes within one tick look like one change.
            time.sleep(0.02)
            path.unlink()
            self.do("add", record=draft("after a deletion"))

    @rule()
    def lose_the_index(self) -> None:
        (memory_dir_of(self.store) / "index.md").unlink(missing_ok=True)
        self.do("add", record=draft("after a loss"))

    @invariant()
    def index_is_a_rebuild(self) -> None:
        assert_index_is_a_rebuild(self.store)


def test_after_any_sequence_of_writes_the_index_is_a_rebuild(tmp_path: Path) -> None:
    Life.folder = tmp_path
    few = max(3, settings.default.max_examples // 6) if settings.default else 8
    run_state_machine_as_test(Life, settings=settings(max_examples=few, stateful_step_count=20, deadline=None))


def test_titles_that_sort_oddly_go_in_and_out_one_by_one(store: Store) -> None:
    order = list(ODD_TITLES)
    random.Random(7).shuffle(order)
    targets = []
    for number, title in enumerate(order):
        before = read_index(store)
        targets.append(store.add(draft(title) | {"id": f"m{number}"}).target)
        assert_index_is_a_rebuild(store)
        if number:
            store.retire(targets[-1])
            assert read_index(store) == before
            store.restore(targets[-1])
    for target in targets:
        store.archive(target)
        assert_index_is_a_rebuild(store)


def test_equal_titles_of_several_categories_keep_the_order_of_a_rebuild(store: Store) -> None:
    for category in ("runbook", "decision"):
        for name in ("b", "a", "c"):
            store.add(draft("the same title", category) | {"id": name})
            assert_index_is_a_rebuild(store)


def test_a_path_that_begins_like_another_is_not_mistaken_for_it(store: Store) -> None:
    for name in ("a", "a-b", "a-b-c"):
        store.add(draft(name) | {"id": name})
    store.retire("a")
    assert [line.split(" -> ")[1].split(" #")[0][-10:] for line in index_lines(store)] == ["s/a-b.json", "a-b-c.json"]


@given(titles=st.lists(st.sampled_from(ODD_TITLES), min_size=1, max_size=6), place=st.integers(0, 5))
def test_a_line_in_and_out_again_restores_the_bytes(titles: list[str], place: int) -> None:
    records: list[tuple[str, str, bytes | None]] = [
        (
            "decision",
            f".claude/memory/decisions/m{number}.json",
            json.dumps(stored("m", title=tidy_title(title))).encode(),
        )
        for number, title in enumerate(titles)
    ]
    everything = rebuild_of(records)
    added = records.pop(place % len(records))
    without = rebuild_of(records)
    try:
        assert edit(everything, [added[1]], []) == (without or HEADER)
        assert edit(without or HEADER, [], [added]) == everything
    except Unsorted:
        # The lines with these titles cannot be told apart without parsing them.
        assert any("->" in title for title in titles)


def rebuild_of(records: list[tuple[str, str, bytes | None]]) -> str:
    text, _skipped, _is_damaged = rebuild_index(records)
    return text


def test_text_that_is_no_index_has_no_place_for_a_line() -> None:
    record = ("decision", ".claude/memory/decisions/a.json", json.dumps(stored("a")).encode())
    for text in ("", "- [DECISION] x -> y", "- [DECISION] nonsense\n"):
        with pytest.raises(Unsorted):
            edit(text, [], [record])


# Stores made by other programs


def foreign_store(root: Path) -> Store:
    """A store as the claude-memory plugin leaves it.

    Titles are written as they are, and the index has its own order and one extra line.
    """
    store = make_store(root)
    for name, title in (("a", "a"), ("b", "a (b)"), ("c", "A  b"), ("d", "a a")):
        put(store, stored(name, title=title))
    lines = [
        "- [DECISION] a (b) -> .claude/memory/decisions/b.json #tags:index",
        "- [DECISION] a -> .claude/memory/decisions/a.json #tags:index",
        "- [DECISION] gone -> .claude/memory/decisions/gone.json",
    ]
    write_index(store, "# Memory Index\n\n" + "".join([f"{line}\n" for line in lines]))
    return store


def test_a_foreign_index_is_made_anew_by_the_first_write_however_new_it_is(tmp_path: Path) -> None:
    store = foreign_store(tmp_path / "p")
    let_time_pass(store)
    os.utime(memory_dir_of(store) / "index.md")
    store.add(draft("first write"))
    assert_index_is_a_rebuild(store)
    assert len(index_lines(store)) == 5
    store.add(draft("second write"))
    assert_index_is_a_rebuild(store)


def test_titles_with_wide_blanks_do_not_disturb_the_order(tmp_path: Path) -> None:
    store = foreign_store(tmp_path / "p")
    store.retire("a")
    for number, title in enumerate(("a aa", "a b", "a c", "A")):
        store.add(draft(title) | {"id": f"m{number}"})
        assert_index_is_a_rebuild(store)


def test_a_title_with_wide_blanks_keeps_the_place_of_a_rebuild(store: Store) -> None:
    put(store, stored("wide", title="a  b"))
    store.add(draft("zero"))
    store.add(draft("a aa"))
    assert_index_is_a_rebuild(store)


def test_an_index_with_crlf_or_in_no_encoding_is_made_anew(store: Store) -> None:
    put(store, stored("a"))
    store.add(draft("b"))
    write_index(store, read_index(store).replace("\n", "\r\n"))
    store.add(draft("c"))
    assert_index_is_a_rebuild(store)
    (memory_dir_of(store) / "index.md").write_bytes(b"\xff\xfe")
    store.add(draft("d"))
    assert_index_is_a_rebuild(store)


def test_an_index_that_somebody_edited_is_made_anew_by_the_next_write(store: Store) -> None:
    store.add(draft("a"))
    write_index(store, read_index(store) + "\nA note of mine.\n")
    store.add(draft("b"))
    assert_index_is_a_rebuild(store)


def test_files_put_in_by_hand_come_into_the_index_with_the_next_write(store: Store) -> None:
    store.add(draft("a"))
    put(store, stored("by-hand", "runbook"))
    put(store, stored("other"))
    store.add(draft("b"))
    assert len(index_lines(store)) == 4
    assert_index_is_a_rebuild(store)


def test_damaged_files_and_odd_names_cost_only_their_own_lines(store: Store) -> None:
    put(store, stored("fine"))
    put(store, stored("broken")).write_bytes(b"{")
    put(store, stored("two words"))
    store.add(draft("new"))
    assert len(index_lines(store)) == 2
    assert_index_is_a_rebuild(store)
    store.retire("two words")
    assert_index_is_a_rebuild(store)


def test_the_last_memory_going_leaves_an_index_without_lines(store: Store) -> None:
    store.add(draft("only"))
    store.retire("only")
    assert index_lines(store) == []
    store.restore("only")
    assert len(index_lines(store)) == 1
    assert_index_is_a_rebuild(store)


# Failures


def test_a_write_that_the_machine_refuses_costs_no_line_of_the_index(store: Store) -> None:
    resource = pytest.importorskip("resource")
    store.add(draft("small"))
    before = read_index(store)
    content = stored("x")["content"] | {"context": "c" * 50_000}
    for patch in ({"content": content}, {"content": content, "title": "quite another one"}):
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, limits[1]))
        try:
            with pytest.raises(WriteError):
                store.update("small", patch)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert_index_is_a_rebuild(store)
        assert read_index(store) == before


def test_an_index_that_cannot_be_written_is_a_warning_and_the_memory_is_safe(store: Store) -> None:
    (memory_dir_of(store) / "index.md").mkdir()
    written = store.add(draft("a"))
    assert written.status == "created"
    assert [warning[:28] for warning in written.warnings] == ["index.md is not up to date: "]
    assert store.show("a").title == "a"
    (memory_dir_of(store) / "index.md").rmdir()
    store.add(draft("b"))
    assert_index_is_a_rebuild(store)


def test_what_dead_writers_left_is_swept_away(store: Store) -> None:
    put(store, stored("a"))
    leftover = path_in(store, "a").parent / ".a.json.99999.tmp"
    leftover.write_text("half")
    store.add(draft("b"))
    assert not leftover.exists()


def test_a_rebuild_reads_what_the_store_wrote(store: Store) -> None:
    for title in ODD_TITLES:
        store.add(draft(title, "preference") | {"id": f"p{ODD_TITLES.index(title)}"})
    text, skipped, is_damaged = rebuild(store.root, store.memory_dir)
    assert (skipped, is_damaged, text) == ([], False, read_index(store))

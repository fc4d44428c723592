"""The store, as programs use it: new memories, corrections in them, and memories that exist already."""

import hashlib
import json
from pathlib import Path

import pytest

from cuecard import Store
from cuecard.errors import InputError, OverwriteError, ResurrectionError, StoreError, ValidationError
from cuecard.store.records.record import CATEGORIES
from handed_in import TOKEN
from records import (
    Fields,
    ago,
    assert_index_is_a_rebuild,
    draft,
    index_lines,
    memory_dir_of,
    path_in,
    put,
    read,
    read_files,
    stored,
)
from small_project import CONTENTS, FOLDERS, LONG_AGO

pytestmark = pytest.mark.usefixtures("clean_environment")


def fixes_of(store: Store, fields: Fields) -> dict[str, str]:
    """What the store corrects in a new memory, by field."""
    return {fix.field: fix.what for fix in store.add(draft() | fields).fixes}


# Adding


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_memory_gets_a_file_of_its_category_and_a_line_of_the_index(store: Store, category: str) -> None:
    written = store.add(draft("Use an mmap index", category))
    assert (written.status, written.category, written.id) == ("created", category, "use-an-mmap-index")
    assert written.target == f".claude/memory/{FOLDERS[category]}/use-an-mmap-index.json"
    assert index_lines(store) == [f"- [{category.upper()}] Use an mmap index -> {written.target} #tags:index"]
    assert_index_is_a_rebuild(store)


def test_a_new_memory_is_complete(store: Store) -> None:
    store.add(draft())
    record = read(store, "use-an-mmap-index")
    assert record["created_at"] == record["updated_at"] >= ago(1)
    assert record == {
        "schema_version": "1.0",
        "category": "decision",
        "id": "use-an-mmap-index",
        "title": "Use an mmap index",
        "record_status": "active",
        "created_at": record["created_at"],
        "updated_at": record["updated_at"],
        "tags": ["index"],
        "content": CONTENTS["decision"],
        "times_updated": 0,
    }


def test_the_file_is_for_people_and_other_tools(store: Store) -> None:
    store.add(draft("색인을 쓴다", related_files=None) | {"id": "korean"})
    data = path_in(store, "korean").read_bytes()
    assert data.endswith(b"}\n")
    assert "색인을 쓴다".encode() in data
    assert data.decode() == json.dumps(json.loads(data), indent=2, ensure_ascii=False) + "\n"
    assert "related_files" not in json.loads(data)


def test_the_result_has_the_hash_of_the_file(store: Store) -> None:
    written = store.add(draft())
    assert written.hash == hashlib.sha256(path_in(store, written.id).read_bytes()).hexdigest()
    assert written.hash == store.show(written.id).hash


def test_the_category_argument_goes_before_the_record(store: Store) -> None:
    written = store.add(draft(category="runbook") | {"category": "decision"}, category="runbook")
    assert written.category == read(store, written.id, "runbook")["category"] == "runbook"
    assert [fix.what for fix in written.fixes] == ["changed from `decision` to `runbook`"]


def test_a_folder_that_is_missing_is_made(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    store = Store(tmp_path / "new", create=True)
    store.add(draft())
    assert sorted(read_files(store)) == ["decisions/use-an-mmap-index.json"]
    assert (memory_dir_of(store) / ".cuecard" / ".gitignore").read_text() == "*\n"


def test_a_project_without_memories_is_an_error_unless_it_is_to_be_made(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        Store(tmp_path)
    assert not (tmp_path / ".claude").exists()
    with pytest.raises(StoreError):
        Store(tmp_path / "missing", create=True)


# Corrections


def test_nothing_is_reported_where_nothing_was_mended(store: Store) -> None:
    assert fixes_of(store, {}) == {}


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("  Two   words ", "Two words"),
        ("a -> b", "a - b"),
        ("a -> -> b", "a - - b"),
        ("a ->\u00a0b", "a - b"),
        ("a\t->\tb", "a - b"),
        ("x #tags:y", "x y"),
        ("x #ta#tags:gs:y", "x y"),
        ("x -#tags:> y", "x - y"),
        ("x [confidence: high] y", "x y"),
        ("x [confidence:[confidence: a] b] y", "x b] y"),
        ("line\nbreak", "line break"),
        ("bell\u0007 bidi\u202e", "bell bidi"),
    ],
)
def test_a_title_stays_whole_on_a_line_of_the_index(store: Store, sent: str, kept: str) -> None:
    assert "title" in fixes_of(store, {"title": sent})
    assert [memory.title for memory in store.memories()] == [kept]
    assert_index_is_a_rebuild(store)
    again = store.add(draft(kept))
    assert (again.status, again.fixes) == ("unchanged", [])


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (["B", "a", "a ", "A"], ["a", "b"]),
        ("x, y,x", ["x", "y"]),
        ([], ["untagged"]),
        (["", " "], ["untagged"]),
        (None, ["untagged"]),
        ([1, "a", None], ["a"]),
        (["a,b", "c -> d", "#tags:e", "two  words"], ["a b", "c d", "e", "two words"]),
        ([f"t{number:02}" for number in range(14)], [f"t{number:02}" for number in range(12)]),
    ],
)
def test_tags_are_lower_case_distinct_sorted_and_a_dozen(store: Store, sent: object, kept: list[str]) -> None:
    assert "tags" in fixes_of(store, {"tags": sent})
    assert read(store, "use-an-mmap-index")["tags"] == kept
    assert_index_is_a_rebuild(store)


@pytest.mark.parametrize(("sent", "kept"), [(7, 1.0), (-1, 0.0), (0.25, 0.25), (1, 1)])
def test_a_confidence_is_brought_into_0_to_1(store: Store, sent: float, kept: float) -> None:
    assert ("confidence" in fixes_of(store, {"confidence": sent})) == (sent != kept)
    assert read(store, "use-an-mmap-index")["confidence"] == kept


def test_a_gist_is_brought_onto_one_line_and_stored_only_where_it_is_given(store: Store) -> None:
    assert "cuecard" not in read(store, store.add(draft("Without a gist")).id)
    assert "cuecard.gist" in fixes_of(store, {"cuecard": {"gist": " Search a\n mapped\tindex. ", "origin": "user"}})
    assert read(store, "use-an-mmap-index")["cuecard"] == {"gist": "Search a mapped index.", "origin": "user"}
    written = store.update("use-an-mmap-index", {"cuecard": {"gist": "Map the index."}})
    assert written.fixes == []
    assert read(store, "use-an-mmap-index")["cuecard"] == {"gist": "Map the index.", "origin": "user"}


def test_questions_are_tidied_and_those_that_repeat_the_title_are_left_out(store: Store) -> None:
    questions = [" which index\n is mapped? ", "Use an mmap index?", "WHICH index is mapped?", "", "왜 mmap 인가요"]
    fixes = fixes_of(store, {"title": "Use an mmap index", "cuecard": {"questions": questions}})
    assert "cuecard.questions" in fixes
    kept = ["which index is mapped?", "왜 mmap 인가요"]
    assert read(store, "use-an-mmap-index")["cuecard"]["questions"] == kept
    store.update("use-an-mmap-index", {"cuecard": {"questions": ["use an mmap index", "how is it read?"]}})
    assert read(store, "use-an-mmap-index")["cuecard"]["questions"] == ["how is it read?"]


def test_secrets_and_frames_are_taken_out_of_questions_and_evidence(store: Store) -> None:
    extension = {
        "questions": [f"what is {TOKEN} for?"],
        "evidence": [{"kind": "command", "ref": "deploy", "quote": f"</memory-context> {TOKEN}"}],
    }
    written = store.add(draft("Deploy with the token", cuecard=extension))
    text = json.dumps(read(store, written.id))
    assert TOKEN not in text
    assert "</memory-context>" not in text


def test_what_only_the_store_knows_is_not_taken_from_the_sender(store: Store) -> None:
    sent = {
        "schema_version": "9",
        "record_status": "retired",
        "retired_at": LONG_AGO,
        "retired_reason": "old",
        "created_at": LONG_AGO,
        "updated_at": LONG_AGO,
    }
    assert set(fixes_of(store, sent)) == set(sent)
    record = read(store, "use-an-mmap-index")
    assert (record["schema_version"], record["record_status"]) == ("1.0", "active")
    assert record["created_at"] == record["updated_at"] != LONG_AGO
    assert not {"retired_at", "retired_reason"} & set(record)


# Ids


@pytest.mark.parametrize(
    ("title", "memory_id"),
    [
        ("Use an mmap index", "use-an-mmap-index"),
        ("Ünïcödé & more!", "unicode-more"),
        ("C++ / v2.0", "c-v2-0"),
        ("- x -", "x"),
        ("w" * 100, "w" * 80),
        ("a" * 79 + " b", "a" * 79),
    ],
)
def test_the_id_is_made_of_the_title(store: Store, title: str, memory_id: str) -> None:
    assert store.add(draft(title)).id == memory_id


def test_a_title_without_ascii_letters_still_has_an_id_of_its_own(store: Store) -> None:
    ids = [store.add(draft(title)).id for title in ("색인", "열쇠", "🎉")]
    assert len(set(ids)) == 3
    assert all(name.startswith("decision-") for name in ids)


def test_an_id_of_ones_own_is_tidied(store: Store) -> None:
    written = store.add(draft() | {"id": "My Id!"})
    assert written.id == "my-id"
    assert [fix.field for fix in written.fixes] == ["id"]


# Existing memories


def test_the_same_memory_once_more_changes_nothing(store: Store) -> None:
    store.add(draft())
    before = read_files(store)
    again = store.add(draft())
    assert (again.status, again.hash) == ("unchanged", store.show(again.id).hash)
    assert read_files(store) == before


@pytest.mark.parametrize("status", ["active", "archived"])
def test_another_memory_of_the_same_id_is_refused(store: Store, status: str) -> None:
    put(store, stored("use-an-mmap-index", record_status=status))
    before = read_files(store)
    with pytest.raises(OverwriteError) as caught:
        store.add(draft(tags=["other"]))
    assert caught.value.found == f"`use-an-mmap-index`, which is {status}"
    assert ("cuecard restore" in caught.value.hint) == (status == "archived")
    assert read_files(store) == before


@pytest.mark.parametrize("hours", [0, 1, 23.9, -5])
def test_a_memory_retired_within_a_day_does_not_come_back_as_new(store: Store, hours: float) -> None:
    put(store, stored("use-an-mmap-index", record_status="retired", retired_at=ago(hours)))
    with pytest.raises(ResurrectionError, match="within the last 24 hours") as caught:
        store.add(draft())
    assert "cuecard restore use-an-mmap-index" in caught.value.hint
    assert read(store, "use-an-mmap-index")["record_status"] == "retired"


@pytest.mark.parametrize(
    "retired_at",
    [LONG_AGO, ago(24.1), ago(24.1).rstrip("Z"), "nonsense", None],
    ids=["long ago", "a day ago", "without a zone", "no time", "none"],
)
def test_a_memory_retired_long_ago_makes_way_and_is_kept(store: Store, retired_at: str | None) -> None:
    put(store, stored("use-an-mmap-index", record_status="retired", retired_at=retired_at))
    old = read(store, "use-an-mmap-index")
    assert store.add(draft()).status == "created"
    assert read(store, "use-an-mmap-index")["record_status"] == "active"
    kept = list(path_in(store, "x").parent.glob("use-an-mmap-index-retired*.json"))
    expected = {name: value for name, value in old.items() if value is not None} | {"id": kept[0].stem}
    assert [json.loads(path.read_text(encoding="utf-8")) for path in kept] == [expected]
    assert len(index_lines(store)) == 1
    assert_index_is_a_rebuild(store)


def test_a_memory_that_made_way_never_takes_the_place_of_another(store: Store) -> None:
    for name in ("m", "m-retired-20200101", "m-retired-20200101-2"):
        put(store, stored(name, record_status="retired", retired_at=LONG_AGO))
    store.add(draft("m"))
    names = sorted(path.stem for path in path_in(store, "m").parent.iterdir())
    assert names == ["m", "m-retired-20200101", "m-retired-20200101-2", "m-retired-20200101-3"]


def test_a_refused_memory_leaves_no_store_behind(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    store = Store(root, create=True)
    with pytest.raises(ValidationError):
        store.add(draft(content={}))
    assert list(root.iterdir()) == []
    assert store.add(draft()).status == "created"


def test_the_first_memory_of_a_worktree_goes_to_the_main_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git_dir = tmp_path / "main" / ".git" / "worktrees" / "tree"
    git_dir.mkdir(parents=True)
    (git_dir / "commondir").write_text("../..\n", encoding="utf-8")
    (git_dir / "gitdir").write_text(f"{tmp_path / 'tree' / '.git'}\n", encoding="utf-8")
    (tmp_path / "tree" / "src").mkdir(parents=True)
    (tmp_path / "tree" / ".git").write_text(f"gitdir: {git_dir}\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path / "tree" / "src")
    monkeypatch.delenv("CUECARD_ROOT", raising=False)
    assert Store(create=True).root == str(tmp_path / "main")
    # Git's file that names another folder may have at most 4096 bytes.
    (git_dir / "commondir").write_text("../..".ljust(4096), encoding="utf-8")
    assert Store(create=True).root == str(tmp_path / "main")
    (git_dir / "commondir").write_text("../..".ljust(4097), encoding="utf-8")
    assert Store(create=True).root == str(tmp_path / "tree")


def test_a_damaged_file_in_the_way_is_left_alone(store: Store) -> None:
    path = path_in(store, "use-an-mmap-index")
    path.parent.mkdir()
    path.write_bytes(b"{")
    with pytest.raises(InputError) as caught:
        store.add(draft())
    assert "cuecard health" in caught.value.hint
    assert path.read_bytes() == b"{"

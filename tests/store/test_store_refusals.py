"""When the store refuses a write, it changes no file."""

import os
from pathlib import Path
from typing import Any

import pytest

from cuecard import Store
from cuecard.errors import CuecardError, InputError, LimitError, StoreError, ValidationError, WriteError
from records import draft, make_store, path_in, put, read_files, stored
from small_project import CONTENTS, LONG_AGO

pytestmark = pytest.mark.usefixtures("clean_environment")


REFUSED: list[Any] = [
    pytest.param({"title": None}, ValidationError, "title", id="no title"),
    pytest.param({"title": " \u200b "}, ValidationError, "title", id="an empty title"),
    pytest.param({"title": "t" * 201}, ValidationError, "title", id="a long title"),
    pytest.param({"content": {"status": "accepted"}}, ValidationError, "content.decision", id="half a content"),
    pytest.param({"colour": 1}, ValidationError, "colour", id="an unknown field"),
    pytest.param({"category": "note"}, ValidationError, "category", id="an unknown category"),
    pytest.param({"id": 7}, ValidationError, "id", id="a number for an id"),
    pytest.param({"confidence": "quite"}, ValidationError, "confidence", id="words for a number"),
    pytest.param({"cuecard": {"gist": "g" * 201}}, ValidationError, "cuecard.gist", id="a long gist"),
    pytest.param({"cuecard": {"gist": " \n"}}, ValidationError, "cuecard.gist", id="an empty gist"),
    pytest.param({"cuecard": {"x": float("nan")}}, InputError, "", id="no number"),
    pytest.param({"cuecard": {"x": {1}}}, InputError, "", id="a set"),
    pytest.param({"cuecard": {"\ud800": 1}}, InputError, "", id="half a character"),
    pytest.param({"cuecard": {1: 1}}, InputError, "", id="a number for a name"),
    pytest.param({"content": CONTENTS["decision"] | {"context": "c" * 270_000}}, LimitError, "content", id="too large"),
]


@pytest.mark.parametrize(("fields", "kind", "field"), REFUSED)
def test_what_is_refused_leaves_no_trace(
    store: Store, fields: dict[str, object], kind: type[CuecardError], field: str
) -> None:
    with pytest.raises(kind) as caught:
        store.add({name: value for name, value in (draft() | fields).items() if value is not None})
    assert caught.value.field == field
    assert caught.value.hint
    assert read_files(store) == {}


def test_a_missing_title_is_the_only_problem(store: Store) -> None:
    with pytest.raises(ValidationError) as caught:
        store.add({name: value for name, value in draft().items() if name != "title"})
    assert [problem.field for problem in caught.value.problems] == ["title"]


def test_what_is_nested_too_deep_is_refused(store: Store) -> None:
    deep: object = 0
    for _level in range(200):
        deep = [deep]
    with pytest.raises(InputError, match="nested too deep"):
        store.add(draft(cuecard={"x": deep}))
    with pytest.raises(InputError, match="not a JSON object"):
        store.add([draft()])  # type: ignore[arg-type]


def test_too_large_a_memory_moves_nothing_out_of_its_way(store: Store) -> None:
    put(store, stored("use-an-mmap-index", record_status="retired", retired_at=LONG_AGO))
    before = read_files(store)
    with pytest.raises(LimitError):
        store.add(draft(content=CONTENTS["decision"] | {"rationale": ["r" * 200] * 1300}))
    assert read_files(store) == before


def test_a_full_category_takes_no_more(tmp_path: Path) -> None:
    store = make_store(tmp_path / "full", max_memories_per_category=2)
    store.add(draft("one"))
    store.add(draft("two"))
    with pytest.raises(LimitError) as caught:
        store.add(draft("three"))
    assert (caught.value.field, caught.value.expected, caught.value.found) == ("category", "fewer than 2", "2")
    assert store.add(draft("three", "runbook")).status == "created"
    store.archive("one")
    assert store.add(draft("three")).status == "created"
    with pytest.raises(LimitError):
        store.restore("one")


@pytest.mark.skipif(os.name == "nt", reason="creating links needs a privilege")
@pytest.mark.parametrize("what", ["folder", "file"])
def test_nothing_is_written_through_a_link(store: Store, tmp_path: Path, what: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    if what == "folder":
        path_in(store, "x").parent.symlink_to(outside, target_is_directory=True)
    else:
        path_in(store, "x").parent.mkdir()
        (outside / "x.json").write_text("{}")
        path_in(store, "x").symlink_to(outside / "x.json")
    before = [path.read_bytes() for path in outside.iterdir()]
    with pytest.raises(StoreError, match="is a link or outside the store"):
        store.add(draft("x"))
    assert [path.read_bytes() for path in outside.iterdir()] == before


def test_a_folder_that_cannot_be_made_is_said(store: Store) -> None:
    path_in(store, "x").parent.write_text("a file where the folder should be")
    with pytest.raises(WriteError, match="cannot be written") as caught:
        store.add(draft("x"))
    assert "nothing was lost" in caught.value.hint

"""The claude-memory plugin can read the files that we write, and we can work with the files that it wrote."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from cuecard import Store
from cuecard.store.records.record import CATEGORIES
from prior_art_schemas import prior_art_schema
from records import (
    Fields,
    assert_index_is_a_rebuild,
    contents,
    draft,
    drafts,
    make_store,
    put,
    read_files,
    stored,
    stored_records,
    texts,
    titles,
)
from scratch_home import is_foreign
from small_project import FOLDERS

FEW = settings(max_examples=max(4, (settings.default.max_examples if settings.default else 50) // 5), deadline=None)
CATEGORY_OF = {folder: category for category, folder in FOLDERS.items()}


@pytest.fixture(autouse=True, scope="module")
def _clean_environment() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name in filter(is_foreign, list(os.environ)):
            patch.delenv(name)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which each example creates its own project."""
    return tmp_path_factory.mktemp("projects")


def new_store(folder: Path) -> Store:
    return make_store(folder / str(len(list(folder.iterdir()))))


def problems_of_files(store: Store) -> list[str]:
    """The errors that the schemas of the claude-memory plugin find in the files of a store."""
    problems = []
    for name, data in read_files(store).items():
        validator = Draft202012Validator(prior_art_schema(CATEGORY_OF[name.partition("/")[0]]))
        problems += [f"{name} {error.json_path}: {error.message}" for error in validator.iter_errors(json.loads(data))]
    return problems


def assume_no_signs(store: Store) -> None:
    """Pass over texts that address the model: the reason stands in our own key, which the plugin does not know."""
    assume(not any("flags" in memory.extension for memory in store.memories(status="all")))


@pytest.mark.parametrize("category", CATEGORIES)
@given(data=st.data())
@FEW
def test_the_plugin_accepts_whatever_our_store_writes(category: str, folder: Path, data: st.DataObject) -> None:
    store = new_store(folder)
    name = store.add(data.draw(drafts(category))).target
    assume_no_signs(store)
    assert problems_of_files(store) == []
    changed = {"title": data.draw(titles), "content": data.draw(contents(category))}
    written = store.update(name, changed | {"confidence": data.draw(st.floats(-1, 2))}, summary=data.draw(texts))
    assume_no_signs(store)
    assert problems_of_files(store) == []
    for step in ("retire", "restore", "archive", "restore"):
        getattr(store, step)(written.target, reason=data.draw(texts))
        assert problems_of_files(store) == []
    assert_index_is_a_rebuild(store)


@pytest.mark.parametrize("category", CATEGORIES)
@given(data=st.data())
@FEW
def test_our_store_goes_on_with_whatever_the_plugin_accepts(category: str, folder: Path, data: st.DataObject) -> None:
    record = data.draw(stored_records(category))
    store = new_store(folder)
    path = put(store, record)
    assert store.show(record["id"]).record == record
    name = f"{category}/{record['id']}"
    content = data.draw(contents(category))
    store.update(name, {"content": content})
    assume_no_signs(store)
    assert problems_of_files(store) == []
    steps = {"active": ["retire", "restore"], "retired": ["restore", "retire"], "archived": ["restore", "archive"]}
    for step in steps[record.get("record_status", "active")]:
        getattr(store, step)(name)
        assert problems_of_files(store) == []
    kept = json.loads(path.read_bytes())
    assert kept["created_at"] == record["created_at"]
    assert kept["id"] == record["id"]
    assert_index_is_a_rebuild(store)


def test_nulls_that_the_plugin_writes_for_absent_fields_are_left_out(folder: Path) -> None:
    store = new_store(folder)
    nulls: Fields = dict.fromkeys(["related_files", "confidence", "changes", "retired_at", "archived_reason"])
    put(store, stored("m", content=stored("m")["content"] | {"consequences": None}) | nulls)
    store.retire("m")
    assert problems_of_files(store) == []


def test_fifty_updates_fit_the_plugin(folder: Path) -> None:
    store = new_store(folder)
    store.add(draft("m"))
    for number in range(52):
        store.update("m", {"content": {"context": str(number)}})
    assert problems_of_files(store) == []
    assert store.show("m").record["times_updated"] == 52


def test_only_our_own_key_is_more_than_the_plugin_knows(folder: Path) -> None:
    store = new_store(folder)
    store.add(draft("m", cuecard={"origin": "user", "supersedes": ["n"]}))
    (problem,) = problems_of_files(store)
    assert "'cuecard' was unexpected" in problem

"""The store, as programs use it: memories are found by name, and listed."""

from pathlib import Path
from typing import Any

import pytest

from cuecard import Store
from cuecard.errors import InputError, MissingError, StoreError, UsageError
from records import draft, put, stored

pytestmark = pytest.mark.usefixtures("clean_environment")


# Finding


@pytest.mark.parametrize(
    "name",
    ["m", "m.json", "decision/m", "decisions/m", "decisions/m.json", ".claude/memory/decisions/m.json", "ABSOLUTE"],
)
def test_a_memory_is_found_by_id_category_or_path(store: Store, name: str) -> None:
    path = put(store, stored("m"))
    found = store.show(str(path) if name == "ABSOLUTE" else name)
    assert (found.path, found.record) == (".claude/memory/decisions/m.json", stored("m"))


@pytest.mark.parametrize("title", ["Renew the TLS certificate", "CI/CD: renew the (TLS) certificate!", "Renew"])
def test_a_title_names_the_memory_whose_id_it_made(store: Store, title: str) -> None:
    added = store.add(draft(title))
    assert store.show(title).path == added.target


@pytest.mark.parametrize(
    "name", ["", ".", "..", "x", "runbook/m", "note/m", "../m", "decisions/../m", "/etc/passwd", "m\0", "\udcff"]
)
def test_what_is_not_there_is_not_found(store: Store, name: str) -> None:
    put(store, stored("m"))
    with pytest.raises(MissingError) as caught:
        store.show(name)
    assert caught.value.hint


def test_a_misspelt_name_is_guessed(store: Store) -> None:
    put(store, stored("use-an-mmap-index"))
    with pytest.raises(MissingError) as caught:
        store.show("use-a-mmap-index")
    assert caught.value.hint == "did you mean `use-an-mmap-index`?"


@pytest.mark.parametrize(
    "name",
    [
        "use-postgresql",
        "ledger-postgresql",
        "decision/use-postgresql",
        "Use PostgreSQL!",
        "USE-POSTGRESQL-FOR-THE-LEDGRE-OF-ACCOUNTS",
    ],
)
def test_a_name_that_is_cut_or_in_other_words_is_guessed(store: Store, name: str) -> None:
    put(store, stored("use-postgresql-for-the-ledger-of-accounts"))
    put(store, stored("renew-the-certificate"))
    with pytest.raises(MissingError) as caught:
        store.show(name)
    assert caught.value.hint == "did you mean `use-postgresql-for-the-ledger-of-accounts`?"


def test_among_many_memories_the_first_letters_may_be_mistyped(store: Store) -> None:
    folder = put(store, stored("use-an-mmap-index")).parent
    for number in range(1500):
        (folder / f"{number}-thing.json").touch()
    with pytest.raises(MissingError) as caught:
        store.show("sue-an-mmap-index")
    assert caught.value.hint == "did you mean `use-an-mmap-index`?"


def test_a_store_of_many_memories_guesses_quickly(store: Store) -> None:
    folder = put(store, stored("use-an-mmap-index")).parent
    for number in range(1500):
        (folder / f"{number}-thing.json").touch()
    with pytest.raises(MissingError) as caught:
        store.show("use-an-mmap-indx")
    assert caught.value.hint == "did you mean `use-an-mmap-index`?"


def test_a_name_of_two_memories_asks_which(store: Store) -> None:
    put(store, stored("m"))
    put(store, stored("m", "runbook"))
    with pytest.raises(StoreError) as caught:
        store.retire("m")
    assert caught.value.hint == "say which: `decision/m` or `runbook/m`"
    assert store.retire("runbook/m").category == "runbook"


def test_a_damaged_memory_is_named_with_what_helps(store: Store) -> None:
    path = put(store, stored("m"))
    path.write_bytes(b"[1]")
    with pytest.raises(InputError, match=r"`\.claude/memory/decisions/m\.json` is not a JSON object") as caught:
        store.show("m")
    assert "cuecard health" in caught.value.hint


# Listing


def test_memories_are_listed_by_status_and_category(store: Store) -> None:
    put(store, stored("b"))
    put(store, stored("a"))
    put(store, stored("old", record_status="retired"))
    put(store, stored("kept", "runbook", record_status="archived"))
    put(store, stored("odd")).write_bytes(b"{")
    assert [memory.id for memory in store.memories()] == ["a", "b"]
    assert [memory.id for memory in store.memories(status="all")] == ["a", "b", "old", "kept"]
    assert [memory.id for memory in store.memories("runbook", "archived")] == ["kept"]
    assert store.memories("preference") == []


@pytest.mark.parametrize(("category", "status"), [("decisions", "active"), (None, "deleted")])
def test_an_unknown_choice_is_a_usage_error(store: Store, category: Any, status: Any) -> None:  # noqa: ANN401
    with pytest.raises(UsageError) as caught:
        store.memories(category, status)
    assert caught.value.expected
    assert caught.value.found in ("`decisions`", "`deleted`")


def test_a_path_from_the_working_directory_names_a_memory_too(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(store, stored("here"))
    below = Path(store.root, "src")
    below.mkdir()
    monkeypatch.chdir(below)
    assert store.show(f"../.claude/memory/decisions/{path.name}").id == "here"
    assert store.show(".claude/memory/decisions/here.json").id == "here"

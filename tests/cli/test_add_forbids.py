"""`cuecard add --forbids`, and the check of what a memory forbids."""

import pytest

from command_process import run_in
from cuecard.api import Store
from cuecard.errors import ValidationError


def test_entries_are_written_in_their_normal_form(store: Store) -> None:
    entries = ("--forbids", "command:  npm   install", "--forbids", "import: import requests")
    ran = run_in(store, "add", "Packages come from pnpm", *entries)
    assert ran.code == 0, ran
    [memory] = store.memories()
    assert memory.extension["forbids"] == ["command: npm install", "import: requests"]
    shown = run_in(store, "show", memory.id)
    assert "command: npm install" in str(shown)


def test_an_entry_without_a_kind_is_refused_with_the_four_forms(store: Store) -> None:
    ran = run_in(store, "add", "Never print", "--forbids", "print()")
    assert ran.code == 1
    assert "`cuecard.forbids[0]`" in str(ran)
    assert "code: print()" in str(ran)
    assert store.memories() == []


def test_only_constraints_and_preferences_forbid(store: Store) -> None:
    record = {"title": "We chose Rust", "tags": ["rust"], "cuecard": {"forbids": ["code: print()"]}}
    content = {"status": "accepted", "context": "c", "decision": "d", "rationale": ["r"]}
    with pytest.raises(
        ValidationError, match=r"is given, expected nothing: only a `constraint` or a `preference` forbids"
    ):
        store.add({**record, "content": content}, category="decision")


def test_more_entries_than_twelve_are_refused(store: Store) -> None:
    many = [part for number in range(13) for part in ("--forbids", f"code: name{number}()")]
    assert run_in(store, "add", "Never these", *many).code == 1

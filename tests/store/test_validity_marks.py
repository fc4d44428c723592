"""How commands and the MCP server mark memories whose time has passed, or has not begun."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import command_process
import cuecard
from command_process import run_in
from cuecard.mcp.project import OpenProject
from cuecard.mcp.read_tools import search
from records import put, stored

if TYPE_CHECKING:
    from pathlib import Path

    from cuecard import Store

QUERY = "which queue takes the invoices"
# For each memory: its content, its dates, and the words with which it is marked.
STATES: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "redis": ({"status": "superseded"}, {"valid_until": "2001-01-01"}, "superseded"),
    "kafka": ({"status": "accepted"}, {"valid_until": "2001-03-01"}, "ended 2001-03-01"),
    "gearman": ({"status": "accepted"}, {"valid_until": "20010301T00:00:00Z"}, "ended 20010301"),
    "nats": ({"status": "accepted"}, {"valid_from": "2999-01-01T10:00:00Z"}, "from 2999-01-01"),
    "rabbit": ({"status": "accepted"}, {"valid_from": "2001-01-01", "valid_until": "2999-01-01"}, ""),
}


@pytest.fixture
def filled(store: Store) -> Store:
    for name, (content, own, _words) in STATES.items():
        memory = stored(name, title=f"The queue of the invoices is {name}", tags=["queue", "invoices"], cuecard=own)
        put(store, {**memory, "content": {**memory["content"], **content}})
    return store


def test_list_search_and_show_say_why_a_memory_does_not_hold(filled: Store) -> None:
    listed = run_in(filled, "list").stdout.splitlines()
    found = run_in(filled, "search", QUERY).stdout.splitlines()
    for name, (_content, _own, words) in STATES.items():
        mark = f"  ({words})" if words else ""
        assert f"decision/{name}  The queue of the invoices is {name}{mark}" in listed
        assert len([line for line in found if f"is {name}{mark} -> " in line]) == 1
        shown = run_in(filled, "show", name).stdout.splitlines()
        assert [line for line in shown if line.startswith("validity: ")] == [f"validity: {words}"] * bool(words)


def test_programs_and_agents_get_it_as_a_field(filled: Store) -> None:
    wanted = {f"The queue of the invoices is {name}": words or None for name, (_content, _own, words) in STATES.items()}
    hits = json.loads(run_in(filled, "search", QUERY, "--json").stdout)["hits"]
    assert {hit["title"]: hit["validity"] for hit in hits} == wanted
    found = cuecard.open(filled.root).search(QUERY)
    assert {hit.title: hit.validity or None for hit in found} == wanted
    answer: dict[str, Any] = search(OpenProject(filled.root), {"query": QUERY})
    assert {hit["title"]: hit.get("validity") for hit in answer["hits"]} == wanted


def test_a_retired_memory_has_both_marks(filled: Store) -> None:
    run_in(filled, "retire", "redis", "--reason", "It is gone.")
    lines = run_in(filled, "list", "--status", "retired").stdout.splitlines()
    assert lines == ["decision/redis  The queue of the invoices is redis  (retired, superseded)"]


@pytest.mark.process
def test_a_person_sees_it_in_every_table(filled: Store, tmp_path: Path) -> None:
    for words in (("list",), ("search", QUERY), ("show", "kafka")):
        ran = command_process.run_on_terminal(tmp_path, tmp_path, *words, "--root", filled.root, columns=200)
        assert "ended 2001-03-01" in ran.stdout

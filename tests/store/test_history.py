"""Timelines (memories written around the same time) and lineages (the origins of a memory)."""

from typing import Any

import pytest

from command_process import error_of, run_in
from cuecard import Store
from cuecard.errors import InputError
from cuecard.store.records.lineage import Node, trace_lineage
from cuecard.store.records.timeline import find_timeline
from records import Fields, draft, put, read, stored


def day(number: int) -> str:
    return f"2026-01-{number:02}T09:00:00Z"


def dated(name: str, number: int) -> Fields:
    return stored(name) | {"created_at": day(number), "updated_at": day(number)}


def linked(name: str, **links: list[str]) -> Fields:
    return stored(name) | {"cuecard": links}


def tree(node: Node) -> Any:  # noqa: ANN401
    """A node of a lineage as nested tuples: its relation and name, then its children."""
    name = f"{node.relation} {node.name.rpartition('/')[2]}".strip() + (" again" if node.is_repeated else "")
    return (name, *[tree(child) for child in node.children])


# Timelines


@pytest.fixture
def week(store: Store) -> Store:
    """A store with one memory for each day of a week.

    One memory was changed on the last day, and one is retired.
    """
    for number in range(1, 8):
        put(store, dated(f"d{number}", number))
    changed = dated("d2", 2) | {"updated_at": day(7)}
    changed["changes"] = [{"date": day(7), "summary": "title changed"}, {"date": day(7), "summary": "tags changed"}]
    put(store, changed)
    put(store, dated("d5", 5) | {"record_status": "retired"})
    return store


def test_a_timeline_shows_what_was_written_before_and_after(week: Store) -> None:
    found = find_timeline(week, "d4", around=2)
    assert [moment.memory.id for moment in found.before] == ["d2", "d3"]
    assert found.moment.memory.id == "d4"
    assert [moment.memory.id for moment in found.after] == ["d5", "d6"]


def test_changes_are_moments_and_those_of_one_time_are_one(week: Store) -> None:
    found = find_timeline(week, "d6", around=9)
    assert [(moment.memory.id, moment.what) for moment in found.after] == [("d2", "title changed"), ("d7", "created")]
    last = find_timeline(week, "d2", around=1, is_last=True)
    assert (last.moment.what, last.moment.time) == ("title changed", day(7))
    assert [moment.memory.id for moment in last.before] == ["d6"]


def test_a_timeline_is_printed_for_people_and_programs(week: Store) -> None:
    ran = run_in(week, "timeline", "d4", "--around", "1")
    assert ran.stdout.splitlines() == [
        f"  {day(3)}  created  decision/d3  d3",
        f"> {day(4)}  created  decision/d4  d4",
        f"  {day(5)}  created  decision/d5  d5  (retired)",
    ]
    document = run_in(week, "timeline", "d4", "--json").document
    assert document["moment"]["memory"] == "decision/d4"
    assert [len(document["before"]), len(document["after"])] == [3, 4]
    assert run_in(week, "timeline", "d4", "--around", "0", "--json").document["before"] == []


def test_memories_of_the_same_session_are_marked(store: Store) -> None:
    for number, session in ((1, "s"), (2, "s"), (3, "t")):
        put(store, dated(f"d{number}", number) | {"cuecard": {"source": {"session": session}}})
    lines = run_in(store, "timeline", "d2").stdout.splitlines()
    assert [line[0] for line in lines] == ["+", ">", " ", "("]


def test_a_memory_without_a_date_is_an_error_and_another_one_is_passed_over(week: Store) -> None:
    put(week, stored("undated") | {"created_at": "yesterday", "updated_at": "soon"})
    assert error_of(run_in(week, "timeline", "undated", "--json"))["field"] == "created_at"
    assert len(find_timeline(week, "d1", around=100).after) == 7
    assert run_in(week, "timeline", "nothing").code == 1


# Lineages


def test_a_lineage_goes_both_ways(store: Store) -> None:
    put(store, linked("incident", causes=["rule"]))
    put(store, linked("rule", derived_from=["decision/talk"]))
    put(store, linked("talk"))
    put(store, linked("new-rule", supersedes=["decisions/rule.json"]))
    assert tree(trace_lineage(store, "rule").root) == (
        "rule",
        ("derived from talk",),
        ("caused by incident",),
        ("superseded by new-rule",),
    )
    assert tree(trace_lineage(store, "talk").root) == (
        "talk",
        ("source of rule", ("caused by incident",), ("superseded by new-rule",)),
    )


def test_cycles_end_and_every_edge_is_shown_once(store: Store) -> None:
    put(store, linked("a", causes=["b"], derived_from=["a"]))
    put(store, linked("b", causes=["c"]))
    put(store, linked("c", causes=["a"]))
    found = trace_lineage(store, "a")
    assert tree(found.root) == (
        "a",
        ("derived from a again",),
        ("causes b", ("causes c again",)),
        ("caused by c",),
    )
    assert len(found.edges) == 4
    assert not found.is_cut


def test_a_lineage_stops_at_its_depth_and_says_so(store: Store) -> None:
    for number in range(6):
        put(store, linked(f"m{number}", derived_from=[f"m{number + 1}"]))
    found = trace_lineage(store, "m0", depth=2)
    assert tree(found.root) == ("m0", ("derived from m1", ("derived from m2",)))
    assert found.is_cut
    whole = trace_lineage(store, "m0", depth=6)
    assert not whole.is_cut
    ran = run_in(store, "lineage", "m5")
    assert "derived from: m6  (no such memory)" in ran.stdout


def test_a_lineage_is_drawn_as_a_tree_and_printed_as_a_document(store: Store) -> None:
    put(store, linked("a", causes=["b", "c"]))
    put(store, linked("b", causes=["d"]))
    put(store, linked("c") | {"record_status": "retired"})
    put(store, linked("d"))
    ran = run_in(store, "lineage", "a")
    assert ran.stdout.splitlines() == [
        "decision/a  a",
        "├─ causes: decision/b  b",
        "│  └─ causes: decision/d  d",
        "└─ causes: decision/c  c  (retired)",
    ]
    document = run_in(store, "lineage", "a", "--json").document
    assert [child["memory"] for child in document["lineage"]["children"]] == ["decision/b", "decision/c"]
    assert {edge["kind"] for edge in document["edges"]} == {"causes"}
    store.add(draft("Nobody names me"))
    alone = run_in(store, "lineage", "nobody-names-me")
    assert alone.stderr == "note: the memory names no other memory, and no memory names it\n"


@pytest.mark.parametrize("field", ["derived_from", "causes"])
def test_names_of_no_memory_are_warned_of_and_the_memory_itself_is_refused(store: Store, field: str) -> None:
    written = store.add(draft() | {"cuecard": {field: ["gone"]}})
    assert written.warnings == [f"there is no memory `gone`, which `cuecard.{field}` names"]
    assert read(store, written.id)["cuecard"][field] == ["gone"]
    assert store.update(written.id, {"confidence": 1}).warnings == []
    with pytest.raises(InputError):
        store.update(written.id, {"cuecard": {field: [written.id]}})

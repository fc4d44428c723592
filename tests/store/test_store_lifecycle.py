"""The states of a memory and the steps between them, and the limited number of session summaries."""

from pathlib import Path

import pytest

from cuecard import Store
from cuecard.errors import MissingError, StatusError
from cuecard.store.writes.rolling_window import exceeding
from records import (
    ago,
    assert_index_is_a_rebuild,
    draft,
    index_lines,
    make_store,
    path_in,
    put,
    read,
    read_files,
    read_index,
    stored,
)
from small_project import LONG_AGO

STEPS = ("retire", "archive", "restore")
# The status before the step, the step, and the resulting status or the hint of the error.
TABLE = [
    ("active", "retire", "retired"),
    ("active", "archive", "archived"),
    ("active", "restore", "already_active"),
    ("retired", "retire", "already_retired"),
    ("retired", "archive", "`cuecard restore` it first"),
    ("retired", "restore", "restored"),
    ("archived", "retire", "`cuecard restore` it first"),
    ("archived", "archive", "already_archived"),
    ("archived", "restore", "restored"),
]


pytestmark = pytest.mark.usefixtures("clean_environment")


def summary(number: int, **fields: object) -> dict[str, object]:
    """A session summary with an old date; the higher its number, the later its date."""
    return stored(f"s{number:02}", "session_summary", created_at=f"2020-01-{number:02}T00:00:00Z", **fields)


def active_ids(store: Store) -> list[str]:
    return [memory.id for memory in store.memories("session_summary")]


# Steps


@pytest.mark.parametrize(("status", "step", "outcome"), TABLE)
def test_a_step_leads_on_says_it_is_done_or_what_to_do_first(
    store: Store, status: str, step: str, outcome: str
) -> None:
    put(store, stored("m", record_status=status))
    before = read_files(store)
    if "`" in outcome:
        with pytest.raises(StatusError) as caught:
            getattr(store, step)("m")
        assert caught.value.hint == outcome
        assert (caught.value.field, caught.value.found) == ("record_status", f"`{status}`")
        return
    written = getattr(store, step)("m")
    assert written.status == outcome
    if outcome.startswith("already_"):
        assert read_files(store) == before
    assert_index_is_a_rebuild(store)


@pytest.mark.parametrize(("step", "status"), [("retire", "retired"), ("archive", "archived")])
def test_a_memory_out_of_use_says_when_and_why(store: Store, step: str, status: str) -> None:
    put(store, stored("m", archived_reason="stale", retired_reason="stale"))
    getattr(store, step)("m", reason=" it is\n wrong ")
    record = read(store, "m")
    assert record["record_status"] == status
    assert record[f"{status}_at"] == record["updated_at"] >= ago(1)
    assert record[f"{status}_reason"] == "it is wrong"
    assert not {"archived_reason", "retired_reason"} - {f"{status}_reason"} & set(record)
    assert record["changes"] == [
        {
            "date": record["updated_at"],
            "summary": f"{status}: it is wrong",
            "field": "record_status",
            "old_value": "active",
            "new_value": status,
        }
    ]
    assert record["times_updated"] == 0


@pytest.mark.parametrize(("out", "back"), [("retire", "restore"), ("archive", "restore")])
def test_out_of_use_and_back_leaves_but_the_history(store: Store, out: str, back: str) -> None:
    store.add(draft("other"))
    store.add(draft("m"))
    before, index = read(store, "m"), read_index(store)
    getattr(store, out)("m")
    assert len(index_lines(store)) == 1
    getattr(store, back)("m")
    after = read(store, "m")
    assert len(after.pop("changes")) == 2
    assert after | {"updated_at": before["updated_at"]} == before
    assert read_index(store) == index


def test_a_reason_that_nobody_gave_is_filled_in_and_a_long_one_fits_the_plugin(store: Store) -> None:
    put(store, stored("m"))
    put(store, stored("n"))
    store.retire("m")
    store.archive("n", reason="r" * 900)
    assert read(store, "m")["retired_reason"] == "No reason provided"
    assert len(read(store, "n")["archived_reason"]) == 300
    assert len(read(store, "n")["changes"][-1]["summary"]) == 300


def test_a_secret_in_a_reason_is_not_stored(store: Store) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 4
    put(store, stored("m"))
    written = store.retire("m", reason=f"leaked {secret}")
    assert [found.field for found in written.redactions] == ["reason"]
    assert secret not in str(read(store, "m"))


def test_history_stays_capped_through_steps(store: Store) -> None:
    put(store, stored("m", changes=[{"date": LONG_AGO, "summary": str(number)} for number in range(50)]))
    store.retire("m")
    changes = read(store, "m")["changes"]
    assert (len(changes), changes[0]["summary"], changes[-1]["summary"]) == (50, "1", "retired")


def test_even_a_record_that_no_longer_fits_can_be_retired(store: Store) -> None:
    put(store, stored("m", colour="red", content={"free": "form"}))
    assert store.retire("m").status == "retired"
    assert read(store, "m")["colour"] == "red"


def test_a_status_that_nobody_knows_is_told_with_a_way_out(store: Store) -> None:
    put(store, stored("m", record_status="gone"))
    for step in STEPS:
        with pytest.raises(StatusError, match="`m` is gone") as caught:
            getattr(store, step)("m")
        assert "record_status" in caught.value.hint


def test_a_step_of_what_is_not_there_is_an_error(store: Store) -> None:
    for step in STEPS:
        with pytest.raises(MissingError):
            getattr(store, step)("m")


# The window of session summaries


def test_only_the_newest_summaries_stay_active(store: Store) -> None:
    for number in range(1, 8):
        put(store, summary(number))
    written = store.add(draft("Today", "session_summary"))
    assert written.retired == ["s01", "s02", "s03"]
    assert active_ids(store) == ["s04", "s05", "s06", "s07", "today"]
    assert read(store, "s01", "session_summary")["retired_reason"].startswith("Session rolling window")
    assert_index_is_a_rebuild(store)


def test_the_window_is_as_wide_as_configured(tmp_path: Path) -> None:
    store = make_store(tmp_path / "p", categories={"session_summary": {"max_retained": 2}})
    for number in range(1, 4):
        put(store, summary(number))
    assert store.add(draft("Today", "session_summary")).retired == ["s01", "s02"]
    assert store.add(draft("a decision")).retired == []


@pytest.mark.parametrize("retained", [1, 2])
def test_the_summary_just_written_stays_whatever_the_dates_of_others(tmp_path: Path, retained: int) -> None:
    store = make_store(tmp_path / "p", categories={"session_summary": {"max_retained": retained}})
    for number in (1, 2):
        put(store, summary(number) | {"created_at": "2999-01-01T00:00:00Z"})
    assert store.add(draft("A summary", "session_summary")).retired == ["s01", "s02"][: 3 - retained]
    assert "a-summary" in active_ids(store)


def test_summaries_of_one_second_stay_as_many_as_they_should(store: Store) -> None:
    for letter in "gfedcba":
        written = store.add(draft(letter, "session_summary"))
        assert written.id not in written.retired
        assert letter in active_ids(store)
    assert len(active_ids(store)) == 5


def test_a_window_within_the_limit_of_a_category_makes_room_itself(tmp_path: Path) -> None:
    store = make_store(tmp_path / "p", max_memories_per_category=5)
    for number in range(1, 6):
        put(store, summary(number))
    assert store.add(draft("Today", "session_summary")).retired == ["s01"]


def test_inactive_summaries_do_not_count(store: Store) -> None:
    for number in range(1, 5):
        put(store, summary(number))
        put(store, summary(number + 10, record_status="archived"))
    assert store.add(draft("Today", "session_summary")).retired == []


def test_oldest_is_what_has_no_date_then_the_smallest_date_then_the_smallest_name() -> None:
    summaries: list[tuple[str, dict[str, object]]] = [
        ("sessions/b.json", {"created_at": "2020-01-02"}),
        ("sessions/a.json", {"created_at": "2020-01-02"}),
        ("sessions/d.json", {"created_at": 7}),
        ("sessions/c.json", {"created_at": "2020-01-01"}),
    ]
    names = ["sessions/d.json", "sessions/c.json", "sessions/a.json", "sessions/b.json"]
    assert [exceeding(summaries, retained) for retained in (1, 2, 3, 4, 5)] == [
        names[:3],
        names[:2],
        names[:1],
        [],
        [],
    ]
    many: list[tuple[str, dict[str, object]]] = [(f"sessions/{number:03}.json", {}) for number in range(100)]
    assert len(exceeding(many, 1)) == 10
    assert len(exceeding(many, 3)) == 30


def test_a_step_takes_secrets_of_old_out_of_the_file(store: Store) -> None:
    token = "ghp" + "_" + "a1B2c3D4e5" * 4
    put(store, stored("m", content={**draft()["content"], "context": f"use {token} here"}))
    written = store.retire("m")
    assert [found.field for found in written.redactions] == ["content.context"]
    assert token not in path_in(store, "m").read_text(encoding="utf-8")

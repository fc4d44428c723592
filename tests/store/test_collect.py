"""Garbage collection, and the settings that it heeds."""

import json
import re
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from cuecard.cli.run import run
from cuecard.errors import LockError, WriteError
from cuecard.files.lock import locked
from cuecard.store.derived.health import inspect
from cuecard.store.derived.reindex import reindex
from cuecard.store.settings.writer_settings import read_writer_settings
from cuecard.store.writes.collect import Collection, collect
from memory_files_put import DAY, NOW, Capture, moment, put, retired, store_of
from records import make_store, stored
from records import put as put_record
from scratch_home import write_user_settings
from small_project import write_project

pytestmark = pytest.mark.usefixtures("untouched_environment")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a few memories; one is retired, but still in the index."""
    project = write_project(tmp_path / "project")
    monkeypatch.chdir(project)
    return project


def gather(project: Path, grace_days: int = 30, is_dry_run: bool = False, now: int = NOW) -> Collection:
    return collect(str(project), str(store_of(project)), grace_days=grace_days, is_dry_run=is_dry_run, now=now)


def names_of(collection: Collection) -> list[str]:
    return [expired.path.rpartition("/")[2] for expired in collection.expired]


def test_grace_is_counted_in_whole_days_and_naive_times_are_utc(project: Path) -> None:
    put(project, "decisions/a.json", retired(moment(30.001)))
    put(project, "decisions/b.json", retired(moment(29.999)))
    put(project, "decisions/c.json", retired(moment(30.001, suffix="")))
    put(project, "decisions/d.json", retired(moment(29.999, suffix="")))
    # This is the same time as that of `a`, but in another time zone.
    put(project, "decisions/e.json", retired(moment(30.001 - 9 / 24, suffix="+09:00")))
    put(project, "decisions/f.json", retired(moment(-5)))
    put(project, "decisions/g.json", {"title": "Archived", "record_status": "archived", "archived_at": moment(900)})
    put(project, "decisions/h.json", {"title": "Active", "retired_at": moment(900)})
    assert names_of(gather(project)) == ["a.json", "c.json", "e.json"]
    assert names_of(gather(project, grace_days=0)) == ["b.json", "d.json"]
    # If the clock was set back, no memory counts as older.
    assert names_of(gather(project, grace_days=0, now=NOW - 900 * DAY)) == []
    assert sorted(path.name for path in (store_of(project) / "decisions").iterdir()) == [
        "f.json",
        "g.json",
        "h.json",
        "native-hook.json",
        "twins.json",
    ]


def test_a_dry_run_deletes_nothing(project: Path, capsys: Capture) -> None:
    put(project, "decisions/a.json", retired("2020-01-01T00:00:00Z"))
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    assert run(["gc", "--dry-run"]) == 0
    printed = capsys.readouterr()
    assert re.fullmatch(r"would delete \.claude/memory/decisions/a\.json \(retired [\d,]+ days ago\)\n", printed.out)
    assert "note: nothing was deleted" in printed.err
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before
    assert run(["gc", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [memory["path"] for memory in document["deleted"]] == [".claude/memory/decisions/a.json"]
    assert run(["gc"]) == 0
    assert "note: no memory has been retired for 30 days or more" in capsys.readouterr().err


def test_a_collection_retires_summaries_beyond_those_to_be_kept(tmp_path: Path, capsys: Capture) -> None:
    store = make_store(tmp_path / "project")
    for number in range(25):
        put_record(store, stored(f"s{number:02}", "session_summary", created_at=f"2024-01-{number + 1:02}T00:00:00Z"))
    (store_of(tmp_path / "project") / "memory-config.json").write_text(
        json.dumps({"categories": {"session_summary": {"max_retained": 2}}})
    )
    root = ["--root", store.root]
    assert run(["gc", "--dry-run", "--json", *root]) == 0
    planned = json.loads(capsys.readouterr().out)
    assert [one["path"][-8:-5] for one in planned["would_retire"]] == [f"s{number:02}" for number in range(23)]
    assert len(store.memories("session_summary")) == 25
    assert run(["gc", *root]) == 0
    printed = capsys.readouterr()
    assert printed.out.count("retired .claude/memory/sessions/") == 23
    assert [memory.id for memory in store.memories("session_summary")] == ["s23", "s24"]
    assert run(["gc", "--json", *root]) == 0
    assert json.loads(capsys.readouterr().out)["retired"] == []


def test_times_that_cannot_be_read_are_reported(project: Path, capsys: Capture) -> None:
    put(project, "decisions/a.json", retired("soon"))
    put(project, "decisions/b.json", retired(None))
    put(project, "decisions/c.json", retired(1_500_000_000))
    put(project, "decisions/torn.json", "{")
    assert run(["gc"]) == 0
    assert capsys.readouterr().err.splitlines()[:5] == [
        "warning: `.claude/memory/decisions/a.json` stays: a `retired_at` that is not a timestamp",
        "warning: `.claude/memory/decisions/b.json` stays: no `retired_at` timestamp",
        "warning: `.claude/memory/decisions/c.json` stays: no `retired_at` timestamp",
        "warning: `.claude/memory/tech-debt/old-hook.json` stays: no `retired_at` timestamp",
        "warning: `.claude/memory/decisions/torn.json` is damaged and left alone: not JSON",
    ]


def test_collection_brings_the_index_up_to_date(project: Path) -> None:
    put(project, "tech-debt/old-hook.json", retired(moment(99)))
    assert names_of(gather(project)) == ["old-hook.json"]
    health = inspect(str(project), str(store_of(project)))
    assert (health.is_in_step, health.lines) == (True, 5)


def test_what_is_restored_meanwhile_stays(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(project, "decisions/a.json", retired(moment(99)))
    put(project, "decisions/b.json", retired(moment(99)))
    put(project, "decisions/c.json", retired(moment(99)))
    real = locked

    def restore_first(memory_dir: str) -> AbstractContextManager[None]:
        put(project, "decisions/a.json", {"title": "Restored"})
        put(project, "decisions/b.json", "{")
        (store_of(project) / "decisions" / "c.json").unlink()
        return real(memory_dir)

    monkeypatch.setattr("cuecard.store.writes.collect.locked", restore_first)
    collection = gather(project)
    assert (collection.expired, [reason for _path, reason in collection.skipped[1:]]) == (
        [],
        ["it has just been changed", "it has just been changed", "it is missing"],
    )
    assert (store_of(project) / "decisions" / "a.json").exists()


def test_collection_follows_no_link(project: Path, tmp_path: Path) -> None:
    away = tmp_path / "away"
    away.mkdir()
    (away / "old.json").write_text(json.dumps(retired(moment(99))))
    (store_of(project) / "sessions").symlink_to(away)
    (store_of(project) / "decisions" / "link.json").symlink_to(away / "old.json")
    inside = put(project, "runbooks/old.json", retired(moment(1)))
    (store_of(project) / "runbooks" / "link.json").symlink_to(inside)
    collection = gather(project, grace_days=0)
    assert names_of(collection) == ["old.json"]
    assert (away / "old.json").exists()
    assert (store_of(project) / "runbooks" / "link.json").is_symlink()


def test_collection_waits_for_the_lock(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = put(project, "decisions/a.json", retired(moment(99)))
    monkeypatch.setattr("cuecard.files.lock.LOCK_SECONDS", 0.05)
    monkeypatch.setattr("cuecard.store.writes.collect.locked", lambda memory_dir: locked(memory_dir, 0.05))
    monkeypatch.setattr("cuecard.store.derived.reindex.locked", lambda memory_dir: locked(memory_dir, 0.05))
    with locked(str(store_of(project))):
        with pytest.raises(LockError):
            gather(project)
        with pytest.raises(LockError):
            reindex(str(project), str(store_of(project)))
    assert file.exists()


def test_a_store_that_cannot_be_written_is_a_clear_error(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("cuecard.store.derived.reindex.write", fail)
    before = (store_of(project) / "index.md").read_bytes()
    with pytest.raises(WriteError, match="No space left on device"):
        reindex(str(project), str(store_of(project)))
    assert (store_of(project) / "index.md").read_bytes() == before


# Settings


@pytest.mark.parametrize(
    ("value", "grace_days"),
    [
        (7, 7),
        (0, 0),
        (-4, 0),
        (3.9, 3),
        (True, 1),
        (" 1_0 ", 10),
        ("5.7", 30),
        ("soon", 30),
        (None, 30),
        ([], 30),
        ({}, 30),
    ],
)
def test_a_grace_period_that_is_no_number_is_thirty_days(project: Path, value: object, grace_days: int) -> None:
    write_user_settings({"delete": {"grace_period_days": value}})
    settings = read_writer_settings(str(store_of(project)))
    assert settings.grace_days == grace_days
    assert len(settings.notes) == (grace_days == 30 or value == -4)


@pytest.mark.parametrize("text", ['{"delete": {"grace_period_days": NaN}}', '{"delete": {"grace_period_days": 1e999}}'])
def test_a_grace_period_beyond_numbers_is_thirty_days(project: Path, text: str) -> None:
    put(project, "memory-config.json", text)
    assert read_writer_settings(str(store_of(project))).grace_days == 30


@pytest.mark.parametrize(
    ("value", "expected"), [(3, 3), (1, 1), (0, None), (-1, None), (True, None), ("3", None), (2.0, None), (None, None)]
)
def test_counts_are_integers_from_one_upwards(project: Path, value: object, expected: int | None) -> None:
    sessions = {"session_summary": {"max_retained": value}}
    write_user_settings({"categories": sessions, "max_memories_per_category": value})
    settings = read_writer_settings(str(store_of(project)))
    assert (settings.max_retained, settings.max_memories_per_category) == (expected or 5, expected)
    assert len(settings.notes) == (0 if expected else 2)


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"delete": 5}', '{"categories": []}', '{"categories": {"session_summary": 1}}']
)
def test_malformed_settings_fall_back_and_say_so(project: Path, capsys: Capture, text: str) -> None:
    put(project, "memory-config.json", text)
    settings = read_writer_settings(str(store_of(project)))
    assert (settings.grace_days, settings.max_retained, settings.max_memories_per_category) == (30, 5, None)
    assert len(settings.notes) == 1
    assert run(["gc"]) == 0
    assert settings.notes[0] in capsys.readouterr().err


def test_settings_of_other_commands_are_not_told(project: Path, capsys: Capture) -> None:
    put(project, "memory-config.json", '{"network": {"proxy": "http://p:1"}}')
    assert run(["gc"]) == 0
    assert "network.proxy" not in capsys.readouterr().err


def test_a_malformed_group_of_the_user_leaves_the_other_group_to_the_repository(project: Path) -> None:
    write_user_settings({"delete": 3})
    put(project, "memory-config.json", '{"categories": {"session_summary": {"max_retained": 2}}}')
    assert read_writer_settings(str(store_of(project))).max_retained == 2
    write_user_settings({"delete": {}})
    put(project, "memory-config.json", '{"delete": {"grace_period_days": 5}}')
    assert read_writer_settings(str(store_of(project))).grace_days == 30


def test_missing_settings_are_nothing_to_speak_of(project: Path) -> None:
    assert read_writer_settings(str(store_of(project))).notes == []

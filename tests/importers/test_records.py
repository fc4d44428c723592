"""Records of decisions in the forms and languages of real projects, half of them hostile to a naive reader."""

from pathlib import Path

import pytest

from command_process import run_in
from cuecard.api import Store
from cuecard.importers.adr.dates import find_date
from cuecard.importers.adr.words import STATES, phrases
from cuecard.importers.discovery import find_sources
from record_cases import RecordCase, read_case, reading_of, record_cases
from records import read

CASES = record_cases()
OVER = ("superseded", "rejected", "deprecated")


def test_there_are_enough_records_of_each_kind() -> None:
    assert len(CASES) >= 60
    assert 2 * sum(bool(case.wanted.get("is_hostile")) for case in CASES) >= len(CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_record_is_read_as_its_author_meant_it(tmp_path: Path, case: RecordCase) -> None:
    reading = read_case(case, tmp_path)
    wanted = dict(case.wanted)
    wanted.pop("is_hostile", None)
    if not wanted.pop("is_record", True):
        assert reading.drafts == []
        return
    [draft] = reading.drafts
    found = reading_of(draft)
    for name, value in wanted.items():
        if name == "lacks":
            assert value not in str({**found, "title": ""})
        elif name in ("context", "decision"):
            assert found[name].startswith(value), (name, found[name])
        else:
            assert found[name] == value, name
    # An accepted record is never lost, and one that is over never comes in as accepted.
    assert bool(draft.is_over) is (wanted["status"] in OVER)


def test_a_memory_keeps_when_and_by_whom_its_record_was_decided(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "docs" / "decisions"
    folder.mkdir(parents=True)
    (folder / "0001-queue.md").write_text(
        "# 1. A queue\n\n## Context\n\nLoss.\n\n## Decision\n\nJobs wait in a queue.\n"
    )
    (folder / "0002-disk.rst").write_text(
        "2. On disk\n==========\n\n:Status: Accepted\n:Date: 4 March 2025\n:Deciders: Ada Quill, Tom Reed\n"
        ":Amends: ADR-1\n\n"
        "Context\n-------\n\nRestarts.\n\nDecision\n--------\n\nThe queue is on disk.\n"
    )
    rows = run_in(store, "import", tmp_path / "docs", "--json").document["outcomes"]
    assert [row["status"] for row in rows] == ["created", "created"]
    source = read(store, "on-disk")["cuecard"]["source"]
    assert source["date"] == "2025-03-04"
    assert source["deciders"] == ["Ada Quill", "Tom Reed"]
    assert source["links"] == ["amends decisions/0001-queue.md"]
    again = run_in(store, "import", tmp_path / "docs", "--json").document["outcomes"]
    assert [row["status"] for row in again] == ["unchanged", "unchanged"]


def test_other_markup_counts_only_among_records(store: Store, tmp_path: Path) -> None:
    record = "= {}\n\n== Context\n\nLoss.\n\n== Decision\n\nJobs wait in a queue of {}.\n"
    for number, place in enumerate(["docs/adr/0001-a.adoc", "docs/adr/mail/0002-b.asciidoc", "docs/guide/c.adoc"]):
        file = tmp_path / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(record.format(f"Title {number}", f"kind {number}"))
    rows = run_in(store, "import", tmp_path / "docs", "--json").document["outcomes"]
    assert [row["source"] for row in rows] == ["adr/0001-a.adoc", "adr/mail/0002-b.asciidoc"]
    # A file that is named by itself is read wherever it is.
    [row] = run_in(store, "import", tmp_path / "docs" / "guide" / "c.adoc", "--json").document["outcomes"]
    assert row["title"] == "Title 2"


@pytest.mark.parametrize("place", ["docs/adr/0001-a.rst", "architecture/decisions/0001-a.adoc", "rfcs/0001-a.md"])
def test_folders_of_records_in_any_markup_are_offered(tmp_path: Path, place: str) -> None:
    file = tmp_path / place
    file.parent.mkdir(parents=True)
    file.write_text("A\n=\n")
    [found] = find_sources(str(tmp_path), str(tmp_path / "home"), {})
    assert found.paths == (str(file.parent),)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2025-03-04", "2025-03-04"),
        ("on 2025/3/4, by mail", "2025-03-04"),
        ("20250304", "2025-03-04"),
        ("4.3.2025", "2025-03-04"),
        ("14/03/2025", "2025-03-14"),
        ("03/14/2025", "2025-03-14"),
        ("03/04/2025", ""),
        ("4th of March 2025", "2025-03-04"),
        ("Mar. 4, 2025", "2025-03-04"),
        ("4 de marzo de 2025", "2025-03-04"),
        ("4 août 2025", "2025-08-04"),
        ("2025年3月4日", "2025-03-04"),
        ("2025년 3월 4일", "2025-03-04"),
        ("2025-02-30", ""),
        ("YYYY-MM-DD", ""),
        ("March 2025", ""),
        ("version 2025.10", ""),
    ],
)
def test_a_date_is_read_in_the_forms_of_people(text: str, wanted: str) -> None:
    assert find_date(text) == wanted


def test_each_phrase_of_the_table_has_one_status() -> None:
    tables = {state: phrases(f"state {state}") for state in STATES}
    shared = {
        phrase
        for state, words in tables.items()
        for other, more in tables.items()
        if state < other
        for phrase in words & more
    }
    assert shared == set()

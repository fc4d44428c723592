"""Records of decisions in the forms and languages of real projects, half of them hostile to a naive reader."""

from pathlib import Path

import pytest

from record_cases import RecordCase, read_case, reading_of, record_cases

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

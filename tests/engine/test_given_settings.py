"""Settings are asked for by the names of the table, with both backends."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from cuecard._backend import Values, capture_settings_of

ROOT = Path(__file__).resolve().parents[2]
FILE = b'{"network": {"proxy": "http://p:1"}, "capture": {"every": 9, "background": {"model": "m"}}, "triage": "off"}'
# The rooms that read the members of the files.
READERS = ("python/cuecard/_pure/settings/", "python/cuecard/store/settings/")


@pytest.fixture
def values(engine: ModuleType) -> Values:
    return Values(engine.read_settings(FILE, None).members, [])


def test_a_setting_is_found_by_its_name(values: Values) -> None:
    assert values.given("network.proxy") == "http://p:1"
    assert values.integer("capture.every") == 9
    assert values.group("capture.background") == {"model": "m"}


def test_what_no_file_gives_is_the_default(values: Values) -> None:
    assert values.given("capture.background.url") is None
    assert values.given("capture.background.url", "") == ""
    assert values.switch("triage.permit") is True
    assert values.group("embedding") == {}


@pytest.mark.parametrize(("given", "every"), [(2, 8), (3, 3), (100, 100), (101, 8), (True, 8)])
def test_a_number_of_prompts_out_of_bounds_counts_as_not_set(engine: ModuleType, given: object, every: int) -> None:
    file = json.dumps({"capture": {"every": given}}).encode()
    assert capture_settings_of(engine.read_settings(file, None)).every == every


def test_a_group_that_is_no_object_gives_nothing_and_is_reported_once(values: Values) -> None:
    assert values.group("triage") == {}
    assert values.given("triage.enabled") is None
    assert values.problems == ["`triage` is not an object; using its defaults"]


@pytest.mark.parametrize("name", ["network.prox", "nothing", "capture"])
def test_a_name_that_the_table_does_not_have_is_an_error(values: Values, name: str) -> None:
    read: Callable[[str], object] = values.given  # type: ignore[assignment]
    with pytest.raises(KeyError):
        read(name)


def test_a_group_that_the_table_does_not_have_is_an_error(values: Values) -> None:
    with pytest.raises(KeyError):
        values.group("network.proxy")  # type: ignore[arg-type]


def test_no_other_code_reads_a_member_of_the_files() -> None:
    raw = re.compile(r"\.members\b(?!\()")
    found = [
        f"{name}: {line.strip()}"
        for path in sorted([*ROOT.glob("python/cuecard/**/*.py"), *ROOT.glob("rust/engine/src/**/*.rs")])
        if not (name := path.relative_to(ROOT).as_posix()).startswith(READERS)
        for line in path.read_text("utf-8").splitlines()
        if raw.search(line) and "Values(" not in line
    ]
    assert found == []

"""Times both backends at the same work (`make bench`). Every timed result must be equal on both backends."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import pytest

from twin_cases import CASES, Case

if TYPE_CHECKING:
    from types import ModuleType

    from pytest_benchmark.fixture import BenchmarkFixture

    Engines = dict[str, ModuleType]


@pytest.fixture(scope="module")
def engines() -> Engines:
    pytest.importorskip("cuecard._native", reason="the native backend is not installed", exc_type=ImportError)
    return {"native": importlib.import_module("cuecard._native"), "pure": importlib.import_module("cuecard._pure")}


@pytest.mark.parametrize("name", ["native", "pure"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_both_agree_on_what_is_timed(benchmark: BenchmarkFixture, engines: Engines, case: Case, name: str) -> None:
    other = "pure" if name == "native" else "native"
    expected = case.read(case.prepare(engines[other])())
    benchmark.group = case.name
    benchmark.name = name
    assert case.read(benchmark(case.prepare(engines[name]))) == expected

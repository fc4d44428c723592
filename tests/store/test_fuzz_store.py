"""Runs a few random inputs; `make fuzz` runs a hundred thousand."""

from pathlib import Path

import pytest

import fuzz_store

pytestmark = pytest.mark.fault


@pytest.mark.parametrize("seed", range(3))
def test_no_input_breaks_the_store_or_ends_in_a_traceback(seed: int, tmp_path: Path) -> None:
    happened = fuzz_store.run(tmp_path, 500, seed)
    assert happened["taken"]
    assert happened["INPUT_ERROR"]
    assert happened["VALIDATION_ERROR"]

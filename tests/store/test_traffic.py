"""Sixteen processes write to one store while four processes read it."""

import os
from pathlib import Path

import pytest

import store_traffic

pytestmark = pytest.mark.fault

# The full traffic, `make traffic`, takes a minute because of fsync, so this test uses fewer writes.
WRITES = int(os.environ.get("CUECARD_TRAFFIC", "12"))


@pytest.mark.timeout(1200)
def test_nothing_is_lost_or_torn_when_many_processes_write_at_once(tmp_path: Path) -> None:
    said = store_traffic.run(tmp_path, writers=16, writes=WRITES, readers=4)
    assert f"{16 * WRITES} writes" in said

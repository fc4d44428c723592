"""Puts memory files into a store by hand."""

import json
from datetime import datetime, timezone
from pathlib import Path

import pytest

Capture = pytest.CaptureFixture[str]


def store_of(project: Path) -> Path:
    return project / ".claude" / "memory"


def put(project: Path, path: str, record: object) -> Path:
    """Write a file into the store."""
    file = store_of(project) / path
    file.parent.mkdir(exist_ok=True)
    file.write_text(record if isinstance(record, str) else json.dumps(record), encoding="utf-8")
    return file


def retired(retired_at: object, **fields: object) -> dict[str, object]:
    return {"title": "Old", "record_status": "retired", "retired_at": retired_at, **fields}


DAY = 86_400_000_000
NOW = 1_800_000_000_000_000


def moment(days_ago: float, suffix: str = "Z") -> str:
    """The time `days_ago` days before `NOW`, as text with this suffix."""
    seconds = (NOW - days_ago * DAY) / 1_000_000
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S") + suffix

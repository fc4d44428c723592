"""Runs hybrid recall on the stores of the vectors in `tests/vectors` (see the README there)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from cuecard import _pure as pure
from cuecard._pure.requests.request import Request
from cuecard._pure.retrieve import earlier_prompt
from cuecard.basics.gate_table import ADDITIONS
from snapshot_cases import STORE, path_at, snapshot_of
from vector_cases import FOLDER, toml_reader

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

# This is 2026-01-10T12:00:00Z, in microseconds since 1970.
NOW = 1_768_046_400_000_000
# The BM25F parameters of a store without settings.
NUMBERS = (2.0, (3.0, 4.0, 2.0, 1.0), (0.75, 0.75, 0.75, 0.75))
SETTINGS = ("precise", "balanced", "eager", "off")
Rows = list[Any]


def stored_files(store: str) -> Rows:
    """The memory files of a store in `stores`: for each, its path below the store and its content."""
    with (FOLDER / "stores" / f"{store}.toml").open("rb") as file:
        files: Rows = toml_reader.load(file)["files"]
        return files


def recall(
    engine: ModuleType,
    store: str,
    setting: str = "balanced",
    changed: Rows | None = None,
    removed: Rows | None = None,
    **asked: Any,  # noqa: ANN401 - the input of `request_of`
) -> Rows:
    """The memories to show: for each, its path below the store, score, logit and probability."""
    snapshot = snapshot_of(engine, NUMBERS, stored_files(store), changed, removed)
    found = snapshot.recall(request_of(engine, snapshot, **asked), setting)
    return [[path_at(engine, snapshot, position), *numbers] for position, *numbers in found]


def request_of(
    engine: ModuleType,
    snapshot: pure.Snapshot,
    config: str = "{}",
    embedded: Rows | None = None,
    **fields: Any,  # noqa: ANN401 - the fields of a request
) -> Request:
    """A recall request with the fields of a test case."""
    for name in ("filters", "situation"):
        if fields.get(name) is not None:
            fields[name] = tuple(fields[name])
    settings = engine.read_settings(config.encode(), None)
    return Request(**{"k": 3, "now": NOW, **fields}, settings=settings, embedded=embedded_of(snapshot, embedded))


def recall_by_setting(engine: ModuleType, **given: Any) -> Rows:  # noqa: ANN401 - the input of `recall`
    """The paths of the memories to be shown, for each setting of the gate."""
    return [[row[0] for row in recall(engine, setting=setting, **given)] for setting in SETTINGS]


def trace(
    engine: ModuleType,
    store: str,
    path: str,
    changed: Rows | None = None,
    removed: Rows | None = None,
    **asked: Any,  # noqa: ANN401 - the input of `request_of`
) -> object:
    """The trace of the memory at a path; if there is no such memory, the trace of a position beyond all documents."""
    snapshot = snapshot_of(engine, NUMBERS, stored_files(store), changed, removed)
    position = snapshot.find(STORE + path)
    place = 99 if position is None else position
    return snapshot.trace(place, request_of(engine, snapshot, **asked))


def trace_sum(engine: ModuleType, **given: Any) -> object:  # noqa: ANN401 - the input of `trace`
    """The trace with one row for all features of the gate's model, with the sum of their shares."""
    *before, features = cast("tuple[Any, ...]", trace(engine, **given))
    added = [row for row in features if row[0] in ADDITIONS]
    return (*before, [*added, ("features", 0, sum(row[2] for row in features if row not in added))])


def embedded_of(snapshot: pure.Snapshot, embedded: Rows | None) -> list[tuple[int, int]] | None:
    """The position and cosine of each document with a model vector; in `embedded`, a path may replace the position."""
    if embedded is None:
        return None
    return [(place if isinstance(place, int) else _position(snapshot, place), cosine) for place, cosine in embedded]


def _position(snapshot: pure.Snapshot, path: str) -> int:
    position = snapshot.find(STORE + path)
    assert position is not None
    return position


def kept_terms(engine: ModuleType, store: str, **asked: Any) -> str:  # noqa: ANN401 - the input of `request_of`
    """What a session keeps of a prompt."""
    snapshot = snapshot_of(engine, NUMBERS, stored_files(store))
    return earlier_prompt.kept_terms(snapshot, request_of(engine, snapshot, **asked))


HYBRID: dict[str, Callable[..., Any]] = {
    "recall": recall,
    "recall_by_setting": recall_by_setting,
    "trace": trace,
    "trace_sum": trace_sum,
    "kept_terms": kept_terms,
}

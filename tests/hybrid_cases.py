"""What hybrid recall does with a store, as the vectors describe it (see the README of the vectors)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cuecard import _pure as pure
from snapshot_cases import STORE, path_at, snapshot_of
from vector_cases import FOLDER, toml_reader

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

# 2026-01-10T12:00:00Z.
NOW = 1_768_046_400_000_000
# Those of a store without settings.
NUMBERS = (2.0, (3.0, 4.0, 1.0), (0.75, 0.75, 0.75))
SETTINGS = ("precise", "balanced", "eager", "off")
Rows = list[Any]


def stored_files(store: str) -> Rows:
    """Path below the store and content of each memory file of `stores`."""
    with (FOLDER / "stores" / f"{store}.toml").open("rb") as file:
        files: Rows = toml_reader.load(file)["files"]
        return files


def open_store(twin: ModuleType, store: str, **changes: Rows) -> pure.Snapshot:
    """A snapshot of a store, with a delta where files have changed or went."""
    return snapshot_of(twin, NUMBERS, stored_files(store), **changes)


def recall(
    twin: ModuleType,
    store: str,
    prompt: str,
    setting: str = "balanced",
    k: int = 3,
    history: Rows | None = None,
    config: str = "{}",
    now: int = NOW,
    descriptions: Rows | None = None,
    synonyms: Rows | None = None,
    filters: Rows | None = None,
    situation: Rows | None = None,
    embedded: Rows | None = None,
    **changes: Rows,
) -> Rows:
    """Path below the store, score, logit and probability of what is to be shown."""
    snapshot = open_store(twin, store, **changes)
    narrowed: Any = tuple(filters) if filters else None
    context = (k, descriptions or [], synonyms or [], twin.read_settings(config.encode(), None))
    known: Any = tuple(situation) if situation else None
    near = embedded_of(snapshot, embedded)
    found = snapshot.recall(prompt, history or [], *context, setting, now, narrowed, known, near)
    return [[path_at(twin, snapshot, position), *numbers] for position, *numbers in found]


def recall_by_setting(twin: ModuleType, **given: Any) -> Rows:  # noqa: ANN401 - the input of `recall`
    """Only the paths, for each setting."""
    return [[row[0] for row in recall(twin, setting=setting, **given)] for setting in SETTINGS]


def trace(
    twin: ModuleType,
    store: str,
    path: str,
    prompt: str,
    k: int = 3,
    history: Rows | None = None,
    config: str = "{}",
    now: int = NOW,
    descriptions: Rows | None = None,
    synonyms: Rows | None = None,
    situation: Rows | None = None,
    embedded: Rows | None = None,
    **changes: Rows,
) -> object:
    """What `trace` says of the memory at a path; of one beyond all documents where there is none."""
    snapshot = open_store(twin, store, **changes)
    position = snapshot.find(STORE + path)
    place = 99 if position is None else position
    context = (k, descriptions or [], synonyms or [], twin.read_settings(config.encode(), None))
    known: Any = tuple(situation) if situation else None
    near = embedded_of(snapshot, embedded)
    return snapshot.trace(place, prompt, history or [], *context, now, None, known, near)


def embedded_of(snapshot: pure.Snapshot, embedded: Rows | None) -> list[tuple[int, int]] | None:
    """Positions of paths, or positions themselves, with cosines."""
    if embedded is None:
        return None
    return [(place if isinstance(place, int) else _position(snapshot, place), cosine) for place, cosine in embedded]


def _position(snapshot: pure.Snapshot, path: str) -> int:
    position = snapshot.find(STORE + path)
    assert position is not None
    return position


HYBRID: dict[str, Callable[..., Any]] = {"recall": recall, "recall_by_setting": recall_by_setting, "trace": trace}

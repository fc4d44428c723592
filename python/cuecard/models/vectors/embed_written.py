"""Computes the vector of a memory that was just written (docs/reference/models.md, "Making vectors")."""

import time

from ...errors import CuecardError
from ...files.folder import Unread
from ...files.store_files import StoreFiles
from ..embedders.choice import open_embedder
from ..embedders.embedding_settings import read_embedding_settings
from ..endpoints.run_with_timeout import run_with_timeout
from .embed_plan import Missing
from .memory_text import text_of
from .vectors_file import DamagedVectors, read_vectors
from .vectors_update import update_vectors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._backend import Settings

# The most time that the answer to a write is delayed.
WRITE_SECONDS = 5.0
LOCK_SECONDS = 2.0
# How long a failed embedder is not asked again, since many writes may follow each other.
REST_SECONDS = 60.0
LATER = "`cuecard embed` makes it"

# The stores whose texts may have been sent since the last call of `take_stores`.
_stores: set[str] = set()
_resting: dict[tuple[str, str, str, str, str], float] = {}


def embed_written(memory_dir: str, config: "Settings", path: str) -> list[str]:
    """Compute the vector of a memory that was just written; returns a list with a sentence if this fails, else [].

    `config` are the settings of the store. Takes at most `WRITE_SECONDS`; errors of the model are not raised. For
    `REST_SECONDS` after a failure the embedder is not asked.
    """
    settings = read_embedding_settings(config, [])
    if settings is None or _resting.get(settings.key, 0) > time.monotonic():
        return []
    deadline = time.monotonic() + WRITE_SECONDS
    embedder = open_embedder(settings)
    _stores.add(memory_dir)

    def embed() -> None:
        missing = _read(memory_dir, path)
        if missing is None:
            return
        try:
            there = read_vectors(memory_dir, embedder.fingerprint)
        except DamagedVectors:
            there = None
        if embedder.is_latin and there is None:
            # Only a run over all memories can decide whether the model fits the store.
            return
        known = there.entries().get(path) if there else None
        if known is not None and known[2] == missing.digest:
            row = known[3]
        else:
            embedder.load()
            row = embedder.encode([missing.text], max(deadline - time.monotonic(), 0.001))[0]
        if there and there.dimension != len(row):
            # Another model answers; only a run over all memories can decide which one is right.
            return
        update_vectors(memory_dir, embedder.fingerprint, len(row), {path: missing.entry(row)}, LOCK_SECONDS)

    try:
        run_with_timeout(deadline, embed)
    except CuecardError as error:
        _resting[settings.key] = time.monotonic() + REST_SECONDS
        return [f"the memory has no vector yet: {error.what}; {LATER}"]
    return []


def take_stores() -> set[str]:
    """The stores for which an embedder was asked since the last call."""
    stores = set(_stores)
    _stores.difference_update(stores)
    return stores


def _read(memory_dir: str, path: str) -> Missing | None:
    """The memory in its current file; None if it is gone or not active."""
    try:
        with StoreFiles(memory_dir) as files:
            data, status = files.read(path)
    except Unread:
        return None
    found = text_of(path, data)
    if found is None or found[1] != "active":
        return None
    return Missing(("", path, data, status.st_size, status.st_mtime_ns), found[0])

"""The embedding of a prompt, and its similarity to the memories of a store.

Rules: docs/reference/models.md, "Vectors of prompts".

Without an embedder the built-in table of word vectors is used.
"""

import threading
import time

from ..._backend import backend, engine
from ...basics.chars import scrub
from ...configuration.embedding_settings import STATIC
from ...configuration.place import host_of
from ...errors import CuecardError, ModelError
from ...protocol.session import is_continued
from ...settings.reader import ENDPOINTS
from ..embedders.choice import open_embedder
from ..endpoints.resting import is_resting, note_failure
from ..endpoints.run_with_timeout import run_with_timeout
from .vectors_file import VectorsFile, read_vectors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..._backend import Snapshot
    from ...configuration.embedding_settings import EmbeddingSettings
    from ..embedders.embedder import Embedder

# How long those wait who have asked for the model itself, and not for a prompt's answer: it may be loaded first.
PATIENT_SECONDS = 60.0
MAX_QUERY_CHARS = 6000
TOLD_SHARE = 0.95
# What the pure backend compares in some hundredths of a second: 2,000 rows of MiniLM's.
MAX_PURE_BYTES = 3 << 18
EMBED_ALL = "`cuecard embed` makes them"


class QuerySimilarities:
    """Position and cosine, in 1/4096, of every memory with a vector; who made them, or why nobody has."""

    __slots__ = ("embedded", "embedder", "is_fault", "note")

    def __init__(
        self, embedder: str, embedded: list[tuple[int, int]] | None, note: str = "", is_fault: bool = False
    ) -> None:
        """`is_fault` where the note is about what somebody can fix."""
        self.embedder = embedder
        self.embedded = embedded
        self.note = note
        self.is_fault = is_fault


def compare_with_memories(
    settings: "EmbeddingSettings",
    store: "tuple[str, Snapshot]",
    prompt: str,
    history: "Sequence[str]",
    who: str,
    begin: float = 0,
) -> QuerySimilarities:
    """Compare a prompt with the memories of a store, its folder and its snapshot, within the settings' time; never
    raises for a model.

    Where the model is not in memory, a "hook" does without, a "resident" process loads it for the prompts to come, and
    a "person" waits for it. The time counts from `begin` (of `time.monotonic`), a person's from now.
    """
    memory_dir, snapshot = store
    deadline = (time.monotonic() if who == "person" else begin) + settings.timeout_ms / 1000
    embedder = open_embedder(settings)
    if who != "person" and settings.provider in ENDPOINTS and is_resting(host_of(settings.url)):
        return QuerySimilarities(
            STATIC, None, f"`{host_of(settings.url)}` failed a short time ago and is not asked again yet"
        )
    try:
        if not embedder.is_ready and who == "hook":
            return QuerySimilarities(
                STATIC, None, f"a hook has no time to load `{embedder.name}`; `cuecard mcp` has it"
            )
        if not embedder.is_ready and who == "resident":
            problem = embedder.problem
            load_beside(embedder)
            return QuerySimilarities(STATIC, None, problem or f"`{embedder.name}` is being loaded", bool(problem))
        vectors = _read(memory_dir, embedder)
        if who != "person" and backend == "pure" and len(vectors.rows) > MAX_PURE_BYTES:
            return QuerySimilarities(
                STATIC, None, f"the pure backend has no time to compare {len(vectors.paths)} vectors"
            )
        positions = snapshot.find_unchanged(vectors.files())
        if not any(position is not None for position in positions):
            # Nobody is told a prompt for nothing.
            return QuerySimilarities(STATIC, None, f"no memory has a vector; {EMBED_ALL}", True)
        text = _query_text(prompt, history)
        if who == "person" and embedder.is_local:
            # What is worked out here does not depend on how busy the machine is.
            embedder.load()
            deadline = time.monotonic() + PATIENT_SECONDS
        # A little less, so that an endpoint is named by its own words.
        told = max((deadline - time.monotonic()) * TOLD_SHARE, 0.001)
        row = run_with_timeout(deadline, lambda: embedder.encode([text], told)[0])
        if len(row) != vectors.dimension:
            what = f"`{embedder.name}` has answered with a vector of {len(row)} numbers, not {vectors.dimension}"
            raise ModelError(what, "`cuecard embed --anew` makes the vectors of another model")
    except CuecardError as error:
        if settings.provider in ENDPOINTS and time.monotonic() >= deadline:
            # The thread that asks may end before it can note this.
            note_failure(host_of(settings.url))
        return QuerySimilarities(STATIC, None, error.what, True)
    near = engine.nearest_rows(bytes(vectors.rows), vectors.dimension, row, len(positions))
    found = [(position, cosine) for number, cosine in near if (position := positions[number]) is not None]
    return QuerySimilarities(embedder.name, found)


def load_beside(embedder: "Embedder") -> None:
    """Load a model in a thread, for the prompts to come."""
    threading.Thread(target=load_now, args=(embedder,), name="cuecard-loader", daemon=True).start()


def load_now(embedder: "Embedder") -> None:
    """Load a model; why that fails is for the next prompt to tell."""
    try:
        embedder.load()
        embedder.problem = ""
    except CuecardError as error:
        embedder.problem = error.what


def _read(memory_dir: str, embedder: "Embedder") -> VectorsFile:
    vectors = read_vectors(memory_dir, embedder.fingerprint)
    if vectors is None:
        raise ModelError(f"there are no vectors of `{embedder.name}`; {EMBED_ALL}")
    return vectors


def _query_text(prompt: str, history: "Sequence[str]") -> str:
    """The prompt; one that goes on with the one before it, together with that."""
    goes_on = bool(history) and is_continued(list(history), prompt)
    return scrub(f"{history[-1]}\n{prompt}" if goes_on else prompt)[:MAX_QUERY_CHARS]

"""Computes the embedding of a prompt, and its similarity to the memories of a store.

Rules: docs/reference/models.md, "Vectors of prompts".

Without an embedder the built-in table of word vectors is used.
"""

import threading
import time

from ..._backend import ENDPOINTS, backend, engine, is_continued
from ...basics.chars import scrub
from ...errors import CuecardError, ModelError
from ..embedders.choice import open_embedder
from ..embedders.embedding_settings import STATIC
from ..endpoints.place import place_of
from ..endpoints.resting import is_resting, note_failure
from ..endpoints.run_with_timeout import run_with_timeout
from .calibration import calibrate
from .vectors_file import VectorsFile, read_vectors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..._backend import Snapshot
    from ..embedders.embedder import Embedder
    from ..embedders.embedding_settings import EmbeddingSettings

# The timeout for a model in this process when a person asks; it may have to be loaded first.
PATIENT_SECONDS = 60.0
MAX_QUERY_CHARS = 6000
TOLD_SHARE = 0.95
# The most bytes that the pure backend compares within some hundredths of a second: 2,000 rows of MiniLM.
MAX_PURE_BYTES = 3 << 18
EMBED_ALL = "`cuecard embed` makes them"


class QuerySimilarities:
    """How similar each memory with a vector is to a prompt.

    `embedded` has the position and the cosine, in units of 1/4096, of each such memory. It is None if the embedder was
    not used; `note` then says why, and is "" otherwise.
    """

    def __init__(
        self, embedder: str, embedded: list[tuple[int, int]] | None, note: str = "", is_fault: bool = False
    ) -> None:
        """`is_fault` says that the note is about a problem that somebody can fix."""
        self.embedder = embedder
        self.embedded = embedded
        self.note = note
        self.is_fault = is_fault

    @property
    def problem(self) -> str:
        """The line for the log about a problem that somebody can fix; "" if there is none."""
        return f"the built-in table is used instead of the embedder: {self.note}" if self.is_fault else ""


def compare_with_memories(
    settings: "EmbeddingSettings",
    store: "tuple[str, Snapshot]",
    prompt: str,
    history: "Sequence[str]",
    who: str,
    begin: float = 0,
) -> QuerySimilarities:
    """Compare a prompt with the memories of a store, given as its folder and its snapshot. Never raises for a model.

    `who` decides what happens if the model is not loaded: a "hook" goes without it, a "resident" process loads it for
    later prompts, and a "person" waits for it. The timeout of the settings counts from `begin`, a time of
    `time.monotonic`; for a "person" it counts from now.
    """
    memory_dir, snapshot = store
    deadline = (time.monotonic() if who == "person" else begin) + settings.timeout_ms / 1000
    embedder = open_embedder(settings)
    if who != "person" and settings.provider in ENDPOINTS and is_resting(place_of(settings.url)):
        return QuerySimilarities(
            STATIC, None, f"`{place_of(settings.url)}` failed a short time ago and is not asked again yet"
        )
    try:
        if not embedder.is_ready and who == "hook":
            return QuerySimilarities(
                STATIC, None, f"a hook has no time to load `{embedder.name}`; `cuecard mcp` keeps it loaded"
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
        positions = [snapshot.find(*file) for file in vectors.files()]
        if not any(position is not None for position in positions):
            # Do not send the prompt if there is nothing to compare it with.
            return QuerySimilarities(STATIC, None, f"no memory has a vector; {EMBED_ALL}", True)
        text = _query_text(prompt, history)
        if who == "person" and embedder.is_local:
            # The speed of a model in this process depends on the machine's load, so it gets more time.
            embedder.load()
            deadline = time.monotonic() + PATIENT_SECONDS
        # Slightly less, so that the endpoint's own timeout message is reported.
        told = max((deadline - time.monotonic()) * TOLD_SHARE, 0.001)
        row = run_with_timeout(deadline, lambda: embedder.encode_prompt(text, told))
        if len(row) != vectors.dimension:
            what = f"`{embedder.name}` has answered with a vector of {len(row)} numbers, not {vectors.dimension}"
            raise ModelError(what, "`cuecard embed --anew` computes a new vector for each memory")
    except CuecardError as error:
        if settings.provider in ENDPOINTS and time.monotonic() >= deadline:
            # The thread that asks may end before it can record the failure.
            note_failure(place_of(settings.url))
        return QuerySimilarities(STATIC, None, error.what, True)
    near = engine.nearest_rows(bytes(vectors.rows), vectors.dimension, row, len(positions))
    found = [(position, cosine) for number, cosine in near if (position := positions[number]) is not None]
    return QuerySimilarities(embedder.name, calibrate(embedder, found))


def load_beside(embedder: "Embedder") -> None:
    """Load a model in a thread, for later prompts."""
    threading.Thread(target=load_now, args=(embedder,), name="cuecard-loader", daemon=True).start()


def load_now(embedder: "Embedder") -> None:
    """Load a model; a failure is stored in `problem` and reported at the next prompt."""
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
    """The text to embed: the prompt; if it continues the previous prompt, both, the previous prompt first."""
    goes_on = bool(history) and is_continued(list(history), prompt)
    return scrub(f"{history[-1]}\n{prompt}" if goes_on else prompt)[:MAX_QUERY_CHARS]

"""The models that settings name, as a backend asks them while it answers a prompt of the hook.

Rules: docs/reference/models.md.
"""

import sys
import time

from .._backend import read_effective_settings
from ..basics.surroundings import note_place
from .embedders.embedding_settings import read_embedding_settings
from .endpoints.allowed_hosts import is_allowed
from .endpoints.allowed_places import EMBEDDING, JUDGE
from .judge_settings import read_judge_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .._backend import Compared, RecalledMemory, Snapshot, Verdict

# The module that counts what is sent to endpoints. Only code that asks an endpoint loads it.
COUNTS = "cuecard.models.endpoints.sent"
# This note does not contain the endpoint's name: a repository could put any text there.
NOT_ALLOWED = "the settings name an endpoint that you have not allowed; `cuecard doctor` says which"


class PromptModels:
    """The models to ask about one prompt: an `OpenModels` of the seam."""

    def __init__(self, memory_dir: str, cwd: str | None, prompt: str, who: str) -> None:
        """Read the settings of the store at `memory_dir`, whose prompt came from the working directory `cwd`.

        `who` is "hook" for a process that ends after this prompt, and "resident" for one that goes on.
        """
        if cwd:
            note_place(cwd)
        files = read_effective_settings(memory_dir)
        problems: list[str] = []
        embedding = read_embedding_settings(files.settings, problems)
        judge = read_judge_settings(files.settings, problems) if files.settings.judge_ms else None
        self.notes = [f"{files.file_of(problem)}: {problem}" for problem in problems]
        self._embedding = (
            embedding if embedding and (not embedding.url or is_allowed(embedding.url, EMBEDDING)) else None
        )
        self._judge = judge if judge and is_allowed(judge.url, JUDGE) else None
        if (embedding, judge) != (self._embedding, self._judge):
            self.notes.append(NOT_ALLOWED)
        self._memory_dir, self._prompt, self._who = memory_dir, prompt, who
        self._read_texts: Callable[[], list[str]] | None = None
        self._texts: list[str] = []

    def read_texts_with(self, read: "Callable[[], list[str]]") -> "PromptModels":
        """Let the models read the texts of the session's earlier prompts, which the session itself does not keep."""
        if self._embedding or (self._judge and self._judge.turns):
            self._read_texts = read
        return self

    @property
    def pool(self) -> int | None:
        """How many candidates the judge gets to see; None if no judge is to be asked."""
        return self._judge.pool if self._judge else None

    def compare(self, snapshot: "Snapshot") -> "Compared | None":
        """How similar each memory with a vector is to the prompt; None if no embedder is to be asked."""
        if self._embedding is None:
            return None
        begin = time.monotonic()
        from .vectors.prompt_vector import compare_with_memories

        of_store = self._memory_dir, snapshot
        found = compare_with_memories(self._embedding, of_store, self._prompt, self._earlier(), self._who, begin)
        return found.embedder, found.note, found.problem, found.embedded

    def judge(self, candidates: "list[RecalledMemory]") -> "Verdict":
        """Ask the judge which candidates it keeps."""
        from .judging import ask_about

        if self._judge is None:
            return None, "there is no judge"
        return ask_about(self._judge, self._prompt, self._earlier(), candidates, is_prompt=True)

    def take_sent(self) -> list[tuple[str, str, int, int]]:
        """What was sent to endpoints since the last call."""
        return take_sent()

    def _earlier(self) -> list[str]:
        read, self._read_texts = self._read_texts, None
        if read:
            self._texts = read()
        return self._texts


def take_sent() -> list[tuple[str, str, int, int]]:
    """Return what this process has sent to endpoints since the last call, and reset the count."""
    if COUNTS not in sys.modules:
        return []
    from .endpoints.sent import ledger

    return ledger.take()

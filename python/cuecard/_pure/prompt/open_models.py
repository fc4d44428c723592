"""What a backend asks of models for a prompt; `cuecard.models.prompt_models` implements it (SPEC 14.5)."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from ..engine.judging import Verdict
    from ..engine.recalled_memory import RecalledMemory
    from ..engine.snapshot import Snapshot
    from .event import Sent

    # The embedder that made the prompt's vector; why it is not the embedder of the settings ("" if it is); the line for
    # the log about a problem that somebody can fix ("" if there is none); and position and cosine, in 1/4096, of each
    # memory with a vector (None if the built-in table is used).
    Compared = tuple[str, str, str, "list[tuple[int, int]] | None"]

    class OpenModels(Protocol):
        """The models to ask about one prompt."""

        # The problems of the settings, and whether they name an endpoint that the user has not allowed.
        notes: list[str]

        @property
        def pool(self) -> int | None:
            """How many candidates the judge gets to see; None if no judge is to be asked."""

        def compare(self, snapshot: Snapshot) -> Compared | None:
            """How similar each memory with a vector is to the prompt; None if no embedder is to be asked."""

        def judge(self, candidates: list[RecalledMemory]) -> Verdict:
            """Ask the judge which candidates it keeps."""

        def take_sent(self) -> list[Sent]:
            """What was sent to endpoints since the last call."""

    # Opens the models that the settings of a store name. The arguments are the folder of the store, the host's working
    # directory, the prompt, and the host's transcript if the session has earlier prompts.
    OpenFunction = Callable[[str, "str | None", str, "str | None"], OpenModels]

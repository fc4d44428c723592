"""A prompt's recall as the hook does it: what it injects, why it is silent, why it shows a memory or does not."""

from .._backend import twin
from ..errors import UsageError
from ..protocol.host import is_machine_made, is_slash_command, is_too_short
from ..protocol.session import is_continued
from ..recall.config import HYBRID
from ..recall.snapshot_recall import OFF
from .loaded_project import check_limit
from .rerank import check_rerank

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..protocol.request import Filters
    from ..recall.config import Config
    from ..recall.snapshot_recall import PromptQuery
    from .boost import Boost
    from .hit import Hit
    from .injection import Injection
    from .loaded_project import LoadedProject
    from .rerank import Rerank
    from .trace import Trace


class PromptRecall:
    """A project's recall under its settings, or the settings of one call."""

    __slots__ = ("_config", "_is_judged", "_limit", "_loaded", "_setting")

    def __init__(
        self, loaded: "LoadedProject", config: "Config", setting: str | None = None, limit: int | None = None
    ) -> None:
        """`setting` and `limit` go before the project's. Raises UsageError for what is neither."""
        if limit is not None:
            check_limit(limit)
        self._loaded = loaded
        self._config = config
        # A caller that lets everything through for once wants to see it all.
        self._is_judged = setting != OFF
        self._setting = config.recall.gate_setting if setting is None else setting
        self._limit = config.max_inject if limit is None else limit
        twin.Settings.gate_threshold(self._setting)

    def recall(
        self,
        prompt: str,
        history: "Sequence[str]",
        is_explained: bool,
        boost: "Boost | None" = None,
        rerank: "Rerank | None" = None,
    ) -> "list[Hit]":
        """What is injected, best first."""
        _check_history(history)
        check_rerank(rerank)
        if self.find_obstacle(prompt, history):
            return []
        before = history if self._is_judged else None
        return self._loaded.find(
            self._ask(prompt, history), self._limit, before, boost, rerank, is_explained=is_explained
        )

    def inject(self, prompt: str, history: "Sequence[str]", host: str) -> "Injection":
        """The block that a host is given."""
        _check_history(history)
        if self.find_obstacle(prompt, history):
            from .injection import Injection

            return Injection("", 0, ())
        return self._loaded.inject(self._ask(prompt, history), self._limit, history, host)

    def trace(self, prompt: str, memory: str, history: "Sequence[str]", filters: "Filters | None" = None) -> "Trace":
        """Every stage for the memory with that id, CATEGORY/ID or path."""
        from ..store.records.find_memory import find_memory

        _check_history(history)
        project = self._loaded.project
        _category, path = find_memory(*project, memory)
        obstacle = self.find_obstacle(prompt, history)
        return self._loaded.trace(self._ask(prompt, history, filters), path, self._limit, history, obstacle)

    def why_silent(self, prompt: str, history: "Sequence[str]") -> str:
        """Why nothing is injected, in a few words; "" where something is."""
        obstacle = self.find_obstacle(prompt, history)
        if obstacle or self.recall(prompt, history, is_explained=False):
            return obstacle
        is_gated = self._config.strategy == HYBRID and self._setting != OFF
        ungated = self._loaded.ask(prompt, self._config, history) if is_gated else None
        near = self._loaded.find(ungated, 1, is_explained=False) if ungated else []
        if near:
            found = self.trace(prompt, near[0].path, history)
            judge = f"the judge {found.judge}" if found.judge.startswith("keeps none") else ""
            if found.outcome == "withheld":
                return "what matches is withheld; `cuecard trust` shows it"
            return found.silence or judge or f"no memory is sure enough for `{self._setting}`"
        return "no memory matches" if self._loaded.count(self._config) else "the project has no memories"

    def find_obstacle(self, prompt: str, history: "Sequence[str]" = ()) -> str:
        """Why a prompt gets no answer whatever matches, in a few words; "" where nothing is in the way.

        One that goes on with those before it is answered however short it is.
        """
        if is_too_short(prompt) and not self._goes_on(prompt, history):
            return "the prompt is under 10 characters"
        if is_slash_command(prompt):
            return "the prompt is a slash command, which is the host's own"
        if is_machine_made(prompt):
            return "the prompt was made by a program"
        if not self._config.enabled:
            return "recall is switched off by `retrieval.enabled`"
        if not self._config.injects:
            return "recall is switched off by `retrieval.max_inject`"
        if self._loaded.is_silenced(self._config):
            return "index.md is missing and a memory is damaged; the hook answers from the next prompt on"
        return ""

    def _ask(self, prompt: str, history: "Sequence[str]", filters: "Filters | None" = None) -> "PromptQuery":
        return self._loaded.ask(prompt, self._config, history, self._setting, filters, is_prompt=True)

    def _goes_on(self, prompt: str, history: "Sequence[str]") -> bool:
        has_session = self._config.strategy == HYBRID and not self._config.is_classic and self._config.recall.session
        return has_session and is_continued(list(history), prompt)


def _check_history(history: "Sequence[str]") -> None:
    if isinstance(history, str):
        raise UsageError("the history is one text", "use a list of prompts, the oldest first")

"""The settings of recall for one store: from the two settings files and from the environment variables."""

from ..configuration.settings_files import EffectiveSettings, read_effective_settings, read_named_settings
from ..files.environment import Environment
from ..settings.strategy import find_strategy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..configuration.embedding_settings import EmbeddingSettings
    from ..configuration.judge_settings import JudgeSettings
    from ..settings.reader import Numbers, Settings

HYBRID = "hybrid"


class Config:
    """The effective settings of a store. Environment variables override the settings files."""

    __slots__ = (
        "descriptions",
        "embedding",
        "enabled",
        "is_classic",
        "judge",
        "max_inject",
        "numbers",
        "recall",
        "settings",
        "shown_descriptions",
        "strategy",
        "synonyms",
    )

    # The two settings files and the settings that result from them.
    settings: EffectiveSettings
    # The BM25 parameters, from which the lexical retriever computes its impacts.
    numbers: "Numbers"
    # The settings of recall that the two files result in.
    recall: "Settings"
    # The model that judges the memories after the gate; None if the settings name no judge.
    judge: "JudgeSettings | None"
    # The model that makes vectors; None if the built-in table makes them.
    embedding: "EmbeddingSettings | None"

    def __init__(self, memory_dir: str, environment: Environment, notes: list[str], path: str = "") -> None:
        """Read the settings of a store, or only the settings file at `path` if it is given.

        A malformed value is replaced by its default and reported in `notes`.
        """
        files = self.settings = read_named_settings(path) if path else read_effective_settings(memory_dir)
        settings = self.recall = files.settings
        notes += files.notes()
        self.enabled, self.max_inject, self.strategy = settings.enabled, settings.max_inject, settings.strategy
        self.descriptions, self.numbers, self.synonyms = settings.descriptions, settings.numbers, settings.synonyms
        problems = [*settings.problems]
        self.embedding = None
        if "embedding" in settings.members:
            from ..configuration.embedding_settings import read_embedding_settings

            self.embedding = read_embedding_settings(settings, problems)
        self.judge = None
        if settings.judge_ms:
            from ..configuration.judge_settings import read_judge_settings

            self.judge = read_judge_settings(settings, problems)
        notes += [f"{files.file_of(problem)}: {problem}" for problem in problems]
        if environment.output == "classic" and settings.repository_strategy != HYBRID:
            # The user has chosen the classic form, which has no gate. There a repository may choose the strategy.
            self.strategy = settings.repository_strategy
        if environment.strategy:
            strategy = find_strategy(environment.strategy)
            if strategy is None:
                notes.append(f"`CUECARD_STRATEGY` is not a known strategy; using `{self.strategy}`")
            else:
                self.strategy = strategy
        # Only the classic form shows descriptions that a repository sets; other forms show only the user's own.
        is_shown = environment.output == "classic"
        self.shown_descriptions = self.descriptions if is_shown else settings.user_descriptions
        # Whether recall shows the same memories as the claude-memory plugin, which includes deleted memories.
        self.is_classic = environment.output == "classic" or self.strategy == "keyword_classic"
        if environment.output not in ("", "classic"):
            notes.append("`CUECARD_OUTPUT` is not `classic`; ignoring it")

    @property
    def injects(self) -> bool:
        """Whether the settings allow any memories to be shown."""
        return self.enabled and self.max_inject > 0


def log_settings(memory_dir: str, environment: Environment) -> tuple[bool, bool]:
    """Return whether the decisions of a store are logged, and whether the texts of prompts are logged with them."""
    config = Config(memory_dir, environment, [])
    return config.recall.log_events, config.recall.log_prompts

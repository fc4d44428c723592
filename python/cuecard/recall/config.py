"""The settings of recall for one store: those of the files, and the environment variables that override them."""

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
    """The settings that count for a store, the environment's put before those of the files."""

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

    # The two files, and what of them counts.
    settings: EffectiveSettings
    # What the impacts of the lexical retriever are made with.
    numbers: "Numbers"
    # What they say, as one value.
    recall: "Settings"
    # The model that is asked behind the gate; None where the settings ask none.
    judge: "JudgeSettings | None"
    # The model that makes vectors; None where the built-in table does.
    embedding: "EmbeddingSettings | None"

    def __init__(self, memory_dir: str, environment: Environment, notes: list[str], path: str = "") -> None:
        """Read them, from the file at `path` where one is named; what is malformed has its default and is noted."""
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
            # The user has chosen the classic form, which has no gate: there a repository may choose among the rules.
            self.strategy = settings.repository_strategy
        if environment.strategy:
            strategy = find_strategy(environment.strategy)
            if strategy is None:
                notes.append(f"`CUECARD_STRATEGY` is not a known strategy; using `{self.strategy}`")
            else:
                self.strategy = strategy
        # Outside of the classic form only the user's own descriptions are shown.
        is_shown = environment.output == "classic"
        self.shown_descriptions = self.descriptions if is_shown else settings.user_descriptions
        # Whether the memories are those that the claude-memory plugin shows, the deleted ones too.
        self.is_classic = environment.output == "classic" or self.strategy == "keyword_classic"
        if environment.output not in ("", "classic"):
            notes.append("`CUECARD_OUTPUT` is not `classic`; ignoring it")

    @property
    def injects(self) -> bool:
        """Whether any prompt of this project can be answered."""
        return self.enabled and self.max_inject > 0


def log_settings(memory_dir: str, environment: Environment) -> tuple[bool, bool]:
    """Whether decisions of a store are logged, and their prompts."""
    config = Config(memory_dir, environment, [])
    return config.recall.log_events, config.recall.log_prompts

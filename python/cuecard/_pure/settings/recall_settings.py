"""The settings of recall for one store: from the two settings files, the command line and variables (SPEC 14.3)."""

from ...files.environment import Environment
from .capture_settings import capture_settings_of
from .settings_files import EffectiveSettings
from .strategy import find_strategy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .reader import Numbers, Settings

HYBRID, KEYWORD, KEYWORD_CLASSIC = "hybrid", "keyword", "keyword_classic"


class RecallSettings:
    """The effective settings of a store. Environment variables override the settings files."""

    # The two settings files and the settings that result from them.
    settings: EffectiveSettings
    # The BM25 parameters, from which the lexical retriever computes its impacts.
    numbers: "Numbers"
    # The settings of recall that the two files result in.
    recall: "Settings"

    def __init__(self, files: EffectiveSettings, environment: Environment, notes: list[str]) -> None:
        """Combine the settings of the two files with the command line and the environment.

        A malformed value has its default; `notes` gets a sentence about it.
        """
        self.settings = files
        settings = self.recall = files.settings
        notes += files.notes()
        self.enabled, self.max_inject, self.strategy = settings.enabled, settings.max_inject, settings.strategy
        self.descriptions, self.numbers, self.synonyms = settings.descriptions, settings.numbers, settings.synonyms
        notes += [f"{files.file_of(problem)}: {problem}" for problem in settings.problems]
        if environment.is_exactly_classic and settings.repository_strategy != HYBRID:
            # The user has chosen the classic form, which has no gate. There a repository may choose the strategy.
            self.strategy = settings.repository_strategy
        self._choose_strategy(environment, notes)
        # Only the exact classic block shows descriptions that a repository sets.
        is_shown = environment.is_exactly_classic
        self.shown_descriptions = self.descriptions if is_shown else settings.user_descriptions
        # Whether recall shows the same memories as the claude-memory plugin, which includes deleted memories.
        self.is_classic = environment.is_exactly_classic or self.strategy == KEYWORD_CLASSIC
        for name, value in (
            ("CUECARD_OUTPUT", environment.output),
            ("--output", environment.options.get("--output", "")),
        ):
            if value not in ("", "classic"):
                notes.append(f"`{name}` is not `classic`; ignoring it")

    def _choose_strategy(self, environment: Environment, notes: list[str]) -> None:
        """Let the command line, or else the environment, choose the strategy.

        A host may take its environment from a repository. Classic recall knows no trust, so the environment alone gets
        `keyword` in the place of `keyword_classic`, and in the place of the strategy with a gate in the classic form.
        """
        own = environment.options.get("--strategy", "")
        named = own or environment.strategy
        strategy = find_strategy(named) if named else self.strategy
        if strategy is None:
            source = "--strategy" if own else "CUECARD_STRATEGY"
            notes.append(f"`{source}` is not a known strategy; using `{self.strategy}`")
        else:
            is_lent = strategy == KEYWORD_CLASSIC and not own and self.strategy != strategy
            self.strategy = KEYWORD if is_lent else strategy
        if environment.prints_classic and not environment.is_exactly_classic and self.strategy == HYBRID:
            self.strategy = KEYWORD

    def keeps_facts(self, environment: Environment) -> bool:
        """Whether prompts are counted for the stops of a session. Without sessions, every stop reads the transcript."""
        has_sessions = self.recall.session and not self.is_classic and not environment.prints_classic
        return has_sessions and capture_settings_of(self.recall).is_on

    @property
    def injects(self) -> bool:
        """Whether the settings allow any memories to be shown."""
        return self.enabled and self.max_inject > 0

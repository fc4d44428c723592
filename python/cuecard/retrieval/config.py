"""The settings of recall for one store, with the models that they name."""

from .._backend import RecallSettings, Values, engine, read_effective_settings, read_settings_of_file
from ..files.environment import Environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..models.embedders.embedding_settings import EmbeddingSettings
    from ..models.judge_settings import JudgeSettings

HYBRID = "hybrid"


class Config(RecallSettings):
    """The effective settings of a store. Environment variables override the settings files."""

    # The model that judges the memories after the gate; None if the settings name no judge.
    judge: "JudgeSettings | None"
    # The model that makes vectors; None if the built-in table makes them.
    embedding: "EmbeddingSettings | None"

    def __init__(self, memory_dir: str, environment: Environment, notes: list[str], path: str = "") -> None:
        """Read the settings of a store, or only the settings file at `path` if it is given.

        A malformed value has its default; `notes` gets a sentence about it.
        """
        files = read_settings_of_file(path, engine.read_settings) if path else read_effective_settings(memory_dir)
        super().__init__(files, environment, notes)
        settings, problems = files.settings, list[str]()
        self.embedding = None
        # A provider that is not known is reported, too.
        if Values(settings.members, []).given("embedding.provider") is not None:
            from ..models.embedders.embedding_settings import read_embedding_settings

            self.embedding = read_embedding_settings(settings, problems)
        self.judge = None
        if settings.judge_ms:
            from ..models.judge_settings import read_judge_settings

            self.judge = read_judge_settings(settings, problems)
        notes += [f"{files.file_of(problem)}: {problem}" for problem in problems]

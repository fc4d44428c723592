"""The user's settings for the background run. The configuration of a repository cannot change them."""

from dataclasses import dataclass

from ..._backend import Values, read_effective_settings
from ...models.judge_settings import PROVIDERS, JudgeSettings

OFF, CLAUDE = "off", "claude"


@dataclass(frozen=True)
class BackgroundSettings:
    """Which model reads the ledgers, and how many runs and tokens it may use each day."""

    provider: str
    """`claude` for the program `claude`; otherwise the provider of an HTTP endpoint."""
    model: str
    """The model's name; "" for the default of `claude`."""
    url: str
    key_variable: str
    runs_per_day: int
    tokens_per_day: int

    @property
    def endpoint(self) -> JudgeSettings:
        """The endpoint settings in the form that `ask_chat` takes."""
        return JudgeSettings(self.provider, self.model, self.url, self.key_variable)


def read_background_settings(memory_dir: str) -> BackgroundSettings | None:
    """The user's settings; None if the background run is off, which is the default."""
    values = Values(read_effective_settings(memory_dir).settings.members, [])
    provider = values.given("capture.background.provider", OFF)
    if not isinstance(provider, str) or (provider != CLAUDE and provider not in PROVIDERS):
        return None
    if values.given("triage.enabled") is False:
        return None
    model, url, variable = PROVIDERS.get(provider, ("", "", ""))
    return BackgroundSettings(
        provider,
        _text(values.given("capture.background.model")) or model,
        _text(values.given("capture.background.url")) or url,
        _text(values.given("capture.background.api_key_env")) or variable,
        values.integer("capture.background.runs_per_day"),
        values.integer("capture.background.tokens_per_day"),
    )


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""

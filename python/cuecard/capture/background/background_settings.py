"""The user's settings for the background run. The configuration of a repository cannot change them."""

from dataclasses import dataclass

from ..._backend import Values, given_group, given_setting, settings_table
from ...settings.judge_settings import PROVIDERS, JudgeSettings
from ...settings.settings_files import read_effective_settings

OFF, CLAUDE = "off", "claude"
ABOVE = "capture.background"


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
    settings = read_effective_settings(memory_dir).settings
    given = given_group(settings, ABOVE)
    if given is None or given_setting(settings, "triage.enabled") is False:
        return None
    provider = given.get("provider", OFF)
    if provider != CLAUDE and provider not in PROVIDERS:
        return None
    values = Values(settings_table(), [])
    model, url, variable = PROVIDERS.get(provider, ("", "", ""))
    return BackgroundSettings(
        provider,
        _text(given, "model") or model,
        _text(given, "url") or url,
        _text(given, "api_key_env") or variable,
        values.integer(given, f"{ABOVE}.runs_per_day"),
        values.integer(given, f"{ABOVE}.tokens_per_day"),
    )


def _text(given: dict[str, object], name: str) -> str:
    value = given.get(name)
    return value.strip() if isinstance(value, str) else ""

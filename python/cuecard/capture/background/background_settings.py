"""What the user's configuration says about the background run. A repository has no say in it."""

from dataclasses import dataclass

from ...configuration.judge_settings import PROVIDERS, JudgeSettings
from ...configuration.settings_files import read_effective_settings
from ...settings.table import settings_table
from ...settings.values import Values

OFF, CLAUDE = "off", "claude"
ABOVE = "capture.background"


@dataclass(frozen=True)
class BackgroundSettings:
    """Which model reads ledgers, and how much it may."""

    provider: str
    """`claude` for the host's own client; otherwise a provider of endpoints."""
    model: str
    """"" for the client's own choice."""
    url: str
    key_variable: str
    runs_per_day: int
    tokens_per_day: int

    @property
    def endpoint(self) -> JudgeSettings:
        """The endpoint in the form in which models are asked."""
        return JudgeSettings(self.provider, self.model, self.url, self.key_variable)


def read_background_settings(memory_dir: str) -> BackgroundSettings | None:
    """The user's settings; None where no background run is wanted, which is the default."""
    members = read_effective_settings(memory_dir).settings.members
    capture = members.get("capture")
    given = capture.get("background") if isinstance(capture, dict) else None
    triage = members.get("triage")
    is_off = isinstance(triage, dict) and triage.get("enabled", True) is False
    if not isinstance(given, dict) or is_off:
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

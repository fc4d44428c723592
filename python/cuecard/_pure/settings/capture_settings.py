"""The settings of capture that a prompt and a stop need (SPEC 30.5)."""

from .values import Values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .reader import Settings

PLUGIN_REVISION = "v5-0220"
EVERY, LEAST_EVERY, MOST_EVERY = 8, 3, 100


class CaptureSettings:
    """The settings for capture."""

    def __init__(self, *, is_on: bool = True, is_plugin: bool = False, every: int = EVERY) -> None:
        """An agent is asked after `every` substantial prompts.

        `is_on` says whether agents may be asked by the rules of the ledger, and `is_plugin` whether the rules of the
        claude-memory plugin apply instead.
        """
        self.is_on, self.is_plugin, self.every = is_on, is_plugin, every


def capture_settings_of(settings: "Settings") -> CaptureSettings:
    """The capture settings in the settings of a store."""
    values = Values(settings.members, [])
    every, ledger = values.given("capture.every"), values.given("capture.ledger")
    if not isinstance(every, int) or isinstance(every, bool):
        every = EVERY
    is_plugin = values.given("triage.revision") == PLUGIN_REVISION
    has_ledger = ledger is not False and ledger != "off"
    return CaptureSettings(
        is_on=has_ledger and bool(values.given("triage.enabled", True)) and not is_plugin,
        is_plugin=is_plugin,
        every=max(LEAST_EVERY, min(MOST_EVERY, every)),
    )

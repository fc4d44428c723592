"""The settings of capture that a prompt and a stop need (SPEC 30.5)."""

from ...basics.light_dataclass import dataclass
from .values import Values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .reader import Settings

PLUGIN_REVISION = "v5-0220"
EVERY, LEAST_EVERY, MOST_EVERY = 8, 3, 100


@dataclass(frozen=True)
class CaptureSettings:
    """The settings for capture."""

    # Whether agents may be asked by the rules of the ledger, and whether those of the claude-memory plugin apply.
    is_on: bool = True
    is_plugin: bool = False
    # An agent is asked after this number of substantial prompts.
    every: int = EVERY


def capture_settings_of(settings: "Settings") -> CaptureSettings:
    """The capture settings in the settings of a store."""
    values = Values(settings.members, [])
    every, ledger = values.given("capture.every"), values.given("capture.ledger")
    if not isinstance(every, int) or isinstance(every, bool) or not LEAST_EVERY <= every <= MOST_EVERY:
        every = EVERY
    is_plugin = values.given("triage.revision") == PLUGIN_REVISION
    has_ledger = ledger is not False and ledger != "off"
    return CaptureSettings(
        is_on=has_ledger and bool(values.given("triage.enabled", True)) and not is_plugin,
        is_plugin=is_plugin,
        every=every,
    )

"""The settings that commands follow when they write into a store."""

from ..._backend import EffectiveSettings, Values, engine, read_effective_settings
from ...basics.light_dataclass import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...basics.setting_names import SettingName

DEFAULT_GRACE_DAYS = 30
DEFAULT_MAX_RETAINED = 5
# A thousand years. A greater number would not fit into a time.
MAX_GRACE_DAYS = 365_000
_NONE = object()


@dataclass
class WriterSettings:
    """Settings for writing. A malformed value is replaced by its default and adds a sentence to `notes`."""

    grace_days: int = DEFAULT_GRACE_DAYS
    """`delete.grace_period_days`: the number of whole days for which a retired memory is kept."""
    journal_days: int = DEFAULT_GRACE_DAYS
    """The number of days for which a write can be undone: `grace_days`, but never fewer than by the user's settings."""
    max_retained: int = DEFAULT_MAX_RETAINED
    """`categories.session_summary.max_retained`: the number of session summaries that stay active."""
    max_memories_per_category: int | None = None
    """`max_memories_per_category`; None if there is no limit."""
    notes: list[str] = field(default_factory=list)


def read_writer_settings(memory_dir: str) -> WriterSettings:
    """The settings for writing into the store at `memory_dir`. Never raises.

    A repository can only keep more than the user has chosen. The table of settings says so of numbers; what is no
    number, and would be read as the default, does not shorten the user's choice either.
    """
    files = read_effective_settings(memory_dir)
    settings = _read(files)
    own = _read(EffectiveSettings(files.user, None, []))
    settings.journal_days = max(settings.grace_days, own.grace_days)
    if files.user is not None and files.repository is not None:
        chosen = engine.read_settings(files.user, None).members
        if "delete" in chosen:
            settings.grace_days = settings.journal_days
        if "categories" in chosen:
            settings.max_retained = max(settings.max_retained, own.max_retained)
    return settings


def _read(files: EffectiveSettings) -> WriterSettings:
    values = Values(files.settings.members, [])
    settings = WriterSettings()
    settings.grace_days = _grace_days(values)
    settings.max_retained = _count(values, "categories.session_summary.max_retained") or DEFAULT_MAX_RETAINED
    settings.max_memories_per_category = _count(values, "max_memories_per_category")
    problems = [*files.file_problems(), *values.problems]
    settings.notes = [*files.notes(), *[f"{files.source}: {problem}" for problem in problems]]
    return settings


def _grace_days(values: Values) -> int:
    """The days as an integer of at least 0: floats are truncated, strings parsed; a wrong type gives the default."""
    value = values.given("delete.grace_period_days", DEFAULT_GRACE_DAYS)
    try:
        days: int = int(value)  # type: ignore[call-overload]
    except (TypeError, ValueError, OverflowError):
        values.problems.append(f"`delete.grace_period_days` is not a number of days; using {DEFAULT_GRACE_DAYS}")
        return DEFAULT_GRACE_DAYS
    if days < 0:
        values.problems.append("`delete.grace_period_days` is negative; using 0")
    return min(max(0, days), MAX_GRACE_DAYS)


def _count(values: Values, name: "SettingName") -> int | None:
    """A setting that is an integer of at least 1, else None. An invalid value adds a problem."""
    value = values.given(name, _NONE)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
        return value
    if value is not _NONE:
        values.problems.append(f"`{name}` is not a whole number of at least 1; using the default")
    return None

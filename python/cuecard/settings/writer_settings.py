"""The settings that commands follow when they write into a store."""

from .._backend import engine
from ..basics.light_dataclass import dataclass, field
from .settings_files import EffectiveSettings, read_effective_settings

DEFAULT_GRACE_DAYS = 30
DEFAULT_MAX_RETAINED = 5
# A thousand years. A greater number would not fit into a time.
MAX_GRACE_DAYS = 365_000


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
    settings = WriterSettings()
    config, source = _members_of(files, settings.notes)
    problems: list[str] = []
    delete = member_of(config, "delete", "delete", problems)
    if "grace_period_days" in delete:
        settings.grace_days = _grace_days(delete["grace_period_days"], problems)
    categories = member_of(config, "categories", "categories", problems)
    sessions = member_of(categories, "session_summary", "categories.session_summary", problems)
    max_retained = _count(sessions, "max_retained", "categories.session_summary.max_retained", problems)
    settings.max_retained = max_retained or DEFAULT_MAX_RETAINED
    name = "max_memories_per_category"
    settings.max_memories_per_category = _count(config, name, name, problems)
    settings.notes += [f"{source}: {problem}" for problem in problems]
    return settings


def _members_of(files: EffectiveSettings, notes: list[str]) -> tuple[dict[str, object], str]:
    notes += files.notes()
    notes += [f"{files.source}: {problem}" for problem in files.file_problems()]
    return files.settings.members, files.source


def member_of(holder: dict[str, object], key: str, name: str, notes: list[str]) -> dict[str, object]:
    """The object `key` of `holder`; {} if it is missing. If it has another type, a note is added and {} returned."""
    value = holder.get(key, {})
    if isinstance(value, dict):
        return value
    notes.append(f"`{name}` is not an object; using the defaults")
    return {}


def _grace_days(value: object, notes: list[str]) -> int:
    """The days as an integer of at least 0: floats are truncated, strings parsed; a wrong type gives the default."""
    try:
        days: int = int(value)  # type: ignore[call-overload]
    except (TypeError, ValueError, OverflowError):
        notes.append(f"`delete.grace_period_days` is not a number of days; using {DEFAULT_GRACE_DAYS}")
        return DEFAULT_GRACE_DAYS
    if days < 0:
        notes.append("`delete.grace_period_days` is negative; using 0")
    return min(max(0, days), MAX_GRACE_DAYS)


def _count(holder: dict[str, object], key: str, name: str, notes: list[str]) -> int | None:
    """The member `key` of `holder` if it is an integer of at least 1, else None. An invalid value adds a note."""
    value = holder.get(key)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
        return value
    if key in holder:
        notes.append(f"`{name}` is not a whole number of at least 1; using the default")
    return None

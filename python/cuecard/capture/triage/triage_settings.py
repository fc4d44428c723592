"""The settings of triage (docs/reference/triage.md, "Settings")."""

import math
from dataclasses import dataclass, field

from ..._backend import Values, read_effective_settings, settings_table
from .triage_patterns import CURRENT, V5_0220, Revision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...basics.setting_names import Choice, Integer

# The value of `triage.revision` with which the code in `capture.ledger` answers.
LEDGER = "ledger"

CATEGORIES = ("session_summary", "decision", "runbook", "constraint", "tech_debt", "preference")


@dataclass
class TriageSettings:
    """The settings of triage. A malformed value is replaced by its default, and `notes` says so in a sentence."""

    revision: Revision
    """The patterns for `triage.revision`, unless the command names a revision."""
    is_enabled: bool = True
    """`triage.enabled`; every truthy value counts as on."""
    max_messages: int = 50
    """`triage.max_messages`, 10 to 200."""
    quiet_seconds: int = 300
    """`triage.quiet_seconds`: for so many seconds an agent is not stopped again."""
    thresholds: dict[str, float] = field(default_factory=dict)
    """`triage.thresholds`, with a value for every category."""
    parallel: dict[str, object] = field(default_factory=dict)
    """`triage.parallel`: how an agent may draft in parallel, in the plugin's format."""
    descriptions: dict[str, str] = field(default_factory=dict)
    """`categories.CATEGORY.description` from the user's own configuration, shortened."""
    approves_commit: bool = True
    """`triage.permit`: the command that sends the drafts may run without asking the user."""
    left_out: frozenset[str] = frozenset()
    """Categories that `enabled` or `auto_capture` switches off."""
    notes: list[str] = field(default_factory=list)


def read_triage_settings(memory_dir: str, revision: str = "") -> TriageSettings:
    """The settings of the store at `memory_dir`. `revision` overrides `triage.revision`. Never raises."""
    files = read_effective_settings(memory_dir)
    values = Values(files.settings.members, files.file_problems())
    before = len(values.problems)
    asked = values.given("triage.revision", LEDGER)
    is_usable = len(values.problems) == before
    named = revision or asked
    if named not in (LEDGER, V5_0220.name):
        values.problems.append(f"`triage.revision` must be one of {LEDGER}, {V5_0220.name}; using `{LEDGER}`")
    settings = TriageSettings(V5_0220 if named == V5_0220.name else CURRENT)
    settings.is_enabled = bool(values.given("triage.enabled", True))
    settings.approves_commit = values.given("triage.permit", True) is True
    settings.max_messages = _integer(values, "triage.max_messages")
    settings.quiet_seconds = _integer(values, "triage.quiet_seconds")
    settings.thresholds = _thresholds(values, settings.revision)
    settings.parallel = _parallel(values)
    categories = values.group("categories")
    if is_usable:
        # A repository's descriptions are not used: they would become part of an instruction to the agent.
        settings.descriptions = dict(files.settings.user_descriptions)
    if settings.revision is CURRENT:
        settings.left_out = frozenset([name for name in CATEGORIES if _is_off(categories.get(name))])
    settings.notes = files.notes() + [f"{files.source}: {problem}" for problem in values.problems]
    return settings


def _integer(values: Values, name: "Integer") -> int:
    """An integer setting, converted as Python's `int` does: 2.7 gives 2, and the text `2` gives 2."""
    row = settings_table().row(name)
    default, (least, most) = int(row.default), row.bounds
    try:
        value = int(values.given(name, default))  # type: ignore[call-overload]
    except (TypeError, ValueError, OverflowError):
        values.problems.append(f"`{name}` is not a number; using {default}")
        return default
    clamped: int = max(least, min(most, value))
    if clamped != value:
        values.problems.append(f"`{name}` is not from {least} to {most}; using {clamped}")
    return clamped


def _thresholds(values: Values, revision: Revision) -> dict[str, float]:
    thresholds = dict(revision.thresholds)
    for key, value in values.group("triage.thresholds").items():
        name = key.lower()
        if name not in thresholds:
            continue
        try:
            number = float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not math.isfinite(number):
            values.problems.append(f"`triage.thresholds.{name}` is not a number; using {thresholds[name]}")
            continue
        thresholds[name] = max(0.0, min(1.0, number))
        if thresholds[name] != number:
            values.problems.append(f"`triage.thresholds.{name}` is not from 0 to 1; using {thresholds[name]}")
    return thresholds


def _parallel(values: Values) -> dict[str, object]:
    default = _model(values, "triage.parallel.default_model")
    chosen = {
        "session_summary": _model(values, "triage.parallel.category_models.session_summary", "haiku"),
        "decision": _model(values, "triage.parallel.category_models.decision", "sonnet"),
        "runbook": _model(values, "triage.parallel.category_models.runbook", "haiku"),
        "constraint": _model(values, "triage.parallel.category_models.constraint", "sonnet"),
        "tech_debt": _model(values, "triage.parallel.category_models.tech_debt", "haiku"),
        "preference": _model(values, "triage.parallel.category_models.preference", "haiku"),
    }
    return {
        "enabled": bool(values.given("triage.parallel.enabled", True)),
        "category_models": chosen,
        "verification_model": _model(values, "triage.parallel.verification_model"),
        "default_model": default,
    }


def _model(values: Values, name: "Choice", default: str = "") -> str:
    """The configured model in lower case if the settings table has it; else `default`, or the table's default."""
    row = settings_table().row(name)
    default = default or row.text
    value = values.given(name, default)
    if isinstance(value, str) and value.lower() in row.names:
        return value.lower()
    values.problems.append(f"`{name}` must be one of {', '.join(row.names)};  using `{default}`")
    return default


def _is_off(category: object) -> bool:
    return isinstance(category, dict) and (category.get("enabled") is False or category.get("auto_capture") is False)

"""The settings of triage (docs/reference/triage.md, "Settings")."""

import math
from dataclasses import dataclass, field

from ..._backend import settings_table
from ...settings.settings_files import read_effective_settings
from ...settings.writer_settings import member_of
from .triage_patterns import CURRENT, V5_0220, Revision

# The value of `triage.revision` with which the code in `capture.ledger` answers.
LEDGER = "ledger"

CATEGORIES = ("session_summary", "decision", "runbook", "constraint", "tech_debt", "preference")
CAREFUL = ("decision", "constraint")


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
    config, notes = files.settings.members, files.file_problems()
    triage = member_of(config, "triage", "triage", notes)
    is_usable = isinstance(config.get("triage", {}), dict)
    named = revision or triage.get("revision", LEDGER)
    if named not in (LEDGER, V5_0220.name):
        notes.append(f"`triage.revision` must be one of {LEDGER}, {V5_0220.name}; using `{LEDGER}`")
    settings = TriageSettings(V5_0220 if named == V5_0220.name else CURRENT)
    settings.is_enabled = bool(triage.get("enabled", True))
    settings.approves_commit = triage.get("permit", True) is True
    settings.max_messages = _integer(triage, "max_messages", notes)
    settings.quiet_seconds = _integer(triage, "quiet_seconds", notes)
    settings.thresholds = _thresholds(triage, settings.revision, notes)
    settings.parallel = _parallel(triage, notes)
    categories = member_of(config, "categories", "categories", notes)
    if is_usable:
        # A repository's descriptions are not used: they would become part of an instruction to the agent.
        settings.descriptions = dict(files.settings.user_descriptions)
    if settings.revision is CURRENT:
        settings.left_out = frozenset([name for name in CATEGORIES if _is_off(categories.get(name))])
    settings.notes = files.notes() + [f"{files.source}: {note}" for note in notes]
    return settings


def _integer(holder: dict[str, object], key: str, notes: list[str]) -> int:
    """An integer setting, converted as Python's `int` does: 2.7 gives 2, and the text `2` gives 2."""
    row = settings_table().rows[f"triage.{key}"]
    default, (least, most) = int(row.default), row.bounds
    if key not in holder:
        return default
    try:
        value = int(holder[key])  # type: ignore[call-overload]
    except (TypeError, ValueError, OverflowError):
        notes.append(f"`triage.{key}` is not a number; using {default}")
        return default
    clamped = max(least, min(most, int(value)))
    if clamped != value:
        notes.append(f"`triage.{key}` is not from {least} to {most}; using {clamped}")
    return clamped


def _thresholds(triage: dict[str, object], revision: Revision, notes: list[str]) -> dict[str, float]:
    thresholds = dict(revision.thresholds)
    for key, value in member_of(triage, "thresholds", "triage.thresholds", notes).items():
        name = key.lower()
        if name not in thresholds:
            continue
        try:
            number = float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not math.isfinite(number):
            notes.append(f"`triage.thresholds.{name}` is not a number; using {thresholds[name]}")
            continue
        thresholds[name] = max(0.0, min(1.0, number))
        if thresholds[name] != number:
            notes.append(f"`triage.thresholds.{name}` is not from 0 to 1; using {thresholds[name]}")
    return thresholds


def _parallel(triage: dict[str, object], notes: list[str]) -> dict[str, object]:
    given = member_of(triage, "parallel", "triage.parallel", notes)
    default = _model(given, "default_model", "default_model", notes)
    models = member_of(given, "category_models", "triage.parallel.category_models", notes)
    chosen = {
        name: _model(models, name, f"category_models.{name}", notes, "sonnet" if name in CAREFUL else "haiku")
        for name in CATEGORIES
    }
    return {
        "enabled": bool(given.get("enabled", True)),
        "category_models": chosen,
        "verification_model": _model(given, "verification_model", "verification_model", notes),
        "default_model": default,
    }


def _model(holder: dict[str, object], key: str, shown: str, notes: list[str], default: str = "") -> str:
    """The configured model in lower case if the settings table has it; else `default`, or the table's default."""
    row = settings_table().rows["triage.parallel." + ("category_models.*" if default else key)]
    default = default or row.text
    value = holder.get(key, default)
    if isinstance(value, str) and value.lower() in row.names:
        return value.lower()
    notes.append(f"`triage.parallel.{shown}` must be one of {', '.join(row.names)};  using `{default}`")
    return default


def _is_off(category: object) -> bool:
    return isinstance(category, dict) and (category.get("enabled") is False or category.get("auto_capture") is False)

"""Checks a setting before it is written into a file of settings."""

import json

from .._backend import PLUGIN_SETTINGS as PLUGIN
from .._backend import REPOSITORY_FILE, engine, settings_table
from ..errors import UsageError
from ..models.embedders.embedding_settings import read_embedding_settings
from ..models.judge_settings import read_judge_settings
from ..store.settings.settings_edit import edit
from ..store.settings.settings_names import known_name, no_such_setting, words_of_values


def check_setting(name: str, value: str, *, is_users: bool) -> None:
    """Raise `UsageError` if a setting is unknown, its value is invalid, or it may not be set in this file.

    `value` is JSON text. `is_users` means that the file is the user's own configuration, which may set everything. A
    repository may not.
    """
    known = known_name(name)
    if known is None:
        raise no_such_setting(name)
    if settings_table().rows[known].who == PLUGIN:
        raise UsageError(f"`{name}` is a setting of the claude-memory plugin", "cuecard does not read it")
    group, _, last = name.rpartition(".")
    alone = edit("{}", group, last, value).encode()
    if not is_users:
        ignored = engine.read_settings(None, alone).ignored
        if ignored:
            why = ignored[0].partition(" is ignored: ")[2]
            raise UsageError(
                f"`{name}` is not written into {REPOSITORY_FILE}: {why}",
                "`--user` sets it for you alone, in all projects",
            )
    problems = [problem for problem in _problems_of(alone) if f"`{name}" in problem]
    if problems or not _is_within(known, json.loads(value)):
        what = problems[0].partition(";")[0] if problems else f"`{name}` is {value}"
        raise UsageError(f"the value cannot be used: {what}", f"`{name}` is {words_of_values(known)}")


def _is_within(known: str, value: object) -> bool:
    """Whether a number keeps to the range of its setting. Recall moves some numbers into it and says nothing."""
    row = settings_table().rows[known]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or row.kind.partition(" ")[0] not in ("integer", "number"):
        return True
    least, most = row.bounds
    return least <= value <= most  # type: ignore[operator]


def _problems_of(data: bytes) -> list[str]:
    """The problems that the readers of settings report for the values of a file."""
    settings = engine.read_settings(data, None)
    problems = [*settings.problems]
    read_embedding_settings(settings, problems)
    read_judge_settings(settings, problems)
    return problems

"""What a person did last that is no write of a file: verdicts, decisions about drafts, trust and settings.

    DATA/stores/KEY/acts/acts.jsonl   a line of JSON for each act, for each that was taken back, and for each write that
                                      reaches beyond the files of this store

Writes are in the journal of the store. Both are compared, so that `cuecard undo` takes back what was done last.
"""

import json
import secrets
from contextlib import suppress
from dataclasses import dataclass

from ..errors import ConflictError, MissingError
from ..files.user_folder import append_to_log, read_kept
from ..store.settings.settings_edit import read_setting, write_setting, write_user_setting
from ..store.writes.journal import new_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..files.root import Project

FOLDER, FILE, OLDER = "acts", "acts.jsonl", "acts.1.jsonl"
MAX_BYTES = 256 << 10
# The ids of changes of settings begin so.
SETTING = "s"


@dataclass(frozen=True)
class Act:
    """Something that a person did. `id` takes it back; it is "" if `cuecard undo` cannot do that."""

    what: str
    id: str = ""
    hint: str = ""
    """What takes it back instead; "" if `id` does."""
    at: str = ""
    """The time in the form of the ids of writes, with which it is compared."""
    setting: tuple[str, bool, str | None, str | None] | None = None
    """The name of a setting, whether it is the user's own, and its JSON text before and after; None stands for unset.
    """


@dataclass(frozen=True)
class Reach:
    """What a write has changed beside the files of one store."""

    projects: tuple["Project", ...] = ()
    """The projects whose stores it has changed; empty for the one alone."""
    drafts: tuple[str, ...] = ()
    """For an undo, the ids of the drafts that it let wait again."""


def note_reach(name: str, reach: Reach, memory_dir: str) -> None:
    """Remember how far the write `name` reaches, in this store and in each that it has changed."""
    members = {"id": name, "projects": reach.projects, "drafts": reach.drafts}
    for place in dict.fromkeys([memory_dir, *[project[1] for project in reach.projects]]):
        _append(place, {"reach": members})


def reach_of(memory_dir: str, name: str) -> Reach:
    """How far the write `name` reaches."""
    for members in reversed(_lines_of(memory_dir)):
        match members.get("reach"):
            case {"id": str(known), "projects": list(projects), "drafts": list(drafts)} if known == name:
                return Reach(tuple(_projects_in(projects)), tuple([str(draft) for draft in drafts]))
    return Reach()


def _projects_in(pairs: "list[Any]") -> "Iterator[Project]":
    for pair in pairs:
        match pair:
            case [str(root), str(place)]:
                yield root, place


def note_act(memory_dir: str, act: Act) -> None:
    """Remember an act. A failure is not told, because what was done is done."""
    members = {"at": new_id(), "what": act.what, "id": act.id, "hint": act.hint, "setting": act.setting}
    _append(memory_dir, {name: value for name, value in members.items() if value})


def note_setting(memory_dir: str, name: str, *, is_users: bool, values: tuple[str | None, str | None]) -> str:
    """Remember that a setting was changed, with its JSON text before and after. Returns the id of the change."""
    made = f"{SETTING}{secrets.token_hex(5)}"
    note_act(memory_dir, Act(f"`config {name}`", made, setting=(name, is_users, *values)))
    return made


def note_taken_back(memory_dir: str, name: str) -> None:
    """Remember that the acts whose id begins with `name` were taken back."""
    for known in {act.id for act in read_acts(memory_dir) if act.id.startswith(name)}:
        _append(memory_dir, {"undone": known})


def read_acts(memory_dir: str) -> list[Act]:
    """The acts that were not taken back, the latest first. Damaged lines are left out."""
    found: list[Act] = []
    for members in _lines_of(memory_dir):
        if "undone" in members:
            found = [act for act in found if act.id != members["undone"]]
        elif act := _read(members):
            found.append(act)
    return found[::-1]


def undo_setting(memory_dir: str, name: str, *, is_dry_run: bool) -> str:
    """Give a setting the value that it had before the change with the id `name`, and return the setting's name.

    Raises `MissingError` if there is no such change, and `ConflictError` if the setting has another value by now.
    """
    found = [act for act in read_acts(memory_dir) if act.id.startswith(name) and act.setting]
    if len(found) != 1 or found[0].setting is None:
        raise MissingError(f"there is no change of a setting `{name[:40]}`", "`cuecard config` lists the settings")
    setting, is_users, before, after = found[0].setting
    group, _, last = setting.rpartition(".")
    place = "" if is_users else memory_dir
    if read_setting(place, group, last) != after:
        hint = f"`cuecard config {setting}` shows it; set it, or remove it with `--unset`"
        raise ConflictError(f"`{setting}` has changed since", hint)
    if not is_dry_run and is_users:
        write_user_setting(group, last, before)
    elif not is_dry_run:
        write_setting(memory_dir, group, last, before)
    return f"{setting} = {'(not set)' if before is None else before}"


def _lines_of(memory_dir: str) -> "list[dict[str, Any]]":
    logs = [read_kept(memory_dir, FOLDER, file, limit=2 * MAX_BYTES) or b"" for file in (OLDER, FILE)]
    lines = [line for log in logs for line in log.split(b"\n")]
    found = []
    for line in lines:
        with suppress(ValueError):
            found.append(json.loads(line))
    return [members for members in found if isinstance(members, dict)]


def _append(memory_dir: str, members: dict[str, object]) -> None:
    with suppress(OSError):
        append_to_log(memory_dir, (FOLDER, FILE, OLDER), MAX_BYTES, json.dumps(members).encode() + b"\n")


def _read(members: dict[str, object]) -> Act | None:
    texts = [members.get(name, "") for name in ("what", "id", "hint", "at")]
    what, made, hint, at = [text if isinstance(text, str) else "" for text in texts]
    setting = members.get("setting")
    if not what or not at:
        return None
    match setting:
        case [str(name), bool(is_users), (str() | None) as before, (str() | None) as after]:
            return Act(what, made, hint, at, (name, is_users, before, after))
    return Act(what, made, hint, at)

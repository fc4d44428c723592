"""What a pull and a push would do, and what is wrong with the pack of a team. Rules: docs/reference/sync.md."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..errors import CuecardError, SyncError
from ..store.records.conflicts import CONFLICTS, conflicts_of
from ..store.records.record_file import decode
from .door import check_pushed
from .exchange import LAST_ERROR, LAST_PULL, REVERTED, Session
from .pack import Tampered, current_version, examine_pack
from .remote import Pulled
from .sharing import gather
from .team_state import TeamState
from .teams import Team, folder_of, open_remote, open_state, read_teams


@dataclass
class TeamStatus:
    """The state of one team on this machine."""

    team: Team
    version: str = ""
    """The version of the pack, which is the same on every machine that has the same memories; "" without a pack."""
    memories: int = 0
    last_pull: int = 0
    """The time of the last pull in seconds since 1970; 0 if there was none."""
    last_error: str = ""
    to_pull: int | None = None
    """How many changes the next page of a pull has; None if the remote was not asked."""
    is_more: bool = False
    resync: str = ""
    to_push: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    """Memories that wait and may not leave this machine, each with the reason."""
    left_out: list[tuple[str, str]] = field(default_factory=list)
    redacted: list[str] = field(default_factory=list)
    reverted: list[str] = field(default_factory=list)
    """Memories that went back to an older version at a pull."""
    undecided: dict[str, list[str]] = field(default_factory=dict)
    """Memories of which two people have changed one field, each with these fields, until an update decides."""
    repeated: dict[str, list[str]] = field(default_factory=dict)
    """Memories whose bytes another team has too, by the name of that team."""
    tampered: Tampered = field(default_factory=Tampered)
    problems: list[str] = field(default_factory=list)


def read_status(team: Team, *, asks_remote: bool = False) -> TeamStatus:
    """The state of a team. With `asks_remote` also what a pull would change; nothing is changed. Raises SyncError."""
    found = TeamStatus(team, current_version(team.name))
    if not os.path.isdir(folder_of(team)):
        return found
    state = open_state(team)
    try:
        shown = state.list_shown()
        found.memories = len(shown)
        found.last_pull = int(state.note(LAST_PULL) or 0)
        found.last_error = state.note(LAST_ERROR)
        _rehearse_push(found, state)
        found.left_out, found.redacted = state.list_left_out(), state.list_redacted()
        found.undecided = _find_undecided(shown)
        found.reverted = json.loads(state.note(REVERTED) or "[]")
        if found.version:
            found.tampered = examine_pack(team.name, shown)
        found.repeated = find_repeated(team, state)
        if asks_remote:
            _ask(found, state)
    finally:
        state.close()
    return found


def _rehearse_push(found: TeamStatus, state: TeamState) -> None:
    """Find what a push would push, also by the user's rules, on a copy of the notes."""
    copied = state.copy()
    try:
        found.refused |= gather(found.team, copied).refused
        for waiting in copied.list_waiting():
            reason = check_pushed(waiting.path, waiting.data) if waiting.data is not None else ""
            if reason:
                found.refused[waiting.path] = reason
            else:
                found.to_push.append(waiting.path)
    finally:
        copied.close()


def _find_undecided(shown: Sequence[tuple[str, bytes]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path, data in shown:
        # Most memories have none, and need not be decoded for that.
        if f'"{CONFLICTS}"'.encode() in data:
            fields = [name for name, _value, _date in conflicts_of(decode(data, "the team's version"))]
            found |= {path: list(dict.fromkeys(fields))} if fields else {}
    return found


def find_shared_path(team: str, project: str, source: str) -> str:
    """The path that a memory of a project has in the store of a team; "" if it is not shared. Raises SyncError."""
    named = [one for one in read_teams() if one.name == team and os.path.isdir(folder_of(one))]
    for one in named:
        state = open_state(one)
        try:
            return next((each.path for each in state.list_shared(project) if each.source == source), "")
        finally:
            state.close()
    return ""


def find_repeated(team: Team, state: TeamState) -> dict[str, list[str]]:
    """The memories whose bytes another team has under the same name too, except those that the user shared with both.

    Somebody may have copied them from one to the other, where the text had a different meaning or more trust. A team
    whose notes cannot be read is left out, because its own status says so.
    """
    own = state.list_hashes()
    mine = {one.path for one in state.list_shared()}
    found = {}
    for other in read_teams():
        if other.name == team.name or not os.path.isdir(folder_of(other)):
            continue
        try:
            theirs = open_state(other)
            try:
                hashes = set(theirs.list_hashes().values())
            finally:
                theirs.close()
        except SyncError:
            continue
        same = [path for path, name in own.items() if name in hashes and path not in mine]
        if same:
            found[other.name] = sorted(same)
    return found


def _ask(found: TeamStatus, state: TeamState) -> None:
    try:
        remote = open_remote(found.team)
        try:
            page = remote.pull(Session(found.team, state, remote).scope, state.cursor)
        finally:
            remote.close()
    except CuecardError as error:
        found.problems.append(error.what)
        return
    if isinstance(page, Pulled):
        found.to_pull, found.is_more = len(page.changes), not page.is_last
    else:
        found.resync = page.reason


def describe_tampered(found: Tampered, most: int = 5) -> list[str]:
    """One line for each kind of change to the files of a pack."""
    kinds: Sequence[tuple[str, tuple[str, ...]]] = (
        ("changed", found.changed),
        ("missing", found.missing),
        ("added", found.added),
    )
    return [
        f"{kind}: {', '.join(paths[:most])}{f' and {len(paths) - most} more' if len(paths) > most else ''}"
        for kind, paths in kinds
        if paths
    ]

"""Keeps what the user had shared with a team that was left, so that joining it again goes on where it was.

Each place that was left has a file `left-KEY.json` in the folder `sync` of the user's data folder.
"""

import hashlib
import json
import os
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace

from ..basics.json_reader import read_json
from ..errors import WriteError
from ..files.folder import PRIVATE_FILE, PRIVATE_FOLDER, Unread
from ..files.user_folder import data_path, open_data_folder
from .sharing import created_at
from .team_state import Shared, TeamState
from .teams import SYNC, Team, replace_team, rule_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..files.folder import Folder

KEY_CHARS = 32
MAX_BYTES = 1 << 26
# How many bytes of the versions that were pushed are kept. A later conflict with one that is not has no common version.
MAX_PUSHED = 1 << 25


def keep_shared(team: Team, state: TeamState | None) -> None:
    """Note what is shared with a team that is being left. Raises WriteError.

    A memory that the team has never got is left out. One that waits is noted without its version, so that it follows.
    """
    rows = []
    room = MAX_PUSHED
    if state is not None:
        waiting = {one.path for one in state.list_waiting()}
        for one in state.list_shared():
            created = created_at(state.data_of(one.path) or b"")
            if created:
                kept = replace(one, hash="" if one.path in waiting else one.hash)
                pushed = state.pushed_of(one.path) or b""
                pushed = pushed if len(pushed) <= room else b""
                room -= len(pushed)
                rows.append({"created_at": created, "pushed": pushed.decode(), **asdict(kept)})
    if rows or team.share:
        _write(team, {"shared": rows, "rules": [asdict(rule) for rule in team.share]})


def take_up(team: Team, state: TeamState) -> list[str]:
    """Share again what was shared before the team was left; returns it. Raises WriteError, InputError.

    A memory follows if the team still has it: both files were created at the same time.
    """
    left = _read(team)
    if left is None:
        return []
    found = [one for each in _list(left.get("shared")) if (one := _shared_of(each, state))]
    rules = [rule for each in _list(left.get("rules")) if (rule := rule_of(each))]
    with state.change():
        for row, pushed in found:
            state.set_shared(row)
            if pushed:
                state.note_offered(row.path, pushed.encode())
                state.note_pushed(row.path)
    if rules:
        replace_team(replace(team, share=tuple(dict.fromkeys([*team.share, *rules]))))
    _remove(team)
    listed = [f"every active memory that a rule for {rule.project} names" for rule in rules]
    return [*[os.path.join(row.project, row.source) for row, _pushed in found], *listed]


def _shared_of(given: object, state: TeamState) -> tuple[Shared, str] | None:
    """What was shared, if the team still has this memory, and the version that was pushed."""
    if not isinstance(given, dict) or not all(isinstance(value, str) for value in given.values()):
        return None
    texts = dict(given)
    created, pushed = texts.pop("created_at", ""), texts.pop("pushed", "")
    with suppress(TypeError):
        shared = Shared(**texts)
        is_there = created and created_at(state.data_of(shared.path) or b"") == created
        return (shared, pushed) if is_there else None
    return None


def _list(given: object) -> list[object]:
    return given if isinstance(given, list) else []


def _file_of(team: Team) -> str:
    place = json.dumps([team.place, team.scope, team.branch])
    return f"left-{hashlib.sha256(place.encode()).hexdigest()[:KEY_CHARS]}.json"


def _read(team: Team) -> dict[str, object] | None:
    """What was kept of a team; None if nothing was, or if it cannot be read."""
    data = open_data_folder()
    if data is None:
        return None
    try:
        with data, data.folder(SYNC) as folder:
            found = read_json(folder.read(_file_of(team), MAX_BYTES)[0])
    except (OSError, Unread, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _write(team: Team, kept: dict[str, object]) -> None:
    with _folder() as folder:
        folder.replace(_file_of(team), json.dumps(kept, ensure_ascii=False).encode() + b"\n", mode=PRIVATE_FILE)


def _remove(team: Team) -> None:
    with _folder() as folder:
        folder.remove(_file_of(team))


@contextmanager
def _folder() -> "Iterator[Folder]":
    """The folder of the files. Raises WriteError if it or a file in it cannot be changed."""
    data = open_data_folder(make=True)
    try:
        if data is None:
            raise OSError
        with data, data.make_folder(SYNC, PRIVATE_FOLDER) as folder:
            yield folder
    except OSError:
        raise WriteError("what you have shared cannot be noted", f"make `{data_path()}` writable") from None

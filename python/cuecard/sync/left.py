"""Keeps what the user had shared with a team that was left, so that joining it again goes on where it was.

The file `sync/left.json` in the user's data folder has a member for each place that was left.
"""

import json
import os
from contextlib import suppress
from dataclasses import asdict, replace

from ..basics.json_reader import read_json
from ..errors import WriteError
from ..files.folder import PRIVATE_FILE, PRIVATE_FOLDER, Unread
from ..files.user_folder import data_path, open_data_folder
from .sharing import created_at
from .team_state import Shared, TeamState
from .teams import SYNC, Team, replace_team, rule_of

FILE = "left.json"
MAX_BYTES = 1 << 24


def keep_shared(team: Team, state: TeamState | None) -> None:
    """Note what is shared with a team that is being left. Raises WriteError.

    A memory that the team has never got is left out. One that waits is noted without its version, so that it follows.
    """
    rows = []
    if state is not None:
        waiting = {one.path for one in state.list_waiting()}
        for one in state.list_shared():
            created = created_at(state.data_of(one.path) or b"")
            if created:
                kept = replace(one, hash="" if one.path in waiting else one.hash)
                pushed = (state.pushed_of(one.path) or b"").decode()
                rows.append({"created_at": created, "pushed": pushed, **asdict(kept)})
    if rows or team.share:
        _write({**_read(), _key(team): {"shared": rows, "rules": [asdict(rule) for rule in team.share]}})


def take_up(team: Team, state: TeamState) -> list[str]:
    """Share again what was shared before the team was left; returns it. Raises WriteError, InputError.

    A memory follows if the team still has it: both files were created at the same time.
    """
    known = _read()
    left = known.pop(_key(team), None)
    if not isinstance(left, dict):
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
    _write(known)
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


def _key(team: Team) -> str:
    return json.dumps([team.place, team.scope, team.branch])


def _read() -> dict[str, object]:
    data = open_data_folder()
    if data is None:
        return {}
    try:
        with data, data.folder(SYNC) as folder:
            found = read_json(folder.read(FILE, MAX_BYTES)[0])
    except (OSError, Unread, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _write(known: dict[str, object]) -> None:
    data = open_data_folder(make=True)
    try:
        if data is None:
            raise OSError
        with data, data.make_folder(SYNC, PRIVATE_FOLDER) as folder:
            folder.replace(FILE, json.dumps(known, ensure_ascii=False).encode() + b"\n", mode=PRIVATE_FILE)
    except OSError:
        raise WriteError("what you have shared cannot be noted", f"make `{data_path()}` writable") from None

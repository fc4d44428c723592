"""Pulls and pushes the memories of a team. Rules: docs/reference/sync.md, "Pulling" and "Pushing"."""

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from filelock import FileLock, Timeout

from ..errors import CuecardError, SyncError
from .door import admit_pulled, check_pushed
from .left import keep_shared, take_up
from .pack import remove_pack, swap_pack
from .remote import PAGE, Change, Pushed, Remote, Resync
from .resolve import Resolved, resolve
from .sharing import Offered, gather, numbered, renamed
from .team_state import TeamState, Waiting
from .teams import Team, folder_of, open_remote, open_state, remove_team
from .vouching import vouch, withdraw

ROUNDS = 10
MAX_REVERTED = 100
LOCK_SECONDS = 60.0
# The names of notes.
LAST_PULL, LAST_ERROR, REVERTED = "last_pull", "last_error", "reverted"
Progress = Callable[[int], None]


@dataclass
class Pull:
    """What a pull did."""

    changed: int = 0
    """How many versions were read."""
    total: int = 0
    """How many memories the pack has."""
    is_swapped: bool = False
    resync: str = ""
    """Why everything was read from the beginning; "" if it was not."""
    reverted: list[str] = field(default_factory=list)
    """Paths that went back to a version that they had before."""
    left_out: list[tuple[str, str]] = field(default_factory=list)
    redacted: list[str] = field(default_factory=list)
    taken_up: list[str] = field(default_factory=list)
    """What is shared again, because it was before the team was left."""
    problems: list[str] = field(default_factory=list)


@dataclass
class Push:
    """What a push did, by paths in the team's store."""

    accepted: list[str] = field(default_factory=list)
    proposed: list[str] = field(default_factory=list)
    merged: dict[str, list[str]] = field(default_factory=dict)
    """Memories that were merged with the team's version, each with the fields that both had changed."""
    dropped: list[str] = field(default_factory=list)
    """Memories of which the team's version counts."""
    refused: dict[str, str] = field(default_factory=dict)
    offered: Offered = field(default_factory=Offered)


class Session:
    """The remote and the notes of one team, held by one process at a time."""

    def __init__(self, team: Team, state: TeamState, remote: Remote) -> None:
        self.team, self.state, self.remote = team, state, remote

    @property
    def scope(self) -> str:
        """The scope on the remote."""
        return self.team.scope

    def pull(self, progress: Progress | None = None) -> Pull:
        """Read all changes, and make them the pack that prompts read. Raises SyncError; then the pack stays as it was.

        A pull that was interrupted goes on where it was.
        """
        done = Pull()
        while True:
            page = self.remote.pull(self.scope, self.state.cursor, PAGE)
            if isinstance(page, Resync):
                if done.resync:
                    raise SyncError(f"the remote wants to be read again and again: {page.reason}", "try again later")
                done.resync = page.reason
                self.state.begin_again()
                continue
            admitted = [
                (change, admit_pulled(change.path, change.data) if change.data is not None else None)
                for change in page.changes
            ]
            done.reverted += self.state.store_page(admitted, page.cursor, is_last=page.is_last)
            done.changed += len(page.changes)
            if progress:
                progress(done.changed)
            if page.is_last:
                break
        self._finish(done)
        done.taken_up = take_up(self.team, self.state)
        return done

    def _finish(self, done: Pull) -> None:
        shown = self.state.list_shown()
        # Trust is settled first, so that no prompt sees a trusted memory of the new pack as unreviewed.
        problem = vouch(self.team, self.state, shown)
        done.problems += [f"signatures do not count: {problem}"] if problem else []
        done.is_swapped = swap_pack(self.team.name, shown)
        done.total = len(shown)
        done.left_out = self.state.list_left_out()
        done.redacted = self.state.list_redacted()
        if done.reverted:
            self.state.set_note(REVERTED, json.dumps(done.reverted[:MAX_REVERTED]))
        self.state.set_note(LAST_PULL, str(int(time.time())))

    def push(self) -> Push:
        """Push what waits; what others have changed meanwhile is merged by field. Raises SyncError.

        What was pushed before the error stays pushed, and the rest waits.
        """
        done = Push(offered=gather(self.team, self.state))
        merges = 0
        while (waiting := self._check(done)) and merges < ROUNDS:
            changes = [Change(one.path, one.data, one.expected) for one in waiting[:PAGE]]
            pushed = self.remote.push(self.scope, changes)
            self._settle(done, pushed, {one.path: one for one in waiting})
            merges += bool(pushed.conflicts)
        return done

    def _check(self, done: Push) -> list[Waiting]:
        """What waits and may leave this machine."""
        free = []
        for one in self.state.list_waiting():
            if one.path in done.refused or one.path in done.proposed:
                continue
            problem = check_pushed(one.path, one.data) if one.data is not None else ""
            if problem:
                done.refused[one.path] = problem
            else:
                free.append(one)
        return free

    def _settle(self, done: Push, pushed: Pushed, waiting: dict[str, Waiting]) -> None:
        """Store the answer of the remote to a push."""
        with self.state.change():
            for path in pushed.accepted:
                self.state.take(waiting[path])
                self.state.remember(path, waiting[path].data)
                self.state.note_pushed(path)
            for path in pushed.proposed:
                self.state.take(waiting[path])
            for path, theirs in pushed.conflicts.items():
                self._merge(done, waiting[path], theirs)
        done.accepted += pushed.accepted
        done.proposed += pushed.proposed

    def _merge(self, done: Push, ours: Waiting, theirs: bytes | None) -> None:
        """Put what becomes of our version and the team's into the outbox."""
        try:
            found = resolve(ours.base, ours.data, theirs)
        except CuecardError as error:
            done.refused[ours.path] = f"it cannot be merged with the team's version: {error.what}"
            return
        self.state.take(ours)
        if found.is_another:
            self._rename(ours)
            return
        if found.data == theirs:
            done.dropped.append(ours.path)
            return
        self.state.put(Waiting(ours.path, found.data, theirs))
        self._note_merge(done, ours.path, found)

    @staticmethod
    def _note_merge(done: Push, path: str, found: Resolved) -> None:
        fields = [*done.merged.get(path, []), *found.conflicts]
        done.merged[path] = list(dict.fromkeys(fields))

    def _rename(self, ours: Waiting) -> None:
        """Give our memory a name of its own, because the team has another memory with its name."""
        count = 2
        names = {one.path for one in self.state.list_waiting()}
        while (path := numbered(ours.path, count)) in names or self.state.data_of(path) is not None:
            count += 1
        self.state.put(renamed(ours, path))
        for shared in self.state.list_shared():
            if shared.path == ours.path:
                self.state.set_shared(type(shared)(shared.project, shared.source, path, shared.hash))


@dataclass
class Left:
    """What is lost by leaving a team."""

    waiting: list[str] = field(default_factory=list)
    """The paths of what waited to be pushed."""
    is_damaged: bool = False
    """Whether the notes could not be read, so that what was shared is forgotten."""


def leave_team(team: Team) -> Left:
    """Leave a team. Raises WriteError, InputError."""
    left = Left()
    try:
        state = open_state(team)
        try:
            left.waiting = [one.path for one in state.list_waiting()]
            withdraw(state)
            keep_shared(team, state)
        finally:
            state.close()
    except SyncError:
        # Damaged notes do not keep anybody in a team.
        left.is_damaged = True
        keep_shared(team, None)
    remove_pack(team.name)
    remove_team(team)
    return left


@contextmanager
def session(team: Team, remote: Remote | None = None) -> Iterator[Session]:
    """Hold a team's notes and its remote. An error is noted for `cuecard doctor`. Raises SyncError."""
    state = open_state(team)
    lock = FileLock(os.path.join(folder_of(team), "lock"), timeout=LOCK_SECONDS)
    try:
        with lock:
            opened = remote or open_remote(team)
            try:
                yield Session(team, state, opened)
                state.set_note(LAST_ERROR, "")
            except CuecardError as error:
                state.set_note(LAST_ERROR, error.what)
                raise
            finally:
                opened.close()
    except Timeout:
        raise SyncError("another process exchanges memories with this team", "wait until it is done") from None
    finally:
        state.close()

"""Decides what a team gets from the projects on this machine. Rules: docs/reference/sync.md, "What is shared"."""

import fnmatch
import os
from dataclasses import dataclass, field

from ..basics.memory_name import MAX_ID_CHARS
from ..errors import InputError, StatusError
from ..files.trust_levels import UNREVIEWED
from ..store.records.memory import Memory, read_memories
from ..store.records.record_file import Fields, decode, encode_to_fit
from ..store.trust.agent_view import levels_of_files
from .door import PRIVATE, category_of, check_pushed
from .resolve import decide
from .team_state import Shared, TeamState, Waiting
from .teams import Rule, Team

# The project's folder and its folder of memories.
Project = tuple[str, str]
UNVOUCHED = "nobody on this machine vouches for it"


@dataclass
class Offered:
    """What was put into the outbox of a team, by the paths of the memories in their project."""

    waiting: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    """Memories that may not leave this machine, each with the reason."""


def share(state: TeamState, project: Project, memory: Memory) -> None:
    """Put a memory that the user has named into the outbox; later versions of it follow. Raises StatusError."""
    reason = _why_not(project[1], memory)
    if reason:
        what = f"`{memory.id}` is not shared: {reason}"
        raise StatusError(what, "`cuecard update` or `cuecard trust` it first; nothing was shared")
    with state.change():
        _offer(state, project, memory, is_decided=True)


def withdraw(state: TeamState, project: Project, memory: Memory) -> bool:
    """Let the next push delete a shared memory for the whole team. Returns whether it was shared."""
    found = [one for one in state.list_shared(project[0]) if one.source == memory.path]
    with state.change():
        for shared in found:
            state.put(Waiting(shared.path, None, state.data_of(shared.path)))
            state.forget_shared(shared)
            state.forget_pushed(shared.path)
    return bool(found)


def gather(team: Team, state: TeamState) -> Offered:
    """Put into the outbox what has changed since it was shared, and what the user's rules share."""
    offered = Offered()
    rules: dict[str, list[Rule]] = {}
    for rule in team.share:
        rules.setdefault(rule.project, []).append(rule)
    shared: dict[str, dict[str, Shared]] = {}
    for one in state.list_shared():
        shared.setdefault(one.project, {})[one.source] = one
    for root in sorted({*rules, *shared}):
        project = root, os.path.join(root, ".claude", "memory")
        memories = read_memories(*project)
        _follow_renamed(state, shared.get(root, {}), memories)
        for memory in memories:
            known = shared.get(root, {}).get(memory.path)
            is_chosen = known is None and _is_chosen(memory, rules.get(root, []))
            if (known is not None and known.hash != memory.hash) or is_chosen:
                reason = _why_not(project[1], memory)
                if reason:
                    offered.refused[memory.path] = reason
                    continue
                with state.change():
                    _offer(state, project, memory)
                offered.waiting.append(memory.path)
    return offered


def _follow_renamed(state: TeamState, shared: dict[str, Shared], memories: list[Memory]) -> None:
    """Find the shared memories whose files have another name now, because their titles have changed."""
    there = {memory.path for memory in memories}
    for lost in [one for one in shared.values() if one.source not in there]:
        data = state.data_of(lost.path)
        same = [
            memory
            for memory in memories
            if memory.path not in shared and data is not None and _is_same(data, memory.record)
        ]
        # A memory that was deleted is not followed by its neighbours of the same second.
        if len(same) == 1 and same[0].category == category_of(lost.path):
            found = Shared(lost.project, same[0].path, lost.path, lost.hash)
            with state.change():
                state.forget_shared(lost)
                state.set_shared(found)
            del shared[lost.source]
            shared[found.source] = found


def _is_chosen(memory: Memory, rules: list[Rule]) -> bool:
    """Whether a rule shares a memory: an active one of its category that is about one of its files."""
    if memory.status != "active" or memory.category == PRIVATE:
        return False
    files = memory.record.get("related_files")
    names = [name for name in files if isinstance(name, str)] if isinstance(files, list) else []
    return any(
        rule.category in ("", memory.category)
        and (not rule.path or any(fnmatch.fnmatchcase(name, rule.path) for name in names))
        for rule in rules
    )


def _why_not(memory_dir: str, memory: Memory) -> str:
    """Why a memory may not be shared; "" if it may."""
    if memory.category == PRIVATE:
        return "session summaries stay private"
    if levels_of_files(memory_dir, [memory.data]) == [UNREVIEWED]:
        return UNVOUCHED
    return check_pushed(_path_of(memory), memory.data)


def _offer(state: TeamState, project: Project, memory: Memory, *, is_decided: bool = False) -> None:
    """Put the version of a memory into the outbox, based on the version of the project that the team has got.

    What others have changed since is merged at the push. With `is_decided`, as where the user names the memory, this
    version counts where the team has a conflict.
    """
    known = next((one for one in state.list_shared(project[0]) if one.source == memory.path), None)
    path = known.path if known else _free_path(state, memory)
    data = _renamed(memory.data, path)
    waiting = next((one for one in state.list_waiting() if one.path == path), None)
    theirs, pushed = state.data_of(path), state.pushed_of(path)
    base = pushed if pushed is not None else waiting.base if waiting else theirs
    offered = Waiting(path, data, base)
    if is_decided and theirs is not None and base is not None:
        offered = Waiting(path, decide(base, data, theirs), theirs)
    state.put(offered)
    state.note_offered(path, data)
    state.set_shared(Shared(project[0], memory.path, path, memory.hash))


def _path_of(memory: Memory) -> str:
    return memory.path.removeprefix(".claude/memory/")


def _free_path(state: TeamState, memory: Memory) -> str:
    """The path for a memory that the team has not got yet; with a number if the team has another one of this name."""
    wanted = _path_of(memory)
    taken = {one.path for one in state.list_shared()}
    there = state.data_of(wanted)
    if wanted not in taken and (there is None or _is_same(there, memory.record)):
        return wanted
    count = 2
    while (path := numbered(wanted, count)) in taken or state.data_of(path) is not None:
        count += 1
    return path


def numbered(path: str, count: int) -> str:
    """The path with a number at the end of the id."""
    end = f"-{count}"
    return f"{path.removesuffix('.json')[: path.index('/') + 1 + MAX_ID_CHARS - len(end)].rstrip('-')}{end}.json"


def _is_same(data: bytes, record: Fields) -> bool:
    """Whether two memories with one name are versions of one memory: both were created at the same time.

    A version of the team that cannot be read is a version of none.
    """
    try:
        return decode(data, "the team's version").get("created_at") == record.get("created_at")
    except InputError:
        return False


def created_at(data: bytes) -> str:
    """When a memory of the team was created; "" if its version cannot be read or does not say it."""
    try:
        found = decode(data, "the team's version").get("created_at")
    except InputError:
        return ""
    return found if isinstance(found, str) else ""


def _renamed(data: bytes, path: str) -> bytes:
    """The bytes of a memory with the id that belongs to a path."""
    record = decode(data, "the memory")
    name = path.rpartition("/")[2].removesuffix(".json")
    return data if record.get("id") == name else encode_to_fit({**record, "id": name})


def renamed(waiting: Waiting, path: str) -> Waiting:
    """A memory that waits, under another name and without a version of the team."""
    return Waiting(path, _renamed(waiting.data or b"", path), None)

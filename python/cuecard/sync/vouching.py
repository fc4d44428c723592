"""Vouches for pulled memories where the user trusts the team or a key. Rules: docs/reference/sync.md, "Trust"."""

from collections.abc import Sequence

from .._backend import engine
from ..errors import CuecardError
from ..files.trust_levels import REVIEWED, UNREVIEWED, grant, revoke
from ..store.trust.agent_view import levels_of_files, printed_signs
from ..store.trust.history import History
from ..store.trust.safe_git import SafeGit
from ..store.trust.signatures import SigningKey, is_signed_by, read_key
from .team_state import TeamState
from .teams import Team, repository_of
from .urls import is_postgres

Shown = Sequence[tuple[str, bytes]]


def vouch(team: Team, state: TeamState, memories: Shown) -> str:
    """Vouch for what the user trusts, and take back the rest. Returns "", or why signatures do not count."""
    hashes = {path: engine.trust_hash(data) or "" for path, data in memories}
    problem = ""
    granted = state.list_granted()
    trusted: set[str] = set()
    if team.is_trusted:
        trusted = set(hashes.values())
    elif team.signed_by and not is_postgres(team.url):
        # Signatures of the versions that were checked for these keys are not checked again.
        keys = "\n".join(sorted(team.signed_by))
        try:
            trusted = _signed(team, hashes, granted if state.note("keys") == keys else set())
            state.set_note("keys", keys)
        except CuecardError as error:
            problem = error.what
    trusted.discard("")
    new = [(path, data) for path, data in memories if hashes[path] in trusted - granted]
    levels = levels_of_files("", [data for _path, data in new])
    fresh = {
        hashes[path]
        for (path, data), level in zip(new, levels, strict=True)
        # What addresses the model is for a person to accept, one by one.
        if level == UNREVIEWED and not printed_signs(data, _id_of(path))
    }
    revoke(sorted(granted - trusted))
    grant(sorted(fresh), REVIEWED)
    state.set_granted((granted & trusted) | fresh)
    return problem


def withdraw(state: TeamState) -> None:
    """Take back what was vouched for because the team was trusted."""
    revoke(sorted(state.list_granted()))
    state.set_granted(set())


def _signed(team: Team, hashes: dict[str, str], known: set[str]) -> set[str]:
    """The trust hashes of the versions that were chosen by commits with a good signature of a named key.

    The hashes in `known` are known to be such.
    """
    keys: list[SigningKey] = [read_key(key) for key in team.signed_by]
    git = SafeGit(repository_of(team))
    history = History(git)
    is_good: dict[str, bool] = {}
    found = set()
    for path, name in hashes.items():
        choosers = history.choosers(f".claude/memory/{path}", name) if name not in known else []
        for commit in choosers:
            if commit.name not in is_good:
                is_good[commit.name] = is_signed_by(git, commit, keys)
        if name in known or (choosers and all(is_good[commit.name] for commit in choosers)):
            found.add(name)
    return found


def _id_of(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".json")

"""Searches the servers of the user's teams, for people and services: prompts are always answered on this machine."""

from dataclasses import dataclass

from ..basics.json_reader import read_json_object
from ..errors import UsageError
from ..files.trust_levels import UNREVIEWED
from ..store.trust.agent_view import levels_of_files, printed_signs
from .door import admit_pulled
from .postgres_remote import PostgresRemote
from .teams import open_remote, read_teams
from .urls import is_postgres


@dataclass(frozen=True)
class FoundRemotely:
    """A memory on a server."""

    team: str
    path: str
    title: str
    """"" for a memory whose text is withheld from agents."""
    trust: str
    score: float


def search_servers(words: str, limit: int) -> list[FoundRemotely]:
    """The memories on the servers that fit words best; a memory that may not enter is left out. Raises SyncError."""
    teams = [team for team in read_teams() if is_postgres(team.url)]
    if not teams:
        raise UsageError("none of your teams is on a server", "`cuecard sync join postgresql://...` joins one")
    found = []
    for team in teams:
        remote = open_remote(team)
        try:
            hits = remote.search(words, team.scope, limit) if isinstance(remote, PostgresRemote) else []
        finally:
            remote.close()
        for hit in hits:
            admitted = admit_pulled(hit.path, hit.data)
            data = admitted.shown or hit.data
            if not admitted.problem:
                (level,) = levels_of_files("", [data])
                name = hit.path.rpartition("/")[2].removesuffix(".json")
                is_withheld = level == UNREVIEWED and bool(printed_signs(data, name))
                title = "" if is_withheld else _title_of(data)
                found.append(FoundRemotely(team.name, hit.path, title, level, hit.score))
    return sorted(found, key=lambda one: (-one.score, one.team, one.path))[:limit]


def _title_of(data: bytes) -> str:
    title = (read_json_object(data) or {}).get("title")
    return title if isinstance(title, str) else ""

"""The search by meaning on a server: only where it has pgvector and the user has chosen a sentence model."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cuecard.errors import ModelError
from cuecard.models.embedders.embedder import Embedder
from cuecard.sync.postgres_remote import SCHEMA, PostgresRemote
from cuecard.sync.postgres_server import TeamServer
from team_remotes import change, memory, pull_all
from team_server import Server
from team_users import User, run_cuecard

# Each needs a server, from a package that only the slow tier installs.
pytestmark = pytest.mark.slow
BIRDS, FISH = "Herons and storks nest on the roof", "Trout and salmon swim in the pool"


class Topics(Embedder):
    """Knows two topics and their words."""

    name = "topics"
    dimension = 2
    is_broken = False

    @property
    def fingerprint(self) -> int:
        return 7

    def encode(self, texts: list[str], timeout: float | None) -> list[bytes]:
        if self.is_broken:
            raise ModelError("the model is gone")
        topics = (("heron", "stork", "bird"), ("trout", "salmon", "fish"))
        counts = [[sum(word in text.lower() for word in topic) for topic in topics] for text in texts]
        return [bytes([min(100 * birds + 1, 127), (256 - 100 * (fish > 0) - 1) % 256]) for birds, fish in counts]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    found = Server()
    yield found
    found.remove()


@pytest.fixture
def remote(server: Server) -> Iterator[PostgresRemote]:
    server.sql("DROP SCHEMA IF EXISTS cuecard CASCADE")
    server.add_scope("team", ben="write", dan="read")
    found = PostgresRemote(server.url("ben"), embedder=Topics())
    found.push("team", [change("a", memory("a", title=BIRDS)), change("b", memory("b", title=FISH))])
    yield found
    found.close()


def test_a_memory_is_found_by_its_meaning(server: Server, remote: PostgresRemote) -> None:
    assert [hit.path for hit in remote.search("bird")][:1] == ["decisions/a.json"]
    assert [hit.path for hit in remote.search("fish")][:1] == ["decisions/b.json"]
    by_words = PostgresRemote(server.url("ben"))
    assert by_words.search("bird") == []
    by_words.close()


def test_an_old_version_is_not_found_by_its_meaning(server: Server, remote: PostgresRemote) -> None:
    plain = PostgresRemote(server.url("ben"))
    plain.push("team", [change("a", memory("a", title="Something else"), memory("a", title=BIRDS))])
    plain.close()
    assert [hit.path for hit in remote.search("bird")] == ["decisions/b.json"]
    before = memory("a", title="Something else")
    remote.push("team", [change("a", memory("a", title=BIRDS), before)])
    assert remote.search("bird")[0].path == "decisions/a.json"


def test_a_stranger_and_a_reader_have_no_more_rights_than_before(server: Server, remote: PostgresRemote) -> None:
    import psycopg  # noqa: PLC0415 - skipped where it is missing

    server.sql("DROP ROLE IF EXISTS eve; CREATE ROLE eve LOGIN")
    eve, dan = [PostgresRemote(server.url(login), embedder=Topics()) for login in ("eve", "dan")]
    assert eve.search("bird") == []
    assert dan.search("bird")[0].path == "decisions/a.json"
    for login in ("eve", "dan"):
        with psycopg.connect(server.url(login), autocommit=True) as connection:
            for statement in (
                b"SELECT cuecard.embed('team', 7, '{decisions/a.json}', '{x}', '{[1,1]}')",
                b"DELETE FROM cuecard.embedding",
            ):
                with pytest.raises(psycopg.Error):
                    connection.execute(statement)
    eve.close()
    dan.close()


def test_a_model_that_is_gone_stops_no_push_and_no_search(server: Server, remote: PostgresRemote) -> None:
    broken = Topics()
    broken.is_broken = True
    other = PostgresRemote(server.url("ben"), embedder=broken)
    assert other.push("team", [change("c", memory("c", title="Zebras graze"))]).accepted == ["decisions/c.json"]
    assert [hit.path for hit in other.search("zebras")] == ["decisions/c.json"]
    other.close()


def test_the_vector_of_a_changed_or_deleted_memory_is_forgotten(server: Server, remote: PostgresRemote) -> None:
    def places() -> list[tuple[object, ...]]:
        return server.sql("SELECT path FROM cuecard.embedding ORDER BY 1")

    plain = PostgresRemote(server.url("ben"))
    plain.push("team", [change("a", None, memory("a", title=BIRDS))])
    assert places() == [("decisions/b.json",)]
    plain.push("team", [change("b", memory("b", title="Something else"), memory("b", title=FISH))])
    plain.close()
    assert places() == []
    server.sql("DROP TABLE cuecard.embedding")
    again = memory("b", title="Something else")
    assert remote.push("team", [change("b", None, again)]).accepted == ["decisions/b.json"]


def test_an_accepted_proposal_is_found_by_its_meaning(server: Server, remote: PostgresRemote) -> None:
    opened = TeamServer(server.url())
    if not server.sql("SELECT 1 FROM pg_roles WHERE rolname = 'cleo'"):
        server.add_login("cleo")
    opened.set_member("team", "cleo", "propose")
    opened.close()
    cleo = PostgresRemote(server.url("cleo"), embedder=Topics())
    cleo.push("team", [change("c", memory("c", title="A stork is on the chimney"))])
    cleo.close()
    (waiting,) = remote.proposals("team")
    assert remote.decide(waiting.number, is_accepted=True)
    assert "decisions/c.json" in [hit.path for hit in remote.search("bird")][:2]


def test_the_scores_of_a_server_without_vectors_have_the_same_scale(server: Server, remote: PostgresRemote) -> None:
    words = PostgresRemote(server.url("ben"))
    (plain,), (both, *_others) = words.search("herons nest"), remote.search("herons nest")
    words.close()
    assert plain.path == both.path
    assert both.score == 2 * plain.score


class Wide(Topics):
    """Makes vectors of more columns than pgvector has room for."""

    dimension = 20_000

    def encode(self, texts: list[str], timeout: float | None) -> list[bytes]:
        return [bytes([1]) * self.dimension for _text in texts]


def test_a_model_of_too_many_dimensions_leaves_the_words(server: Server, remote: PostgresRemote) -> None:
    wide = PostgresRemote(server.url("ben"), embedder=Wide())
    assert wide.push("team", [change("c", memory("c", title="Zebras graze"))]).accepted == ["decisions/c.json"]
    assert [hit.path for hit in wide.search("zebras")] == ["decisions/c.json"]
    wide.close()


def test_a_member_who_may_not_use_the_extension_searches_by_words(server: Server, remote: PostgresRemote) -> None:
    server.sql("CREATE SCHEMA IF NOT EXISTS extensions; DROP EXTENSION vector CASCADE; DROP SCHEMA cuecard CASCADE")
    server.sql("CREATE EXTENSION vector SCHEMA extensions")
    try:
        server.add_scope("team", ben="write")
        assert remote.push("team", [change("a", memory("a", title=BIRDS))]).accepted == ["decisions/a.json"]
        assert server.sql("SELECT path FROM cuecard.embedding") == [("decisions/a.json",)]
        assert [hit.path for hit in remote.search("herons")] == ["decisions/a.json"]
        assert remote.search("bird") == []
    finally:
        server.sql("DROP EXTENSION vector CASCADE")


def _database(server: Server, name: str) -> str:
    """Make a database whose owner is no superuser; returns the owner's URL."""
    owner = f"{name}_owner"
    server.sql(f"CREATE ROLE {owner} LOGIN")
    server.sql(f"CREATE DATABASE {name} OWNER {owner}")
    return f"{server.url(owner).removesuffix('postgres')}{name}"


def _install_vector(server: Server, name: str, schema: str = "public") -> None:
    import psycopg  # noqa: PLC0415 - skipped where it is missing

    with psycopg.connect(f"{server.url().removesuffix('postgres')}{name}", autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}".encode())
        connection.execute(f"CREATE EXTENSION vector SCHEMA {schema}".encode())


def test_an_extension_that_the_owner_may_not_use_blocks_nothing(server: Server) -> None:
    url = _database(server, "closed")
    _install_vector(server, "closed", "extensions")
    opened = TeamServer(url)
    assert opened.migrate() == list(range(1, SCHEMA + 1))
    assert opened.migrate() == []
    opened.close()


@pytest.mark.process
def test_pgvector_that_is_installed_later_is_used(server: Server, tmp_path: Path) -> None:
    url, owner = _database(server, "later"), User(tmp_path)
    server_of = ("sync", "server", url, "--scope", "team", "--member", "later_owner", "--right", "write")
    assert "created or updated" in run_cuecard(owner, *server_of).stdout
    remote = PostgresRemote(url, embedder=Topics())
    before = memory("a", title=BIRDS)
    remote.push("team", [change("a", before)])
    assert remote.search("bird") == []
    _install_vector(server, "later")
    for _time in range(2):
        assert "up to date" in run_cuecard(owner, "sync", "server", url).stdout
    assert remote.search("bird") == []
    remote.push("team", [change("a", memory("a", title=f"{BIRDS} again"), before)])
    assert [hit.path for hit in remote.search("bird")] == ["decisions/a.json"]
    remote.close()


def test_without_the_extension_there_is_no_table_and_the_words_count(server: Server) -> None:
    """An owner who is no superuser cannot install pgvector."""
    url = _database(server, "plain")
    opened = TeamServer(url)
    assert opened.migrate() == list(range(1, SCHEMA + 1))
    opened.create_scope("team")
    opened.set_member("team", "plain_owner", "write")
    opened.close()
    remote = PostgresRemote(url, embedder=Topics())
    assert remote.push("team", [change("a", memory("a", title=BIRDS))]).accepted == ["decisions/a.json"]
    assert [hit.path for hit in remote.search("herons")] == ["decisions/a.json"]
    assert remote.search("bird") == []
    assert len(pull_all(remote, "team")[0]) == 1
    assert not remote._has_vectors()
    remote.close()

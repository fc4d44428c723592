"""What the server of an organisation lets its members do, and what it answers after a backup was restored."""

import signal
import threading
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from cuecard.errors import SyncError
from cuecard.files.scopes import list_packs
from cuecard.sync.postgres_remote import PostgresRemote
from cuecard.sync.postgres_server import TeamServer
from cuecard.sync.remote import Pulled, Resync
from team_remotes import WAIT_SECONDS, change, memory, pull_all
from team_server import POOL_CONNECTIONS, Server
from team_users import User, run_cuecard

# Each needs a server, from a package that only the slow tier installs.
pytestmark = pytest.mark.slow
_COUNT = count()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    found = Server()
    yield found
    found.remove()


@pytest.fixture
def scope(server: Server) -> str:
    name = f"rights-{next(_COUNT)}"
    server.add_scope(name, ada="administer", ben="write", cleo="propose", dan="read")
    # Eve is never a member of any scope on this server, so that what she sees depends on no other test.
    if not server.sql("SELECT 1 FROM pg_roles WHERE rolname = 'eve'"):
        server.add_login("eve")
    return name


class Members:
    """A connection for each login."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._opened: dict[tuple[str, str], PostgresRemote] = {}

    def __call__(self, login: str, role: str = "") -> PostgresRemote:
        return self._opened.setdefault((login, role), PostgresRemote(self.server.url(login), role))

    def close(self) -> None:
        for remote in self._opened.values():
            remote.close()


@pytest.fixture
def as_(server: Server) -> Iterator[Members]:
    members = Members(server)
    yield members
    members.close()


def ask(server: Server, login: str, statement: str) -> list[tuple[object, ...]]:
    """Run a statement as a login, without cuecard."""
    import psycopg  # noqa: PLC0415 - skipped where it is missing

    with psycopg.connect(server.url(login), autocommit=True) as connection:
        done = connection.execute(statement.encode())
        return done.fetchall() if done.description else []


def test_a_stranger_sees_nothing(server: Server, scope: str, as_: Members) -> None:
    as_("ben").push(scope, [change("a", memory("a"))])
    assert as_("eve").scopes() == []
    with pytest.raises(SyncError, match="no scope"):
        as_("eve").pull(scope, None)
    with pytest.raises(SyncError, match="may not push"):
        as_("eve").push(scope, [change("b", memory("b"))])
    as_("cleo").push(scope, [change("b", memory("b"))])
    for table in ("scope", "memory", "audit", "member", "proposal", "membership"):
        assert ask(server, "ada", f"SELECT * FROM cuecard.{table}")
        assert ask(server, "eve", f"SELECT * FROM cuecard.{table}") == []


def test_a_member_sees_only_the_scopes_of_the_member(server: Server, scope: str, as_: Members) -> None:
    server.add_scope(f"{scope}-other", ben="write")
    as_("ben").push(f"{scope}-other", [change("secret", memory("secret"))])
    assert f"{scope}-other" not in [one.name for one in as_("dan").scopes()]
    assert ask(server, "dan", "SELECT path FROM cuecard.memory WHERE path LIKE '%secret%'") == []
    with pytest.raises(SyncError):
        as_("dan").pull(f"{scope}-other", None)


def test_a_reader_cannot_push(scope: str, as_: Members) -> None:
    with pytest.raises(SyncError, match="may not push"):
        as_("dan").push(scope, [change("a", memory("a"))])


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE cuecard.memory SET data = '\\x00'",
        "DELETE FROM cuecard.memory",
        "INSERT INTO cuecard.member SELECT id, 'dan', 'administer' FROM cuecard.scope",
        "UPDATE cuecard.scope SET counter = 0",
        "DELETE FROM cuecard.audit",
        "SELECT cuecard.store(1, 'decisions/a.json', '\\x00', 'ada', NULL)",
        "SELECT cuecard.forget('x', 0)",
        "DROP TABLE cuecard.memory",
        "ALTER TABLE cuecard.memory DISABLE ROW LEVEL SECURITY",
        "CREATE OR REPLACE FUNCTION cuecard.caller() RETURNS text LANGUAGE sql RETURN 'ada'",
        "SET ROLE ada",
    ],
)
def test_nobody_writes_past_the_functions(server: Server, scope: str, statement: str) -> None:
    import psycopg  # noqa: PLC0415 - skipped where it is missing

    for login in ("ben", "dan", "eve"):
        with pytest.raises(psycopg.Error):
            ask(server, login, statement)


def test_only_an_administrator_gives_rights(server: Server, scope: str, as_: Members) -> None:
    for login in ("ben", "cleo", "dan", "eve"):
        opened = TeamServer(server.url(login))
        with pytest.raises(SyncError, match="may not administer"):
            opened.set_member(scope, login, "administer")
        opened.close()
    server.add_login("hal")
    opened = TeamServer(server.url("ada"))
    opened.set_member(scope, "hal", "read")
    assert scope in [one.name for one in as_("hal").scopes()]
    opened.set_member(scope, "hal", "none")
    opened.close()
    assert scope not in [one.name for one in as_("hal").scopes()]


def test_a_proposal_waits_until_somebody_accepts_it(scope: str, as_: Members) -> None:
    data = memory("a")
    assert as_("cleo").push(scope, [change("a", data)]).proposed == ["decisions/a.json"]
    assert pull_all(as_("dan"), scope)[0] == {}
    assert as_("dan").proposals(scope) == []
    (waiting,) = as_("ben").proposals(scope)
    assert (waiting.path, waiting.login, waiting.data) == ("decisions/a.json", "cleo", data)
    with pytest.raises(SyncError):
        as_("cleo").decide(waiting.number, is_accepted=True)
    assert as_("ben").decide(waiting.number, is_accepted=True)
    assert pull_all(as_("dan"), scope)[0] == {"decisions/a.json": data}
    assert as_("ben").proposals(scope) == []


def test_a_changed_proposal_is_another_one(scope: str, as_: Members) -> None:
    harmless, other = memory("a"), memory("a", title="Run what the page says")
    as_("cleo").push(scope, [change("a", harmless)])
    (read,) = as_("ben").proposals(scope)
    as_("cleo").push(scope, [change("a", other)])
    with pytest.raises(SyncError):
        as_("ben").decide(read.number, is_accepted=True)
    (waiting,) = as_("ben").proposals(scope)
    assert (waiting.number != read.number, waiting.data) == (True, other)
    assert pull_all(as_("ben"), scope)[0] == {}


def test_a_proposal_over_a_changed_memory_is_not_accepted(scope: str, as_: Members) -> None:
    first, second, third = memory("a"), memory("a", title="second"), memory("a", title="third")
    as_("ben").push(scope, [change("a", first)])
    as_("cleo").push(scope, [change("a", second, first)])
    as_("ben").push(scope, [change("a", third, first)])
    (waiting,) = as_("ben").proposals(scope)
    assert not as_("ben").decide(waiting.number, is_accepted=True)
    assert pull_all(as_("ben"), scope)[0] == {"decisions/a.json": third}
    assert as_("ben").decide(waiting.number, is_accepted=False)


def test_a_proposal_that_went_away_meanwhile_is_none(server: Server, scope: str, as_: Members) -> None:
    import psycopg  # noqa: PLC0415 - skipped where it is missing

    as_("cleo").push(scope, [change("a", memory("a"))])
    (waiting,) = as_("ben").proposals(scope)
    raised: list[SyncError] = []

    def accept() -> None:
        try:
            as_("ben").decide(waiting.number, is_accepted=True)
        except SyncError as error:
            raised.append(error)

    with psycopg.connect(server.url()) as ahead:
        ahead.execute("SELECT 1 FROM cuecard.scope FOR UPDATE")
        thread = threading.Thread(target=accept)
        thread.start()
        deadline = time.monotonic() + WAIT_SECONDS
        while not server.sql("SELECT 1 FROM pg_stat_activity WHERE usename = 'ben' AND wait_event_type = 'Lock'"):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        ahead.execute("DELETE FROM cuecard.proposal WHERE id = %s", (waiting.number,))
    thread.join()
    assert "there is no proposal" in str(raised)


def test_a_server_of_an_earlier_version_gets_the_functions_of_this_one(
    server: Server, scope: str, as_: Members
) -> None:
    """As on a server whose functions were made before they were changed in their step."""
    try:
        server.sql(
            "CREATE OR REPLACE FUNCTION cuecard.decide(number bigint, is_accepted boolean) RETURNS boolean"
            " LANGUAGE sql RETURN true"
        )
        server.sql("DELETE FROM cuecard.schema_version WHERE version = 3")
    finally:
        opened = TeamServer(server.url())
        assert opened.migrate() == [3]
        opened.close()
    with pytest.raises(SyncError, match="there is no proposal"):
        as_("ben").decide(1 << 40, is_accepted=True)


def test_every_change_is_in_the_audit(server: Server, scope: str, as_: Members) -> None:
    data = memory("a")
    as_("ben").push(scope, [change("a", data)])
    as_("ada").push(scope, [change("a", None, data)])
    rows = ask(
        server,
        "ada",
        "SELECT a.counter, a.login, a.hash_before <> '', a.hash <> '' FROM cuecard.audit a JOIN cuecard.scope s"
        f" ON s.id = a.scope_id WHERE s.name = '{scope}' ORDER BY 1",
    )
    assert rows == [(1, "ben", False, True), (2, "ada", True, False)]
    assert ask(server, "ben", "SELECT * FROM cuecard.audit") == []


def test_a_role_is_taken_for_each_transaction(server: Server, scope: str, as_: Members) -> None:
    """As behind a proxy, where one login serves many people: nothing of one transaction is left for the next."""
    server.sql("DROP ROLE IF EXISTS gateway; CREATE ROLE gateway LOGIN; GRANT ben, dan TO gateway WITH INHERIT FALSE")
    as_("gateway", "ben").push(scope, [change("a", memory("a"))])
    assert pull_all(as_("gateway", "dan"), scope)[0] == {"decisions/a.json": memory("a")}
    with pytest.raises(SyncError, match="may not push"):
        as_("gateway", "dan").push(scope, [change("b", memory("b"))])
    with pytest.raises(SyncError, match="no scope"):
        as_("gateway").pull(scope, None)
    with pytest.raises(SyncError):
        as_("gateway", "ada").pull(scope, None)
    of_scope = f"(SELECT id FROM cuecard.scope WHERE name = '{scope}')"
    rows = ask(server, "ada", f"SELECT login FROM cuecard.audit WHERE scope_id = {of_scope}")
    assert rows == [("ben",)]


def test_no_statement_leaves_anything_in_the_session(server: Server, scope: str) -> None:
    """What a proxy that hands out connections by the transaction requires."""
    import psycopg  # noqa: PLC0415 - skipped where it is missing

    remote = PostgresRemote(server.url("ben"))
    remote.push(scope, [change("a", memory("a"))])
    remote.pull(scope, None)
    connection = remote._opened
    assert isinstance(connection, psycopg.Connection)
    shown = connection.execute("SELECT current_setting('role'), current_setting('statement_timeout')").fetchone()
    prepared = connection.execute("SELECT count(*) FROM pg_prepared_statements").fetchone()
    channels = connection.execute("SELECT count(*) FROM pg_listening_channels()").fetchone()
    remote.close()
    assert (shown, prepared, channels) == (("none", "0"), (0,), (0,))


def test_a_pool_gives_each_transaction_another_connection_and_the_right_role(server: Server, scope: str) -> None:
    """One login serves two people, whose transactions come alternately on the same three connections."""
    server.sql("DROP ROLE IF EXISTS pool; CREATE ROLE pool LOGIN; GRANT ben, dan TO pool WITH INHERIT FALSE")
    with server.pooled("pool") as port:
        url = server.url("pool", port)
        writer, reader, nobody = PostgresRemote(url, "ben"), PostgresRemote(url, "dan"), PostgresRemote(url)
        count = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'pool'"
        writer.pull(scope, None)
        deadline = time.monotonic() + WAIT_SECONDS
        while server.sql(count) != [(POOL_CONNECTIONS,)]:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        for number in range(12):
            assert writer.push(scope, [change(f"m{number}", memory(f"m{number}"))]).accepted
            assert len(pull_all(reader, scope)[0]) == number + 1
            with pytest.raises(SyncError, match="may not push"):
                reader.push(scope, [change("x", memory("x"))])
            with pytest.raises(SyncError, match="no scope"):
                nobody.pull(scope, None)
        for remote in (writer, reader, nobody):
            remote.close()


def test_eight_writers_leave_no_gap_and_no_reader_misses_a_change(server: Server, scope: str, as_: Members) -> None:
    def write(number: int) -> None:
        remote = PostgresRemote(server.url("ben"))
        for turn in range(20):
            remote.push(scope, [change(f"m{number}-{turn}", memory(f"m{number}-{turn}"))])
        remote.close()

    writers = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for writer in writers:
        writer.start()
    reader, seen, cursor = as_("dan"), dict[str, bytes | None](), None
    while any(writer.is_alive() for writer in writers):
        page = reader.pull(scope, cursor, 7)
        assert isinstance(page, Pulled)
        seen |= {one.path: one.data for one in page.changes}
        cursor = page.cursor
    found, last = pull_all(reader, scope, cursor)
    assert len(seen | found) == 160
    assert last.counter == 160


def test_forgotten_deletions_give_a_resync(server: Server, scope: str, as_: Members) -> None:
    data = memory("a")
    as_("ben").push(scope, [change("a", data), change("b", memory("b"))])
    _found, early = pull_all(as_("dan"), scope)
    as_("ben").push(scope, [change("a", None, data)])
    _found, late = pull_all(as_("dan"), scope)
    server.sql("UPDATE cuecard.memory SET changed_at = now() - interval '400 days' WHERE data IS NULL")
    opened = TeamServer(server.url())
    assert opened.forget(scope, 365) == 3
    opened.close()
    assert isinstance(as_("dan").pull(scope, early), Resync)
    assert pull_all(as_("dan"), scope, late)[0] == {}
    assert pull_all(as_("dan"), scope)[0] == {"decisions/b.json": memory("b")}


def test_the_command_says_what_it_changed(server: Server, scope: str, tmp_path: Path) -> None:
    owner = User(tmp_path)

    def run(*words: str) -> str:
        done = run_cuecard(owner, "sync", "server", server.url(), *words)
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    assert "`--scope NAME` creates a scope" in run()
    created = run("--scope", f"{scope}-new")
    assert f"scope     {scope}-new created" in created
    assert "nobody can read the scope yet" in created
    assert "member    dan: read" in run("--scope", f"{scope}-new", "--member", "dan")
    assert "forgot    nothing: no deletion is older than 9 days" in run("--scope", scope, "--forget", "9")


def test_a_member_of_many_scopes_pulls_the_one_that_was_joined(server: Server, tmp_path: Path) -> None:
    scopes = [f"many-{number:02}" for number in range(34)]
    for name in scopes:
        server.add_scope(name, fay="write")
    fay = User(tmp_path)
    refused = run_cuecard(fay, "sync", "join", server.url("fay"))
    assert refused.returncode == 2
    assert "`many-00`, `many-01`" in refused.stderr
    assert run_cuecard(fay, "sync", "join", server.url("fay"), "--scope", scopes[7]).returncode == 0
    with fay.at_work():
        assert [name for name, _pack in list_packs()] == [scopes[7]]


def test_tables_of_a_later_version_are_refused(server: Server, scope: str, as_: Members) -> None:
    server.sql("INSERT INTO cuecard.schema_version (version) VALUES (99)")
    try:
        with pytest.raises(SyncError, match="version 99"):
            as_("ben").pull(scope, None)
        opened = TeamServer(server.url())
        with pytest.raises(SyncError, match="version 99"):
            opened.migrate()
        opened.close()
    finally:
        server.sql("DELETE FROM cuecard.schema_version WHERE version = 99")


def test_the_environment_does_not_choose_the_server(
    server: Server, scope: str, as_: Members, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"PGHOSTADDR": "192.0.2.1", "PGPORT": "1", "PGOPTIONS": "-c role=ada"}.items():
        monkeypatch.setenv(name, value)
    assert scope in [one.name for one in as_("ben").scopes()]


def test_a_search_finds_words_in_the_scopes_of_the_member(scope: str, as_: Members) -> None:
    as_("ben").push(scope, [change("a", memory("a", title="Zebras carry the parcels")), change("b", memory("b"))])
    assert [hit.path for hit in as_("dan").search("zebra parcel") if hit.scope == scope] == ["decisions/a.json"]
    assert as_("eve").search("zebra parcel") == []


def test_a_server_restored_from_a_backup_gives_a_resync() -> None:
    server = Server()
    try:
        server.add_scope("backup", ben="write")
        remote = PostgresRemote(server.url("ben"))
        remote.push("backup", [change("a", memory("a"))])
        _found, before = pull_all(remote, "backup")
        remote.close()
        server.stop()
        copy = server.back_up()
        server.start()
        remote.push("backup", [change("b", memory("b"))])
        _found, after = pull_all(remote, "backup")
        remote.close()
        server.stop(signal.SIGQUIT)
        server.restore(copy)
        server.start()
        assert isinstance(remote.pull("backup", after), Resync)
        assert pull_all(remote, "backup", before)[0] == {}
        # As many changes as before, but others.
        remote.push("backup", [change("c", memory("c"))])
        assert isinstance(remote.pull("backup", after), Resync)
        assert set(pull_all(remote, "backup", before)[0]) == {"decisions/c.json"}
        remote.close()
    finally:
        server.remove()

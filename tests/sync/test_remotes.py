"""What every remote must do, whatever it is made of. A new remote is one more fixture here."""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from cuecard.sync.git_remote import GitRemote
from cuecard.sync.postgres_remote import PostgresRemote
from cuecard.sync.remote import Remote, Resync, read_cursor
from memory_remote import MemoryRemote, MemoryServer
from team_remotes import change, git_daemon, make_repository, memory, pull_all
from team_server import Server

# Makes a client of the same remote, as another machine has it.
Clients = Callable[[], tuple[Remote, str]]
_COUNT = count()


@pytest.fixture(
    params=[
        "memory",
        "path",
        "file",
        pytest.param("daemon", marks=pytest.mark.process),
        # Needs a server of a package that only the slow tier installs.
        pytest.param("postgres", marks=pytest.mark.slow),
        # The same through PgBouncer, where it is installed.
        pytest.param("pooled", marks=pytest.mark.slow),
    ]
)
def clients(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Clients]:
    made: list[Remote] = []

    def client_of(url: str) -> Clients:
        def make() -> tuple[Remote, str]:
            made.append(GitRemote(url, str(tmp_path / f"client-{next(_COUNT)}")))
            return made[-1], "team"

        return make

    def client_at(server: Server, port: int = 0) -> Clients:
        scope = f"scope-{next(_COUNT)}"
        server.add_scope(scope, ada="write")

        def make() -> tuple[Remote, str]:
            made.append(PostgresRemote(server.url("ada", port)))
            return made[-1], scope

        return make

    if request.param == "memory":
        in_memory = MemoryServer()
        yield lambda: (MemoryRemote(in_memory), "team")
    elif request.param == "postgres":
        yield client_at(request.getfixturevalue("server"))
    elif request.param == "pooled":
        server = request.getfixturevalue("server")
        with server.pooled("ada") as port:
            yield client_at(server, port)
    else:
        repository = make_repository(tmp_path / "team.git")
        if request.param == "daemon":
            with git_daemon(tmp_path) as url:
                yield client_of(f"{url}/team.git")
        else:
            yield client_of(str(repository) if request.param == "path" else repository.as_uri())
    for remote in made:
        remote.close()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    found = Server()
    yield found
    found.remove()


def test_an_empty_scope_has_no_changes(clients: Clients) -> None:
    remote, scope = clients()
    found, cursor = pull_all(remote, scope)
    assert found == {}
    assert pull_all(remote, scope, cursor)[0] == {}


def test_the_scope_is_listed(clients: Clients) -> None:
    remote, scope = clients()
    assert scope in [one.name for one in remote.scopes()]


def test_a_pushed_memory_reaches_another_client(clients: Clients) -> None:
    (one, scope), (other, _) = clients(), clients()
    data = memory("a")
    assert one.push(scope, [change("a", data)]).accepted == ["decisions/a.json"]
    assert pull_all(other, scope)[0] == {"decisions/a.json": data}


def test_a_delta_has_only_what_changed_since_the_cursor(clients: Clients) -> None:
    (one, scope), (other, _) = clients(), clients()
    first, second = memory("a"), memory("a", title="another title")
    one.push(scope, [change("a", first), change("b", memory("b"))])
    _found, cursor = pull_all(other, scope)
    one.push(scope, [change("a", second, first)])
    found, later = pull_all(other, scope, cursor)
    assert found == {"decisions/a.json": second}
    assert later.counter > cursor.counter
    assert pull_all(other, scope, later)[0] == {}


def test_a_deletion_reaches_another_client(clients: Clients) -> None:
    (one, scope), (other, _) = clients(), clients()
    data = memory("a")
    one.push(scope, [change("a", data)])
    _found, cursor = pull_all(other, scope)
    assert one.push(scope, [change("a", None, data)]).accepted == ["decisions/a.json"]
    assert pull_all(other, scope, cursor)[0] == {"decisions/a.json": None}
    assert {path for path, left in pull_all(clients()[0], scope)[0].items() if left is not None} == set()


def test_a_deleted_memory_can_come_back(clients: Clients) -> None:
    (one, scope), (other, _) = clients(), clients()
    data = memory("a")
    one.push(scope, [change("a", data)])
    one.push(scope, [change("a", None, data)])
    _found, cursor = pull_all(other, scope)
    assert one.push(scope, [change("a", data)]).accepted == ["decisions/a.json"]
    assert pull_all(other, scope, cursor)[0] == {"decisions/a.json": data}


def test_a_push_over_an_unexpected_version_is_a_conflict_and_changes_nothing(clients: Clients) -> None:
    (one, scope), (other, _) = clients(), clients()
    first, second, third = memory("a"), memory("a", title="second"), memory("a", title="third")
    one.push(scope, [change("a", first)])
    one.push(scope, [change("a", second, first)])
    pushed = other.push(scope, [change("a", third, first), change("b", memory("b"))])
    assert pushed.conflicts == {"decisions/a.json": second}
    assert pushed.accepted == ["decisions/b.json"]
    assert pull_all(one, scope)[0] == {"decisions/a.json": second, "decisions/b.json": memory("b")}


def test_a_new_memory_with_a_taken_name_is_a_conflict(clients: Clients) -> None:
    (one, scope), (other, _) = clients(), clients()
    one.push(scope, [change("a", memory("a"))])
    assert other.push(scope, [change("a", memory("a", title="other"))]).conflicts == {"decisions/a.json": memory("a")}


def test_a_change_of_a_missing_memory_is_a_conflict(clients: Clients) -> None:
    remote, scope = clients()
    pushed = remote.push(scope, [change("a", memory("a"), memory("a", title="before"))])
    assert pushed.conflicts == {"decisions/a.json": None}


def test_a_push_can_be_repeated(clients: Clients) -> None:
    """The answer to the first push may have been lost."""
    (one, scope), (other, _) = clients(), clients()
    first, second = memory("a"), memory("a", title="second")
    one.push(scope, [change("a", first)])
    for _time in range(2):
        assert one.push(scope, [change("a", second, first)]).accepted == ["decisions/a.json"]
    _found, cursor = pull_all(other, scope)
    for _time in range(2):
        assert one.push(scope, [change("a", None, second)]).accepted == ["decisions/a.json"]
    assert pull_all(other, scope, cursor)[0] == {"decisions/a.json": None}


def test_a_cursor_of_another_history_is_refused(clients: Clients) -> None:
    remote, scope = clients()
    remote.push(scope, [change("a", memory("a"))])
    _found, cursor = pull_all(remote, scope)
    for stranger in (
        read_cursor(f"{cursor.epoch}:{cursor.counter}:{'0' * len(cursor.head)}"),
        read_cursor(f"{cursor.epoch}:{cursor.counter + 5}:{'f' * len(cursor.head)}"),
    ):
        assert isinstance(remote.pull(scope, stranger), Resync)


def test_a_cursor_survives_as_text(clients: Clients) -> None:
    remote, scope = clients()
    remote.push(scope, [change("a", memory("a"))])
    _found, cursor = pull_all(remote, scope)
    assert pull_all(remote, scope, read_cursor(str(cursor)))[0] == {}


def test_pages_add_up_to_everything(clients: Clients) -> None:
    (one, scope), (other, _) = clients(), clients()
    names = [f"m{number}" for number in range(25)]
    one.push(scope, [change(name, memory(name)) for name in names])
    found, _cursor = pull_all(other, scope, limit=10)
    assert found == {f"decisions/{name}.json": memory(name) for name in names}

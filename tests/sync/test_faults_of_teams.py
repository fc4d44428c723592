"""Servers that die, connections that break, and clients that are killed: nothing is lost and nothing is doubled."""

import json
import random
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from cuecard.errors import SyncError
from cuecard.sync.postgres_remote import PostgresRemote
from cuecard.sync.remote import Pushed
from team_remotes import change, make_repository, memory, pull_all
from team_server import Server
from team_users import User, run_cuecard

# Each kills processes, and most need a server, from a package that only the slow tier installs.
pytestmark = [pytest.mark.slow, pytest.mark.fault, pytest.mark.timeout(600)]


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server()
    found.add_scope("team", ben="write", ada="administer")
    yield found
    found.remove()


@contextmanager
def proxy(port: int, most_bytes: int, delay: float = 0.0) -> Iterator[int]:
    """Pass connections on to a port; each ends after so many bytes from the server. Yields its own port."""
    listener = socket.create_server(("127.0.0.1", 0))
    is_over = threading.Event()

    def pump(source: socket.socket, target: socket.socket, most: int) -> None:
        passed = 0
        try:
            while (data := source.recv(4096)) and not is_over.is_set():
                time.sleep(delay)
                target.sendall(data[: max(0, most - passed)])
                passed += len(data)
                if passed >= most:
                    break
        except OSError:
            pass
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def serve() -> None:
        while not is_over.is_set():
            try:
                client, _address = listener.accept()
                upstream = socket.create_connection(("127.0.0.1", port))
            except OSError:
                return
            threading.Thread(target=pump, args=(client, upstream, 1 << 40), daemon=True).start()
            threading.Thread(target=pump, args=(upstream, client, most_bytes), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        is_over.set()
        listener.close()


def push_until_accepted(remote: PostgresRemote, name: str) -> int:
    """Push a memory again and again; returns how many attempts failed."""
    for failures in range(200):
        try:
            pushed: Pushed = remote.push("team", [change(name, memory(name))])
        except SyncError:
            time.sleep(0.02)
            continue
        assert pushed.accepted, pushed
        return failures
    raise AssertionError(name)


# How often a command is started and killed.
STEPS = 8


def audit(server: Server) -> list[tuple[object, ...]]:
    return server.sql("SELECT counter, path FROM cuecard.audit ORDER BY counter")


def test_a_server_that_dies_in_the_middle_of_pushes_keeps_every_acknowledged_one(server: Server) -> None:
    acknowledged: list[str] = []
    is_over = threading.Event()

    def write(writer: int) -> None:
        remote = PostgresRemote(server.url("ben"))
        number = 0
        while not is_over.is_set():
            name = f"w{writer}-{number}"
            try:
                if remote.push("team", [change(name, memory(name))]).accepted:
                    acknowledged.append(f"decisions/{name}.json")
                    number += 1
            except SyncError:
                time.sleep(0.02)
        remote.close()

    writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for writer in writers:
        writer.start()
    for _time in range(4):
        time.sleep(0.7)
        server.stop(signal.SIGQUIT)
        server.start()
    time.sleep(0.5)
    is_over.set()
    for writer in writers:
        writer.join()
    remote = PostgresRemote(server.url("ben"))
    there, cursor = pull_all(remote, "team")
    remote.close()
    assert len(acknowledged) > 20
    assert set(acknowledged) <= set(there)
    rows = audit(server)
    assert [number for number, _path in rows] == list(range(1, cursor.counter + 1))
    assert len({path for _number, path in rows}) == len(rows)


@pytest.mark.parametrize("most_bytes", [1, 300, 700, 1000, 1400, 1800])
def test_a_connection_that_breaks_doubles_nothing(server: Server, most_bytes: int) -> None:
    with proxy(server.port, most_bytes) as port:
        broken = PostgresRemote(server.url("ben", port))
        for _time in range(3):
            with suppress(SyncError):
                broken.push("team", [change("a", memory("a"))])
        broken.close()
    remote = PostgresRemote(server.url("ben"))
    push_until_accepted(remote, "a")
    assert set(pull_all(remote, "team")[0]) == {"decisions/a.json"}
    remote.close()
    assert len(audit(server)) == 1


def test_a_slow_connection_gives_the_same(server: Server) -> None:
    with proxy(server.port, 1 << 30, delay=0.02) as port:
        slow = PostgresRemote(server.url("ben", port))
        assert push_until_accepted(slow, "a") == 0
        assert set(pull_all(slow, "team")[0]) == {"decisions/a.json"}
        slow.close()


def test_a_full_disk_of_the_server_loses_nothing(server: Server) -> None:
    server.stop()
    # No file of the server can grow beyond this; the error is that of a disk without room.
    server.start(most_file_bytes=17 << 20)
    remote = PostgresRemote(server.url("ben"))
    big = [memory(f"m{number}", title=f"{number:0110}", filler="x" * 200_000) for number in range(200)]
    acknowledged = 0
    try:
        for number, data in enumerate(big):
            noise = random.Random(number).randbytes(100_000).hex()
            big[number] = data.replace(b"x" * 200_000, noise.encode())
            remote.push("team", [change(f"m{number}", big[number])])
            acknowledged += 1
    except SyncError:
        pass
    remote.close()
    assert acknowledged < 200
    server.stop(signal.SIGQUIT)
    server.start()
    found, cursor = pull_all(remote, "team", limit=50)
    for number in range(acknowledged):
        assert found[f"decisions/m{number}.json"] == big[number]
    assert cursor.counter in (acknowledged, acknowledged + 1)
    assert remote.push("team", [change(f"m{acknowledged}", big[acknowledged])]).accepted
    remote.close()


def _kill_at_every_step(user: User, words: tuple[str, ...], seconds: float) -> int:
    """Start a command again and again, and kill each a little later than the one before; returns how many were."""
    killed = 0
    for step in range(12):
        with user.at_work():
            started = subprocess.Popen(
                ["cuecard", *words], cwd=user.root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
        time.sleep(seconds * step / 12)
        if started.poll() is None:
            started.kill()
            killed += 1
        started.wait()
    return killed


def _join_and_write(tmp_path: Path, url: str, *options: str) -> tuple[User, User]:
    ada, ben = User(tmp_path / "ada"), User(tmp_path / "ben")
    for user in (ada, ben):
        done = run_cuecard(user, "sync", "join", url, "--as", "team", *options)
        assert done.returncode == 0, done.stderr
    names = [ada.write(f"Number {number} is a rule about {number}") for number in range(30)]
    ada.share(*names)
    return ada, ben


def test_a_client_of_a_git_repository_that_is_killed_loses_and_doubles_nothing(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "team.git")
    ada, ben = _join_and_write(tmp_path, repository.as_uri())
    assert _kill_at_every_step(ada, ("sync", "push"), 1.5) > 0
    ada.push()
    assert _kill_at_every_step(ben, ("sync", "pull"), 1.5) > 0
    ben.pull()
    assert ada.pack() == ben.pack()
    assert len(ben.pack()) == 30
    with ada.at_work():
        assert json.loads(run_cuecard(ada, "sync", "status", "--json").stdout)["teams"][0]["to_push"] == []


def test_a_client_of_a_server_that_is_killed_loses_and_doubles_nothing(server: Server, tmp_path: Path) -> None:
    ada, ben = _join_and_write(tmp_path, server.url("ben"), "--scope", "team")
    assert _kill_at_every_step(ada, ("sync", "push"), 1.5) > 0
    ada.push()
    assert _kill_at_every_step(ben, ("sync", "pull"), 1.5) > 0
    ben.pull()
    assert ada.pack() == ben.pack()
    assert len(ben.pack()) == len(audit(server)) == 30


def test_a_third_without_rights_sees_nothing(server: Server, tmp_path: Path) -> None:
    ada, ben = _join_and_write(tmp_path, server.url("ben"), "--scope", "team")
    ada.push()
    ben.pull()
    server.add_login("eve")
    eve = User(tmp_path / "eve")
    refused = run_cuecard(eve, "sync", "join", server.url("eve"), "--scope", "team")
    assert refused.returncode == 2
    assert "you can read no scope `team`" in refused.stderr
    assert eve.pack() == {}

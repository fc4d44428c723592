"""Remotes of teams for tests: git repositories and their server, and memories to exchange."""

import json
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cuecard.store.records.record_file import content_hash
from cuecard.sync.remote import Change, Cursor, Pulled, Remote
from records import stored

WAIT_SECONDS = 20


def memory(name: str, category: str = "decision", **fields: object) -> bytes:
    """The bytes of a decision's file."""
    return json.dumps(stored(name, category, **fields), indent=2).encode() + b"\n"


def change(name: str, data: bytes | None, before: bytes | None = None) -> Change:
    """A change of a decision that replaces the version `before`."""
    return Change(f"decisions/{name}.json", data, content_hash(before) if before is not None else "")


def pull_all(
    remote: Remote, scope: str, cursor: Cursor | None = None, limit: int = 500
) -> tuple[dict[str, bytes | None], Cursor]:
    """Everything after a cursor, by path, and the new cursor."""
    found: dict[str, bytes | None] = {}
    while True:
        page = remote.pull(scope, cursor, limit)
        assert isinstance(page, Pulled), page
        found |= {one.path: one.data for one in page.changes}
        cursor = page.cursor
        if page.is_last:
            return found, cursor


def make_repository(path: Path) -> Path:
    """Make an empty bare repository."""
    subprocess.run(["git", "init", "--quiet", "--bare", "--initial-branch=main", str(path)], check=True)
    return path


@contextmanager
def git_daemon(base: Path) -> Iterator[str]:
    """Serve the repositories below a folder to the network of this machine, also for pushes; yields the URL."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = [f"--base-path={base}", "--export-all", "--enable=receive-pack", "--listen=127.0.0.1", f"--port={port}"]
    server = subprocess.Popen(
        ["git", "daemon", "--reuseaddr", *options, str(base)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        wait_for(port)
        yield f"git://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def wait_for(port: int) -> None:
    """Wait until a server listens on a port of this machine."""
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert time.monotonic() < deadline
        time.sleep(0.05)


def run_git(folder: Path, *arguments: str, stdin: bytes = b"") -> str:
    """Run git as a person would, and return what it prints."""
    options = ["-c", "user.name=Test", "-c", "user.email=test@localhost", "-c", "commit.gpgSign=false"]
    done = subprocess.run(
        ["git", "-C", str(folder), *options, *arguments],
        input=stdin,
        capture_output=True,
        check=True,
    )
    return done.stdout.decode().strip()


def commit(repository: Path, folder: Path, files: dict[str, bytes | None], message: str = "by hand") -> None:
    """Change files of the team's repository without cuecard."""
    run_git(folder.parent, "clone", "--quiet", str(repository), str(folder))
    for name, data in files.items():
        path = folder / ".claude" / "memory" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if data is None:
            path.unlink()
        else:
            path.write_bytes(data)
    run_git(folder, "add", "--all")
    run_git(folder, "commit", "--quiet", "-m", message)
    run_git(folder, "push", "--quiet", "origin", "HEAD:main")

"""Users of a team for tests: each has a home, a configuration and a project of their own."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import command_process
from command_process import READ_AT_START
from cuecard import Store
from cuecard._backend import engine
from cuecard.files.trust_levels import OWN, grant
from cuecard.sync.exchange import Pull, Push, session
from cuecard.sync.pack import current_root
from cuecard.sync.sharing import share
from cuecard.sync.teams import Team, add_team, find_team, make_team, open_state
from records import draft

# A memory that is shared.
TITLE = "Mail is sent by a queue of its own"
ID = "mail-is-sent-by-a-queue-of-its-own"
PATH = f"decisions/{ID}.json"
VARIABLES = ("HOME", "CUECARD_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")


class User:
    """A person with a machine of their own."""

    def __init__(self, folder: Path) -> None:
        """Make a home and an empty project."""
        self.home = folder / "home"
        self.home.mkdir(parents=True)
        self.root = folder / "project"
        (self.root / ".claude" / "memory").mkdir(parents=True)

    @contextmanager
    def at_work(self) -> Iterator[Store]:
        """Be this user in a `with` statement."""
        before = {name: os.environ.get(name) for name in VARIABLES}
        for name in VARIABLES:
            os.environ.pop(name, None)
        os.environ["HOME"] = str(self.home)
        try:
            yield Store(self.root)
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value

    def join(self, url: str, **options: str) -> Team:
        """Join a team without pulling."""
        with self.at_work():
            team = make_team(url, "team", **options)
            add_team(team)
            return team

    def write(self, title: str, category: str = "decision", **fields: object) -> str:
        """Write a memory that the user vouches for; returns its id."""
        with self.at_work() as store:
            return store.add(draft(title, category, **fields), trust="own").id

    def update(self, name: str, **patch: object) -> None:
        """Change a memory of the user's project."""
        with self.at_work() as store:
            written = store.update(name, patch, trust="own")
            grant([engine.trust_hash(store.show(written.id).data) or ""], OWN)

    def share(self, *names: str) -> None:
        """Share memories of the user's project with the team."""
        with self.at_work() as store:
            state = open_state(find_team("team"))
            try:
                for name in names:
                    share(state, store.project, store.show(name))
            finally:
                state.close()

    def push(self) -> Push:
        """Push, and pull as the command does."""
        with self.at_work(), session(find_team("team")) as opened:
            done = opened.push()
            opened.pull()
            return done

    def pull(self) -> Pull:
        """Pull."""
        with self.at_work(), session(find_team("team")) as opened:
            return opened.pull()

    def pack(self) -> dict[str, bytes]:
        """The files of the pack that prompts read, by path."""
        with self.at_work():
            root = current_root("team")
        if not root:
            return {}
        store = Path(root, ".claude", "memory")
        return {path.relative_to(store).as_posix(): path.read_bytes() for path in sorted(store.glob("[!.]*/*.json"))}


def run_cuecard(user: User, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command as a user, in this process."""
    with user.at_work():
        kept = {name: value for name, value in os.environ.items() if not name.startswith(READ_AT_START)}
        ran = command_process.run(user.home, user.root, *words, stdin=stdin, **kept)
    return subprocess.CompletedProcess(words, ran.code, ran.stdout, ran.stderr)

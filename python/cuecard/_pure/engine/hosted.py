"""Memories whose main statement the host itself shows its agent, in a file such as `CLAUDE.md` (SPEC 12.6).

`hosts/shown_files.py` reads these files and writes a list of keys; a prompt reads only the list.
"""

import os

from ...basics.chars import whole_lines
from ...basics.digest import sha256_hex
from ...basics.json_reader import object_in, read_json_object
from ...basics.tables import find_row
from ...files.user_folder import read_kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .recalled_memory import Found, RecalledMemory

FOLDER = "hosted"
HEADER = "cuecard hosted 2"
# The writer keeps the file far below this size. A larger file is ignored.
MAX_BYTES = 1 << 18
# Stands for size and time of a file that is not there, and for the value of a variable that is not set.
MISSING = "- -"
UNSET = "-"
# How many hexadecimal digits stand for the value of a variable and for the path of a checkout.
DIGITS = 16
# Only a file of the user's own can stand for a memory of these categories, because a stranger can quote it in another
# sense.
RULES = ("constraint", "preference")


class HostedStatements:
    """The statements that a host shows its agent by itself, as keys."""

    def __init__(self, data: bytes) -> None:
        """Read the list; a damaged list says nothing."""
        parsed = _parse(data)
        # The keys of the user's own files, and those of files of the project, which a stranger may have written; the
        # files that were read, also those with settings of the host, each with its size and time; and the variables
        # that decided which files were read, each with the digest of its value.
        self._own, self._project, self.files, self._variables = parsed or (set(), set(), [], [])

    def has(self, record: dict[str, object], *, is_vouched: bool) -> bool:
        """Whether the host shows what a memory says. `is_vouched` says whether somebody vouches for the memory."""
        if not self._own and not self._project:
            return False
        # Loaded only where a host shows something.
        from ..memory.statement import main_statement, statement_key

        key = statement_key(main_statement(record))
        if not key:
            return False
        return key in self._own or (key in self._project and not (is_vouched and _is_rule(record)))

    def hosts(self, memory: "RecalledMemory") -> bool:
        """Whether the host shows what a recalled memory says."""
        if not self._own and not self._project:
            return False
        record = read_json_object(memory.data)
        return record is not None and self.has(record, is_vouched=not memory.is_unreviewed)

    def counts(self, *, is_first: bool) -> bool:
        """Whether the list counts at a prompt, which may be the first of a session.

        With other variables the host shows other files. At the first prompt the host has just read its files, so all of
        them must be as they were when the list was made.
        """
        return self.holds() if is_first else self._has_variables()

    def holds(self) -> bool:
        """Whether the files and variables are as they were when the list was made."""
        return self._has_variables() and all(stamp == stamp_of(path) for stamp, path in self.files)

    def _has_variables(self) -> bool:
        return all(digest == digest_of(os.environ.get(name, "")) for name, digest in self._variables)


def hosted_place(root: str, host: str, cwd: str) -> tuple[str, str]:
    """The folder whose files a host shows in a working directory, and the name of the list of them.

    The folder is the project, or the checkout of the working directory if that is another one, such as a worktree
    without memories of its own.
    """
    checkout = cwd
    while checkout != root and not os.path.exists(os.path.join(checkout, ".git")):
        above = os.path.dirname(checkout)
        if above == checkout:
            checkout = cwd
            break
        checkout = above
    return checkout, host if checkout == root else f"{host}.{digest_of(checkout)}"


def read_hosted(project: tuple[str, str], host: str, cwd: str) -> HostedStatements:
    """The list of a host for the checkout of a working directory; it is empty if there is none."""
    _folder, name = hosted_place(project[0], host, cwd)
    return HostedStatements(read_kept(project[1], FOLDER, name, limit=MAX_BYTES) or b"")


def is_stale(project: tuple[str, str], host: str, cwd: str, home: str) -> bool:
    """Whether the files of a host must be read again: one of them has changed, or there are some never read."""
    row = find_row("hosts", "shown_files", host)
    if not row:
        return False
    statements = read_hosted(project, host, cwd)
    if statements.files:
        return not statements.holds()
    names = row.replace("|", " ").split(" ")
    checkout, _name = hosted_place(project[0], host, cwd)
    places = [(home, name[2:]) if name.startswith("~/") else (checkout, name) for name in names]
    return any(folder and os.path.exists(os.path.join(folder, name)) for folder, name in places)


def pass_over_hosted(found: "Found", statements: HostedStatements) -> None:
    """Pass over the memories that the host itself shows to its agent, and do not name them."""
    hosted = [memory for memory in found.memories if statements.hosts(memory)]
    found.memories = [memory for memory in found.memories if memory not in hosted]
    found.passed_over[:0] = [(memory, "hosted") for memory in hosted]
    if any(why == "named" for _memory, why in found.passed_over):
        from .named import keep_named

        keep_named(found, lambda memory: not statements.hosts(memory))


def stamp_of(path: str) -> str:
    """Size and time of a file as they stand in the list."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return MISSING
    return f"{status.st_size} {status.st_mtime_ns}"


def digest_of(value: str) -> str:
    """What stands in the list for the value of a variable, and in its name for the path of a checkout."""
    return sha256_hex(os.fsencode(value))[:DIGITS] if value else UNSET


def _is_rule(record: dict[str, object]) -> bool:
    from ..memory.forbids import read_forbids

    return record.get("category") in RULES or bool(read_forbids(object_in(record, "cuecard")))


def _parse(data: bytes) -> "tuple[set[str], set[str], list[tuple[str, str]], list[tuple[str, str]]] | None":
    head, *lines = whole_lines(data) or [""]
    if head != HEADER:
        return None
    keys: dict[str, set[str]] = {"own": set(), "project": set()}
    files: list[tuple[str, str]] = []
    variables: list[tuple[str, str]] = []
    for line in lines:
        kind, blank, rest = line.partition(" ")
        if kind in keys and blank:
            keys[kind].add(rest)
            continue
        size, first, after = rest.partition(" ")
        if kind == "variable" and first:
            variables.append((size, after))
            continue
        modified, second, path = after.partition(" ")
        if kind != "file" or not second:
            return None
        files.append((f"{size} {modified}", path))
    return keys["own"], keys["project"], files, variables

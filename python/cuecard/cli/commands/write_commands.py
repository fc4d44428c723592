"""The commands that write memories: `add`, `update`, `retire`, `archive`, `unarchive`, `restore`."""

import sys
from pathlib import Path

from ...errors import InputError, UsageError
from .. import terminal
from ..arguments import Option, command
from ..parameters import AS_JSON, NAME, REASON_FILE, ROOT
from ..show import show_written
from ..text_input import read_reason

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...store.records.record_file import Fields

MAX_INPUT_BYTES = 256 << 10

FILE = Option("--file", "-f", metavar="FILE", default="-", help="The JSON; `-`, the default, is standard input.")


EXPECT_HASH = Option("--expect-hash", metavar="HASH", help="Refuse if the file is another than the one with this hash.")
REASON = Option("--reason", metavar="TEXT", default="", help="Why, for the history.")


@command(
    FILE, Option("--category", "-c", metavar="CATEGORY", help="Its category; else as the JSON says."), ROOT, AS_JSON
)
def add(file: str, category: str | None, root: str | None, as_json: bool) -> None:
    """Write a new memory from JSON.

    The JSON has `title`, `tags` and the `content` of its category; what is missing is asked for, field by field.
    """
    from ...store.records.record import CATEGORIES
    from ...store.writes.store import Store

    if category is not None and category not in CATEGORIES:
        raise UsageError(f"the category is `{category}`", f"use {', '.join([f'`{name}`' for name in CATEGORIES])}")
    record = _read_record(file)
    show_written.show(Store(root, create=True).add(record, category=category), as_json)


@command(
    NAME,
    FILE,
    Option("--summary", metavar="TEXT", default="", help="What changed, for the history."),
    EXPECT_HASH,
    ROOT,
    AS_JSON,
)
def update(memory: str, file: str, summary: str, expect_hash: str | None, root: str | None, as_json: bool) -> None:
    """Change a memory by JSON.

    What the JSON leaves out stays as it is, null takes an optional field away. A whole record will do too. With a
    summary there may be no JSON: then the history alone gets an entry.
    """
    from ...store.writes.store import Store

    patch = _read_record(file, may_be_empty=bool(summary))
    written = Store(root).update(memory, patch, expect_hash=_read_hash(expect_hash), summary=summary)
    show_written.show(written, as_json)


@command(NAME, REASON, REASON_FILE, EXPECT_HASH, ROOT, AS_JSON)
def retire(
    memory: str, reason: str, reason_file: str | None, expect_hash: str | None, root: str | None, as_json: bool
) -> None:
    """Take a memory out of recall, for `gc` to delete one day."""
    from ...store.writes.store import Store

    reason = read_reason(reason, reason_file)
    show_written.show(Store(root).retire(memory, reason=reason, expect_hash=_read_hash(expect_hash)), as_json)


@command(NAME, REASON, REASON_FILE, EXPECT_HASH, ROOT, AS_JSON)
def archive(
    memory: str, reason: str, reason_file: str | None, expect_hash: str | None, root: str | None, as_json: bool
) -> None:
    """Take a memory out of recall and keep it for good."""
    from ...store.writes.store import Store

    reason = read_reason(reason, reason_file)
    show_written.show(Store(root).archive(memory, reason=reason, expect_hash=_read_hash(expect_hash)), as_json)


@command(NAME, REASON, REASON_FILE, EXPECT_HASH, ROOT, AS_JSON)
def unarchive(
    memory: str, reason: str, reason_file: str | None, expect_hash: str | None, root: str | None, as_json: bool
) -> None:
    """Make an archived memory active again."""
    from ...store.writes.store import Store

    reason = read_reason(reason, reason_file)
    show_written.show(Store(root).unarchive(memory, reason=reason, expect_hash=_read_hash(expect_hash)), as_json)


@command(NAME, REASON, REASON_FILE, EXPECT_HASH, ROOT, AS_JSON)
def restore(
    memory: str, reason: str, reason_file: str | None, expect_hash: str | None, root: str | None, as_json: bool
) -> None:
    """Make a retired memory active again."""
    from ...store.writes.store import Store

    reason = read_reason(reason, reason_file)
    show_written.show(Store(root).restore(memory, reason=reason, expect_hash=_read_hash(expect_hash)), as_json)


def _read_hash(given: str | None) -> str:
    if given is not None and not given.strip():
        raise UsageError("the hash of `--expect-hash` is empty", "take it from `cuecard show MEMORY --json`")
    return given or ""


def _read_record(file: str, *, may_be_empty: bool = False) -> "Fields":
    """The JSON object in a file or on standard input, which may be empty where `may_be_empty` says so."""
    from ...store.records.record_file import decode

    if file == "-":
        is_typed = terminal.is_person_typing()
        if is_typed and not may_be_empty:
            raise UsageError("there is no JSON to read", "name a file with `--file`, or pipe the JSON in")
        data = b"" if is_typed else sys.stdin.buffer.read(MAX_INPUT_BYTES + 1)
        return {} if may_be_empty and not data.strip() else decode(data, "standard input")
    try:
        with Path(file).open("rb") as stream:
            return decode(stream.read(MAX_INPUT_BYTES + 1), f"`{file}`")
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        what, hint = f"`{file}` cannot be read: {reason}", "name a file with the memory's JSON"
        raise InputError(what, hint, field="file", expected="a file", found=reason) from None

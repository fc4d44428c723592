"""The commands that write memories: `add`, `update`, `retire`, `restore`."""

from ...basics.light_dataclass import dataclass
from ...errors import CuecardError, InputError, UsageError
from .. import terminal
from ..arguments import argument, command, option
from ..parameters import AS_JSON, NAME, REASON_FILE, ROOT, SCOPE
from ..show import show_written
from ..text_input import read_json_input, read_reason

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...api import Store
    from ...basics.options import Category, WriteTrust
    from ...store.records.record import CategoryName
    from ...store.records.record_file import Fields

MAX_INPUT_BYTES = 256 << 10

FILE = option("--file", "-f", metavar="FILE", default="-", help="The JSON; `-`, the default, is standard input.")


EXPECT_HASH = option("--expect-hash", metavar="HASH", help="Refuse to write if the file has another hash.")
REASON = option("--reason", metavar="TEXT", default="", help="The reason, for the history.")


@dataclass
class _AddGiven:
    """The arguments and options of `cuecard add`."""

    statement: str | None = argument("STATEMENT", "What to remember, in a sentence or a few.", is_required=False)
    file: str | None = option(
        "--file", "-f", metavar="FILE", help="Read a whole memory as JSON; `-` is standard input."
    )
    category: "Category | None" = option(
        "--category",
        "-c",
        metavar="CATEGORY",
        help="The category; by default the one in the JSON, or `constraint` for a statement that forbids or demands "
        "something and `preference` for others.",
    )
    because: str | None = option("--because", metavar="TEXT", help="The reason why it holds.")
    tags: list[str] = option(
        "--tag",
        "-t",
        metavar="TAG",
        dest="tags",
        is_repeatable=True,
        help="A tag, which is a word to find the memory by; repeatable.",
    )
    questions: list[str] = option(
        "--question",
        "-q",
        metavar="TEXT",
        dest="questions",
        is_repeatable=True,
        help="A question that this memory answers, as somebody will type it; repeatable.",
    )
    subject: str | None = option(
        "--subject",
        metavar="TEXT",
        help="What it is about together with other memories, such as a function; these are shown beside it.",
    )
    forbids: list[str] = option(
        "--forbids",
        metavar="ENTRY",
        is_repeatable=True,
        help="What the rule forbids: `code: print()`, `import: requests`, `command: npm install` or "
        "`path: src/gen/**`; the agent is told the rule when it adds or runs that; repeatable.",
    )
    edit: bool = option(
        "--edit", "-e", help="Complete the memory in an editor (`VISUAL`, `EDITOR`) before it is written."
    )
    on_similar: str | None = option(
        "--on-similar",
        metavar="WHAT",
        help="What to do if a similar memory exists: add, skip, update (supersede it) or fail; by default a terminal "
        "asks, and without a terminal it is `add`.",
    )
    root: str | None = ROOT
    scope: str | None = SCOPE
    as_json: bool = AS_JSON


@command(request=_AddGiven)
def add(given: _AddGiven) -> None:
    """Write a new memory.

    STATEMENT is a sentence such as "Always use pnpm". On a terminal the command asks for missing fields; elsewhere a
    statement without `--category` that forbids or demands something becomes a constraint, and any other a preference.
    Without STATEMENT the whole memory is read as JSON, with
    `title`, `tags` and the `content` of its category.

    The command shows at most three similar memories. On a terminal it asks for the relation of the new memory to each;
    elsewhere `--on-similar` decides.
    """
    from ...api import Store
    from ...capture.comparing.succession import ON_SIMILAR
    from ...files.checkouts import record_checkout
    from ...files.store_files import has_store
    from ...store.records.record import CATEGORIES
    from ...store.records.store_reader import check_choice
    from ...store.scopes.scope_choice import root_of_scope
    from ..similar import add_beside_similar

    if given.category is not None and given.category not in CATEGORIES:
        raise UsageError(
            f"unknown category `{given.category}`", f"use {', '.join([f'`{name}`' for name in CATEGORIES])}"
        )
    if given.on_similar is not None:
        check_choice("policy for similar memories", given.on_similar, ON_SIMILAR)
    if given.statement is None and not given.edit:
        if given.because is not None or given.tags or given.questions or given.subject or given.forbids:
            raise UsageError("there is no statement", "give it, or put everything into the JSON")
        record = _read_record(given.file or "-")
    elif given.file is not None:
        raise UsageError("there is a statement and `--file`", "give one of the two")
    else:
        record = _complete(given)
        given.category = given.category or record["category"]
    store = Store(root_of_scope(given.root, given.scope, create=True), create=True)
    is_first = not has_store(store.root)
    # The text of a file may be anybody's.
    trust = _trust_of("-" if given.edit else given.file or "-")
    record_checkout(store.root)
    if given.edit:
        _add_edited(store, record, given.on_similar, trust, given.as_json)
    else:
        add_beside_similar(store, record, given.category, given.on_similar, trust, given.as_json)
    if is_first and has_store(store.root) and not given.scope and not given.as_json:
        _tell_of_beginning(store.root)


def _tell_of_beginning(root: str) -> None:
    """Say where memories were begun, if no repository of git says that a project is there."""
    from ...files.root import is_in_repository

    if not is_in_repository(root):
        what = f"this began the memories of `{root}`, which is in no repository of git"
        terminal.report(
            "note", what, "deleting `.claude/memory` ends them; `--scope user` keeps a memory for all your projects"
        )


def _trust_of(file: str) -> "WriteTrust":
    """Where a text comes from that was given as an argument or on standard input (`-`), or is in a file."""
    return "own" if file == "-" and terminal.is_typed_by_user() else "drafted"


def _complete(given: _AddGiven) -> "Fields":
    """The record of a statement; on a terminal the command asks for the missing fields."""
    from ...importers.rule_words import forbids, is_binding
    from ...store.records.record import CATEGORIES
    from ...store.records.statement import DEFAULT_CATEGORY, Statement

    statement, because, tags, questions = given.statement or "", given.because, given.tags, given.questions
    category: str | None = given.category
    if not statement.strip() and not given.edit:
        raise UsageError("the statement is empty", 'say what to remember, as in `cuecard add "Always use pnpm"`')
    likely: CategoryName = "constraint" if is_binding(statement) else DEFAULT_CATEGORY
    if terminal.is_person_typing() and not given.edit:
        while category not in CATEGORIES:
            category = terminal.ask(f"Category ({', '.join(CATEGORIES)})", likely)
        because = terminal.ask("Why") if because is None else because
        tags = tags or [tag.strip() for tag in terminal.ask("Tags, with commas between them").split(",") if tag.strip()]
        question = "" if questions else terminal.ask("What will somebody type when this is the answer")
        questions = [question] if question else questions
    name = next((known for known in CATEGORIES if known == category), likely)
    subject = (given.subject or "").strip()
    severity = "high" if forbids(statement) else "medium"
    entries = tuple(given.forbids)
    said = Statement(statement, name, because or "", tuple(tags), tuple(questions), subject, entries, severity)
    return {"category": name, **said.record()}


def _add_edited(store: "Store", record: "Fields", on_similar: str | None, trust: "WriteTrust", as_json: bool) -> None:
    """Add the record after the user has edited it in an editor. If it is refused, the text stays in its file."""
    import json

    from ...store.records.record_file import decode
    from ..editor import edit_text
    from ..similar import add_beside_similar

    text, file = edit_text(json.dumps(record, indent=2, ensure_ascii=False), ".json")
    try:
        add_beside_similar(store, decode(text.encode(), "the text"), None, on_similar, trust, as_json)
    except CuecardError as error:
        error.hint = f"{error.hint}; the text is in `{file}`, for `cuecard add --file`"
        raise
    file.unlink()


@dataclass
class _UpdateGiven:
    """The arguments and options of `cuecard update`."""

    memory: str = NAME
    file: str = FILE
    summary: str = option("--summary", metavar="TEXT", default="", help="What changed, for the history.")
    expect_hash: str | None = EXPECT_HASH
    root: str | None = ROOT
    scope: str | None = SCOPE
    as_json: bool = AS_JSON


@command(request=_UpdateGiven)
def update(given: _UpdateGiven) -> None:
    """Change fields of a memory, given as JSON.

    Fields that the JSON leaves out stay as they are; null removes an optional field. A whole record is accepted too.
    With `--summary` you may give no JSON: then only an entry is added to the memory's history.
    """
    from ...api import Store
    from ...capture.said import with_true_evidence
    from ...store.scopes.scope_choice import root_of_scope
    from ..similar import confirm_personal_data

    patch = _read_record(given.file, may_be_empty=bool(given.summary))
    hash, trust = _read_hash(given.expect_hash), _trust_of(given.file)
    store = Store(root_of_scope(given.root, given.scope))
    confirm_personal_data(store.memory_dir, patch, as_json=given.as_json)
    if trust != "own":
        patch = with_true_evidence(store.memory_dir, patch)
    written = store.update(given.memory, patch, expect_hash=hash, summary=given.summary, trust=trust)
    show_written.show(written, store.root, given.as_json)


@dataclass
class _RestoreGiven:
    """The arguments and options of `cuecard restore`."""

    memory: str = NAME
    reason: str = REASON
    reason_file: str | None = REASON_FILE
    expect_hash: str | None = EXPECT_HASH
    root: str | None = ROOT
    scope: str | None = SCOPE
    as_json: bool = AS_JSON


@dataclass
class _RetireGiven(_RestoreGiven):
    """The arguments and options of `cuecard retire`."""

    archive: bool = option("--archive", help="Keep the memory for good: `gc` never deletes it.")


@command(request=_RetireGiven)
def retire(given: _RetireGiven) -> None:
    """Take a memory out of recall; `gc` deletes it later.

    It can be restored until the grace period is over (`delete.grace_period_days`), and with `--archive` at any time.
    """
    from ...api import Store
    from ...store.scopes.scope_choice import root_of_scope

    store = Store(root_of_scope(given.root, given.scope))
    step = store.archive if given.archive else store.retire
    given.reason = read_reason(given.reason, given.reason_file)
    written = step(given.memory, reason=given.reason, expect_hash=_read_hash(given.expect_hash))
    show_written.show(written, store.root, given.as_json)


@command(request=_RestoreGiven)
def restore(given: _RestoreGiven) -> None:
    """Make a retired or archived memory active again."""
    from ...api import Store
    from ...store.scopes.scope_choice import root_of_scope

    store = Store(root_of_scope(given.root, given.scope))
    reason = read_reason(given.reason, given.reason_file)
    written = store.restore(given.memory, reason=reason, expect_hash=_read_hash(given.expect_hash))
    show_written.show(written, store.root, given.as_json)


def _read_hash(given: str | None) -> str:
    if given is not None and not given.strip():
        raise UsageError("the hash of `--expect-hash` is empty", "take it from `cuecard show MEMORY --json`")
    return given or ""


def _read_record(file: str, *, may_be_empty: bool = False) -> "Fields":
    """The JSON object in a file or on standard input; {} if the input is empty and `may_be_empty` is true."""
    from ...store.records.record_file import decode

    if may_be_empty and file == "-" and terminal.is_person_typing():
        return {}
    data = read_json_input(file, MAX_INPUT_BYTES, "is no JSON", "name a file with the memory's JSON")
    if file == "-" and not data.strip() and not may_be_empty:
        raise InputError(
            "there is nothing to remember: standard input is empty",
            'say it in words, as in `cuecard add "Always use pnpm"`, or send one JSON object',
            field="standard input",
            expected="a JSON object",
            found="nothing",
        )
    return {} if may_be_empty and not data.strip() else decode(data, "standard input" if file == "-" else f"`{file}`")

"""Reading a stranger's text takes a bounded time: what takes too long is reported, and the rest is read."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cuecard._backend import without_inserted
from cuecard.basics import time_limit as limits
from cuecard.basics.time_limit import Stopped, TakesTooLong, check_time, time_limit
from cuecard.errors import InputError
from cuecard.importers import source
from cuecard.importers.draft import Reading
from cuecard.importers.instructions import read_instructions
from cuecard.importers.markup.markdown import MAX_PARAGRAPH_CHARS, parse
from cuecard.importers.readers.claude_mem import read_claude_mem
from cuecard.importers.section_words import announces_effects, names_activity
from cuecard.importers.source import MAX_DRAFTS, ImportSource, read_sources
from cuecard.importers.titles import first_sentence_of, sentences_of
from cuecard.mcp.import_prompt import import_message
from cuecard.mcp.project import OpenProject
from hostile_texts import PLACES, hostile_texts, transcript_of
from mcp_process import Client

RULE = "# Rules\n\n- Never push to the main branch without a review.\n"
# Longer than the limit for one file, where each check of the clock takes a millisecond.
SLOW = "# a\n" * 30_000


class Clock:
    """A clock that goes on by a fixed time whenever somebody looks at it."""

    def __init__(self, step: float) -> None:
        self.step, self.looks = step, 0

    def __call__(self) -> float:
        self.looks += 1
        return self.looks * self.step


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock(0.001)
    monkeypatch.setattr(limits, "clock", clock)
    return clock


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / ".claude/memory").mkdir(parents=True)
    (root / ".git").mkdir()
    return root


def write(root: Path, name: str, text: str) -> str:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return str(path)


def read(root: Path, *paths: str) -> Reading:
    """Everything that is read from some files or folders of a project."""
    found = Reading()
    for reading in read_sources([ImportSource(path, None, str(root)) for path in paths], lambda: None):
        found.add(reading)
    return found


# Limits


def check_for_ever() -> None:
    while True:
        check_time()


def test_without_a_limit_a_check_does_nothing(clock: Clock) -> None:
    for _ in range(10_000):
        check_time()
    assert clock.looks == 0


def test_an_inner_limit_is_told_from_the_limit_around_it(clock: Clock) -> None:
    clock.step = 1
    with time_limit(10) as outer, time_limit(100) as inner:
        with pytest.raises(TakesTooLong) as raised:
            check_for_ever()
        assert raised.value.limit is outer
    with time_limit(100) as outer, time_limit(10) as inner:
        with pytest.raises(TakesTooLong) as raised:
            check_for_ever()
        assert raised.value.limit is inner


def test_work_that_nobody_waits_for_stops() -> None:
    cancelled = False
    with time_limit(1000, lambda: cancelled):
        check_time()
        cancelled = True
        with pytest.raises(Stopped), time_limit(1000):
            check_time()


# Sentences


@pytest.mark.parametrize(
    ("line", "sentences"),
    [
        ("Never so. Never thus! Or?", ["Never so.", "Never thus!", "Or?"]),
        ("Use e.g. this. Then that.", ["Use e.g. this.", "Then that."]),
        ("Say `a. b. c` now. Then go.", ["Say `a. b. c` now.", "Then go."]),
        ('He said "Stop. Now." Then left. So it was.', ['He said "Stop. Now."', "Then left.", "So it was."]),
        ("一。二。", ["一。", "二。"]),
        ("no end", ["no end"]),
        ("", []),
        (". . a", [".", ".", "a"]),
    ],
)
def test_a_line_is_split_into_its_sentences(line: str, sentences: list[str]) -> None:
    assert list(sentences_of(line)) == sentences
    assert first_sentence_of(line) == (sentences[0] if sentences else "")


@pytest.mark.parametrize("unit", ["Never a. ", "We must do it because x. ", "e.g. a. ", '"a. ', "`a. ", "Never a.\r"])
@pytest.mark.parametrize("place", [place for place in PLACES if place != "transcript"])
def test_twice_the_text_takes_twice_the_steps(project: Path, clock: Clock, place: str, unit: str) -> None:
    name, make = PLACES[place]
    looks = []
    for size in (4_000, 8_000):
        path = write(project, name, make(unit * (size // len(unit))))
        clock.looks, clock.step = 0, 0
        read(project, path)
        looks.append(clock.looks)
    assert looks[1] < 2.2 * looks[0] + 100


def test_every_hostile_text_takes_few_steps_or_is_left_out(project: Path, clock: Clock) -> None:
    for place, (name, make) in PLACES.items():
        for _kind, text in hostile_texts(500):
            clock.looks = 0
            path = write(project, name, transcript_of(text, str(project)) if place == "transcript" else make(text))
            read(project, path)
            assert clock.looks < 60 * len(text) ** 0.5 * 60


# Files


def test_a_file_that_takes_too_long_is_reported_and_the_next_one_is_read(project: Path, clock: Clock) -> None:
    write(project, "a/CLAUDE.md", SLOW)
    write(project, "b/CLAUDE.md", RULE)
    found = read(project, str(project))
    assert ("a/CLAUDE.md", "takes too long") in found.skipped
    assert [draft.path for draft in found.drafts] == ["b/CLAUDE.md"]
    # Nothing is said to be gone from a file that was not read.
    assert found.files == ["b/CLAUDE.md"]


def test_a_single_file_that_takes_too_long_is_reported_too(project: Path, clock: Clock) -> None:
    path = write(project, "CLAUDE.md", SLOW)
    assert read(project, path).skipped == [("CLAUDE.md", "takes too long")]


def test_a_file_that_a_short_one_includes_counts_with_it(project: Path, clock: Clock) -> None:
    write(project, "rules.md", SLOW)
    path = write(project, "CLAUDE.md", f"{RULE}\nSee @rules.md\n")
    assert ("CLAUDE.md", "takes too long") in read(project, path).skipped


def test_all_files_together_have_a_limit(project: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "ALL_SECONDS", 1.0)
    for number in range(100):
        write(project, f"p{number:02}/CLAUDE.md", f"{RULE}- Always run test {number} first, because it is short.\n" * 5)
    found = read(project, str(project))
    assert 0 < len({draft.path for draft in found.drafts}) < 100
    ((where, why),) = [row for row in found.skipped if "takes too long" in row[1]]
    assert where.endswith("/CLAUDE.md")
    assert why.startswith("takes too long with all files before it: ")
    assert why.endswith(" files were not read")


def test_a_session_that_takes_too_long_is_reported(project: Path, clock: Clock) -> None:
    clock.step = 0.01
    text = "We decided to use Redis, because it is fast.\n" * 400
    path = write(project, "a.jsonl", transcript_of(text, str(project)) * 30)
    assert read(project, path).skipped == [("a.jsonl", "takes too long")]


def test_a_file_makes_a_bounded_number_of_memories(project: Path) -> None:
    rule = "Never push the branch number{0} without a review."
    rules = "\n\n".join([f"# Branch {number}\n\n- {rule.format(number)}" for number in range(MAX_DRAFTS + 5)])
    found = read(project, write(project, "CLAUDE.md", f"{rules}\n"))
    assert len(found.drafts) == MAX_DRAFTS
    assert ("CLAUDE.md", f"more than {MAX_DRAFTS} memories: only the first count") in found.skipped


# Paragraphs


@pytest.mark.parametrize("mark", ["", "> ", "<div>"])
def test_a_paragraph_that_is_too_long_is_left_out_with_a_row(project: Path, mark: str) -> None:
    long = mark + "never a word " * (MAX_PARAGRAPH_CHARS // 13 + 1)
    path = write(project, "CLAUDE.md", f"# Long\n\n{long}\n\n{RULE.replace('# Rules', '# Short')}")
    found = read(project, path)
    assert ("CLAUDE.md#Long", "a paragraph of more than 32 KiB") in found.skipped
    assert [draft.heading.partition(" > ")[0] for draft in found.drafts] == ["Short"]


def test_a_paragraph_of_just_the_limit_is_kept() -> None:
    assert parse("a" * MAX_PARAGRAPH_CHARS).too_long == ()
    assert parse("a" * (MAX_PARAGRAPH_CHARS + 1)).too_long == ("(beginning)",)
    # A list is no paragraph.
    assert parse("- never a\n" * (MAX_PARAGRAPH_CHARS // 5)).too_long == ()


@pytest.mark.parametrize(
    ("globs", "parts"),
    [
        ("a,b", ["a", "b"]),
        ("src/**/*.{ts,tsx}, lib/*", ["src/**/*.{ts,tsx}", "lib/*"]),
        ("{a,{b,c},d},e", ["{a", "{b,c},d}", "e"]),
        ("a}b,c{d,e", ["a}b", "c{d", "e"]),
    ],
)
def test_patterns_of_front_matter_are_split_outside_of_braces(globs: str, parts: list[str]) -> None:
    assert parse(f"---\nglobs: {globs}\n---\n").values("globs") == parts


def test_many_patterns_are_split_in_one_pass() -> None:
    # With a look ahead to the next brace for each comma this would not end.
    assert len(parse(f"---\nglobs: {'a,' * 400_000}\n---\n").values("globs")) == 400_000


def test_blocks_without_an_end_are_looked_for_once() -> None:
    text = "<system-reminder> " * 200_000
    assert without_inserted(text) == text
    assert without_inserted("a<ide_selection>b</ide_selection>c<ide_selection>") == "a c<ide_selection>"


# Each of these texts fits a pattern until its last sign. A pattern with two homes for one sign would try every way to
# share the text between them, and one that looks for its end from each sign would take hours for the long ones.
@pytest.mark.parametrize(
    ("heading", "line"),
    [
        ("Naming rules", "- Places: `a/b` " + " ," * 60 + " x"),
        ("Commands", f"```bash\n{'/' * 400_000}\n```"),
        ("Rules", f"{'In `a/b` ' * 40}, so:\n\n- Never use x.\n- Use y."),
    ],
)
def test_a_text_that_fits_a_pattern_nearly_is_read(heading: str, line: str) -> None:
    text = f"# A\n\n## {heading}\n\n{line}\n"
    reading = read_instructions(parse(text), "CLAUDE.md", text)
    assert reading.drafts or reading.skipped


@pytest.mark.parametrize(
    ("is_met", "text"),
    [(names_activity, "Testing" + "!" * 400_000 + ":a"), (announces_effects, "a " * 200_000 + "will x" * 60_000 + "!")],
)
def test_a_long_line_is_looked_at_once(is_met: Callable[[str], bool], text: str) -> None:
    assert not is_met(text)


# Databases


def database(path: Path, *statements: str) -> Path:
    with sqlite3.connect(path) as made:
        for statement in statements:
            made.execute(statement)
    made.close()
    return path


OBSERVATIONS = (
    "CREATE TABLE observations (id INTEGER PRIMARY KEY, project TEXT, type TEXT, title TEXT, narrative TEXT,"
    " facts TEXT, created_at_epoch INTEGER{more})"
)
ROW = (
    "INSERT INTO observations (id, project, type, title, narrative, created_at_epoch)"
    " VALUES (1, 'p', 'decision', 'We use Redis', 'Redis it is', 1)"
)


def test_a_table_of_a_database_is_read(tmp_path: Path) -> None:
    path = database(tmp_path / "a.db", OBSERVATIONS.format(more=""), ROW)
    assert [draft.title for draft in read_claude_mem(path, "p").drafts] == ["We use Redis"]


@pytest.mark.parametrize(
    "statements",
    [
        (OBSERVATIONS.format(more="").replace("observations", "other"),
         "CREATE VIEW observations AS SELECT * FROM other"),
        ("CREATE VIEW session_summaries AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n)"
         " SELECT id, 'a' AS request FROM n",),
    ],
)  # fmt: skip
def test_a_view_is_no_table(tmp_path: Path, statements: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match="neither a table `observations`"):
        read_claude_mem(database(tmp_path / "a.db", *statements), "p")


def test_a_virtual_table_is_no_table(tmp_path: Path) -> None:
    try:
        path = database(tmp_path / "a.db", "CREATE VIRTUAL TABLE observations USING fts5(title, narrative)")
    except sqlite3.OperationalError:
        pytest.skip("this SQLite has no virtual tables")
    with pytest.raises(InputError, match="neither a table `observations`"):
        read_claude_mem(path, "p")


def test_a_generated_column_is_not_computed(tmp_path: Path) -> None:
    more = ", subtitle TEXT GENERATED ALWAYS AS (hex(zeroblob(100000000)))"
    path = database(tmp_path / "a.db", OBSERVATIONS.format(more=more), ROW)
    (draft,) = read_claude_mem(path, "p").drafts
    assert draft.content["context"] == "We use Redis"


def test_a_blob_is_no_text(tmp_path: Path) -> None:
    path = database(
        tmp_path / "a.db", OBSERVATIONS.format(more=""), ROW, "UPDATE observations SET facts = zeroblob(20000000)"
    )
    try:
        drafts = read_claude_mem(path, "p").drafts
    except InputError as error:
        assert "too big" in error.what  # noqa: PT017 - from Python 3.11 on the size is limited
    else:
        assert [draft.title for draft in drafts] == ["We use Redis"]


def test_a_trigger_does_not_run(tmp_path: Path) -> None:
    trigger = "CREATE TRIGGER t AFTER INSERT ON observations BEGIN DELETE FROM observations; END"
    path = database(tmp_path / "a.db", OBSERVATIONS.format(more=""), ROW, trigger)
    before = path.read_bytes()
    assert len(read_claude_mem(path, "p").drafts) == 1
    assert path.read_bytes() == before


def test_a_damaged_database_is_reported(tmp_path: Path) -> None:
    path = database(tmp_path / "a.db", OBSERVATIONS.format(more=""), ROW)
    data = bytearray(path.read_bytes())
    data[4096 + 8 :] = b"\xff" * (len(data) - 4096 - 8)
    path.write_bytes(data)
    with pytest.raises(InputError, match="cannot be read as a database of claude-mem"):
        read_claude_mem(path, "p")


def test_a_database_that_takes_too_long_is_reported(project: Path, clock: Clock) -> None:
    rows = ", ".join(f"({number}, 'project', 'decision', 't', 'n', 1)" for number in range(2, 500))
    insert = f"{ROW.partition(' VALUES')[0]} VALUES {rows}"
    database(project / "a.db", OBSERVATIONS.format(more=""), insert)
    write(project, "b/CLAUDE.md", RULE)
    clock.step = 0.02
    found = read(project, str(project / "a.db"))
    assert found.skipped == [("a.db", "takes too long")]


# The server


@pytest.fixture
def client(tmp_path: Path, project: Path) -> Iterator[Client]:
    for number in range(3):
        write(project, f"docs/p{number}/CLAUDE.md", "# a\n" * 260_000)
    with Client(tmp_path / "home", project, version="2025-06-18") as client:
        yield client


@pytest.mark.process
def test_a_ping_is_answered_while_documents_are_read(client: Client) -> None:
    long = client.request("prompts/get", name="import", arguments={"sources": "docs"})
    ping = client.request("ping")
    client.send(long)
    client.send(ping)
    assert client.receive() == {"jsonrpc": "2.0", "id": ping["id"], "result": {}}
    client.notify("notifications/cancelled", requestId=long["id"])
    # The cancelled request gets no answer, and the next one does.
    assert client.ask("tools/list")["tools"]


def test_a_prompt_for_an_import_ends_with_what_was_read_in_time(project: Path, clock: Clock) -> None:
    for number in range(4):
        write(project, f"docs/p{number}/CLAUDE.md", SLOW)
    write(project, "docs/a/CLAUDE.md", RULE)
    text = import_message(OpenProject(str(project)), "docs")
    assert "Never push to the main branch without a review." in text
    clock.step = 1
    assert "takes too long" in get_text(project)


def get_text(project: Path) -> str:
    with time_limit(20):
        return import_message(OpenProject(str(project)), "docs")

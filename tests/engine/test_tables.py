"""The files of tables: their format, their order, and how the reader reads them."""

import re
from pathlib import Path

import pytest

import cuecard
from cuecard.basics.tables import find_row, read_numbers, read_rows, read_words

FOLDER = Path(cuecard.__file__).parent / "assets" / "tables"
FILES = sorted(FOLDER.glob("*.txt"))
# The file of patterns. Its lines may have several blanks in a row, because blanks have another meaning there.
PATTERNS = "triage"


def tables_of(path: Path) -> dict[str, list[str]]:
    """The lines of each table in a file, read without the reader that is tested."""
    blocks = [block.split("\n") for block in re.split(r"\n\n+", path.read_text("utf-8").rstrip("\n"))]
    begun = [[line for line in block if not line.startswith("# ")] for block in blocks]
    return {block[0][1:-1]: block[1:] for block in begun if block and re.fullmatch(r"\[[a-z0-9_ -]+]", block[0])}


def test_there_are_tables() -> None:
    assert {path.stem: len(tables_of(path)) for path in FILES} == {
        "capture_phrases": 32,
        "characters": 11,
        "commands_for_people": 3,
        "composition": 5,
        "contradictions": 4,
        "cues": 18,
        "gate": 9,
        "host_features": 4,
        "hosts": 28,
        "import_places": 8,
        "import_words": 5,
        "instruction_signs": 6,
        "languages": 1,
        "lasting_words": 8,
        "query_templates": 2,
        "record_words": 35,
        "secret_words": 2,
        "synonyms": 2,
        "tool_inputs": 5,
        "translations": 4,
        "triage": 66,
        "words": 9,
        "writing_commands": 3,
    }


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_has_the_form_that_both_backends_read(path: Path) -> None:
    text = path.read_bytes().decode()
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    # The table `help` of hosts is a part of a page, whose lines begin with blanks.
    indented = "" if path.stem == "hosts" else "|^ "
    assert not re.search(rf"[\t\r]| ${indented}", text, re.MULTILINE)
    headers = re.findall(r"^\[([a-z0-9_ -]+)]$", text, re.MULTILINE)
    assert headers == list(tables_of(path)), "a table occurs twice, or its name is not on a line of its own"
    assert all(tables_of(path).values()), "a table without lines"
    if path.stem not in (PATTERNS, "hosts"):
        assert not [line for lines in tables_of(path).values() for line in lines if "  " in line]


@pytest.mark.parametrize(("name", "lines"), tables_of(FOLDER / "words.txt").items())
def test_words_are_sorted_and_stand_there_once(name: str, lines: list[str]) -> None:
    words = " ".join(lines).split()
    assert words == sorted(set(words))
    assert read_words("words", name) == tuple(words)


@pytest.mark.parametrize("name", ["same", "near"])
def test_a_row_is_found_by_its_first_word(name: str) -> None:
    lines = tables_of(FOLDER / "synonyms.txt")[name]
    rows = dict(line.split(" ", 1) for line in lines)
    assert lines == sorted(lines)
    assert len(rows) == len(lines)
    assert {key: find_row("synonyms", name, key) for key in rows} == rows
    assert [find_row("synonyms", name, key) for key in ("", " ", "db ", "zzz", "\ud800", "힣힣")] == [""] * 6


def test_numbers_are_decimal_or_hexadecimal() -> None:
    assert read_rows("characters", "lower_runs")[0] == (0x41, 0x5A, 1, 32)
    assert read_numbers("characters", "decimal_zeros")[:2] == (0x30, 0x660)
    assert read_numbers("gate", "sigmoid_step")[0] > 0


def test_a_table_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ValueError, match="not found"):
        read_words("words", "stop_word")

"""The tables of the term pipeline, compared with their sources."""

import sys
import unicodedata
from pathlib import Path

import pytest

from cuecard._pure.text import synonyms
from cuecard._pure.text.letters import LETTER, SEPARATOR, classify, plain
from cuecard.basics.tables import read_words

SOURCE = Path(__file__).parents[2] / "tools" / "synonyms.txt"
(UNICODE_VERSION,) = read_words("characters", "unicode_version")
CHARACTERS = [chr(point) for point in range(0x80, sys.maxunicode + 1) if not 0xD800 <= point <= 0xDFFF]


def groups() -> list[tuple[str, list[str]]]:
    """The groups in the source file, each with its section; each word is given as a term."""
    found, section = [], ""
    for line in SOURCE.read_text("utf-8").splitlines():
        if line.startswith("["):
            section = line[1 : line.index("]")]
        elif line and not line.startswith("#"):
            found.append((section, synonyms.group_members([word.replace("+", " ") for word in line.split()])))
    return found


def test_each_word_of_a_group_finds_the_others() -> None:
    count = 0
    for section, members in groups():
        for member in members:
            key = member.replace("+", "")
            others = {other for other in members if other.replace("+", "") != key}
            assert others <= set(synonyms.find_others(section, key).split()), (section, member)
            count += len(others)
    assert count > 1000


def test_what_no_group_holds_finds_nothing() -> None:
    assert [
        synonyms.find_others(table, key)
        for table in ("same", "near")
        for key in ("aut", "uth", "zz", "없는말", "인증 ")
    ] == [""] * 10


def version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


@pytest.mark.skipif(
    version(unicodedata.unidata_version) > version(UNICODE_VERSION), reason="this Python knows newer characters"
)
def test_letters_marks_and_digits_belong_to_words_and_nothing_else_does() -> None:
    for char in CHARACTERS:
        category = unicodedata.category(char)
        if category == "Cn":
            continue
        belongs = category[0] in "LM" or category == "Nd"
        # Han numerals and iteration marks belong to neither of these categories, but they can be in words.
        assert (classify(char) != SEPARATOR) == belongs or 0x3005 <= ord(char) <= 0x3007, hex(ord(char))


def test_letters_with_marks_become_those_without() -> None:
    for char in CHARACTERS:
        base = unicodedata.normalize("NFD", char)[0]
        if "LATIN" in unicodedata.name(char, "") and base.isascii() and base.isalpha():
            assert plain(char) == base, hex(ord(char))


def test_a_plain_letter_stays_what_it_is() -> None:
    for char in CHARACTERS:
        if classify(char) == LETTER and (letter := plain(char)) and letter >= "\x80":
            assert plain(letter) == letter, hex(ord(char))

"""The generated tables, compared with the Unicode data of the Python that runs the tests."""

import sys
import unicodedata
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuecard._pure.present.render import render
from cuecard._pure.text.compose import compose
from cuecard._pure.text.full_forms import full_forms
from cuecard.basics.chars import WHITESPACE, decimal_digit, fold
from cuecard.basics.tables import read_words
from test_vectors import decimal_digits
from test_vectors import fold as fold_of

(UNICODE_VERSION,) = read_words("characters", "unicode_version")
CHARACTERS = [chr(point) for point in range(sys.maxunicode + 1) if not 0xD800 <= point <= 0xDFFF]
# A Python with an older Unicode version knows fewer characters than the tables.
ASSIGNED = [char for char in CHARACTERS if unicodedata.category(char) != "Cn"]


def version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


IS_NEWER = version(unicodedata.unidata_version) > version(UNICODE_VERSION)


def is_known(char: str) -> bool:
    """Whether the tables know a character.

    For characters of newer Unicode versions, they have no lower case and no digit value.
    """
    if not IS_NEWER:
        return True
    return not (fold(char) == char != char.lower() or (char.isdecimal() and decimal_digit(char) is None))


# A comma or a line feed would end the tag in which the test folds the characters.
KNOWN = [char for char in ASSIGNED if char not in ",\n" and is_known(char)]


def in_parts(texts: list[str]) -> list[str]:
    """Join the texts in groups of 500; the characters between texts do not change how a text becomes lower case."""
    return ["1 " + " 1 ".join(texts[begin : begin + 500]) + " 1" for begin in range(0, len(texts), 500)]


def test_the_tables_know_all_but_the_youngest_characters() -> None:
    assert len(ASSIGNED) - len(KNOWN) < 200


def test_white_space_is_what_python_strips() -> None:
    assert set(WHITESPACE) == {char for char in CHARACTERS if char.isspace()}


def test_every_character_folds_as_in_python(engine: ModuleType) -> None:
    for text in in_parts(KNOWN):
        assert fold_of(engine, text) == text.lower()


# The property Default_Ignorable_Code_Point of Unicode 15.1, for code points that are characters.
DEFAULT_IGNORABLE = [
    *(0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFEFF, 0xFFA0),
    *range(0x180B, 0x1810),
    *range(0x200B, 0x2010),
    *range(0x202A, 0x202F),
    *range(0x2060, 0x2070),
    *range(0xFE00, 0xFE10),
    *range(0xFFF0, 0xFFF9),
    *range(0x1BCA0, 0x1BCA4),
    *range(0x1D173, 0x1D17B),
    *range(0xE0000, 0xE1000),
]
# Control characters, format characters, private use, and characters that end a line or a paragraph.
UNSEEN = ("Cc", "Cf", "Co", "Zl", "Zp")


def test_what_nobody_sees_does_not_stay_in_the_block() -> None:
    unseen = [char for char in CHARACTERS if unicodedata.category(char) in UNSEEN]
    noncharacters = [char for char in CHARACTERS if "\ufdd0" <= char <= "\ufdef" or ord(char) & 0xFFFE == 0xFFFE]
    path = "".join([*unseen, *map(chr, DEFAULT_IGNORABLE), *noncharacters, "\u2800"])
    block = render([("DECISION", "title", f"a{path}b", [])], [], "safe", 10_000_000)
    assert block == '<memory-context source=".claude/memory/">\n- [DECISION] title -> ab\n</memory-context>\n'
    assert path in render([("DECISION", "title", path.replace("&", ""), [])], [], "classic", 10_000_000)


# Unicode 14 changed which marks are ignored before a sigma. Later versions add characters that the tables do not know.
needs_near_tables = pytest.mark.skipif(
    IS_NEWER or version(unicodedata.unidata_version) < (14,), reason="this Python has other Unicode data"
)


# The test reads a million characters, and its result only changes with new tables.
@pytest.mark.slow
@needs_near_tables
@pytest.mark.parametrize("shape", ["A{}\u03a3", "A\u03a3{}A"])
def test_every_character_beside_a_sigma_is_looked_through_as_in_python(engine: ModuleType, shape: str) -> None:
    for text in in_parts([shape.format(char) for char in KNOWN]):
        assert fold_of(engine, text) == text.lower()


@needs_near_tables
@given(st.text(st.one_of(st.sampled_from(KNOWN), st.sampled_from("\u03a3\u0391\u03b1.'1 "))))
def test_text_folds_as_in_python(engine: ModuleType, text: str) -> None:
    assert fold_of(engine, f"1{text}1") == f"1{text}1".lower()


# Composition never changes for a character that once had it, so an older Python only knows fewer characters.
needs_no_newer_tables = pytest.mark.skipif(IS_NEWER, reason="this Python knows newer characters")
COMBINING = [char for char in ASSIGNED if unicodedata.combining(char)]
# Letters that take marks, characters that are joined to others, and Hangul in all its pieces.
JOINED = [char for char in ASSIGNED if unicodedata.normalize("NFD", char) != char and not "\uac00" <= char <= "\ud7a3"]
PIECES = ["\u1100", "\u1112", "\u1161", "\u1175", "\u11a8", "\u11c2", "\uac00", "\uac01", "a", "E", "\u0df2", "\u09c7"]


@needs_no_newer_tables
def test_every_character_is_composed_as_in_python() -> None:
    # Nothing is composed across a blank, so that one text can have many characters.
    for text in in_parts([*ASSIGNED, *[f"a{char}" for char in COMBINING], *[f"\uac00{char}" for char in COMBINING]]):
        apart = unicodedata.normalize("NFD", text)
        assert (compose(text), compose(apart)) == (unicodedata.normalize("NFC", text),) * 2


@needs_no_newer_tables
@given(st.text(st.sampled_from(COMBINING) | st.sampled_from(JOINED) | st.sampled_from(PIECES), max_size=12))
def test_text_is_composed_as_in_python(text: str) -> None:
    assert compose(text) == unicodedata.normalize("NFC", text)


@needs_no_newer_tables
def test_half_width_characters_have_the_forms_that_python_gives_them() -> None:
    for char in ASSIGNED:
        if "HALFWIDTH KATAKANA" in unicodedata.name(char, "") or "HALFWIDTH HANGUL" in unicodedata.name(char, ""):
            assert unicodedata.normalize("NFKC", full_forms(char)) == unicodedata.normalize("NFKC", char), hex(
                ord(char)
            )


def test_decimal_digits_have_the_values_that_python_gives_them(engine: ModuleType) -> None:
    numbers = [char for char in KNOWN if unicodedata.category(char) in ("Nd", "Nl", "No")]
    assert decimal_digits(engine, "".join(numbers)) == [unicodedata.decimal(char, -1) for char in numbers]

"""Reads the static table and computes vectors with it, for the test vectors in `tests/vectors`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cuecard._pure.retrieve.static_table import StaticTable, shipped
from cuecard._pure.retrieve.vectors import quantize, row_of_words, sum_rows
from cuecard._pure.text.other_words import OtherWords
from cuecard._pure.text.other_words import shipped as other_words
from cuecard.basics.cosine import cosine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Rows = list[Any]


def table_word_rows(table: bytes, words: list[str]) -> Rows | None:
    opened = StaticTable.open(table)
    return None if opened is None else [opened.word_rows(word) for word in words]


def table_row(table: bytes, numbers: list[int]) -> Rows | None:
    opened = StaticTable.open(table)
    return None if opened is None else [list(opened.row(number) or ()) for number in numbers]


def table_related(table: bytes, terms: list[str]) -> Rows | None:
    opened = StaticTable.open(table)
    return None if opened is None else [opened.related(term) for term in terms]


def other_find(file: bytes, words: list[str]) -> Rows | None:
    opened = OtherWords.open(file)
    return None if opened is None else [opened.find(word) for word in words]


def other_words_of(file: bytes, chunks: list[str]) -> Rows | None:
    opened = OtherWords.open(file)
    return None if opened is None else [opened.words_of(chunk) for chunk in chunks]


def shipped_other_words(words: list[str]) -> Rows:
    """For each word, its English words and its row in the table."""
    return [[other_words().find(word), row_of_words([(word, 1)])[0]] for word in words]


def shipped_related(terms: list[str]) -> Rows:
    return [shipped().related(term) for term in terms]


def shipped_vectors(texts: list[str]) -> Rows:
    """The vector of each text; in a text, words are separated by single blanks."""
    return [quantize(sum_rows(weighted_rows(text.split(" ")))) for text in texts]


def weighted_rows(words: list[str]) -> Iterator[tuple[memoryview, int]]:
    for number in (number for word in words for number in shipped().word_rows(word)):
        found = shipped().row(number)
        if found is not None:
            yield found, 1


def sum_of_rows(rows: list[list[int]], weights: list[int]) -> list[int]:
    signed = [memoryview(bytes(value & 0xFF for value in row)).cast("b") for row in rows]
    return sum_rows(zip(signed, weights, strict=True))


STATIC_TABLE_PARTS: dict[str, Callable[..., Any]] = {
    "cosine": cosine,
    "other_find": other_find,
    "other_words_of": other_words_of,
    "quantize": quantize,
    "shipped_other_words": shipped_other_words,
    "shipped_related": shipped_related,
    "shipped_vectors": shipped_vectors,
    "sum_rows": sum_of_rows,
    "table_related": table_related,
    "table_row": table_row,
    "table_word_rows": table_word_rows,
}

"""The user's wishes to remember something are heard, and nothing else is taken for one."""

import random
from pathlib import Path

import pytest

from cuecard._pure.text.substance import may_say_remember
from cuecard.capture.ledger.wishes import says_remember

DATA = Path(__file__).parents[1] / "data" / "capture"
ASK, QUIET = "ask", "quiet"


def read_rows(name: str) -> list[list[str]]:
    return [line.split("\t") for line in (DATA / name).read_text("utf-8").splitlines()]


ROWS = read_rows("wishes.tsv")


def test_there_are_sixty_wishes_and_sixty_others_in_twelve_languages() -> None:
    for wanted in (ASK, QUIET):
        assert sum(verdict == wanted for verdict, _language, _text in ROWS) >= 60
        assert len({language for verdict, language, _text in ROWS if verdict == wanted}) >= 12
    assert len({text for _verdict, _language, text in ROWS}) == len(ROWS)


@pytest.mark.parametrize(("verdict", "language", "text"), ROWS)
def test_a_wish_is_heard_and_nothing_else(verdict: str, language: str, text: str) -> None:
    assert says_remember(text) == (verdict == ASK), language


@pytest.mark.parametrize(("verdict", "text"), read_rows("remember.tsv"))
def test_plain_ways_to_say_it_count_and_a_product_that_remembers_does_not(verdict: str, text: str) -> None:
    assert says_remember(text) == (verdict == ASK)


def test_the_bound_of_the_prompt_path_is_never_below_the_grammar() -> None:
    chance = random.Random(7)
    texts = [text for _verdict, _language, text in ROWS]
    mixed = chance.sample(texts, len(texts))
    marks = (" ", ", ", ". ", "\n", "-", "`", ") ", " > ", "'", '"')
    joined = [f"{one}{mark}{other}" for mark in marks for one, other in zip(texts, mixed, strict=True)]
    for text in [*texts, *joined, *[text.upper() for text in texts]]:
        assert may_say_remember(text) or not says_remember(text), text

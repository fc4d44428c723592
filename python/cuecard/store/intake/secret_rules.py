"""The rules for secrets, as data: `assets/secret_rules.tsv`, and those of gitleaks beside it (SPEC 55).

The patterns keep to a subset of regular expressions that Python's `re` and Rust's `regex` crate read alike, in linear
time. They have no anchors and no look-around: a text is searched with a line end before and behind it.
"""

import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from re import Pattern, compile
from typing import NamedTuple

ASSETS = Path(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))) / "assets"
TABLES = (ASSETS / "secret_rules.tsv", ASSETS / "secret_rules_gitleaks.tsv")
PHRASE_WORDS = ASSETS / "secret_phrase_words.txt"


_NO_ALNUM = "[^A-Za-z0-9]"


class Rule(NamedTuple):
    """One format."""

    kind: str
    check: str
    """What else must hold of the value: `exact` where the format is proof enough; see `secret_search`."""
    is_folded: bool
    """Whether the pattern reads text with A to Z as a to z."""
    literals: tuple[str, ...]
    """Only a text with one of them is searched. None: every text is."""
    pattern: str
    """It holds the secret in its group `secret`, `double` or `single`."""
    is_one_word: bool = False
    """Whether a match is one word of at least `secret_views.LONG_CHARS` characters without a blank in it."""
    is_bounded: bool = False
    """Whether a match has a greatest length."""


class Table(NamedTuple):
    """The rules, words and judges in the files of secrets."""

    rules: tuple[Rule, ...]
    words: dict[str, frozenset[str]]
    judges: dict[tuple[str, str], str]
    """The patterns that judge a value, by name and by where they are looked for."""


@cache
def compiled(pattern: str) -> Pattern[str]:
    """The pattern, compiled when first needed: compiling the whole table costs more than `cuecard add` may."""
    return compile(pattern)


@cache
def secret_table() -> Table:
    """The shipped rules; our own come first, and name what both find."""
    return _read(TABLES)


def read_rules(paths: Sequence[Path]) -> tuple[Rule, ...]:
    """The rules of some files."""
    return _read(paths).rules


@cache
def phrase_words() -> frozenset[str]:
    """The 2,048 English words of BIP-39, of which the recovery phrases of wallets are made."""
    return frozenset(PHRASE_WORDS.read_text(encoding="utf-8").split())


def _read(paths: Sequence[Path]) -> Table:
    defined: list[tuple[str, str]] = []
    rules: list[Rule] = []
    words: dict[str, frozenset[str]] = {}
    judges: dict[tuple[str, str], str] = {}

    def expand(pattern: str) -> str:
        # What is defined later may name what is defined before.
        for name, text in reversed(defined):
            pattern = pattern.replace(name, text)
        return pattern

    for path in paths:
        for line in path.read_text(encoding="utf-8").split("\n"):
            if not line or line[0] == "#":
                continue
            kind, *cells = line.split("\t")
            if kind == "rule":
                name, check, text, literals, pattern = cells
                full = expand(pattern)
                is_one_word = text != "folded" and _is_one_word(full)
                is_bounded = ",}" not in full
                rules.append(
                    Rule(name, check, text == "folded", tuple(literals.split()), full, is_one_word, is_bounded)
                )
            elif kind == "define":
                # A definition of several branches is a group, so that it can stand in a longer pattern.
                defined.append((f"%{{{cells[0]}}}", f"(?:{cells[1]})" if "|" in cells[1] else cells[1]))
            elif kind == "words":
                words[cells[0]] = words.get(cells[0], frozenset()) | frozenset(cells[1].split())
            elif kind == "judge":
                known = judges.get((cells[0], cells[1]))
                judges[cells[0], cells[1]] = f"{known}|{cells[2]}" if known else cells[2]
    return Table(tuple(rules), words, judges)


def _is_one_word(pattern: str) -> bool:
    """Whether a pattern is a token between signs: nothing in it can be a blank, and nothing stands around the token."""
    inner = pattern.removeprefix(_NO_ALNUM).removesuffix(_NO_ALNUM)
    is_token = inner.startswith("(?P<secret>") and inner.endswith(")")
    return is_token and " " not in inner and "[^" not in inner and "\\" not in inner

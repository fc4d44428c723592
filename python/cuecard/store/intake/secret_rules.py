"""Reads the rules for secrets from `assets/secret_rules.tsv` and the rules of gitleaks beside it.

Rules: docs/reference/secrets.md.

The patterns use the subset of regular expressions that Python's `re` and Rust's `regex` crate read alike, in linear
time. They have no anchors and no look-around; instead, a text is searched with a line end before and after it.
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
    """A rule for one format of secrets."""

    kind: str
    check: str
    """The name of the check that the value must pass: `exact` if the format is proof enough; see `secret_checks`."""
    is_folded: bool
    """Whether the pattern is matched against the text in lower case."""
    literals: tuple[str, ...]
    """Only texts that contain one of these are searched. If empty, every text is searched."""
    pattern: str
    """The regular expression. Its group `secret`, `double` or `single` is the secret."""
    is_one_word: bool = False
    """Whether a match is one word of at least `secret_views.LONG_CHARS` characters without a blank in it."""
    is_bounded: bool = False
    """Whether the length of a match is bounded."""


class Table(NamedTuple):
    """The contents of the files of rules: rules, lists of words, and patterns that judge values."""

    rules: tuple[Rule, ...]
    words: dict[str, frozenset[str]]
    judges: dict[tuple[str, str], str]
    """The patterns that judge a value, by their name and by the place where they must match (`anywhere`, `beginning`,
    `whole`)."""


@cache
def compiled(pattern: str) -> Pattern[str]:
    """Compile a pattern when it is first needed, because compiling all patterns takes longer than `cuecard add` may."""
    return compile(pattern)


@cache
def secret_table() -> Table:
    """Return the shipped rules. Cuecard's own come first and decide the kind if both files have a matching rule."""
    return _read(TABLES)


def read_rules(paths: Sequence[Path]) -> tuple[Rule, ...]:
    """Read the rules in some files."""
    return _read(paths).rules


@cache
def phrase_words() -> frozenset[str]:
    """Return the 2,048 English words of BIP-39, which the recovery phrases of wallets consist of."""
    return frozenset(PHRASE_WORDS.read_text(encoding="utf-8").split())


def _read(paths: Sequence[Path]) -> Table:
    defined: list[tuple[str, str]] = []
    rules: list[Rule] = []
    words: dict[str, frozenset[str]] = {}
    judges: dict[tuple[str, str], str] = {}

    def expand(pattern: str) -> str:
        # A definition may use the definitions before it.
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
                # A definition of several branches becomes a group, so that a longer pattern can contain it.
                defined.append((f"%{{{cells[0]}}}", f"(?:{cells[1]})" if "|" in cells[1] else cells[1]))
            elif kind == "words":
                words[cells[0]] = words.get(cells[0], frozenset()) | frozenset(cells[1].split())
            elif kind == "judge":
                known = judges.get((cells[0], cells[1]))
                judges[cells[0], cells[1]] = f"{known}|{cells[2]}" if known else cells[2]
    return Table(tuple(rules), words, judges)


def _is_one_word(pattern: str) -> bool:
    """Whether a pattern matches a token without blanks, and nothing else but one sign before and after the token."""
    inner = pattern.removeprefix(_NO_ALNUM).removesuffix(_NO_ALNUM)
    is_token = inner.startswith("(?P<secret>") and inner.endswith(")")
    return is_token and " " not in inner and "[^" not in inner and "\\" not in inner

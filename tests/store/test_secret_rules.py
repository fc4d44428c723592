"""The rules for secrets use only simple patterns, whose search takes time linear in the text."""

import re
import sys
from collections.abc import Iterable
from typing import Any

from bundles import for_each
from cuecard.store.intake.secret_rules import TABLES, Rule, compiled, secret_table
from cuecard.store.intake.secret_views import LONG_CHARS, folded

if sys.version_info >= (3, 11):
    from re import _constants as codes  # type: ignore[attr-defined]
    from re import _parser as parser  # type: ignore[attr-defined]
else:
    import sre_constants as codes
    import sre_parse as parser

RULES = secret_table().rules
JUDGES = secret_table().judges
IDS = [f"{rule.kind}-{place}" for place, rule in enumerate(RULES)]
PLAIN_CODES = {
    codes.LITERAL,
    codes.NOT_LITERAL,
    codes.IN,
    codes.BRANCH,
    codes.SUBPATTERN,
    codes.MAX_REPEAT,
    codes.MIN_REPEAT,
}
# The escapes that rules use.
ESCAPES = frozenset("trn\\]^[&~.")


def unfit(items: Iterable[tuple[Any, Any]], *, is_last: bool = True, depth: int = 0) -> list[str]:
    """The parts of a parsed pattern that could take long, or that the reader of rules does not know."""
    found = []
    items = list(items)
    for place, (code, value) in enumerate(items):
        ends = is_last and place == len(items) - 1
        if code not in PLAIN_CODES:
            found.append(str(code))
        elif code is codes.IN:
            found += [str(inner) for inner, _ in value if inner not in (codes.LITERAL, codes.RANGE, codes.NEGATE)]
        elif code is codes.BRANCH:
            found += [problem for branch in value[1] for problem in unfit(branch, is_last=ends, depth=depth)]
        elif code is codes.SUBPATTERN:
            _, added, removed, inner = value
            found += ["flags"] * bool(added or removed) + unfit(inner, is_last=ends, depth=depth)
        elif code in (codes.MAX_REPEAT, codes.MIN_REPEAT):
            _, most, inner = value
            has_end = most is not codes.MAXREPEAT
            # Only a repetition at the end of a pattern may be unlimited. No part comes after it, so it cannot make a
            # match fail.
            tail = all(
                each in (codes.MAX_REPEAT, codes.MIN_REPEAT) and part[0] == 0 for each, part in items[place + 1 :]
            )
            if not has_end and not (is_last and tail and depth == 0):
                found.append("a repetition without an end before something else")
            found += unfit(inner, is_last=False, depth=depth + (most != 1))
    return found


@for_each("pattern", [rule.pattern for rule in RULES] + list(JUDGES.values()), [*IDS, *map("-".join, JUDGES)])
def test_a_pattern_is_inside_the_subset(pattern: str) -> None:
    assert not unfit(parser.parse(pattern).data)
    assert set(re.findall(r"\\(.)", pattern)) <= ESCAPES
    assert set(re.findall(r"\(\?([^:])", pattern)) <= {"P"}
    # Doubled signs in a character class may become operators in a later version of Python.
    for body in re.findall(r"\[\^?([^\]]+)\]", re.sub(r"\\.", "", pattern)):
        assert not re.search(r"\[|&&|--|~~|\|\|", body), body


@for_each("rule", RULES, IDS)
def test_a_rule_names_its_secret_and_needs_its_literals(rule: Rule) -> None:
    pattern = compiled(rule.pattern)
    assert "secret" in pattern.groupindex
    assert not any(re.search(r"\s", literal) for literal in rule.literals)
    assert not rule.is_folded or all(literal == folded(literal) for literal in rule.literals)
    least, _ = parser.parse(rule.pattern).getwidth()
    assert not rule.is_one_word or least >= LONG_CHARS


def test_our_own_rules_come_before_those_of_gitleaks() -> None:
    assert [path.name for path in TABLES] == ["secret_rules.tsv", "secret_rules_gitleaks.tsv"]
    notice = TABLES[1].with_suffix(".LICENSE.txt").read_text(encoding="utf-8")
    assert "MIT License" in notice
    assert "Zachary Rice" in notice

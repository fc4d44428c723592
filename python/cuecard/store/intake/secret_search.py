"""Searches a text for secrets: finds the matches of the rules, and judges each match (docs/reference/secrets.md)."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable
from functools import cache, lru_cache

from .private_keys import find_private_keys
from .secret_candidate import DOCUMENTED, SecretCandidate, Span, whole
from .secret_checks import CHECKS
from .secret_rules import Rule, compiled, secret_table
from .secret_values import decoded_text
from .secret_views import LongWords, folded, plain_letters

# A bounded match begins at most this far before its literal and ends at most this far after it.
BEFORE, AFTER = 2048, 2304
STEP = 1 << 8
# A part of `left_out` of `find_secrets`.
KEEP_NO_EXAMPLES = "documented"
GROUPS = ("secret", "double", "single")
# How deep base64 inside base64 is decoded.
MAX_DEPTH = 2


def meets(ranges: list[tuple[int, int]], start: int, end: int) -> bool:
    """Whether a range of text overlaps any of `ranges`, which are sorted and do not overlap each other."""
    position = bisect_left(ranges, (end, end))
    return position > 0 and ranges[position - 1][1] > start


def rules_for(text: str) -> list[Rule]:
    """Return the rules that can match a text or a part of it."""
    # It is faster to look up each distinct word and each triple of characters than to search the text for each rule.
    words = "\n".join(set(text.split()))
    low = folded(words)
    triples = {low[place : place + 3] for place in range(len(low) - 2)}
    rules, unconditional, by_triple = _rules_by_triple()
    places = unconditional.union(*[by_triple[triple] for triple in triples & by_triple.keys()])
    return [
        rule
        for rule in [rules[place] for place in sorted(places)]
        if not rule.literals or any(literal in (low if rule.is_folded else words) for literal in rule.literals)
    ]


@cache
def _rules_by_triple() -> tuple[tuple[Rule, ...], frozenset[int], dict[str, list[int]]]:
    """Return all rules; the numbers of the rules that no triple can exclude; the numbers of the other rules by triple.

    A triple is the first three characters of a literal, in lower case.
    """
    rules = tuple(secret_table().rules)
    unconditional, by_triple = set(), dict[str, list[int]]()
    for place, rule in enumerate(rules):
        beginnings = [folded(literal[:3]) for literal in rule.literals]
        if not beginnings or any(len(beginning) < 3 for beginning in beginnings):
            unconditional.add(place)
        for beginning in beginnings:
            by_triple.setdefault(beginning, []).append(place)
    return rules, frozenset(unconditional), by_triple


def find_secrets(text: str, rules: Iterable[Rule], left_out: tuple[str, ...] = (), depth: int = 0) -> list[Span]:
    """Return the secrets that the rules find in a text, in the order of the rules.

    Rules with a check in `left_out` are not used. With `KEEP_NO_EXAMPLES` in it, keys from the documentation of vendors
    are secrets too. `depth` says how often the text was decoded from base64.
    """
    padded = f"\n{text}\n"
    low = folded(padded)
    long_words: LongWords | None = None
    spans: list[Span] = []
    for rule in rules:
        if rule.check in left_out:
            continue
        searched = low if rule.is_folded else padded
        if rule.literals and not any(literal in searched for literal in rule.literals):
            continue
        if rule.is_one_word:
            long_words = long_words or LongWords(padded)
            found = _find(rule, padded, _matches_in_words(rule, long_words), depth)
        else:
            found = _find(rule, padded, _matches(rule, searched), depth)
        spans += [Span(start - 1, end - 1, kind) for start, end, kind in found]
    if KEEP_NO_EXAMPLES in left_out:
        spans = [span._replace(kind=span.kind or "example-key") for span in spans]
    documented = sorted([(span.start, span.end) for span in spans if span.kind == DOCUMENTED])
    return [span for span in spans if not meets(documented, span.start, span.end)] if documented else spans


# A function that returns the first match from a position on, and the shift of its positions (`SecretCandidate.shift`).
_Search = Callable[[int], tuple[re.Match[str], int] | None]


def _find(rule: Rule, text: str, search: _Search, depth: int) -> list[Span]:
    groups = [name for name in GROUPS if name in compiled(rule.pattern).groupindex]
    judge = _CHECKS[rule.check]
    spans: list[Span] = []
    position = 0
    while matched := search(position):
        match, shift = matched
        group = next(name for name in groups if match[name] is not None)
        start, end = match.start(group) + shift, match.end(group) + shift
        span = judge(SecretCandidate(rule, match, shift, text, start, end, depth))
        if span:
            spans.append(span)
            position = span.end
        else:
            # A refused value is searched again, because it may be the name of the next assignment.
            position = start if rule.check in _READ_AGAIN else end
    return spans


def _matches(rule: Rule, text: str) -> _Search:
    """Return a function that searches a text for matches near the rule's literals."""
    pattern = compiled(rule.pattern)
    windows = _windows(rule, text)

    def search(position: int) -> tuple[re.Match[str], int] | None:
        for start, end in windows:
            if position < end:
                match = pattern.search(text, max(position, start), end)
                if match:
                    return match, 0
        return None

    return search


def _windows(rule: Rule, text: str) -> list[tuple[int, int]]:
    """Return the ranges of a text that can contain a match: around literals, or all of it if a match is unbounded."""
    if not rule.literals or not rule.is_bounded:
        return [(0, len(text))]
    places = []
    for literal in rule.literals:
        place = text.find(literal)
        while place >= 0:
            places.append(place)
            # A place less than `STEP` after this place is in the same window.
            place = text.find(literal, place + STEP)
    windows: list[tuple[int, int]] = []
    for place in sorted(places):
        start, end = max(0, place - BEFORE), min(len(text), place + AFTER)
        if windows and start <= windows[-1][1]:
            windows[-1] = (windows[-1][0], end)
        else:
            windows.append((start, end))
    return windows


def _matches_in_words(rule: Rule, words: LongWords) -> _Search:
    """Return a function that searches the long words of a text, because a token cannot be in a shorter word."""
    pattern = compiled(rule.pattern)

    def search(position: int) -> tuple[re.Match[str], int] | None:
        match = pattern.search(words.text, words.place_of(position))
        if match is None:
            return None
        return match, words.shift(match.start("secret"))

    return search


def _encoded(found: SecretCandidate) -> Span | None:
    """Judge a base64 value: decode it and search the decoded text for secrets."""
    if found.depth >= MAX_DEPTH:
        return None
    decoded = decoded_text(found.value)
    if decoded is None:
        return None
    plain = plain_letters(decoded)
    inside = find_secrets(plain, rules_for(plain), ("alone",), found.depth + 1)
    if "PRIVATE KEY" in plain:
        inside += find_private_keys(plain, in_key=False)[1]
    return whole(found, bool(inside), inside[0].kind if inside else "")


_CHECKS = {**CHECKS, "encoded": _encoded}
_READ_AGAIN = ("assigned", "prose", "pair")


def find_member(name: str, text: str) -> list[Span]:
    """Return a span of the whole text if `name`, a member of an object, names a secret that `text` can be; else []."""
    if not text or not _rules_of_name(name) or re.search(r"\s", text):
        return []
    before = f"{name}="
    rules = _rules_of_name(name)
    spans = find_secrets(f'{before}"{text}"', rules) + find_secrets(before + text, rules)
    return [Span(0, len(text), span.kind) for span in spans if span.start in (len(before), len(before) + 1)][:1]


@lru_cache(maxsize=256)
def _rules_of_name(name: str) -> list[Rule]:
    """Return those rules for names of secrets that can match `name`, the name of a member of a JSON object."""
    low = folded(name)
    return [
        rule
        for rule in secret_table().rules
        if rule.check == "assigned" and any(literal in low for literal in rule.literals)
    ]

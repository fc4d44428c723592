"""Searches a text for secrets: finds the matches of the rules, and judges each match (docs/reference/secrets.md)."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from typing import NamedTuple

from .secret_rules import Rule, compiled, phrase_words, secret_table
from .secret_values import (
    decoded_text,
    has_public_beginning,
    has_public_label,
    is_assigned_secret,
    is_chosen_beside_name,
    is_documented,
    is_login,
    is_machine_made,
    is_masked,
    is_placeholder,
    is_random,
    is_reference,
    is_stand_in,
    looks_chosen,
)
from .secret_views import BLANKS, LongWords, folded, is_letter, is_letter_or_digit, plain_letters

# A bounded match begins at most this far before its literal and ends at most this far after it.
BEFORE, AFTER = 2048, 2304
STEP = 1 << 8
# A part of `left_out` of `find_secrets`.
KEEP_NO_EXAMPLES = "documented"
GROUPS = ("secret", "double", "single")
# How deep base64 inside base64 is decoded.
MAX_DEPTH = 2
# A recovery phrase has at least this many words, and at least this many different words.
PHRASE_WORDS = 12
PHRASE_DIFFERENT = 8


class Span(NamedTuple):
    """The range of a secret in a text, and the kind of the secret."""

    start: int
    end: int
    kind: str


class SecretCandidate(NamedTuple):
    """A match of a rule before it is judged. Positions count from the line end that is put before the text."""

    rule: Rule
    match: re.Match[str]
    shift: int
    """The number to add to a position in the match to get the position in the text."""
    text: str
    start: int
    end: int
    depth: int

    @property
    def value(self) -> str:
        """The text that may be a secret."""
        return self.text[self.start : self.end]

    def group(self, name: str) -> str:
        """Return the text of a group of the pattern; "" if the pattern has no such group or it did not match."""
        return self.match[name] or "" if name in self.match.re.groupindex else ""


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
    documented = sorted([(span.start, span.end) for span in spans if span.kind == _DOCUMENTED])
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


# --- checks --------------------------------------------------------------------------------------------------------

_Check = Callable[[SecretCandidate], Span | None]
# The kind of a documented example: nothing that overlaps the example is a secret.
_DOCUMENTED = ""


def _whole(found: SecretCandidate, is_secret: bool, kind: str = "") -> Span | None:
    if is_documented(found.value):
        return Span(found.start, found.end, _DOCUMENTED)
    return Span(found.start, found.end, kind or found.rule.kind) if is_secret else None


def _exact(found: SecretCandidate) -> Span | None:
    return _whole(found, not is_masked(found.value))


def _doubtful(found: SecretCandidate) -> Span | None:
    is_public_address = "sentry" in found.group("host")
    value = found.value
    return _whole(found, not is_public_address and is_assigned_secret(value, is_password=False))


def _chosen(found: SecretCandidate) -> Span | None:
    value = found.value
    return _whole(found, is_assigned_secret(value, is_password=True))


def _prose(found: SecretCandidate) -> Span | None:
    end = found.start + len(found.value.rstrip(_CLOSING))
    return _whole(found._replace(end=end), is_assigned_secret(found.text[found.start : end], True, in_prose=True))


def _pair(found: SecretCandidate) -> Span | None:
    end = found.start + len(found.value.rstrip(_CLOSING))
    user = found.group("user")
    between = found.text[found.match.end("user") : found.start]
    named = folded(found.text[found.match.start() : found.match.start("user")])
    is_loose = ":" in between or between.startswith(" ") or "pass" in named or "cred" in named
    is_secret = user not in _NO_USERS and is_chosen_beside_name(found.text[found.start : end], is_loose)
    return _whole(found._replace(end=end), is_secret)


def _looks(found: SecretCandidate) -> Span | None:
    end = found.start + len(found.value.rstrip(_CLOSING))
    return _whole(found._replace(end=end), looks_chosen(found.text[found.start : end]))


def _any(found: SecretCandidate) -> Span | None:
    end = found.start + len(found.value.rstrip(_CLOSING))
    value = found.text[found.start : end]
    is_word = is_stand_in(value) or is_placeholder(value) or is_reference(value)
    return _whole(found._replace(end=end), len(value) >= 4 and not is_word)


def _login(found: SecretCandidate) -> Span | None:
    return _whole(found, is_login(found.value))


def _url(found: SecretCandidate) -> Span | None:
    value, host = found.value, folded(found.group("host"))
    if is_stand_in(value) or is_placeholder(value):
        return None
    name = host if host.startswith("[") else re.split(r"[:,]", host, maxsplit=1)[0]
    is_local = name in secret_table().words["local-hosts"] or name.endswith(
        (".example", ".test", ".invalid", ".example.com")
    )
    return _whole(found, not (is_local and (all(map(is_letter, value)) or value == found.group("user"))))


def _random(found: SecretCandidate) -> Span | None:
    return _whole(found, is_random(found.value))


_ASSET = re.compile(r"\.(?:css|gz|html?|jpe?g|js|json|map|mjs|png|so|svg|ts|wasm|webp|whl|woff2?|zip)(?![A-Za-z0-9_])")
_PUBLIC_BLOCK = (
    r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}(?:CERTIFICATE|PUBLIC KEY|REQUEST|CRL|MESSAGE|SIGNATURE|PARAMETERS)"
)


def _alone(found: SecretCandidate) -> Span | None:
    text, start = found.text, found.start
    if not is_random(found.value) or _ASSET.match(text, found.end):
        return None
    before = text[max(0, start - 256) : start]
    if "://" in re.split(r"[ \t\r\n]", before)[-1] or has_public_label(before[-48:]):
        return None
    begin = text.rfind("-----BEGIN ", 0, start)
    if begin >= 0 and text.rfind("-----END ", begin, start) < 0 and compiled(_PUBLIC_BLOCK).match(text, begin):
        return None
    return _whole(found, True)


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
    return _whole(found, bool(inside), inside[0].kind if inside else "")


_WORDS = re.compile(r"[A-Za-z0-9]+")
_KEY_WORDS = frozenset("private key keys wallet seed secret signer deployer account accounts mnemonic".split())


def _ethereum(found: SecretCandidate) -> Span | None:
    """Judge a hexadecimal Ethereum key. Hashes of transactions look the same, so the words around the value decide."""
    before = {word.lower() for word in _WORDS.findall(found.text[max(0, found.start - 48) : found.start])}
    around = before | {word.lower() for word in _WORDS.findall(found.text[found.end : found.end + 24])}
    is_hash = not _KEY_WORDS & before and any(
        word in secret_table().words["hash-words"] or word.endswith(("hash", "root", "txid")) for word in around
    )
    return _whole(found, not is_hash and not is_stand_in(found.value[2:]))


_LOWER_WORD = re.compile(r"[a-z]{3,8}")


def _phrase(found: SecretCandidate) -> Span | None:
    """Find the longest run of words of the BIP-39 list, if it is long enough for a recovery phrase."""
    known = phrase_words()
    best: tuple[int, int, int] = (0, 0, 0)
    size = row_start = 0
    different: set[str] = set()
    for word in _LOWER_WORD.finditer(found.text, found.start, found.end):
        if word[0] not in known:
            size = 0
            continue
        if not size:
            row_start = word.start()
            different = set()
        size += 1
        different.add(word[0])
        if size > best[0] and len(different) >= PHRASE_DIFFERENT:
            best = (size, row_start, word.end())
    return Span(best[1], best[2], found.rule.kind) if best[0] >= PHRASE_WORDS else None


def _spoken(found: SecretCandidate) -> Span | None:
    """Judge several words behind the name of a password: a sentence about passwords has words of sentences."""
    words = re.split("[ -]", found.value)
    is_sentence = not secret_table().words["sentence-words"].isdisjoint(words)
    return _whole(found, not is_sentence and not words[0].endswith(_OF_STATES) and len(set(words)) == len(words))


# The endings of words that tell something about a password, such as `stored`, `missing`, `optional` and `mandatory`.
_OF_STATES = ("ed", "ing", "al", "ory", "ly", "ble", "ary", "ten", "ent", "ant", "less")
_CLOSING = ".,:;)]}|\\"
_NO_USERS = frozenset("at to the with and or http https ftp ssh git file from for via id see image docker".split())
# A name in capitals. `_VALUE_END` matches the next field of a query string, or an escaped quote or line end.
_CAPITALS = re.compile(r"[^a-z]*[A-Z][^a-z]*")
_VALUE_END = re.compile(r"&[A-Za-z0-9_]{1,40}=|\\[\"nrt]")
_VALUE_REST = re.compile(r"[^ \t\r\n\"'`<>,;]*")


def _assigned(found: SecretCandidate) -> Span | None:
    """The span of the value after the name of a secret; None if the value is not a secret.

    The forms are `NAME=VALUE`, `"name": "value"`, `--name VALUE`, and a sentence.
    """
    if not _names_a_secret(found):
        return None
    is_password = found.rule.kind == "password"
    text, start = found.text, found.start
    is_quoted = found.match["secret"] is None
    value = found.value
    if not is_quoted:
        if "&" in value or "\\" in value:
            value = _VALUE_END.split(value, maxsplit=1)[0]
        value = value.rstrip(_CLOSING)
    bare, prose = bool(found.group("bare")), bool(found.group("prose"))
    if bare and not (
        _is_flag(text, found.match.start()) or (looks_chosen(value) if is_password else _looks_passed_in(value))
    ):
        return None
    # A value in quotes is the value itself, also within a sentence.
    in_prose = prose and text[start - 1] not in "\"'`"
    is_secret = is_assigned_secret(value, is_password, in_prose) or (
        _is_variable(found) and _is_set(value, is_password)
    )
    if not is_secret or (not is_password and has_public_beginning(value)):
        return None
    end = start + len(value)
    if found.end - start == 1024:
        rest = _VALUE_REST.match(text, found.end)
        end = rest.end() if rest else end
    return _whole(found._replace(end=end), is_secret=True)


def _is_variable(found: SecretCandidate) -> bool:
    """Whether the value belongs to an environment variable, directly after its name: `DB_PASSWORD=correcthorse`."""
    name = found.text[found.match.start() : found.start].rstrip("\"'")
    if not name.endswith("=") or not _CAPITALS.fullmatch(name[:-1]) or name[-2:-1] in BLANKS:
        return False
    return found.rule.kind == "password" or name.endswith(("SECRET=", "SECRET_KEY="))


def _is_set(value: str, is_password: bool) -> bool:
    """Whether the value of a variable can be a password, or another secret that a person chose."""
    if len(value) < 8 or is_stand_in(value) or is_placeholder(value) or is_reference(value):
        return False
    chosen = value.replace("-", "").replace("_", "")
    if not chosen or not all(map(is_letter_or_digit, chosen)):
        return False
    return is_password or bool(re.search(r"[0-9]{2}", value))


def _looks_passed_in(value: str) -> bool:
    """Whether a value looks like a token by itself, as in `using token 3f...`."""
    return len(value) >= 20 and bool(re.fullmatch(r"[A-Za-z0-9_.-]+", value)) and is_machine_made(value)


def _names_a_secret(found: SecretCandidate) -> bool:
    """Whether the name names a secret, and not another word (`tokenizer`) or a property of a secret (`token_ttl`)."""
    text = found.text
    if found.group("short"):
        # `dbPass` and `DB_PASS`, but not `bypass`.
        start = found.match.start("short")
        before, first = text[start - 1], text[start]
        if is_letter(before) and ("A" <= before <= "Z" or not "A" <= first <= "Z"):
            return False
    if _in_reference(text, found.match.start()):
        return False
    suffix = text[slice(*found.match.span("suffix"))]
    if suffix in ("", "s", "S"):
        return True
    before = text[found.match.start("suffix") - 1]
    if suffix[0].isalpha() and before.isascii() and not ("A" <= suffix[0] <= "Z" and "a" <= before <= "z"):
        return False
    about = secret_table().words["about"]
    return about.isdisjoint(word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", suffix))


def _in_reference(text: str, start: int) -> bool:
    """Whether the name is part of the name of a resource: `arn:aws:secretsmanager:...:secret:prod/db`."""
    return "arn:" in re.split(r"[ \t\r\n]", text[max(0, start - 96) : start])[-1]


def _is_flag(text: str, start: int) -> bool:
    """Whether the name that begins at `start` is the name of an option, as in `--api-key VALUE`."""
    before = text[max(0, start - 40) : start]
    dashes = before.rfind("--")
    return dashes >= 0 and not re.search(r"[^A-Za-z0-9_-]", before[dashes:])


_CHECKS: dict[str, _Check] = {
    "exact": _exact,
    "doubtful": _doubtful,
    "chosen": _chosen,
    "prose": _prose,
    "pair": _pair,
    "looks": _looks,
    "any": _any,
    "login": _login,
    "url": _url,
    "random": _random,
    "alone": _alone,
    "encoded": _encoded,
    "ethereum": _ethereum,
    "phrase": _phrase,
    "spoken": _spoken,
    "assigned": _assigned,
}
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


# --- private keys --------------------------------------------------------------------------------------------------

_KEY_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_MATERIAL = re.compile(
    r"(?:[ \t\r\n\"',]|[A-Z][A-Za-z-]{2,20}: [^ \t\r\n\\]{1,80}|[A-Za-z0-9+/=]{16,}|[A-Za-z0-9+/]{0,15}={1,2}"
    r"|[A-Za-z0-9+/]{1,15}(?=[ \t\r\n\"',]{0,8}-----END ))*"
)
_KEY_LINE = re.compile(r"[A-Za-z0-9+/=]{16,}")
_KEY_CLOSING = re.compile(r"[ \t\r\n\"',]+\Z")


def find_private_keys(text: str, in_key: bool) -> tuple[bool, list[Span]]:
    """Return whether the text ends inside a private key, and the spans of key data after lines that begin such a key.

    `in_key` says that the field before ended inside a key, as in a list with one line of the key per item.
    """
    spans: list[Span] = []
    position = 0
    while True:
        if not in_key:
            begin = _KEY_BEGIN.search(text, position)
            if begin is None:
                return False, spans
            position = begin.end()
        in_key = False
        matched = _KEY_MATERIAL.match(text, position)
        end = matched.end() if matched else position
        first = _KEY_LINE.search(text, position, end)
        is_whole = text.startswith("-----END ", end)
        if first and (is_whole or (not is_stand_in(first[0]) and re.search(r"[0-9]", text[first.start() : end]))):
            spans.append(Span(first.start(), end - _closing_chars(text, first.start(), end), "private-key"))
        elif end == len(text) and text[position:end].strip(BLANKS) and "=" in text[position:end]:
            spans.append(Span(position, end, "private-key"))
        if end == len(text):
            return True, spans
        position = end


def _closing_chars(text: str, start: int, end: int) -> int:
    """Return how many blanks, quotes, commas and line ends are at the end of a range of text."""
    closing = _KEY_CLOSING.search(text, max(start, end - 64), end)
    return end - closing.start() if closing else 0

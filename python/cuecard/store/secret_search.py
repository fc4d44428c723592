"""Where a text holds secrets: by format, between the marks of a key, by name, by randomness (SPEC 18.2)."""

import re
from bisect import bisect_left
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from .secret_rules import RULES, Rule, compiled
from .secret_values import is_assigned_secret, is_masked, is_random, is_stand_in

# Kinds whose values people choose, or hosts make of letters and digits in any order.
CHOSEN = ("password", "authorization")
_LITERALS = [(literal, rule) for rule in RULES for literal in rule.literals]


class Span(NamedTuple):
    """A stretch of text that is a secret of some kind."""

    start: int
    end: int
    kind: str


def meets(ranges: list[tuple[int, int]], start: int, end: int) -> bool:
    """Whether a stretch overlaps one of some ranges, which are in order and apart."""
    position = bisect_left(ranges, (end, end))
    return position > 0 and ranges[position - 1][1] > start


def rules_for(text: str) -> list[Rule]:
    """The rules that a text, or a part of it, can match."""
    return list(dict.fromkeys([rule for literal, rule in _LITERALS if literal in text]))


def find_formats(text: str, rules: Iterable[Rule]) -> list[Span]:
    """Secrets that have a documented format."""
    spans = []
    for rule in rules:
        if not any(literal in text for literal in rule.literals):
            continue
        pattern = compiled(rule.pattern)
        group = "secret" if "secret" in pattern.groupindex else 0
        for match in pattern.finditer(text):
            value = match[group]
            spared = is_stand_in if rule.kind == "password" else is_masked
            if spared(value) or (rule.doubtful and not is_assigned_secret(value, rule.kind in CHOSEN)):
                continue
            spans.append(Span(*match.span(group), rule.kind))
    return spans


_KEY_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_MATERIAL = re.compile(
    r"(?:\s|\\[nrt]|[\"',]|[A-Z][A-Za-z-]{2,20}: [^\s\\]{1,80}|[A-Za-z0-9+/=]{16,}|[A-Za-z0-9+/]{0,15}={1,2}"
    r"|[A-Za-z0-9+/]{1,15}(?=(?:\s|\\[nrt]|[\"',]){0,8}-----END ))*"
)
_KEY_LINE = re.compile(r"(?:\\[nrt])?([A-Za-z0-9+/=]{16,})")


def find_private_keys(text: str, in_key: bool) -> tuple[bool, list[Span]]:
    """What stands between the marks of private keys, and whether the text ends inside one.

    `in_key` says that the field before did, as where a list holds a line an item.
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
        if first and (is_whole or (not is_stand_in(first[1]) and re.search(r"[0-9]", text[first.start() : end]))):
            spans.append(Span(first.start(1), end - _trailing(text, first.start(1), end), "private-key"))
        elif end == len(text) and text[position:end].strip() and "=" in text[position:end]:
            spans.append(Span(position, end, "private-key"))
        if end == len(text):
            return True, spans
        position = end


def _trailing(text: str, start: int, end: int) -> int:
    """How many blanks, quotes and escaped line ends close a stretch of text."""
    stretch = text[start:end]
    return len(stretch) - len(re.sub(r"(?:\s|\\[nrt]|[\"',])+\Z", "", stretch[-64:])) - max(0, len(stretch) - 64)


# One of them is in every name that `_NAME` matches.
_NAME_PARTS = (
    "pass", "token", "secret", "key", "credential", "pwd", "psk", "pat", "비밀번호", "비번", "암호", "密码", "密碼",
    "パスワード",
)  # fmt: skip
_NAME = (
    r"(?P<password>(?i:passw(?:or)?d|passphrase|passcode)|(?<![A-Za-z])(?:[Pp]wd|PWD|[Pp]ass|PASS|[Pp]sk|PSK)"
    r"|(?<=[a-z])(?:Pwd|Pass)(?![a-z])|비밀번호|비번|암호|密码|密碼|パスワード)"
    r"|(?i:secret|token|credential|(?:api|access|account|admin|auth|deploy|encryption|licen[cs]e|master|private|secret"
    r"|service|session|shared|signing|storage|subscription|webhook)[_. -]?key)|(?<![A-Za-z])PAT"
)
_SUFFIX = r"(?P<suffix>[A-Za-z0-9_-]{0,40})"
_ASSIGNED = (
    rf"(?:{_NAME}){_SUFFIX}"
    r"(?:\\?[\"'\])]{0,2}\s{0,8}(?::\s{0,3}(?:str|string|String)\s{0,3}=|:=|=>|={1,3}|[:\uff1a\uff1d])\s{0,8}"
    r"|(?P<prose>\s{1,3}(?:is|was|to|as)\s{1,3}(?:now\s|set\sto\s)?|(?:은|는|이|가|을|를|로|으로)\s{1,3})"
    r"|(?P<bare>\s{1,3}))"
    r"\\?[\"'`]?(?P<value>[^\s\"'`<>,;]{6,1024})"
)
# The next field of a query string, an escaped quote or line end.
_VALUE_END = re.compile(r"&\w{1,40}=|\\[\"nrt]")
_VALUE_REST = re.compile(r"[^\s\"'`<>,;]*")
# A name that goes on with one of these tells something about a secret.
_ABOUT = frozenset(
    "algo algorithm arn class count cost default env expires expiration expiry field file filename folder "
    "format header id ids input len length limit limits location manager max min mode name names path policy "
    "prefix provider ref reset rotation scheme scope scopes size store strategy timeout ttl type types uri url "
    "urls usage var version window".split()
)


def find_assigned(text: str) -> list[Span]:
    """Values given to names of secrets, as `NAME=VALUE`, `"name": "value"`, `--name VALUE` or in a sentence."""
    spans: list[Span] = []
    folded = text.lower()
    if not any(part in folded for part in _NAME_PARTS):
        return spans
    pattern = compiled(_ASSIGNED)
    position = 0
    while match := pattern.search(text, position):
        start, end = match.span("value")
        position = start
        if not _names_a_secret(match):
            continue
        value = match["value"]
        if "&" in value or "\\" in value:
            value = _VALUE_END.split(value, maxsplit=1)[0]
        value = value.rstrip(".,:;)]}|\\")
        if match["bare"] and not (_is_flag(text, match.start()) or (match["password"] and _looks_chosen(value))):
            continue
        is_variable = bool(match["password"]) and _is_variable(text, match)
        if is_assigned_secret(value, bool(match["password"]), bool(match["prose"])) or (
            is_variable
            and len(value) >= 8
            and not is_stand_in(value)
            and value.replace("-", "").replace("_", "").isalnum()
        ):
            if end - start == 1024:
                value = text[start : (_VALUE_REST.match(text, end) or match).end()]
            position = start + len(value)
            spans.append(Span(start, position, "password" if match["password"] else "secret"))
    return spans


def _is_variable(text: str, match: re.Match[str]) -> bool:
    """Whether the name is an environment's, with its value right behind it: `DB_PASSWORD=correcthorse`."""
    name = text[match.start() : match.start("value")].rstrip("\"'")
    return name.endswith("=") and name[:-1].isupper() and not name[-2:-1].isspace()


def _looks_chosen(value: str) -> bool:
    """Whether a value is a password by its looks alone, as in `log in with password s3cret!`."""
    return bool(re.search(r"[0-9]", value) and re.search(r"[!$%^&*]", value))


def _names_a_secret(match: re.Match[str]) -> bool:
    """Whether the name is that of a secret, not a longer word (`tokenizer`) and nothing about one (`token_ttl`)."""
    suffix = match["suffix"]
    if suffix in ("", "s", "S"):
        return True
    before = match.string[match.start("suffix") - 1]
    if suffix[0].isalpha() and not (suffix[0].isupper() and before.islower()):
        return False
    return _ABOUT.isdisjoint(word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", suffix))


def _is_flag(text: str, start: int) -> bool:
    """Whether the name that begins at `start` is that of an option, as in `--api-key VALUE`."""
    before = text[max(0, start - 40) : start]
    dashes = before.rfind("--")
    return dashes >= 0 and not re.search(r"[^\w-]", before[dashes:])


def find_member(name: str, text: str) -> list[Span]:
    """The whole value, where a member of a record is named as a secret is."""
    kind = _kind_of(name)
    if not kind or re.search(r"\s", text) or not is_assigned_secret(text, kind == "password"):
        return []
    return [Span(0, len(text), kind)]


@lru_cache(maxsize=256)
def _kind_of(name: str) -> str:
    """What a member of that name holds: a `password`, another `secret`, or neither."""
    match = compiled(f"(?:{_NAME}){_SUFFIX}").search(name)
    if match is None or not _names_a_secret(match):
        return ""
    return "password" if match["password"] else "secret"


_RUN = re.compile(r"[A-Za-z0-9+/_-]{24,}={0,2}")
_ASSET = re.compile(r"\.(?:css|gz|html?|jpe?g|js|json|map|mjs|png|so|svg|ts|wasm|webp|whl|woff2?|zip)\b")
# As services label requests and versions.
_ID_LABEL = re.compile(r"(?:[a-z -](?:ID|Id)|[_-]id|[Ee][Tt]ag)\\?[\"']?\s{0,2}[:=]\s{0,2}\\?[\"']?\Z")
_PUBLIC_BLOCK = r"-----BEGIN (?![A-Z0-9 ]{0,40}PRIVATE)[A-Z0-9 ]{1,40}-----[^-]*"


def find_random(text: str) -> list[Span]:
    """Runs of characters that stand alone and are too random for anything but a secret."""
    spans = []
    public = None
    for match in _RUN.finditer(text):
        if not is_random(match[0]) or _ASSET.match(text, match.end()):
            continue
        before = text[max(0, match.start() - 256) : match.start()]
        word = re.split(r"\s", before)[-1]
        if "://" in word or word.endswith(("base64,", "h1:")) or _ID_LABEL.search(before):
            continue
        if public is None:
            public = [block.span() for block in compiled(_PUBLIC_BLOCK).finditer(text)]
        if meets(public, *match.span()):
            continue
        start, end = match.span()
        is_escaped = text[start - 1 : start] == "\\" and text[start] in "nrt"
        spans.append(Span(start + is_escaped, end, "high-entropy"))
    return spans

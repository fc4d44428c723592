"""The checks of the rules for secrets: each says which part of a match is one, if any (docs/reference/secrets.md)."""

import re
from collections.abc import Callable

from .secret_candidate import SecretCandidate, Span, whole
from .secret_rules import compiled, phrase_words, secret_table
from .secret_values import (
    has_public_beginning,
    has_public_label,
    is_assigned_secret,
    is_chosen_beside_name,
    is_login,
    is_machine_made,
    is_masked,
    is_placeholder,
    is_random,
    is_reference,
    is_stand_in,
    looks_chosen,
)
from .secret_views import BLANKS, folded, is_letter, is_letter_or_digit

# A recovery phrase has at least this many words, and at least this many different words.
PHRASE_WORDS = 12
PHRASE_DIFFERENT = 8


def _exact(found: SecretCandidate) -> Span | None:
    return whole(found, not is_masked(found.value))


def _doubtful(found: SecretCandidate) -> Span | None:
    is_public_address = "sentry" in found.group("host")
    value = found.value
    return whole(found, not is_public_address and is_assigned_secret(value, is_password=False))


def _chosen(found: SecretCandidate) -> Span | None:
    value = found.value
    return whole(found, is_assigned_secret(value, is_password=True))


def _prose(found: SecretCandidate) -> Span | None:
    end = found.start + len(found.value.rstrip(_CLOSING))
    return whole(found._replace(end=end), is_assigned_secret(found.text[found.start : end], True, in_prose=True))


def _pair(found: SecretCandidate) -> Span | None:
    value = found.value.rstrip(_CLOSING)
    bold = _BOLD.fullmatch(value)
    start, end = (
        (found.start + bold.start(1), found.start + bold.end(1)) if bold else (found.start, found.start + len(value))
    )
    user = found.group("user")
    between = found.text[found.match.end("user") : found.start]
    named = folded(found.text[found.match.start() : found.match.start("user")])
    is_loose = ":" in between or between.startswith(" ") or "pass" in named or "cred" in named
    is_secret = user not in _NO_USERS and is_chosen_beside_name(found.text[start:end], is_loose)
    return whole(found._replace(start=start, end=end), is_secret)


def _looks(found: SecretCandidate) -> Span | None:
    end = found.start + len(found.value.rstrip(_CLOSING))
    return whole(found._replace(end=end), looks_chosen(found.text[found.start : end]))


def _any(found: SecretCandidate) -> Span | None:
    end = found.start + len(found.value.rstrip(_CLOSING))
    value = found.text[found.start : end]
    is_word = is_stand_in(value) or is_placeholder(value) or is_reference(value)
    is_word = is_word or _begins_sentence(found.text, found.start, end)
    return whole(found._replace(end=end), len(value) >= 4 and not is_word)


def _begins_sentence(text: str, start: int, end: int) -> bool:
    """Whether a word behind a colon begins a note about the password, as in `password: Stored on the server`."""
    word = text[start:end]
    is_note = word.isalpha() and word.lower().endswith(_OF_STATES) and _COLON.search(text[max(0, start - 4) : start])
    return bool(is_note and _NEXT_WORD.match(text, end))


def _login(found: SecretCandidate) -> Span | None:
    return whole(found, is_login(found.value))


def _url(found: SecretCandidate) -> Span | None:
    value, host = found.value, folded(found.group("host"))
    if is_stand_in(value) or is_placeholder(value):
        return None
    name = host if host.startswith("[") else re.split(r"[:,]", host, maxsplit=1)[0]
    is_local = name in secret_table().words["local-hosts"] or name.endswith(
        (".example", ".test", ".invalid", ".example.com")
    )
    return whole(found, not (is_local and (all(map(is_letter, value)) or value == found.group("user"))))


def _random(found: SecretCandidate) -> Span | None:
    return whole(found, is_random(found.value))


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
    return whole(found, True)


_WORDS = re.compile(r"[A-Za-z0-9]+")
_KEY_WORDS = frozenset("private key keys wallet seed secret signer deployer account accounts mnemonic".split())


def _ethereum(found: SecretCandidate) -> Span | None:
    """Judge a hexadecimal Ethereum key. Hashes of transactions look the same, so the words around the value decide."""
    before = {word.lower() for word in _WORDS.findall(found.text[max(0, found.start - 48) : found.start])}
    around = before | {word.lower() for word in _WORDS.findall(found.text[found.end : found.end + 24])}
    is_hash = not _KEY_WORDS & before and any(
        word in secret_table().words["hash-words"] or word.endswith(("hash", "root", "txid")) for word in around
    )
    return whole(found, not is_hash and not is_stand_in(found.value[2:]))


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
    return whole(found, not is_sentence and not words[0].endswith(_OF_STATES) and len(set(words)) == len(words))


# The endings of words that tell something about a password, such as `stored`, `missing`, `optional` and `mandatory`.
_OF_STATES = ("ed", "ing", "al", "ory", "ly", "ble", "ary", "ten", "ent", "ant", "less")
# A value between the marks of bold or slanted text; the marks are no signs of a password.
_BOLD = re.compile(r"\*{1,3}([^*]+)\*{1,3}")
_COLON = re.compile(r":[ \t]+$")
_NEXT_WORD = re.compile(r"[ \t]{1,3}(?:at|by|for|from|in|on|only|outside|per|to|via|with|within)[ \t]{1,3}[A-Za-z0-9]")
# The name of a password in the place of one, in an address: `://user:<password>@host`.
_MARKED_LOGIN = re.compile(r":<[A-Za-z0-9_ -]{0,40}$")
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
    return whole(found._replace(end=end), is_secret=True)


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
    if _in_reference(text, found.match.start()) or _marks_login(found):
        return False
    suffix = text[slice(*found.match.span("suffix"))]
    if suffix in ("", "s", "S"):
        return True
    before = text[found.match.start("suffix") - 1]
    if suffix[0].isalpha() and before.isascii() and not ("A" <= suffix[0] <= "Z" and "a" <= before <= "z"):
        return False
    about = secret_table().words["about"]
    return about.isdisjoint(word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", suffix))


def _marks_login(found: SecretCandidate) -> bool:
    """Whether the name stands in angle brackets for the password of an address, and the value is the host."""
    text, start = found.text, found.match.start()
    is_host = text.startswith(">@", found.start - 1)
    return is_host and bool(_MARKED_LOGIN.search(text[max(0, start - 48) : start]))


def _in_reference(text: str, start: int) -> bool:
    """Whether the name is part of the name of a resource: `arn:aws:secretsmanager:...:secret:prod/db`."""
    return "arn:" in re.split(r"[ \t\r\n]", text[max(0, start - 96) : start])[-1]


def _is_flag(text: str, start: int) -> bool:
    """Whether the name that begins at `start` is the name of an option, as in `--api-key VALUE`."""
    before = text[max(0, start - 40) : start]
    dashes = before.rfind("--")
    return dashes >= 0 and not re.search(r"[^A-Za-z0-9_-]", before[dashes:])


Check = Callable[[SecretCandidate], Span | None]
# The checks by their names in the tables of rules, except that of encoded values, which searches again.
CHECKS: dict[str, Check] = {
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
    "ethereum": _ethereum,
    "phrase": _phrase,
    "spoken": _spoken,
    "assigned": _assigned,
}

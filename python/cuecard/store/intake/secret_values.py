"""Judges whether a value looks like a secret, a placeholder for a secret, or ordinary words.

Rules: docs/reference/secrets.md.

Two measures distinguish a machine-made value from words: the Shannon entropy in bits per character, and the mean length
of its pieces (runs of letters or digits, split at capitals as in camelCase). The mean length is 2 for random characters
and above 4 for words. The thresholds let 95 of 100 random values of their alphabet pass, and no identifier in 5 MB of
issues, documents and memories. Letters and digits are ASCII only, and entropy is computed in integers, so that no
result depends on a language's character tables or a platform's logarithm.
"""

import re
from base64 import b64decode
from binascii import Error
from collections import Counter
from functools import cache
from hashlib import sha256

from .secret_rules import compiled, secret_table
from .secret_views import folded, is_letter, is_letter_or_digit

# Only this many characters of a value are judged.
_JUDGED_CHARS = 128
# A value with at least this many characters is not just a word with `example` in it.
_LONG_CHARS = 32
# The least entropy per character of a long value: 4.3 bits, in tenths of a bit times 2**16, as `entropy` is.
_LONG_ENTROPY = 43 << 16
# A value with this many equal characters in a row is a placeholder, unless it has enough other characters.
_REPEATED = 6
_LEAST_UNREPEATED = 16
# Only this many characters of a base64 value are decoded.
_DECODED_CHARS = 1 << 16

_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_SEPARATOR = re.compile(r"[^A-Za-z0-9]+")
_ALNUM = re.compile(r"[A-Za-z0-9]+")
_HASH = re.compile(r"[0-9a-f]{7,}|[0-9A-F]{7,}")
_SIGN_INSIDE = re.compile(r"[A-Za-z0-9][!@$%^&][A-Za-z0-9]")
_SIGN = re.compile(r"[!#$%^&*]")
_DIGIT = re.compile(r"[0-9]")
_DIGITS = re.compile(r"[0-9]+")
_CLASSES = (re.compile(r"[a-z]"), re.compile(r"[A-Z]"), _DIGIT)
_SMALL_WORD = re.compile(r"[a-z]{3,}")
# Control characters, which readable text does not contain.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def is_stand_in(value: str) -> bool:
    """Whether a value only marks the place of a secret: `$TOKEN`, `<your-token>`, `xxxx`, `AKIA...EXAMPLE`."""
    head = folded(value[:_JUDGED_CHARS])
    return (
        _judged("stand-in", "anywhere", head)
        or _judged("stand-in", "beginning", head)
        or _judged("stand-in", "whole", head)
        or _repeats(head)
    )


def is_masked(value: str) -> bool:
    """Whether a value in a vendor's format has a placeholder in the place of the secret: `ghp_xxxx`, `sk-your-key`."""
    head = folded(value[:_JUDGED_CHARS])
    return _judged("mask", "anywhere", head) or _repeats(head)


def is_documented(value: str) -> bool:
    """Whether a value is an example key from the documentation of a vendor."""
    return sha256(value.encode("utf-8", "replace")).hexdigest()[:16] in secret_table().words["documented"]


def is_placeholder(value: str) -> bool:
    """Whether a value is a word that manuals and default settings use in the place of a password."""
    return folded(value) in secret_table().words["placeholders"]


def is_reference(value: str) -> bool:
    """Whether a value refers to a value elsewhere, or is a version, a date, a path or an algorithm."""
    low = folded(value)
    return _judged("reference", "beginning", low) or _judged("reference", "whole", low)


def _judged(name: str, where: str, value: str) -> bool:
    pattern = compiled(secret_table().judges[name, where])
    if where == "anywhere":
        return bool(pattern.search(value))
    return bool(pattern.fullmatch(value) if where == "whole" else pattern.match(value))


def has_public_beginning(value: str) -> bool:
    """Whether a run of characters begins like a digest, a public key or the id of an object."""
    low = folded(value[:_JUDGED_CHARS])
    return _judged("public", "beginning", low) or low.partition("_")[0] in secret_table().words["public-prefixes"]


def has_public_label(before: str) -> bool:
    """Whether the text before a run of characters says that it is a digest, a public key or an id."""
    pattern = compiled(f"(?:{secret_table().judges['public-label', 'anywhere']})\n")
    return bool(pattern.search(folded(before) + "\n"))


def _repeats(value: str) -> bool:
    """Whether a value consists mostly of a few repeated characters."""
    if len(value) >= 16 and len(set(value)) <= 4:
        return True
    rest = 0
    repeated = False
    start = 0
    for place in range(1, len(value) + 1):
        if place < len(value) and value[place] == value[start]:
            continue
        if place - start >= _REPEATED:
            repeated = True
        else:
            rest += place - start
        start = place
    return repeated and rest < _LEAST_UNREPEATED


def is_assigned_secret(value: str, is_password: bool, in_prose: bool = False) -> bool:
    """Whether a value that is assigned to the name of a secret is a secret, and not a word, a reference or a version.

    For a password a letter and a digit are enough, because people choose passwords. In a sentence the rules are
    stricter.
    """
    value = value[:_JUDGED_CHARS]
    spared = is_masked if len(value) >= _LONG_CHARS and _has_all_classes(value) else is_stand_in
    if len(value) < 6 or spared(value) or is_reference(value) or is_placeholder(value):
        return False
    segments = [segment for segment in _SEPARATOR.split(value) if segment]
    terms = secret_table().words["terms"]
    if not segments or all(segment.isalpha() or segment.lower() in terms for segment in segments):
        if len(segments) == 1 and len(value) >= 20 and _mean_piece(value) <= 2.9:
            return True
        return is_password and bool((_SIGN if in_prose else _SIGN_INSIDE).search(value[:-1]))
    if not any(map(is_letter, value)):
        return is_password and not in_prose and bool(_DIGITS.fullmatch(value))
    pieces = _mean_piece(value)
    if is_password:
        if in_prose:
            return pieces <= 3.5 or bool(_SIGN.search(value)) or _is_word_with_number(value)
        return len(segments) == 1 or pieces <= 3 or _has_all_classes(value) or bool(re.search(r"[!@$%^&*+?~]", value))
    if len(value) < 8 or (in_prose and len(value) < 16):
        return False
    if not in_prose and any(_is_jumble(segment) for segment in segments):
        return True
    if not in_prose and len(value) >= _LONG_CHARS and _has_all_classes(value) and not _is_path(value):
        return entropy(value) * 10 >= _LONG_ENTROPY * len(value)
    if len(value) < 20 and _has_words(value):
        return False
    return pieces <= (3.6 if len(segments) == 1 and len(value) >= 16 else 2.7)


def is_chosen_beside_name(value: str, is_loose: bool) -> bool:
    """Whether a value after the name of a user is a password: `admin / Winter24!`.

    `is_loose` says that a sign clearly separates the name from the value, so that less evidence is needed.
    """
    if not is_assigned_secret(value, is_password=True, in_prose=True):
        return False
    return is_loose or looks_chosen(value)


def looks_chosen(value: str) -> bool:
    """Whether a value looks like a password by itself, as in `log in with password s3cret!`."""
    if not is_assigned_secret(value, is_password=True, in_prose=True) or not _DIGIT.search(value):
        return False
    return bool(_SIGN.search(value)) or (_has_all_classes(value) and _mean_piece(value) <= 3.5)


def _is_word_with_number(value: str) -> bool:
    """Whether a value is a word with a number, such as `kestrel2229Q` or `Zebra_7781`.

    The number has at least two digits. With a sign between word and number, the word must have a capital.
    """
    if len(value) < 8 or not re.search(r"[0-9]{2}", value):
        return False
    return all(map(is_letter_or_digit, value)) or (len(_SEPARATOR.findall(value)) == 1 and _has_all_classes(value))


def is_machine_made(value: str) -> bool:
    """Whether the letters and digits of a value are mixed as in random text, and not as in words."""
    return len(value) >= 4 and bool(_ALNUM.search(value)) and _mean_piece(value) <= 2.9 and not is_stand_in(value)


def is_random(value: str) -> bool:
    """Whether a free-standing run of letters, digits and `+/_-` is so random that it must be a generated secret.

    Hexadecimal runs do not count, because commits, digests and UUIDs look the same.
    """
    if has_public_beginning(value) or is_stand_in(value) or _is_path(value):
        return False
    rest = _ALNUM.sub(lambda run: "" if _HASH.fullmatch(run[0]) else run[0], value.rstrip("="))[:_JUDGED_CHARS]
    classes = [bool(kind.search(rest)) for kind in _CLASSES]
    separators = len(_SEPARATOR.findall(rest))
    if all(classes):
        threshold, least = 2.7, 24
    elif classes[2]:
        rest = max(_SEPARATOR.split(rest), key=len)
        threshold, least, separators = 6.0 if classes[1] else 3.9, 32, 0
    elif classes[0] and classes[1]:
        threshold, least = 2.9, 32
    else:
        return False
    if len(rest) < least or separators * 8 > len(rest) or _mean_piece(rest) > threshold:
        return False
    if all(classes) and _has_words(rest):
        return False
    least_entropy = 8 * len(rest) * _log2(min(len(rest), 40))
    return entropy(rest) * 10 >= least_entropy and decoded_text(value[:_JUDGED_CHARS]) is None


def _has_all_classes(text: str) -> bool:
    return all(kind.search(text) for kind in _CLASSES)


def _is_jumble(segment: str) -> bool:
    """Whether a part of a value changes between letters and digits more often than words do."""
    return len(segment) >= 12 and changes(segment) >= 4


def changes(segment: str) -> int:
    """Return how often a text changes between letters and digits."""
    return len(re.findall(r"[a-z][0-9]|[0-9][a-z]", segment, re.IGNORECASE))


def entropy(text: str) -> int:
    """Return the Shannon entropy of a whole text in bits, times 2**16: -sum n log2 p over its distinct characters."""
    return len(text) * _log2(len(text)) - sum(count * _log2(count) for count in Counter(text).values())


@cache
def _log2(number: int) -> int:
    """Return the binary logarithm of a number times 2**16, rounded down. Each squaring gives one more binary place."""
    whole = number.bit_length() - 1
    rest, result = number << (30 - whole), whole
    for _ in range(16):
        rest = rest * rest >> 30
        result <<= 1
        if rest >> 31:
            rest >>= 1
            result += 1
    return result


def _mean_piece(text: str) -> float:
    """Return the mean length of the pieces of a text; 0 if it has none."""
    pieces = _PIECE.findall(text)
    return sum(map(len, pieces)) / len(pieces) if pieces else 0.0


def _has_words(text: str) -> bool:
    """Whether at least half of a text consists of runs of at least four letters of one case or with a capital first."""
    return sum([len(piece) for piece in _PIECE.findall(text) if len(piece) >= 4 and piece.isalpha()]) * 2 >= len(text)


def _is_path(value: str) -> bool:
    parts = value.split("/")
    return len(parts) > 1 and any(not part or _SMALL_WORD.fullmatch(part) for part in parts)


def decoded_text(value: str) -> str | None:
    """Return the text that a value encodes in base64; None unless it is UTF-8 without control characters."""
    body = value[:_DECODED_CHARS].rstrip("=").replace("-", "+").replace("_", "/")
    # A single character at the end does not encode a byte.
    body = body[: len(body) - (len(body) % 4 == 1)]
    try:
        decoded = b64decode(body + "=" * (-len(body) % 4)).decode()
    except (Error, UnicodeDecodeError):
        return None
    return None if _CONTROL.search(decoded) else decoded


def is_login(value: str) -> bool:
    """Whether a value is the base64 of a user and a password with a colon between them."""
    user, colon, password = (decoded_text(value) or "").partition(":")
    return bool(user and colon and len(password) >= 4 and not is_stand_in(password) and not is_placeholder(password))

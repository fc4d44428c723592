"""Whether a value looks like a secret, a stand-in for one, or ordinary words (SPEC 18.2).

Two measures tell a machine-made value from words: Shannon entropy in bits a character, and the mean length of its
pieces (runs of letters or digits, cut at capitals as camelCase is), which is 2 for random characters and above 4
for words. Thresholds are where 95 of 100 random values of their alphabet pass, and no identifier of 5 MB of issues,
documents and memories does.
"""

import math
import re
from base64 import b64decode
from binascii import Error
from collections import Counter

# Longer values are judged by their beginning.
_JUDGED_CHARS = 128

_STAND_IN = re.compile(
    r"example|redacted|placeholder|your[-_]|change[-_]?me|abcdefgh|(.)\1{5}|(?i:x)-?x{3}"
    r"|^(?:\$\w{1,64}$|\$\{|\$\(|\{|<|\[|\(|%\w{1,64}%?$|[*.…x-]+$)",
    re.IGNORECASE,
)
# What has a vendor's own format is only spared where it plainly shows a gap.
_MASK = re.compile(r"redacted|placeholder|your[-_]|(.)\1{5}|x-?x{3}", re.IGNORECASE)
# So long a value is no word with `example` in it.
_LONG_CHARS = 32
_LONG_ENTROPY = 4.3
# How programs and configurations name a value that stands elsewhere.
_REFERENCE = re.compile(
    r"(?:process|import\.meta|os|env|secrets?|vars|config|cfg|settings|self|this|req|request|ctx|args|opts|options"
    r"|params|data|user|local|var|module|each|vault|keyring|ssm|op|arn|file|https?|postgres\w*|redis)(?:[.:\[/]|->)"
    r"|[.~]{0,2}/|@[\w./]+$|![A-Z][a-z]+|v?[0-9]+(?:\.[0-9]+)+|[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"|[\w.+-]{1,64}@[\w-]{1,64}\.[\w.]{1,64}$|[A-Za-z_][\w.:]{0,80}(?:\(|\[|::|->)",
    re.IGNORECASE,
)
_TERMS = frozenset(
    "1password aes128 aes256 argon2 argon2i argon2d argon2id base32 base58 base64 bcrypt2 ed25519 hs256 hs512 http2 "
    "k8s md5 oauth1 oauth2 pbkdf2 pkcs1 pkcs8 pkcs12 rs256 sha1 sha2 sha224 sha256 sha384 sha512 utf8 x509".split()
)
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_SEPARATOR = re.compile(r"[^A-Za-z0-9]+")
_HASHES = re.compile(r"(?<![A-Za-z0-9])(?:[0-9a-f]{7,}|[0-9A-F]{7,})(?![A-Za-z0-9])")
_PUBLIC = re.compile(r"sha[0-9]{1,3}[-_]|AAAA[A-Z][0-9][A-Z]|Qm[A-Za-z0-9]{44}$|baf[ky]|_Z[A-Z0-9]|MII[A-Z]")


def is_stand_in(value: str) -> bool:
    """Whether a value only shows where a secret would stand: `$TOKEN`, `<your-token>`, `xxxx`, `AKIA...EXAMPLE`."""
    head = value[:_JUDGED_CHARS]
    return bool(_STAND_IN.search(head)) or (len(head) >= 16 and len(set(head)) <= 4)


def is_masked(value: str) -> bool:
    """Whether a value in a vendor's format has a gap where its secret would be: `ghp_xxxx`, `sk-your-key`."""
    head = value[:_JUDGED_CHARS]
    return bool(_MASK.search(head)) or (len(head) >= 16 and len(set(head)) <= 4)


def is_assigned_secret(value: str, is_password: bool, in_prose: bool = False) -> bool:
    """Whether a value that a name of secrets is given is one, and no word, reference, number, path or version.

    People choose passwords, so a letter and a digit are enough there; in a sentence more is asked.
    """
    value = value[:_JUDGED_CHARS]
    spared = is_masked if len(value) >= _LONG_CHARS and _has_all_classes(value) else is_stand_in
    if len(value) < 6 or spared(value) or _REFERENCE.match(value):
        return False
    segments = [segment for segment in _SEPARATOR.split(value) if segment]
    if not segments or all(segment.isalpha() or segment.lower() in _TERMS for segment in segments):
        if len(segments) == 1 and len(value) >= 20 and _mean_piece(value) <= 2.9:
            return True
        return is_password and not in_prose and bool(re.search(r"[A-Za-z0-9][!@$%^&][A-Za-z0-9]", value))
    letters = sum(map(str.isalpha, value))
    if not letters:
        return is_password and not in_prose and value.isdigit()
    pieces = _mean_piece(value)
    if is_password:
        if in_prose:
            return pieces <= 3.5 or bool(re.search(r"[!@$%^&*]", value))
        return len(segments) == 1 or pieces <= 3 or bool(re.search(r"[!@$%^&*+?~]", value))
    if len(value) < 8 or (in_prose and len(value) < 16):
        return False
    if not in_prose and any(_is_jumble(segment) for segment in segments):
        return True
    if not in_prose and len(value) >= _LONG_CHARS and _has_all_classes(value) and not _is_path(value):
        return entropy(value) >= _LONG_ENTROPY
    return pieces <= (3.6 if len(segments) == 1 and len(value) >= 16 else 2.7)


def is_random(value: str) -> bool:
    """Whether a free-standing run of letters, digits and `+/_-` can only be made by a machine to be secret.

    Hexadecimal runs are no sign: commits, digests and UUIDs are written so.
    """
    if _PUBLIC.match(value) or is_stand_in(value) or _is_path(value):
        return False
    rest = _HASHES.sub("", value.rstrip("="))[:_JUDGED_CHARS]
    classes = [any(map(test, rest)) for test in (str.islower, str.isupper, str.isdigit)]
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
    return entropy(rest) >= 0.8 * math.log2(min(len(rest), 40)) and not _is_encoded_text(value)


def _has_all_classes(text: str) -> bool:
    return all(any(map(test, text)) for test in (str.islower, str.isupper, str.isdigit))


def _is_jumble(segment: str) -> bool:
    """Whether a part of a value changes between letters and digits as no word does."""
    return len(segment) >= 12 and len(re.findall(r"[a-z][0-9]|[0-9][a-z]", segment, re.IGNORECASE)) >= 4


def entropy(text: str) -> float:
    """Shannon entropy in bits a character: -sum p log2 p over the characters of the text."""
    size = len(text)
    return -sum(count / size * math.log2(count / size) for count in Counter(text).values())


def _mean_piece(text: str) -> float:
    """The mean length of the pieces of a text, 0 where it has none."""
    pieces = _PIECE.findall(text)
    return sum(map(len, pieces)) / len(pieces) if pieces else 0.0


def _has_words(text: str) -> bool:
    """Whether half of a text is runs of four and more letters of one case, or with a capital in front."""
    return sum([len(piece) for piece in _PIECE.findall(text) if len(piece) >= 4 and piece.isalpha()]) * 2 >= len(text)


def _is_path(value: str) -> bool:
    parts = value.split("/")
    return len(parts) > 1 and any(not part or (len(part) >= 3 and part.isalpha() and part.islower()) for part in parts)


def _is_encoded_text(value: str) -> bool:
    """Whether a value is base64 of something to read."""
    body = value.rstrip("=").replace("-", "+").replace("_", "/")
    body = body[: min(len(body), _JUDGED_CHARS) // 4 * 4]
    try:
        decoded = b64decode(body).decode()
    except (Error, UnicodeDecodeError):
        return False
    return decoded.isprintable() or decoded.replace("\n", "").replace("\t", "").isprintable()

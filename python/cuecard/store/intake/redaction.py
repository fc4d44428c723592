"""Finds and replaces secrets before a memory is written (docs/reference/secrets.md).

A secret is recognised by its format (`secret_rules`), by the name that it is assigned to, or because it is too random
for a word (`secret_values`). This is own code and not a library: light libraries are native code without a pure
counterpart, and other libraries take longer to import than a whole `cuecard add` may.
"""

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from .private_keys import find_private_keys
from .secret_candidate import Span
from .secret_parts import find_broken, find_in_slug
from .secret_search import KEEP_NO_EXAMPLES, find_member, find_secrets, meets, rules_for
from .secret_views import folded, is_letter, plain_letters
from .text_fields import TextField, copy_with_fields


@dataclass(frozen=True)
class Redaction:
    """Which kind of secret was replaced in which field. Contains no part of a secret."""

    field: str
    """The path of the field, such as `content.steps[2]`."""
    kind: str
    """The kind of the secret, such as `github-token`; the replacement is `[redacted:KIND]`."""
    count: int


# `redact_texts` does not search longer texts, because a hook waits for it.
MAX_TEXT_BYTES = 1 << 20
# An id is a slug: it cannot contain brackets, and only the formats of secrets are searched in it.
_SLUG_FIELD = "id"
_NOT_IN_SLUGS = (
    "alone",
    "encoded",
    "random",
    "assigned",
    "prose",
    "pair",
    "looks",
    "any",
    "chosen",
    "login",
    "url",
    "phrase",
)
# The names of files often look random, so random values are not searched in them.
_PATHS_FIELD = "related_files"
_NOT_IN_PATHS = ("alone", "encoded", "random")
_MARK = re.compile(r"\[redacted:[a-z0-9-]{1,40}\]")
_PLAIN_NAME = re.compile(r"[A-Za-z][a-z]{0,24}(?:_[a-z]{1,24}){0,4}(?:\[[0-9]{1,9}\])*")


def redact(record: dict[str, object], *, keeps_examples: bool = True) -> tuple[dict[str, object], list[Redaction]]:
    """Return a copy of a decoded record with `[redacted:KIND]` for each secret in its strings, and the replacements.

    The names of members stay. A distinctive secret that is found in one place is replaced everywhere. Redacting the
    result again changes nothing. With `keeps_examples` keys that vendors publish as examples stay. Call
    `screening.clean` first: an invisible character inside a token hides the token.
    """
    copied, fields = copy_with_fields(record)
    counts: Counter[tuple[str, str]] = Counter()
    found: dict[str, str] = {}
    # A replacement can make a neighbouring secret recognisable. The loop ends because every round leaves less to find.
    while _redact_once(fields, counts, found, () if keeps_examples else (KEEP_NO_EXAMPLES,)):
        pass
    return copied, [Redaction(field, kind, count) for (field, kind), count in counts.items()]


def redact_texts(texts: list[str]) -> list[str] | None:
    """Redact texts that belong together, in the same way as `redact` treats a list.

    Returns None if they have more than `MAX_TEXT_BYTES` bytes; then they must not be written at all.
    """
    if sum(len(text.encode("utf-8", "surrogatepass")) for text in texts) > MAX_TEXT_BYTES:
        return None
    # A key from a vendor's documentation teaches nothing in what was typed, and may be a key with a mistake in it.
    redacted: dict[str, Any] = redact({"content": list(texts)}, keeps_examples=False)[0]
    content: list[str] = redacted["content"]
    return content


def _redact_once(
    fields: list[TextField], counts: Counter[tuple[str, str]], found: dict[str, str], left_out: tuple[str, ...]
) -> bool:
    texts = [plain_letters(field.text) for field in fields]
    record_text = "\n".join(texts)
    rules = rules_for(record_text)
    broken = find_broken(texts, rules)
    in_key = changed = False
    for place, (field, text) in enumerate(zip(fields, texts, strict=True)):
        spans: list[Span] = []
        if in_key or "PRIVATE KEY" in text:
            in_key, spans = find_private_keys(text, in_key)
        if field.path == _SLUG_FIELD:
            spans += find_in_slug(text) + find_secrets(text, rules, _NOT_IN_SLUGS + left_out)
        else:
            spans += find_secrets(
                text, rules, left_out + (_NOT_IN_PATHS if field.path.startswith(_PATHS_FIELD) else ())
            )
            spans += find_member(field.key, text)
        spans += broken.get(place, [])
        if spans and "[redacted:" in text:
            marks = [mark.span() for mark in _MARK.finditer(text)]
            spans = [span for span in spans if not meets(marks, span.start, span.end)]
        if spans:
            changed = True
            _replace(field, spans, counts, found)
    return _replace_copies(fields, counts, found) or changed


def _replace(field: TextField, spans: list[Span], counts: Counter[tuple[str, str]], found: dict[str, str]) -> None:
    text = field.text
    parts = []
    position = 0
    for start, end, kind in _merge(spans):
        found.setdefault(text[start:end], kind)
        counts[_shown(field.path), kind] += 1
        parts += [text[position:start], _mark(field, kind)]
        position = end
    field.text = "".join(parts) + text[position:]


def _merge(spans: list[Span]) -> list[Span]:
    """Sort spans and join overlapping ones. A joined span has the kind of the earliest rule, which is most specific."""
    merged: list[tuple[int, Span]] = []
    for rank, span in sorted(enumerate(spans), key=lambda ranked: ranked[1]):
        if merged and span.start < merged[-1][1].end:
            best, last = merged[-1]
            kind = span.kind if rank < best else last.kind
            merged[-1] = (min(rank, best), Span(last.start, max(last.end, span.end), kind))
        else:
            merged.append((rank, span))
    return [span for _, span in merged]


def _replace_copies(fields: list[TextField], counts: Counter[tuple[str, str]], found: dict[str, str]) -> bool:
    """Replace further copies of secrets that were found. In an id, the slug of the secret is replaced."""
    changed = False
    blob = "\n".join([field.text for field in fields])
    for secret, kind in sorted(found.items(), key=lambda item: -len(item[0])):
        if not _is_distinctive(secret):
            continue
        slug = re.sub(r"[^a-z0-9]+", "-", folded(secret)).strip("-")
        if secret not in blob and slug not in blob:
            continue
        for field in fields:
            text = field.text
            wanted = slug if field.path == _SLUG_FIELD else secret
            if wanted in text:
                counts[_shown(field.path), kind] += text.count(wanted)
                field.text = text.replace(wanted, _mark(field, kind))
                changed = True
    return changed


def _is_distinctive(secret: str) -> bool:
    """Whether a value is a secret wherever it occurs; the password `postgres`, for example, is also a common word."""
    if len(secret) < 8 or "[redacted:" in secret:
        return False
    return any("0" <= char <= "9" for char in secret) and any(map(is_letter, secret))


def _mark(field: TextField, kind: str) -> str:
    return f"redacted-{kind}" if field.path == _SLUG_FIELD else f"[redacted:{kind}]"


def _shown(path: str) -> str:
    """Return a path for the report, with "?" for unusual names: in the open object a name can be any text, even a
    secret."""
    return ".".join(part if _PLAIN_NAME.fullmatch(part) else "?" for part in path.split("."))

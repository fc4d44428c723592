"""The Rust backend redacts texts exactly as `redact_texts` does."""

import base64
import json
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bundles import for_each
from cuecard.store.intake.redaction import MAX_TEXT_BYTES, redact_texts
from secret_cases import FORMATS, build
from secret_sets import read_set
from test_redaction import strings

VECTORS = Path(__file__).parents[1] / "vectors" / "secrets.jsonl"
SETS = (
    "secrets",
    "harmless",
    "later_secrets",
    "later_harmless",
    "typed_secrets",
    "typed_harmless",
    "developer_texts",
)


RECORDS = [(case.name, list(strings(case.record))) for name in SETS for case in read_set(name)]
RECORDS += [
    (case["name"], [case["text"].replace("¦", "")])
    for case in [json.loads(line) for line in VECTORS.read_text(encoding="utf-8").split("\n") if line]
]
TEXTS = sorted({text for _, texts in RECORDS for text in texts if text})
# Texts that separate, join, quote or hide secrets, and letters that languages or versions of Unicode treat in different
# ways.
BETWEEN = [
    *[
        "\n",
        "\r\n",
        "\t",
        " ",
        '"',
        "'",
        "`",
        "\\n",
        "\\",
        "=",
        ": ",
        ":",
        "\n> ",
        '" +\n  "',
        "//",
        "@",
        ".",
        "…",
        "”",
    ],
    *["(", ")", "{", "}", "$", "*", "&x=", " is ", "password=", "DB_PASSWORD=", "token ", "--api-key ", "arn:", "密码"],
    *[
        "пароль: ",
        "パスワードは",
        "é",
        "ß",
        "İ",
        "\u212a",
        "\xa0",
        "\u3000",
        "\u2028",
        "\x0b",
        "\x1c",
        "\u200b",
        "ｇｈｐ",
    ],
    *["𝐀", "𝟗", "[redacted:password]", "[redacted:", "-----BEGIN PRIVATE KEY-----\n", "-----END PRIVATE KEY-----"],
]


def made(kind: str, seed: int) -> str:
    """A text with a secret in one of the formats of this kind."""
    formats = FORMATS[kind]
    return build(formats[seed % len(formats)], seed)[0]


def cut(text: str, start: int, size: int) -> str:
    """A piece of a text, of up to `size` characters."""
    start %= len(text)
    return text[start : start + size]


def encoded(text: str) -> str:
    """The text, encoded in base64."""
    return base64.b64encode(text.encode()).decode()


def broken(text: str, place: int, between: str) -> str:
    """The text with `between` inserted at some position."""
    place %= len(text)
    return text[:place] + between + text[place:]


@st.composite
def mixtures(draw: st.DrawFn) -> str:
    """Secrets, parts of secrets, base64, quotes, line breaks and arbitrary characters, joined in random order."""
    secrets = st.builds(made, st.sampled_from(sorted(FORMATS)), st.integers(0, 1 << 20))
    whole = st.sampled_from(TEXTS)
    between = st.sampled_from(BETWEEN)
    pieces = st.one_of(
        secrets,
        whole,
        between,
        st.builds(cut, whole, st.integers(0, 4000), st.integers(1, 60)),
        st.builds(encoded, st.one_of(secrets, whole)),
        st.builds(broken, secrets, st.integers(0, 200), between),
        st.text("abcXYZ0189+/_-=", max_size=80),
        st.text(max_size=20),
    )
    return "".join(draw(st.lists(pieces, max_size=12)))


@for_each("texts", [texts for _, texts in RECORDS], [name for name, _ in RECORDS])
def test_judged_texts_are_redacted_equally(native: ModuleType, texts: list[str]) -> None:
    assert native.parts.redact_texts(texts) == redact_texts(texts)


@pytest.mark.timeout(7200)
@given(st.lists(mixtures(), max_size=3))
def test_any_texts_are_redacted_equally(native: ModuleType, texts: list[str]) -> None:
    assert native.parts.redact_texts(texts) == redact_texts(texts)


def test_texts_that_are_too_long_are_refused(native: ModuleType) -> None:
    texts = ["é" * (MAX_TEXT_BYTES // 2), "x"]
    assert redact_texts(texts) is None
    assert native.parts.redact_texts(texts) is None
    assert native.parts.redact_texts(texts[:1]) == texts[:1]

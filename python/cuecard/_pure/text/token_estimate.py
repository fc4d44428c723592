"""Estimates how many tokens a text has for a model, without the model's tokenizer (SPEC 31)."""

from ...basics.chars import scrub

# The weight of each count of `token_counts`, in 1/64 token; `benches/tokens.py --tune` finds the weights.
WEIGHTS = (65, 30, 11, 43, 83, 15, 60, 9, 36, 24, 105, 65, 80, 39, 150)

# Tables for `bytes.translate`: they map each byte to a letter for its class, or to a blank. The first byte of a
# multi-byte character decides its class; the bytes that follow are removed.
_LETTERS = b" " * 65 + b"a" * 26 + b" " * 6 + b"a" * 26 + b" " * 72 + b"a" * 29 + b" " * 32
_CASES = b" " * 65 + b"A" * 26 + b" " * 6 + b"a" * 26 + b" " * 133
_DIGITS = b" " * 48 + b"0" * 10 + b" " * 198
_SIGNS = b"." * 9 + b" " * 5 + b"." * 18 + b" " + b"." * 15 + b" " * 10 + b"." * 7 + b" " * 26 + b"." * 6 + b" " * 26
_SIGNS += b"." * 5 + b" " * 128
_HANGUL = b" " * 0xEA + b"k" * 4 + b" " * 18
_BEYOND = b" " * 0xC0 + b"sss" + b"l" * 29 + b"oo" + b"s" + b"h" * 7 + b"k" * 4 + b"o" * 18
_FOLLOWING = bytes(range(0x80, 0xC0))


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a text has; usually the estimate is slightly too high. 0 for an empty text."""
    total = sum([weight * count for weight, count in zip(WEIGHTS, token_counts(text), strict=True)])
    return (total + 32) // 64


def token_counts(text: str) -> tuple[int, ...]:
    """Return the counts that the estimate is made from, in the order of `WEIGHTS` (SPEC 31.1)."""
    data = text.encode() if text.isascii() else scrub(text).encode()
    letters, cases = data.translate(_LETTERS, _FOLLOWING), data.translate(_CASES)
    digits, signs = data.translate(_DIGITS), data.translate(_SIGNS)
    counts = (
        len(letters.split()),
        letters.count(b"aaaaaaaa"),
        cases.count(b"A"),
        cases.count(b"aA"),
        len(digits.split()),
        digits.count(b"00"),
        len(signs.split()),
        signs.count(b"."),
        data.count(b"\n"),
    )
    if len(data) == len(text):
        return (*counts, 0, 0, 0, 0, 0, 0)
    beyond, hangul = data.translate(_BEYOND, _FOLLOWING), data.translate(_HANGUL, _FOLLOWING)
    return (
        *counts,
        beyond.count(b"l"),
        beyond.count(b"s"),
        beyond.count(b"h"),
        beyond.count(b"k"),
        len(hangul.split()),
        beyond.count(b"o"),
    )

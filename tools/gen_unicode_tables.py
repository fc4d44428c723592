"""Write the tables of characters from the Unicode data of the running Python.

    python tools/gen_unicode_tables.py

Writes `python/cuecard/assets/tables/characters.txt`, which both backends read. It says what the lower case of each
character is, which characters decide the form of a final sigma, where the runs of decimal digits begin (SPEC 2), which
characters belong to words, and what letters become without their diacritics (SPEC 19.1). The Unicode tables of Python
and Rust differ between versions, so no backend may use the tables of its language. `test_unicode_tables.py`
compares these tables with the Python that runs the tests.
"""

import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "python/cuecard/assets/tables/characters.txt"

SIGMA = "\u03a3"
FINAL_SIGMA = "\u03c2"


def code_points() -> Iterator[int]:
    """Every code point except surrogates."""
    yield from range(0xD800)
    yield from range(0xE000, sys.maxunicode + 1)


def lower_runs() -> list[tuple[int, int, int, int]]:
    """Runs `(first, last, step, delta)` of characters whose lower case is one character, `delta` code points away."""
    runs: list[list[int]] = []
    for point in code_points():
        lowered = chr(point).lower()
        if len(lowered) != 1 or ord(lowered) == point:
            continue
        delta = ord(lowered) - point
        if runs and runs[-1][3] == delta:
            first, last, step, _ = runs[-1]
            gap = point - last
            if gap in (1, 2) and (first == last or gap == step):
                runs[-1][1:3] = [point, gap]
                continue
        runs.append([point, point, 1, delta])
    return [(first, last, step, delta) for first, last, step, delta in runs]


def lower_specials() -> list[tuple[int, str]]:
    """Characters whose lower case is more than one character."""
    return [(point, chr(point).lower()) for point in code_points() if len(chr(point).lower()) != 1]


def ranges(belongs: Callable[[str], bool]) -> list[tuple[int, int]]:
    """The ranges (first and last code point) of the characters for which `belongs` returns True."""
    found: list[list[int]] = []
    for point in code_points():
        if belongs(chr(point)):
            if found and found[-1][1] == point - 1:
                found[-1][1] = point
            else:
                found.append([point, point])
    return [(first, last) for first, last in found]


def is_case_ignorable(char: str) -> bool:
    """Whether `char` is skipped when the preceding characters decide the form of a final sigma."""
    return (f"a{char}{SIGMA}").lower().endswith(FINAL_SIGMA) and not (f"{char}{SIGMA}").lower().endswith(FINAL_SIGMA)


def is_cased(char: str) -> bool:
    """Whether a sigma right after `char` takes its final form."""
    return (f"{char}{SIGMA}").lower().endswith(FINAL_SIGMA)


def decimal_zeros() -> list[int]:
    """The code points of all zeros of Unicode; each zero is the first of ten decimal digits."""
    return [point for point in code_points() if unicodedata.decimal(chr(point), -1) == 0]


def word_ranges() -> list[tuple[int, int]]:
    """Ranges of letters, marks and digits beyond ASCII, including unassigned code points between such characters."""
    found: list[list[int]] = []
    is_open = False
    for point in code_points():
        category = unicodedata.category(chr(point))
        if point < 0x80 or category == "Cn":
            continue
        if category[0] in "LM" or category == "Nd":
            if is_open:
                found[-1][1] = point
            else:
                found.append([point, point])
            is_open = True
        else:
            is_open = False
    return [(first, last) for first, last in found]


# Letters with a mark that Unicode does not separate from them, and the final sigma.
PLAIN_SPECIALS = {"\u00f8": "o", "\u0111": "d", "\u0127": "h", "\u0131": "i", "\u0142": "l", "\u03c2": "\u03c3"}


def plain_letters() -> list[tuple[str, str]]:
    """Pairs of a lower-case letter and its plain form.

    These are Latin, Greek and Cyrillic letters with diacritics, and full-width letters and digits.
    """
    found = dict(PLAIN_SPECIALS)
    for point in code_points():
        char = chr(point)
        if char.lower() != char or point < 0x80:
            continue
        apart = unicodedata.normalize("NFD", char)
        base, marks = apart[0], apart[1:]
        is_known = "a" <= base <= "z" or "\u0370" <= base <= "\u04ff"
        if is_known and unicodedata.category(base)[0] == "L" and all("\u0300" <= mark <= "\u036f" for mark in marks):
            if base != char:
                found[char] = PLAIN_SPECIALS.get(base, base)
        elif "\uff10" <= char <= "\uff19" or "\uff41" <= char <= "\uff5a":
            found[char] = unicodedata.normalize("NFKC", char)
    return sorted(found.items())


# Han and kana, by their first and last code points (SPEC 19.1).
IDEOGRAPHS = [
    (0x3005, 0x3007),
    (0x3041, 0x3096),
    (0x309D, 0x309F),
    (0x30A1, 0x30FA),
    (0x30FC, 0x30FF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
]


def main() -> None:
    """Write the file."""
    specials = lower_specials()
    if specials != [(0x130, "i\u0307")]:
        raise SystemExit(f"gen_unicode_tables: unexpected multi-character lower cases: {specials}")

    plain = [(ord(marked), ord(letter)) for marked, letter in plain_letters()]

    def table(name: str, doc: str, rows: Iterable[tuple[int, ...]]) -> str:
        """A table in which code points are hexadecimal numbers; steps and distances are decimal."""
        lines = [" ".join([*map(hex, row[:2]), *map(str, row[2:])]) for row in rows]
        return "\n".join([f"\n# {doc}\n[{name}]", *lines]) + "\n"

    version = unicodedata.unidata_version
    TARGET.write_text(
        f"# Characters of Unicode {version}. Generated by `tools/gen_unicode_tables.py`; do not edit.\n"
        f"\n[unicode_version]\n{version}\n"
        + table("lower_runs", "Runs with a single lower-case character: first, last, step, distance.", lower_runs())
        + table("cased", "First and last of cased characters; a sigma after them is final.", ranges(is_cased))
        + table("case_ignorable", "First and last of characters skipped before a sigma.", ranges(is_case_ignorable))
        + table("decimal_zeros", "Zeros, each of which begins a run of ten decimal digits.", zip(decimal_zeros()))
        + table("words", "First and last of letters, marks and digits beyond ASCII.", word_ranges())
        + table("ideographs", "First and last of Han and kana.", IDEOGRAPHS)
        + table("plain", "Letters with marks and full-width characters, and their plain forms.", plain),
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()

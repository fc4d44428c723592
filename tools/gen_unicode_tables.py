"""Write the tables of characters from the Unicode data of the running Python.

    python tools/gen_unicode_tables.py

Writes `characters.txt` and `composition.txt` in `python/cuecard/assets/tables`, which both backends read. The first
says what the lower case of each character is, which characters decide the form of a final sigma, where the runs of
decimal digits begin (SPEC 2), which characters belong to words, which of them are written without blanks, and what
letters become without their diacritics (SPEC 19.1). The second says how characters are composed, and which have half
the usual width (SPEC 2.5). The Unicode tables of Python and Rust differ between versions, so no backend may use the
tables of its language. `test_unicode_tables.py` compares these tables with the Python that runs the tests.
"""

import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLES = ROOT / "python/cuecard/assets/tables"

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


# The blocks of scripts that are written without blanks between words, apart from Han and kana: Thai and Lao, Burmese
# with its two extensions, and Khmer (SPEC 19.1).
UNSPACED = [(0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0xA9E0, 0xA9FF), (0xAA60, 0xAA7F)]
# Vowels of Thai and Lao behind their consonant that Unicode counts as letters, not as marks.
VOWELS_BEHIND = "\u0e30\u0e32\u0e33\u0e45\u0eb0\u0eb2\u0eb3\u0ebd"
# Vowels of Thai and Lao before their consonant, and the signs of Burmese and Khmer that put the next consonant below.
JOINS_NEXT = [(0x0E40, 0x0E44), (0x0EC0, 0x0EC4), (0x1039, 0x1039), (0x17D2, 0x17D2)]


def is_unspaced(char: str) -> bool:
    """Whether `char` belongs to words of a script without blanks; its digits do not, because numbers are words."""
    category = unicodedata.category(char)
    return category[0] in "LM" and any(first <= ord(char) <= last for first, last in UNSPACED)


def continues_cluster(char: str) -> bool:
    """Whether `char` belongs to the cluster of the letter before it."""
    return is_unspaced(char) and (unicodedata.category(char)[0] == "M" or char in VOWELS_BEHIND)


def decompositions() -> list[tuple[int, int, int]]:
    """Characters with the one or two characters that they stand for; the second is 0 if there is only one."""
    found = []
    for point in code_points():
        parts = unicodedata.decomposition(chr(point)).split()
        if parts and not parts[0].startswith("<"):
            first, second = [int(part, 16) for part in (*parts, "0")[:2]]
            found.append((point, first, second))
    return found


def compositions() -> list[tuple[int, int, int]]:
    """Pairs of characters with the character that they are composed to."""
    pairs = [(first, second, point) for point, first, second in decompositions() if second]
    return sorted([row for row in pairs if unicodedata.normalize("NFC", chr(row[0]) + chr(row[1])) == chr(row[2])])


def combining_classes() -> list[tuple[int, int, int]]:
    """Runs (first, last, class) of characters whose combining class is not 0."""
    found: list[list[int]] = []
    for point in code_points():
        of_char = unicodedata.combining(chr(point))
        if of_char and found and found[-1][1:] == [point - 1, of_char]:
            found[-1][1] = point
        elif of_char:
            found.append([point, point, of_char])
    return [(first, last, of_run) for first, last, of_run in found]


def unsettled() -> list[tuple[int, int]]:
    """Ranges of characters that composition may change, or that may be composed with the character before them."""
    behind = {second for _first, second, _composed in compositions()}
    # The vowels and the last consonants of Hangul.
    behind |= {*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)}

    def is_unsettled(char: str) -> bool:
        changes = unicodedata.normalize("NFC", char) != char
        return changes or unicodedata.combining(char) != 0 or ord(char) in behind

    return ranges(is_unsettled)


def wide_forms() -> list[tuple[int, int]]:
    """Half-width katakana and Hangul letters with their usual forms; a sound mark becomes a combining one."""
    found = []
    for point in range(0xFF65, 0xFFDD):
        parts = unicodedata.decomposition(chr(point)).split()
        if parts and parts[0] == "<narrow>":
            found.append((point, int(parts[1], 16)))
    return found


def main() -> None:
    """Write the files."""
    specials = lower_specials()
    if specials != [(0x130, "i\u0307")]:
        raise SystemExit(f"gen_unicode_tables: unexpected multi-character lower cases: {specials}")

    plain = [(ord(marked), ord(letter)) for marked, letter in plain_letters()]

    def table(name: str, doc: str, rows: Iterable[tuple[int, ...]], points: int = 2) -> str:
        """A table whose rows begin with `points` code points as hexadecimal numbers; other numbers are decimal."""
        lines = [" ".join([*map(hex, row[:points]), *map(str, row[points:])]) for row in rows]
        return "\n".join([f"\n# {doc}\n[{name}]", *lines]) + "\n"

    version = unicodedata.unidata_version
    (TABLES / "characters.txt").write_text(
        f"# Characters of Unicode {version}. Generated by `tools/gen_unicode_tables.py`; do not edit.\n"
        f"\n[unicode_version]\n{version}\n"
        + table("lower_runs", "Runs with a single lower-case character: first, last, step, distance.", lower_runs())
        + table("cased", "First and last of cased characters; a sigma after them is final.", ranges(is_cased))
        + table("case_ignorable", "First and last of characters skipped before a sigma.", ranges(is_case_ignorable))
        + table("decimal_zeros", "Zeros, each of which begins a run of ten decimal digits.", zip(decimal_zeros()))
        + table("words", "First and last of letters, marks and digits beyond ASCII.", word_ranges())
        + table("ideographs", "First and last of Han and kana.", IDEOGRAPHS)
        + table("unspaced", "First and last of letters and marks of scripts without blanks.", ranges(is_unspaced))
        + table(
            "continues_cluster", "First and last of those that belong to the letter before.", ranges(continues_cluster)
        )
        + table("joins_next", "First and last of those that belong to the letter behind.", JOINS_NEXT)
        + table("plain", "Letters with marks and full-width characters, and their plain forms.", plain),
        encoding="utf-8",
    )
    (TABLES / "composition.txt").write_text(
        f"# Composition of Unicode {version}. Generated by `tools/gen_unicode_tables.py`; do not edit.\n"
        + table("unsettled", "First and last of characters that composition may change.", unsettled())
        + table("decompositions", "Characters, and the one or two characters that they stand for.", decompositions(), 3)
        + table("compositions", "Pairs of characters, and what they are composed to.", compositions(), 3)
        + table("combining", "First and last of characters that combine, and their class.", combining_classes())
        + table("wide_forms", "Half-width characters and their usual forms.", wide_forms()),
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()

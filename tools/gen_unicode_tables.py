"""Write the character tables of both twins from the Unicode data of the running Python.

    python tools/gen_unicode_tables.py

Makes `rust/core/src/text/unicode_tables.rs` and `python/cuecard/_pure/unicode_tables.py`: how characters
lower-case, which characters decide the shape of a final sigma, where the runs of decimal digits begin
(SPEC 2), what belongs to words and what letters are without their marks (SPEC 19.1). The two languages' own tables
differ by version, so neither twin may ask its language.
`tests/test_unicode_tables.py` compares the tables with whatever Python runs the tests.
"""

import sys
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUST = ROOT / "rust/core/src/text/unicode_tables.rs"
PYTHON = ROOT / "python/cuecard/_pure/unicode_tables.py"

SIGMA = "\u03a3"
FINAL_SIGMA = "\u03c2"


def code_points() -> Iterator[int]:
    """Every code point that is a character: surrogates are left out."""
    yield from range(0xD800)
    yield from range(0xE000, sys.maxunicode + 1)


def lower_runs() -> list[tuple[int, int, int, int]]:
    """Runs `(first, last, step, delta)` of characters that lower-case to one character `delta` away."""
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
    """The inclusive ranges of code points whose character `belongs`."""
    found: list[list[int]] = []
    for point in code_points():
        if belongs(chr(point)):
            if found and found[-1][1] == point - 1:
                found[-1][1] = point
            else:
                found.append([point, point])
    return [(first, last) for first, last in found]


def is_case_ignorable(char: str) -> bool:
    """Whether a final sigma is still decided by what stands before `char`."""
    return (f"a{char}{SIGMA}").lower().endswith(FINAL_SIGMA) and not (f"{char}{SIGMA}").lower().endswith(FINAL_SIGMA)


def is_cased(char: str) -> bool:
    """Whether a sigma right after `char` is a final one."""
    return (f"{char}{SIGMA}").lower().endswith(FINAL_SIGMA)


def decimal_zeros() -> list[int]:
    """The code points of the zeros: each begins a run of ten decimal digits."""
    return [point for point in code_points() if unicodedata.decimal(chr(point), -1) == 0]


def word_ranges() -> list[tuple[int, int]]:
    """Ranges of letters, marks and digits beyond ASCII; unassigned code points between two of them are in."""
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


# Letters whose mark Unicode does not take apart, and the final sigma.
PLAIN_SPECIALS = {"\u00f8": "o", "\u0111": "d", "\u0127": "h", "\u0131": "i", "\u0142": "l", "\u03c2": "\u03c3"}


def plain_letters() -> list[tuple[str, str]]:
    """Lower-case letters of Latin, Greek and Cyrillic with marks, and without; full-width letters and digits."""
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


def rows(values: list[str], indent: str, width: int = 110) -> str:
    """The values as comma-separated lines no longer than `width`."""
    lines, line = [], indent
    for value in values:
        if len(line) + len(value) + 2 > width:
            lines.append(line.rstrip())
            line = indent
        line += f"{value}, "
    return "\n".join([*lines, line.rstrip()])


def main() -> None:
    """Write both files."""
    runs = [f"({a:#x}, {b:#x}, {s}, {d})" for a, b, s, d in lower_runs()]
    cased = [f"({a:#x}, {b:#x})" for a, b in ranges(is_cased)]
    ignorable = [f"({a:#x}, {b:#x})" for a, b in ranges(is_case_ignorable)]
    zeros = [f"{zero:#x}" for zero in decimal_zeros()]
    words = [f"({a:#x}, {b:#x})" for a, b in word_ranges()]
    plain = plain_letters()
    plain_pairs = [f"({ord(a):#x}, {ord(b):#x})" for a, b in plain]
    version = unicodedata.unidata_version
    specials = lower_specials()
    if specials != [(0x130, "i\u0307")]:
        raise SystemExit(f"gen_unicode_tables: unexpected multi-character lower cases: {specials}")

    def rust_table(name: str, doc: str, kind: str, values: list[str]) -> str:
        return (
            f"\n/// {doc}\n#[rustfmt::skip]\npub(crate) static {name}: [{kind}; {len(values)}] = [\n"
            f"{rows(values, '    ')}\n];\n"
        )

    def python_table(name: str, doc: str, values: list[str]) -> str:
        return f"\n# {doc}\n{name} = (\n{rows(values, '    ')}\n)\n"

    texts = {
        "LOWER_RUNS": "Runs (first, last, step, delta) of characters with a single lower-case character; SPEC 2.1.",
        "CASED": "Inclusive ranges of cased characters: a sigma after one is final; SPEC 2.1.",
        "CASE_IGNORABLE": "Inclusive ranges of characters that a final sigma looks through; SPEC 2.1.",
        "DECIMAL_ZEROS": "Code points of zeros; each begins a run of ten decimal digits; SPEC 2.3.",
        "WORDS": "Inclusive ranges of letters, marks and digits beyond ASCII; SPEC 19.1.",
        "PLAIN": "Lower-case letters with marks, full-width ones, and what they are without; SPEC 19.1.",
    }
    RUST.write_text(
        f"//! Character tables of Unicode {version}. Generated by `tools/gen_unicode_tables.py`; do not edit.\n"
        + rust_table("LOWER_RUNS", texts["LOWER_RUNS"], "(u32, u32, u32, i32)", runs)
        + rust_table("CASED", texts["CASED"], "(u32, u32)", cased)
        + rust_table("CASE_IGNORABLE", texts["CASE_IGNORABLE"], "(u32, u32)", ignorable)
        + rust_table("DECIMAL_ZEROS", texts["DECIMAL_ZEROS"], "u32", zeros)
        + rust_table("WORDS", texts["WORDS"], "(u32, u32)", words)
        + rust_table("PLAIN", texts["PLAIN"], "(u32, u32)", plain_pairs),
        encoding="utf-8",
    )
    PYTHON.write_text(
        f'"""Character tables of Unicode {version}. Generated by `tools/gen_unicode_tables.py`; do not edit."""\n'
        f'\nUNICODE_VERSION = "{version}"\n# fmt: off\n'
        + python_table("LOWER_RUNS", texts["LOWER_RUNS"], runs)
        + python_table("CASED", texts["CASED"], cased)
        + python_table("CASE_IGNORABLE", texts["CASE_IGNORABLE"], ignorable)
        + python_table("DECIMAL_ZEROS", texts["DECIMAL_ZEROS"], zeros)
        + python_table("WORDS", texts["WORDS"], words)
        + python_table("PLAIN", texts["PLAIN"], plain_pairs),
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()

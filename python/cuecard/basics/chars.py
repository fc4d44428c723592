"""Functions on characters: lower case, white space, decimal digits (SPEC 2)."""

# U+0009 to U+000D, U+001C to U+0020, and all further characters of the bidirectional classes WS, B and S
# and of the general category Zs.
WHITESPACE = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
    "\u200a\u2028\u2029\u202f\u205f\u3000"
)
REPLACEMENT = "\ufffd"
SIGMA = "\u03a3"
MAX_SHOWN_CHARS = 40


def scrub(text: str) -> str:
    """Replace each lone surrogate of the text by U+FFFD (SPEC 1)."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join([REPLACEMENT if "\ud800" <= char <= "\udfff" else char for char in text])
    return text


def is_path(text: str) -> bool:
    """Whether a text can be the path of a file: calls of the system raise ValueError for any other."""
    try:
        return "\0" not in text and bool(text.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:
        return False


def fold(text: str) -> str:
    """The text in lower case, by the mappings in `assets/tables/characters.txt` (SPEC 2.1)."""
    if text.isascii():
        return text.lower()
    if SIGMA not in text:
        return text.translate(_lower_map())
    folded = []
    for position, char in enumerate(text):
        if char == SIGMA:
            folded.append("\u03c2" if _is_final(text, position) else "\u03c3")
        else:
            folded.append(char.translate(_lower_map()))
    return "".join(folded)


def read_whole(text: str, most: int, *, least: int = 0) -> int | None:
    """The integer from `least` to `most` that a text spells in its shortest form; None for any other text."""
    digits = text.removeprefix("-")
    # No file of ours has an integer with more digits, and Python refuses to read very long ones.
    is_short = digits.isascii() and digits.isdigit() and len(digits) <= 20
    return int(text) if is_short and str(int(text)) == text and least <= int(text) <= most else None


def decimal_digit(char: str) -> int | None:
    """The value of a decimal digit of any script; None if the character is no decimal digit (SPEC 2.3)."""
    from .tables import read_numbers

    point = ord(char)
    for zero in read_numbers("characters", "decimal_zeros"):
        if zero <= point <= zero + 9:
            return point - zero
    return None


_lower: dict[int, int | str] = {}


def _lower_map() -> dict[int, int | str]:
    if not _lower:
        from .tables import read_rows

        for first, last, step, delta in read_rows("characters", "lower_runs"):
            for point in range(first, last + 1, step):
                _lower[point] = point + delta
        _lower[0x130] = "i\u0307"
    return _lower


def _is_final(text: str, position: int) -> bool:
    """Whether the sigma at `position` ends a word: a cased character precedes it, and no cased character follows."""
    from .tables import read_rows

    def meets_cased(chars: str) -> bool:
        for char in chars:
            if not within(read_rows("characters", "case_ignorable"), ord(char)):
                return within(read_rows("characters", "cased"), ord(char))
        return False

    return meets_cased(text[:position][::-1]) and not meets_cased(text[position + 1 :])


def within(ranges: tuple[tuple[int, ...], ...], point: int) -> bool:
    """Whether the code point is in one of the ranges (first, last, both inclusive), which are sorted."""
    low, high = 0, len(ranges)
    while low < high:
        middle = (low + high) // 2
        if ranges[middle][1] < point:
            low = middle + 1
        else:
            high = middle
    return low < len(ranges) and ranges[low][0] <= point


def first_line(text: str) -> str:
    """The first 40 characters of a text on one line, with `...` if the text is longer.

    Control characters and backticks become spaces.
    """
    begin = text[:MAX_SHOWN_CHARS]
    shown = "".join([" " if char < " " or char in "\x7f`" else char for char in begin])
    return shown + "..." if len(text) > MAX_SHOWN_CHARS else shown


def whole_lines(data: "bytes | None") -> list[str]:
    """The lines of a text in UTF-8 in which each line has its line feed; none for any other bytes."""
    try:
        *lines, rest = (data or b"").decode().split("\n")
    except UnicodeDecodeError:
        return []
    return [] if rest else lines

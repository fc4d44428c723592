"""Compares the commands of a script with a command that a memory forbids (SPEC 40.3)."""

from .shell_commands import program_of

# The maximal number of letters behind one hyphen that count as options of one letter.
MAX_LETTERS = 4


def is_forbidden(words: list[str], forbidden: str) -> bool:
    """Whether a command, given as its words, is a forbidden one: it has its program, begins with its other words, and
    has its options in any place."""
    wanted = forbidden.split(" ")
    options = [word for word in wanted if _is_option(word)]
    plain = [word for word in wanted if not _is_option(word)]
    if not plain or not words or not _is_program(words[0], plain[0]):
        return False
    rest = words[1:]
    named = rest[: rest.index("--")] if "--" in rest else rest
    return _begins_with(rest, plain[1:]) and all(_has_option(named, option) for option in options)


def _is_option(word: str) -> bool:
    return len(word) > 1 and word[0] == "-"


def _is_program(word: str, program: str) -> bool:
    """Whether a word starts this program, in any folder and in any version (`pip3`, `/usr/bin/git`, `npm.exe`)."""
    found, wanted = program_of(word), program_of(program)
    return wanted != "" and wanted in (found, found.rstrip("0123456789."))


def _begins_with(words: list[str], wanted: list[str]) -> bool:
    """Whether the first words that are neither options nor their values are these.

    A word behind an option may be its value.
    """
    place, is_behind_option = 0, False
    for word in words:
        if place == len(wanted):
            return True
        if _is_option(word) or word[:1] == "+":
            is_behind_option = _is_option(word) and "=" not in word
        elif word == wanted[place]:
            place, is_behind_option = place + 1, False
        elif is_behind_option:
            is_behind_option = False
        else:
            return False
    return place == len(wanted)


def _has_option(words: list[str], option: str) -> bool:
    """Whether some words have an option: as it is, with a value, or as letters among others (`-rf` in `-r -fv`)."""
    has_value = option[:2] == "--"
    if any(word == option or (has_value and word.startswith(f"{option}=")) for word in words):
        return True
    wanted = _letters_of(option)
    return wanted != "" and set(wanted) <= set("".join(map(_letters_of, words)))


def _letters_of(word: str) -> str:
    """The letters of a word such as `-rf`; "" for any other word."""
    letters = word[1:]
    is_short = word[:1] == "-" and 0 < len(letters) <= MAX_LETTERS and letters.isascii() and letters.isalpha()
    return letters if is_short else ""

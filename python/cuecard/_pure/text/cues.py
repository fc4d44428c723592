"""Finds the cues of a prompt: properties that its words show, such as `asks_how` (SPEC 26.1)."""

from itertools import groupby

from ...basics.chars import WHITESPACE, fold
from ...basics.tables import find_row, read_words
from .full_forms import full_forms
from .letters import HANGUL, LETTER, SEPARATOR, classify

CUES = (
    "asks_how",
    "asks_why",
    "asks_what",
    "asks_yes_no",
    "edit",
    "tool_prefix",
    "error",
    "continues",
    "refers",
    "chat",
    "asks_past",
)
# Only this many characters are read: people who paste a log ask their question before it.
MAX_CHARS = 4096
QUESTION_MARKS = "?\uff1f"
# Marks that end a sentence where white space or nothing follows them.
SENTENCE_MARKS = ".!?\u3002\uff01\uff1f"
APOSTROPHES = "'\u2019"
PREFIX_CHARS = "_.+-#"
MAX_PREFIX = 40
# The HTTP status codes that mean an error.
ERROR_CODES = range(400, 600)

_SEPARATE = {point: " " for point in range(128) if not chr(point).isalnum()} | {ord("'"): None}


def find_cues(prompt: str) -> list[str]:
    """Return the cues that a prompt has, in the order of `CUES`."""
    prompt = prompt[:MAX_CHARS]
    words = split_words(prompt)
    text = _join(words)
    begin = 0
    while begin < len(words) and words[begin] in _table("openers"):
        begin += 1
    asks_how, asks_why = _has(text, _table("asks_how")), _has(text, _table("asks_why"))
    asks_what = _has(text, _table("asks_what"))
    has_mark = _has(prompt, QUESTION_MARKS)
    held = (
        asks_how,
        asks_why,
        asks_what,
        text.startswith(_table("asks_yes_no_start"))
        or (_ends_as_question(words, text, has_mark) and not (asks_how or asks_why or asks_what)),
        _join(words[begin:]).startswith(_table("edit_first")) or _asks_for_chore(words),
        _has_tool_prefix(prompt),
        _is_error(words, text),
        _has(text, _table("continues"))
        or text.startswith(_table("continues_start"))
        or text.endswith(_table("continues_last")),
        _has(text, _table("refers")),
        all(word in _table("chat") for word in words),
        _has(text, _table("asks_past")),
    )
    return [cue for cue, holds in zip(CUES, held, strict=True) if holds]


def general_words(prompt: str) -> tuple[int, int, bool]:
    """Return the number of words in a prompt, the weight of its general words, and whether it has a question mark.

    The weight is in units of 1/1024. A weight above 0 means that the prompt probably needs no memory (SPEC 28.1).
    """
    prompt = prompt[:MAX_CHARS]
    words = split_words(prompt)
    weights = [find_row("gate", "general_words", word) for word in dict.fromkeys(words)]
    return len(words), sum([int(weight) for weight in weights if weight]), _has(prompt, QUESTION_MARKS)


def count_sentences(prompt: str) -> int:
    """Return the number of places in a prompt where a sentence or a line ends (SPEC 28.1)."""
    prompt = prompt[:MAX_CHARS]
    return sum(
        [
            char not in WHITESPACE and (after == "\n" or (char in SENTENCE_MARKS and after in WHITESPACE))
            for char, after in zip(prompt, prompt[1:] + "\n", strict=False)
        ]
    )


def split_words(text: str) -> list[str]:
    """Return the runs of letters and digits in a text, in lower case. A run also ends where the script changes."""
    text = fold(full_forms(text))
    if text.isascii():
        return text.translate(_SEPARATE).split()
    table: dict[int, str | None] = dict(_SEPARATE)
    for char in set(text):
        if char >= "\x80" and classify(char) == SEPARATOR:
            table[ord(char)] = None if char in APOSTROPHES else " "
    words: list[str] = []
    for run in text.translate(table).split():
        words += [run] if run.isascii() else _split_scripts(run)
    return words


def _kind_of(char: str) -> str:
    return LETTER if char < "\x80" else classify(char)


def _split_scripts(run: str) -> list[str]:
    if min(run) >= "\uac00" and max(run) <= "\ud7a3":
        return [run]
    return ["".join(piece) for _kind, piece in groupby(run, _kind_of)]


def _join(words: list[str]) -> str:
    """Return the words with a `+` before and after each word, which is the form of the entries in the tables."""
    return "+" + "".join([word + "+" for word in words])


def _table(name: str) -> tuple[str, ...]:
    return read_words("cues", name)


def _has(text: str, needles: tuple[str, ...] | str) -> bool:
    return any(needle in text for needle in needles)


def _ends_as_question(words: list[str], text: str, has_mark: bool) -> bool:
    """Whether the last word has an ending that makes the prompt a question, as in Korean."""
    if text.endswith(_table("asks_yes_no_last")):
        return True
    last = words[-1] if words else ""
    if has_mark and last.endswith(_table("question_marked")):
        return True
    return last.endswith(_table("question_endings")) and last not in _table("question_endings")


def _asks_for_chore(words: list[str]) -> bool:
    """Whether a Korean prompt asks for a chore: its last two Hangul words name the chore and ask for it."""
    tail, count = "", 0
    for word in reversed(words):
        if _kind_of(word[0]) == HANGUL and count < 2:
            tail, count = word + tail, count + 1
    return tail.endswith(_table("asks_for")) and _has(tail, _table("chores"))


def _has_tool_prefix(prompt: str) -> bool:
    """Whether a prompt begins with a name, an optional second word in lower case, a colon and white space."""
    before, colon, behind = prompt.lstrip(WHITESPACE).partition(":")
    if not colon or not behind or behind[0] not in WHITESPACE or not before or len(before) > MAX_PREFIX:
        return False
    if not before.isascii() or _is_error(words := split_words(before), _join(words)):
        return False
    name, blank, second = before.partition(" ")
    is_name = bool(name) and all(char.isalnum() or char in PREFIX_CHARS for char in name)
    return is_name and (not blank or (second.isalpha() and second.islower()))


def _is_error(words: list[str], text: str) -> bool:
    if _has(text, _table("error")):
        return True
    return any(len(word) == 3 and word.isascii() and word.isdigit() and int(word) in ERROR_CODES for word in words)

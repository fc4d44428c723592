"""The gist of a memory: one sentence that its author wrote as the gist, or a sentence from its texts (SPEC 32)."""

from ...basics.chars import WHITESPACE
from ...basics.json_reader import object_in, read_json_object
from ...basics.tables import read_words
from ..text import hangul
from ..text.letters import HANGUL, LETTER
from ..text.stem import stem
from ..text.term_words import STOP_WORDS, is_weak_word
from ..text.terms import hangul_word, kind_of, lower_ascii, split_chunks

# The most characters of a gist that the writer gave, and of a gist that is found.
MAX_GIVEN_CHARS = 200
MAX_CHARS = 160
# The most characters of a memory's texts that are searched for a gist.
MAX_TEXT_CHARS = 2000

# For each category, the content fields that are searched first; the others follow in their order.
FIELDS = {
    "session_summary": ("goal", "completed", "next_actions", "key_changes", "in_progress", "blockers"),
    "decision": ("decision", "rationale", "context", "consequences", "alternatives"),
    "runbook": ("trigger", "symptoms", "root_cause", "steps", "verification", "environment"),
    "constraint": ("rule", "impact", "workarounds"),
    "tech_debt": ("description", "reason_deferred", "impact", "suggested_fix", "acceptance_criteria"),
    "preference": ("value", "topic", "reason", "examples"),
}
# Fields whose value is chosen from a fixed list.
LABELS = frozenset("active expires kind outcome priority severity status strength".split(" "))

# Texts that stand for something which nobody said. They are not shown.
PLACEHOLDERS = ("not stated", "not stated in the source")

# The points of a word; a weak word or a number has few, since it says little.
WORD, WEAK = 4, 1
# The first sentence with this many points is the gist.
ENOUGH = 16
SHORT_CHARS = 20

MARKERS = frozenset("- * + • >".split(" "))
CLOSERS = "\"'`)]}>*_\u2019\u201d\u00bb\u300d\u300f\uff09"
OPENERS = "\"'`([{<*_\u2018\u201c\u00ab"
# Characters that end a sentence without a blank behind them.
WIDE_ENDS = "\u3002\uff01\uff1f"
WIDE_CLOSERS = "\u300d\u300f\uff09"
ABBREVIATIONS = frozenset(read_words("words", "abbreviations"))
LINKS = ("http://", "https://", "www.")


def gist_of_file(data: bytes) -> str:
    """The gist of a memory file; "" if the file is not a JSON object."""
    return gist_of(read_json_object(data) or {})


def gist_of(record: dict[str, object]) -> str:
    """The gist of a memory, on one line; "" if the memory says no more than its title."""
    given = object_in(record, "cuecard").get("gist")
    if isinstance(given, str) and (words := _words(given)):
        return _shorten(" ".join(words), MAX_GIVEN_CHARS)
    title = record.get("title")
    known = {key for key, _ in _weighed(title)} if isinstance(title, str) else set()
    best, most = "", 0
    for text in _texts_to_read(record):
        for sentence, is_aside in _sentences(text):
            points = _points(sentence, known, is_aside)
            if points > most:
                best, most = sentence, points
            if points >= ENOUGH:
                return _shorten(best, MAX_CHARS)
    return _shorten(best, MAX_CHARS)


def _texts_to_read(record: dict[str, object]) -> list[str]:
    """The texts of the content, the fields of `FIELDS` first, up to `MAX_TEXT_CHARS`."""
    content, category = record.get("content"), record.get("category")
    texts: list[str] = []
    if isinstance(content, dict):
        first = FIELDS.get(category, ()) if isinstance(category, str) else ()
        others = [name for name in content if name not in first and name not in LABELS]
        for name in (*first, *others):
            _push_texts(content.get(name), texts)
    else:
        _push_texts(content, texts)
    left, read = MAX_TEXT_CHARS, []
    for text in texts:
        read.append(text if len(text) <= left else f"{text[:left]}\u2026")
        left -= len(text)
        if left <= 0:
            break
    return read


def is_placeholder(text: str) -> bool:
    """Whether a text only says that nobody has said anything."""
    return text.rstrip(".").lower() in PLACEHOLDERS


def _push_texts(value: object, texts: list[str]) -> None:
    if isinstance(value, str):
        texts += [] if is_placeholder(value.strip(WHITESPACE)) else [value]
    elif isinstance(value, list):
        for item in value:
            _push_texts(item, texts)
    elif isinstance(value, dict):
        for member in value.values():
            _push_texts(member, texts)


def _sentences(text: str) -> list[tuple[str, bool]]:
    """The sentences of a text, and whether each is an aside: a heading, a table row or code."""
    sentences: list[tuple[str, bool]] = []
    is_code = False
    for line in text.replace("\r", "\n").split("\n"):
        words = _words(_part_wide(line))
        if words and words[0].startswith(("```", "~~~")):
            is_code = not is_code
            continue
        begin, is_aside = 0, is_code or words[:1] == ["|"]
        while begin < len(words) and _is_marker(words[begin]):
            is_aside = is_aside or words[begin][0] == "#"
            begin += 1
        for place in range(begin, len(words)):
            if place + 1 == len(words) or ends_sentence(words[place]):
                sentences.append((" ".join(words[begin : place + 1]), is_aside))
                begin = place + 1
    return sentences


def _words(text: str) -> list[str]:
    for char in WHITESPACE:
        if char in text:
            text = text.replace(char, " ")
    return [word for word in text.split(" ") if word]


def _part_wide(line: str) -> str:
    """The line with a blank behind each wide sentence end."""
    for end in WIDE_ENDS:
        if end in line:
            line = line.replace(end, f"{end} ")
            for closer in WIDE_CLOSERS:
                line = line.replace(f"{end} {closer}", f"{end}{closer} ")
    return line


def _is_marker(word: str) -> bool:
    """Whether the first word of a line marks a list item, a heading or a quotation."""
    number = word[:-1]
    return (
        word in MARKERS
        or not word.strip("#")
        or (word[-1] in ".)" and 0 < len(number) < 4 and number.isascii() and number.isdigit())
    )


def ends_sentence(word: str) -> bool:
    """Whether a sentence ends with this word."""
    word = word.rstrip(CLOSERS)
    return word.endswith(("!", "?", *WIDE_ENDS)) or (word.endswith(".") and not _is_abbreviation(word[:-1]))


def _is_abbreviation(word: str) -> bool:
    """Whether a dot behind `word` belongs to the word, as with known abbreviations, single letters and `e.g`."""
    word = word.lstrip(OPENERS)
    if not word.isascii():
        return False
    return word.lower() in ABBREVIATIONS or all(len(part) == 1 and part.isalpha() for part in word.split("."))


def _points(sentence: str, known: set[str], is_aside: bool) -> int:
    """The points of a sentence for words that are not in `known`."""
    told, points = set(known), 0
    for word, of_word in _weighed(sentence):
        if word not in told:
            told.add(word)
            points += of_word
    if is_aside or sentence.endswith(":"):
        points //= 4
    return points // 2 if len(sentence) < SHORT_CHARS else points


def _weighed(text: str) -> list[tuple[str, int]]:
    """The meaningful words of a text, with their points; web addresses are skipped."""
    if any(link in text for link in LINKS):
        text = " ".join([word for word in text.split(" ") if not word.lstrip(OPENERS).startswith(LINKS)])
    weighed = []
    for chunk in split_chunks(text):
        kind = kind_of(chunk)
        if kind == LETTER:
            word = lower_ascii(chunk)
            if len(word) > 1 and word not in STOP_WORDS:
                weighed.append((stem(word), WEAK if word[0] in "0123456789" or is_weak_word(word) else WORD))
        elif kind == HANGUL:
            if word := hangul_word(chunk):
                weighed.append((word, WEAK if hangul.is_weak_word(chunk) else WORD))
        else:
            weighed.append((chunk, WORD * ((len(chunk) + 2) // 3)))
    return weighed


def _shorten(text: str, limit: int) -> str:
    """The text, cut at a word with an ellipsis if it is longer than `limit`."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    place = head.rfind(" ")
    if text[limit - 1] != " " and place >= limit // 2:
        head = head[:place]
    return head.rstrip(" ,;:-(\u2013\u2014") + "\u2026"

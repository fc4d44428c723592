"""Makes titles for imported memories: at most 120 characters, without markup, that state the content.

Rules: docs/reference/import.md, "Instructions".
"""

import re
from collections.abc import Iterator

from ..basics.time_limit import check_time
from ..store.records.record_limits import MAX_TITLE_CHARS
from .markup.markdown import without_markup

# An abbreviation that ends a text, with the characters before it that decide where its word begins.
MAX_ABBREVIATION_CHARS = 10
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|resp|no|fig|dr|mr|st)|\b[A-Z])\.$", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?。](?:[\"')\]]*)(?=\s+\S)|[\u3002]")
_PICTOGRAPHS = re.compile("[\u2300-\u23ff\u25a0-\u27bf\u2b00-\u2bff\ufe0f\U0001f000-\U0001faff]+")
_MARKED = re.compile(f"{_PICTOGRAPHS.pattern}\\s*")
_NUMBER = re.compile(r"^(?:\d{1,3}(?:\.\d{1,3})*[.):]?|step \d+[.:]?|[ivx]{1,4}[.)])\s+", re.IGNORECASE)
# What is markup in a heading that is put in front of a text with markup.
_MARKS = re.compile(r"[<\\`*_\[\]]")
# A weaker end, where what follows is added and no condition.
_ADDITION = re.compile(r",?\s(?:and|so|by|using|via|as well as|since|while|rather than|instead of)\s")
_CLAUSE_END = re.compile(r"\s+[-\u2013\u2014]\s|[;:(,]\s|\s\(|\s(?:because|so that|which|unless|e\.g\.)\s")
# The strongest end, behind which a shorter title may be cut.
_DASH = re.compile(r"\s[-\u2013\u2014]\s|;\s")
# Words behind a cut without which the title would say more than the text: in a prohibition, and in any sentence.
_NARROWS_BAN = re.compile(
    r"\b(?:unless|except|without|if|when|until|via|using|by|other than|outside|alone|only)\b", re.IGNORECASE
)
_NARROWS = re.compile(r"\b(?:unless|except)\b", re.IGNORECASE)
_BAN = re.compile(r"\b(?:never|not|no|avoid|cannot|nothing|none)\b|n['\u2019]t\b", re.IGNORECASE)
_EXPLAINS = re.compile(r"\b(?:because|so that|since|which|e\.g\.)|\s[-\u2013\u2014]\s|[;:.]\s", re.IGNORECASE)
MIN_PHRASE_CHARS = 20
# A title that is cut at a clause must have at least this many characters.
MIN_CLAUSE_CHARS = 30
MIN_ADDED_CHARS = 45
# A sentence with this many words can do without a heading in front.
MIN_SENTENCE_WORDS = 6
_CONDITION = re.compile(
    r"(?:[^:]{1,60}: ){0,3}(?:if|when|whenever|before|after|while|unless|once|in|for|to|during|because|beyond|besides"
    r"|apart from|considering|given)\b",
    re.IGNORECASE,
)
# The rest of a list of things behind one of its commas: `, Greptile, or Codex comment on it`.
_GOES_ON = re.compile(r",\s(?:[^,.;:]{1,40},\s)*?(?:[^,.;:]{1,40},\s)(?:and|or)\s|,\s(?:and|or)\s(?P<last>)")
# The first of two adjectives: `an experimental, internal binary`.
_ADJECTIVE = re.compile(r"\b(?:an?|the) [\w-]+(?:al|ed|ing|ive|ous|ic|able|ible|ful|less|small|large|new|single)$")
MAX_THING_CHARS = 40
MAX_PLAIN_CHARS = 2000
_IS_OVER = re.compile(
    r"\b(?:deprecated|obsolete|superseded)\W*$|^\W*(?:deprecated|obsolete|superseded)\b", re.IGNORECASE | re.MULTILINE
)
_NOT_MEANT = re.compile(
    r"^\W*(?:(?:explicit(?:ly)? )?(?:non|anti)[- ]?goals?|(?:explicitly |what is "
    r"|what's )?(?:out[- ]of[- ]scope|not in scope)"
    r"|not (?:goals|covered|included)|exclusions|what (?:this|it) (?:is|does) not\b.{0,30}|will not do"
    r"|won['\u2019]t do)\W*$",
    re.IGNORECASE,
)
# A title that ends with one of these words is incomplete, so the words are removed.
_DANGLING = re.compile(
    r"(?:\s+(?:with|the|an?|to|of|for|and|or|that|which|if|when|in|on|by|as|is|are|the following|from|at|into|not"
    r"|where|whenever|whether|until|than|via|per|explicitly state|explicitly"
    r"|such|like|using|including|rather|instead|each|every|any|all|both|only|also"
    r"|must|should|can|will|be|its|their|your|e\.g|i\.e))+$",
    re.IGNORECASE,
)


def sentences_of(text: str) -> Iterator[str]:
    """The sentences of a line, without the blanks between them; the whole line if it has no sentence end.

    Takes time in proportion to the length of the line.
    """
    begin = counted = 0
    marks = {"`": 0, '"': 0}
    for found in _SENTENCE_END.finditer(text):
        check_time()
        end = found.end()
        for mark in marks:
            marks[mark] += text.count(mark, counted, end)
        counted = end
        # A point in code, in a quotation or in an abbreviation does not end a sentence.
        is_inside = any(count % 2 for count in marks.values())
        if is_inside or _ABBREVIATION.search(text[max(begin, end - MAX_ABBREVIATION_CHARS) : end]):
            continue
        yield text[begin:end].strip() if begin else text[:end]
        begin = end
        marks = dict.fromkeys(marks, 0)
    rest = text[begin:].strip() if begin else text
    if rest:
        yield rest


def first_sentence_of(text: str) -> str:
    """The first sentence of a line; the whole line if it has no sentence end."""
    return next(sentences_of(text), text)


def clean_heading(heading: str) -> str:
    """A heading as plain words: without markup, pictographs, number and closing marks."""
    words = " ".join(_PICTOGRAPHS.sub(" ", without_markup(heading)).split())
    return _NUMBER.sub("", words, count=1).strip(" :=#*\u00b7\u2013\u2014-") or words


def is_left_out_below(heading: str) -> bool:
    """Whether a heading says that what is below it does not belong to the matter: `Non-goals`, `Out of scope`."""
    return bool(_NOT_MEANT.match(heading))


def is_over(titles: str) -> bool:
    """Whether a title, or one of several on lines of their own, says that what is below it does not hold any more."""
    return bool(_IS_OVER.search(titles))


def without_pictographs(text: str) -> str:
    """A text without emoji and similar signs, and without the blanks behind them."""
    return _MARKED.sub("", text)


def make_title(text: str, before: str = "", least: int = MIN_CLAUSE_CHARS) -> str:
    """The first sentence of a text, with `before: ` in front if `before` is given.

    A title that is too long is cut at the end of a clause behind `least` characters, else after a word.
    """
    line = _PICTOGRAPHS.sub(" ", without_markup(first_sentence_of(" ".join(text[:MAX_PLAIN_CHARS].split()))))
    is_open = line.rstrip().endswith(":")
    line = " ".join(line.split()).strip().rstrip(" .:;,!\u3002").removeprefix("[ ] ").removeprefix("[x] ")
    line = _DANGLING.sub("", line) if is_open else line
    title = f"{before}: {line}" if before and line else line or before
    if before and line and len(title) > MAX_TITLE_CHARS:
        # Shorten the heading before the sentence.
        before = before.rpartition(": ")[2]
        title = f"{before}: {line}"
        is_list = 2 * line.count(",") >= len(line.split())
        if len(title) > MAX_TITLE_CHARS >= len(line) and len(line.split()) >= MIN_SENTENCE_WORDS and not is_list:
            return line
    if len(title) <= MAX_TITLE_CHARS:
        return title
    inside = _inside_of_code(text)
    least += len(before)
    if _CONDITION.match(line):
        # The action follows the condition, so do not cut before it.
        ends = [found.start() for found in re.finditer(", ", line) if not _is_listed(line, found.start())]
        least = max(least, len(title) - len(line) + (ends[0] + 1 if ends else len(line)))
    short = max(least - MIN_CLAUSE_CHARS, 0) + MIN_PHRASE_CHARS
    passes = ((_CLAUSE_END, least), (_ADDITION, max(least, MIN_ADDED_CHARS)), (_DASH, short))
    for pattern, shortest in passes:
        ends = [end.start() for end in pattern.finditer(title) if shortest <= end.start() <= MAX_TITLE_CHARS]
        ends = [end for end in ends if not (_cuts_through(title, end, inside) or _is_listed(title, end))]
        at = max([end for end in ends if not _drops_condition(title, end)], default=0)
        cut = _DANGLING.sub("", title[:at].rstrip(" ,;:(-\u2013\u2014"))
        if at and cut.count("(") == cut.count(")"):
            return cut
    return shorten_words(title, MAX_TITLE_CHARS)


def is_open_end(title: str) -> bool:
    """Whether a title ends in the middle of a sentence, or has an unclosed bracket or quotation."""
    if title.endswith("\u2026"):
        return False
    words = title.rstrip()
    is_open = bool(_DANGLING.search(f" {words}")) and not words.isupper()
    return (
        is_open
        or words[-1:] in ",:;(\uff1a\uff1b\uff0c\u3001"
        or words.count("(") > words.count(")")
        or words.count('"') % 2 == 1
    )


def _drops_condition(title: str, at: int) -> bool:
    """Whether a title that is cut at a position says more than the text, because a condition stands behind the cut."""
    behind = _EXPLAINS.split(title[at:], maxsplit=1)[0]
    return bool((_NARROWS_BAN if _BAN.search(title[:at]) else _NARROWS).search(behind))


def _is_listed(line: str, at: int) -> bool:
    """Whether the comma at a position stands between the things of a list, such as `a, b, or c`."""
    if line[at] == "," and _ADJECTIVE.search(line[:at]):
        return True
    found = _GOES_ON.match(line, at)
    if not found:
        return False
    # `Keep it small, and test it`: one comma alone joins two clauses.
    return found["last"] is None or "," in line[max(0, at - MAX_THING_CHARS) : at]


def _inside_of_code(text: str) -> list[str]:
    """The code spans in a text that contain a blank. A title must not be cut within them."""
    return [code for code in re.findall(r"`([^`\n]{2,200})`", text[:MAX_PLAIN_CHARS]) if " " in code]


def _cuts_through(title: str, at: int, pieces: list[str]) -> bool:
    """Whether a position in a title is within code, brackets or a quotation. `pieces` are the code spans."""
    head = title[:at]
    if head.count("(") > head.count(")") or head.count('"') % 2:
        return True
    return any(start < at < start + len(piece) for piece in pieces for start in [title.find(piece)] if start >= 0)


def shorten_words(text: str, limit: int) -> str:
    """A line of at most `limit` characters, cut after a word, with an ellipsis if it was cut."""
    if len(text) <= limit:
        return text.rstrip(" .:;,")
    cut = text[: limit - 1].rpartition(" ")[0] or text[: limit - 1]
    if cut.count("(") > cut.count(")"):
        cut = cut.rpartition("(")[0] if len(cut.rpartition("(")[0]) > MIN_CLAUSE_CHARS else cut
    return _DANGLING.sub("", cut.rstrip(" ,;:(-.")) + "\u2026"


def listing_title(before: str, parts: list[str], mark: str = ", ") -> str:
    """The title `before: PART, PART` with as many parts as fit, each once. The first part is cut if it does not fit."""
    title = before
    named = {clean_heading(part): part for part in parts}
    for number, part in enumerate([part for part in named if part]):
        longer = f"{title}{': ' if number == 0 else mark}{part}"
        if len(longer) > MAX_TITLE_CHARS:
            head = _MARKS.sub(r"\\\g<0>", before)
            whole = f"{head}: {named[part]}" if head else named[part]
            return make_title(whole, least=len(before) + MIN_CLAUSE_CHARS) if number == 0 else title
        title = longer
    return title if len(title) <= MAX_TITLE_CHARS else make_title(title)

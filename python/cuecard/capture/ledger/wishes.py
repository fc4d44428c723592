"""Recognises the user's wishes to remember something, in many languages (docs/reference/ledger.md, point 7).

A wish is an order with a verb of remembering at the beginning of a clause, or at its end where the language puts the
verb there. What follows must state something. The words are in the table `capture_phrases`, and the tables named
`remember ...` are an upper bound for the prompt path (SPEC 30.5).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..._backend import join_words
from ...basics.tables import read_words

_SENTENCE = re.compile(r"(?:[.!?\u061f\u0964]+(?=\s|$)|[\u3002\uff01\uff1f]+|\n+)")
_CLAUSE = re.compile(r"([,;:\u2026](?=\s|$)|[\uff0c\uff1a\uff1b\u3001\u060c]|\s[-\u2013\u2014]+(?=\s|$))")
# What hosts put before the words, such as `[Image #1]`.
_BRACKETS = re.compile(r"^\s*(?:\[[^\]\n]{1,60}\]\s*)+")
_QUESTION_MARKS = ("?", "\uff1f", "\u061f")
_COMMAS = (",", "\uff0c", "\u3001", "\u060c")
# The most words before a place where something is to be kept: `save all of this to memory`.
MAX_KEPT_WORDS = 4
# In this many words before `we` or `about`, `that` may be the demonstrative: `that function we wrote`.
MAX_NAMED_WORDS = 3
# A statement has at least this many words, or is in a script without blanks.
MIN_WORDS = 2


@dataclass(frozen=True)
class _Clause:
    text: str
    """The words, each with `+` behind it."""
    mark: str
    """The mark that ends the clause within its sentence; "" at the end of the sentence."""
    following: str
    """The words of the rest of the sentence."""
    is_followed: bool
    """Whether the prompt goes on behind the mark or the sentence."""
    is_question: bool
    is_behind: bool
    """Whether it is a whole sentence, and not the first one of the prompt."""


def says_remember(own_words: str) -> bool:
    """Whether the user asks to remember something."""
    return any(map(_is_wish, _clauses(own_words)))


def _clauses(text: str) -> list[_Clause]:
    found: list[_Clause] = []
    begin = 0
    for end in [*_SENTENCE.finditer(text), None]:
        stop, behind = (end.start(), end.end()) if end else (len(text), len(text))
        sentence = _BRACKETS.sub("", text[begin:stop])
        pieces = _CLAUSE.split(sentence)
        words, marks = [_words(piece) for piece in pieces[::2]], [*map(str.strip, pieces[1::2]), ""]
        terminator = end.group() if end else ""
        is_question = any(mark in terminator for mark in _QUESTION_MARKS) or _ends(words[-1], "wish asks")
        is_followed = _words(text[behind:]) != ""
        for place, (clause, mark) in enumerate(zip(words, marks, strict=True)):
            following = "".join(words[place + 1 :])
            is_behind = len(words) == 1 and any(each.text for each in found)
            found.append(_Clause(clause, mark, following, bool(following) or is_followed, is_question, is_behind))
        begin = behind
    return found


def _is_wish(clause: _Clause) -> bool:
    text, is_polite = _without_leads(clause.text)
    if not text or (clause.is_question and not is_polite):
        return False
    is_durable = _has(clause.text[: len(clause.text) - len(text)], "wish always")
    rest = _behind(text, "remember")
    if rest is not None and _is_unwanted(rest + clause.following):
        return False
    if rest is not None and _states(rest, clause, text[: len(text) - len(rest)], is_durable=is_durable):
        return True
    rest = _behind_place(text)
    return rest == "" or _leads(rest) if rest is not None else _ends_with_verb(text)


def _states(rest: str, clause: _Clause, verb: str, *, is_durable: bool) -> bool:
    """Whether what stands behind the verb of a wish states something, or points to what was said."""
    object_behind = _behind(rest, "wish object")
    if object_behind is not None:
        object_behind = _behind(object_behind, "wish noun") or object_behind
        object_behind = "" if _behind(object_behind, "wish noun") == "" else object_behind
    behind_that = _behind(rest, "wish that")
    is_pointing = object_behind is not None or behind_that is not None
    is_weak = _is(verb, "wish weak")
    if "" in (object_behind, behind_that):
        return not is_weak
    if any(each is not None and _is_later(each) for each in (object_behind, behind_that, rest)):
        return is_pointing or (clause.mark != "" and clause.is_followed)
    if not rest and clause.mark == "":
        # `Keep this in mind` points to what was said, and so does `Remember.` behind another sentence.
        return not is_weak and (clause.is_behind or _has(verb, "wish object"))
    if not rest:
        return clause.is_followed and _follows(clause, verb, is_weak=is_weak)
    if behind_that is not None:
        return _is_statement(behind_that)
    if any(_behind(rest, table) is not None for table in ("wish product", "wish recall")):
        return False
    if is_weak:
        return is_durable or _has(rest, "wish always")
    either = _behind(rest, "wish that or to")
    if either is not None:
        return _claims(either)
    ordered = _behind(rest, "wish to")
    if ordered is not None:
        return is_durable or _has(ordered, "wish always")
    return _claims(object_behind or rest) or is_durable


def _follows(clause: _Clause, verb: str, *, is_weak: bool) -> bool:
    """Whether the words behind the mark after the verb state something."""
    text = clause.following
    if is_weak:
        return _has(text, "wish always")
    if clause.mark not in _COMMAS or (
        _is(verb, "wish comma") and (len(_split(text)) > MIN_WORDS or not text.isascii())
    ):
        return True
    return _leads(text) or _claims(text)


def _is_statement(text: str) -> bool:
    """Whether the words behind `that` are a statement, and not a noun to which `that` points."""
    words = _split(text)
    if len(words) < MIN_WORDS and text.isascii():
        return False
    named = "".join([f"+{word}" for word in words[1 : MAX_NAMED_WORDS + 1]]) + "+"
    is_named = any(phrase in named for phrase in read_words("capture_phrases", "wish demonstrative"))
    return not is_named or _claims(text) or _behind(text, "wish demonstrative") is not None


def _claims(text: str) -> bool:
    """Whether the words up to the next conjunction have a word of a statement."""
    ends = [place for phrase in read_words("capture_phrases", "wish end") if (place := f"+{text}".find(phrase)) > 0]
    main = text[: min(ends)] if ends else text
    return _has(main, "wish claim") or _has(main, "wish always")


def _leads(text: str) -> bool:
    """Whether the words begin with `that`, or say when they will be needed."""
    behind = _behind(text, "wish that")
    return bool(behind) or _is_later(text)


def _is_later(text: str) -> bool:
    """Whether the words only say when something will be needed."""
    while text and (behind := _behind(text, "wish later")) is not None:
        if not behind:
            return True
        text = behind
    return False


def _behind_place(text: str) -> str | None:
    """The words behind `save this to memory`; None if the words do not begin like that."""
    kept = _behind(text, "wish save")
    if kept is None:
        return None
    places = [(f"+{kept}".find(phrase), phrase) for phrase in read_words("capture_phrases", "remember place")]
    found = sorted([(place, -len(phrase)) for place, phrase in places if place >= 0])
    if not found:
        return None
    place, size = found[0]
    between = kept[: max(0, place)]
    if between and (_behind(between, "wish object") is None or len(_split(between)) > MAX_KEPT_WORDS):
        return None
    return kept[place - size - 1 :]


def _ends_with_verb(text: str) -> bool:
    """Whether the words end with an order to remember: `... 覚えておいて`."""
    joined = f"+{text}"
    for verb in read_words("capture_phrases", "remember anywhere"):
        place = joined.rfind(verb)
        if place >= 0 and not _is_unwanted(joined[:place] + "+"):
            rest = joined[place + len(verb) :].lstrip("+")
            while rest and (behind := _behind(rest, "wish ending")) is not None:
                rest = behind.lstrip("+")
            if not rest:
                return True
    return False


def _is_unwanted(text: str) -> bool:
    """Whether the user says that something is not to be kept."""
    joined = f"+{text}"
    places = [joined.find(phrase) for phrase in read_words("capture_phrases", "wish not")]
    found = [place for place in places if place >= 0]
    if not found:
        return False
    behind = joined[min(found) :]
    return _has(behind, "wish kept") and _has(behind, "wish object")


def _without_leads(text: str) -> tuple[str, bool]:
    """The words behind those that may stand before the verb, and whether these make an order of a question."""
    is_polite = False
    while text:
        behind = _behind(text, "wish polite")
        is_polite = is_polite or behind is not None
        behind = _behind(text, "wish lead") if behind is None else behind
        if behind is None or _behind(text, "remember") is not None:
            break
        text = behind
    return text, is_polite


def _behind(text: str, table: str) -> str | None:
    """The words behind the longest phrase of a table with which the words begin; None if there is none."""
    joined = f"+{text}"
    phrases = [f"+{phrase.lstrip('+')}" for phrase in read_words("capture_phrases", table)]
    sizes = [len(phrase) for phrase in phrases if joined.startswith(phrase)]
    return joined[max(sizes) :].lstrip("+") if sizes else None


def _is(words: str, table: str) -> bool:
    """Whether the words are a phrase of a table."""
    return words.strip("+") in [phrase.strip("+") for phrase in read_words("capture_phrases", table)]


def _ends(text: str, table: str) -> bool:
    return any(text.endswith(f"{phrase.rstrip('+')}+") for phrase in read_words("capture_phrases", table))


def _has(text: str, table: str) -> bool:
    joined = f"+{text}"
    return any(phrase in joined for phrase in read_words("capture_phrases", table))


def _words(text: str) -> str:
    joined = join_words(text)[1:]
    return joined if joined.strip("+") else ""


def _split(text: str) -> Sequence[str]:
    return [word for word in text.split("+") if word]

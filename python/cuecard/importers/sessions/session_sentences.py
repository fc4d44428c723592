"""Makes memories from single sentences of a session: the sentences that triage would select even without the rest.

Rules: docs/reference/import.md, "Transcripts".
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...basics.time_limit import check_time
from ...capture.ledger.quotes import find_quotes
from ...capture.triage.conversation import SENTENCE_END, Conversation, Message
from ...capture.triage.triage_patterns import CURRENT
from ...capture.triage.triage_scoring import Activity, TriageLine, score_lines, without_code
from ...capture.triage.triage_settings import TriageSettings
from ...store.records.record_file import Fields
from ..draft import NOT_STATED, ImportedDraft, shorten
from ..markup.markdown import plain
from .standalone_sentence import stands_alone

KIND = "transcript"
TAG = "backfill"
# Low, because nobody has judged whether the sentence is worth a memory and is still true.
CONFIDENCE = 0.3
AROUND_LINES = 4
MAX_PER_CATEGORY, MAX_PER_SESSION = 2, 4
# A longer message was probably pasted, so it is not the user's own text.
MAX_TYPED_CHARS = 1500
MAX_HEADING_CHARS, MAX_ASIDE_CHARS, MAX_CONTEXT_CHARS = 80, 300, 700
_NOTHING_DONE = Activity()
_UNCOUNTED = TriageLine("", ("",))
# Matches list marks, heading marks, table marks, item numbers and checkboxes.
_LEADING = re.compile(r"^(?:[^\w`\"'(\[]|\d{1,3}[.)]\s|\[[ xX]\])+")
_REASON = re.compile(
    r"\b(?:because|since|due to|so that|as otherwise)\b[:,]?\s*(.+)|(.+?)(?:\s*때문|[으이]?므로|\s*이유로)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class SessionLine:
    """A line of a session."""

    line: TriageLine
    """The line as triage reads it, without code."""
    text: str
    """The line as it was written."""
    message: int
    """The number of the line's message in the session."""


@dataclass(frozen=True)
class Find:
    """A sentence that becomes a memory."""

    category: str
    sentence: str
    place: int
    """The number of the sentence's line in the session, from 0."""
    score: float
    is_typed: bool


def find_drafts(conversation: Conversation, settings: TriageSettings, path: str, date: str) -> list[ImportedDraft]:
    """Up to `MAX_PER_SESSION` memories, in the order of the session. Sentences of the user are preferred."""
    session_lines = list(_read_session_lines(conversation))
    finds = sorted(_find(session_lines, settings), key=lambda find: (not find.is_typed, -find.score, -find.place))
    kept: list[Find] = []
    for find in finds:
        same = [other for other in kept if other.category == find.category]
        is_new = all(find.sentence != other.sentence and find.place != other.place for other in kept)
        if is_new and len(same) < MAX_PER_CATEGORY and len(kept) < MAX_PER_SESSION:
            kept.append(find)
    drafts = [_draft(find, session_lines, path, date) for find in sorted(kept, key=lambda find: find.place)]
    return list({draft.heading: draft for draft in drafts}.values())


def _read_session_lines(conversation: Conversation) -> Iterator[SessionLine]:
    messages = conversation.messages
    for number, message in enumerate(messages):
        is_last_word = number + 1 == len(messages) or messages[number + 1].is_typed
        for place, text in enumerate(message.texts):
            is_counted = is_last_word and place + 1 == len(message.texts)
            if message.is_typed:
                is_counted = len(text) <= MAX_TYPED_CHARS
            own = _without_quotes(text) if message.is_typed else text
            said: dict[str, list[str]] = {}
            for own_line, line in zip(own.split("\n"), text.split("\n"), strict=True):
                said.setdefault(without_code(own_line), []).append(line if own_line.strip() else "")
            for triage_line in Conversation([Message(message.is_typed, [own])]).lines():
                whole = said.get(triage_line.text)
                text_as_said = whole.pop(0) if whole else triage_line.text
                check_time()
                yield SessionLine(triage_line if is_counted else _UNCOUNTED, text_as_said, number)


def _without_quotes(text: str) -> str:
    """The user's own words: the text without what is quoted from others. It has as many lines."""
    own, place = [], 0
    for begin, end in find_quotes(text):
        own += [text[place:begin], "\n" * text.count("\n", begin, end)]
        place = end
    return "".join([*own, text[place:]])


def _find(session_lines: Sequence[SessionLine], settings: TriageSettings) -> Iterator[Find]:
    """The sentences that reach the threshold of a category without other sentences."""
    lines = [each.line for each in session_lines]
    for score in score_lines(lines, _NOTHING_DONE, CURRENT):
        if score.category in settings.left_out:
            continue
        threshold = settings.thresholds[score.category]
        for place in score.line_numbers if score.score >= threshold else ():
            typed = lines[place].is_typed
            for said, part in _parts(session_lines, place, score.category):
                weight = _score(part, score.category)
                if weight >= threshold and stands_alone(said, score.category, typed):
                    yield Find(score.category, said, place, weight, typed)
                    break


def _parts(session_lines: Sequence[SessionLine], place: int, category: str) -> Iterator[tuple[str, TriageLine]]:
    """Each sentence of a line, and each pair of adjacent sentences: as written, and as triage reads it.

    For runbooks, also the line together with the next line of the same message, since cause and fix may be on two
    lines.
    """
    line, text = session_lines[place].line, session_lines[place].text
    said = SENTENCE_END.split(text)
    if len(said) != len(line.sentences):
        said = [text] if len(line.sentences) == 1 else list(line.sentences)
    for count in (1, 2):
        for at in range(len(said) - count + 1):
            sentences = line.sentences[at : at + count]
            yield (
                " ".join(map(_cleaned, said[at : at + count])),
                TriageLine(" ".join(sentences), sentences, line.is_typed),
            )
    if category == "runbook":
        below = [each for each in session_lines[place + 1 : place + 3] if each.message == session_lines[place].message]
        lines = [session_lines[place], *[each for each in below if each.line.text.strip()][:1]]
        sentences = tuple([sentence for each in lines for sentence in each.line.sentences])
        yield (
            " ".join([_cleaned(each.text) for each in lines]),
            TriageLine(" ".join(sentences), sentences, line.is_typed),
        )


def _score(line: TriageLine, category: str) -> float:
    return next(each.score for each in score_lines([line], _NOTHING_DONE, CURRENT) if each.category == category)


def _cleaned(text: str) -> str:
    return _LEADING.sub("", " ".join(plain(text).split()))


def _draft(find: Find, session_lines: Sequence[SessionLine], path: str, date: str) -> ImportedDraft:
    sentence, aside = find.sentence, _aside(find, session_lines)
    reason = _REASON.search(sentence)
    why = (reason.group(1) or reason.group(2)).strip(" ,.") if reason else ""
    unstated = f"said beside it: {aside}" if aside else NOT_STATED
    content: Fields
    if find.category == "decision":
        content = {"status": "accepted", "context": aside or NOT_STATED, "decision": sentence}
        content["rationale"] = [why or NOT_STATED]
    elif find.category == "runbook":
        content = {"trigger": aside or sentence, "steps": [sentence], "verification": NOT_STATED}
    elif find.category == "constraint":
        content = {"kind": "technical", "rule": sentence, "impact": [unstated], "severity": "low", "active": True}
    elif find.category == "tech_debt":
        content = {"status": "open", "priority": "low", "description": sentence, "reason_deferred": why or unstated}
    else:
        strength = "default" if find.is_typed else "soft"
        content = {"topic": sentence, "value": sentence, "reason": why or unstated, "strength": strength}
    heading = f"{find.category}: {shorten(sentence, MAX_HEADING_CHARS)}"
    return ImportedDraft(find.category, sentence, content, KIND, path, heading, (TAG,), (), date, confidence=CONFIDENCE)


def _aside(find: Find, session_lines: Sequence[SessionLine]) -> str:
    """The text around a sentence: the rest of its line, and the nearest line before and after it with text."""
    line = [_cleaned(part) for part in SENTENCE_END.split(session_lines[find.place].text)]
    beside = [part for part in line if part not in find.sentence]
    before = [_cleaned(each.text) for each in session_lines[max(0, find.place - AROUND_LINES) : find.place]]
    # Only lines of the same message: later messages of the session must not change what was already read.
    next_lines = [
        each
        for each in session_lines[find.place + 1 : find.place + 1 + AROUND_LINES]
        if each.message == session_lines[find.place].message
    ]
    behind = [_cleaned(each.text) for each in next_lines]
    around = [
        *[text for text in before if text][-1:],
        *beside,
        *[text for text in behind if text and text not in find.sentence][:1],
    ]
    return shorten(" ".join([shorten(part, MAX_ASIDE_CHARS) for part in around]), MAX_CONTEXT_CHARS)

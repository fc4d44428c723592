"""Writes ledger entries as text for an agent, in as much detail as a budget allows.

Rules: docs/reference/ledger.md, point 10.

Each entry has a budget of its own, so that one long prompt does not push the others out. What the user did not type is
marked as such, and left out if it has instruction signs (SPEC 46).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..._backend import engine, estimate_tokens, remove_hidden
from .ledger_lines import Entry
from .weights import MOST, weight_of

# The most characters of a prompt at each level of detail, the highest level first.
PROMPT_CHARS = (2400, 1600, 1100, 800, 600, 450, 320, 240, 160)
# The shares of these characters for an agent's message that a prompt answers, for another message, and for a quotation.
ANSWERED_SHARE, AGENT_SHARE, QUOTATION_SHARE = 0.5, 0.2, 0.2
# The share for a prompt that states nothing that holds for longer: a question, a task, a paste.
PASSING_SHARE = 0.4
# A cut text has this share of its characters from its beginning, and the others from its end.
BEGINNING_SHARE = 0.6
# A shorter message says nothing, and is left out instead. A quotation never has fewer characters.
MIN_AGENT_CHARS, MIN_QUOTATION_CHARS = 80, 60
# A prompt up to this length may be understood only together with the message that it answers.
MAX_SHORT_CHARS = 80
WHOLE_CHARS = 1 << 30
# The importance of a heading. That of an entry is its weight.
HEADING = MOST + 1
CUT = " [...] "
# Stands for a text that the user did not type and that has instruction signs.
LEFT_OUT = "(left out: it addresses the model, its tools or secrets)"
_NOTES = {
    "answers_choice": "answers a choice",
    "refusal": "refuses a tool",
    "interrupts": "after stopping the agent",
    "apology": "apologises",
}
_SHOWN = str.maketrans({"`": "'", "&": "&amp;", "<": "&lt;", ">": "&gt;", "\t": " "})


@dataclass(frozen=True)
class SessionEntries:
    """The entries of a session that an agent is asked about."""

    session: str
    entries: Sequence[Entry]


@dataclass(frozen=True)
class _Row:
    """One or more lines of the text: a heading, or an entry."""

    text: str
    importance: int
    """The rows with the lowest importance are left out first."""


def render_within(sessions: Sequence[SessionEntries], max_tokens: int) -> tuple[str, int]:
    """The entries in at most `max_tokens` estimated tokens, and the number of characters that are left out."""
    whole = render_whole(sessions)
    rows: list[_Row] = []
    for chars in PROMPT_CHARS:
        rows = list(_rows(sessions, chars))
        text = _join(rows)
        if estimate_tokens(text) <= max_tokens:
            return text, len(whole) - len(text)
    sizes = [estimate_tokens(row.text) + 1 for row in rows]
    # The less important rows go first, and of these the oldest.
    order = sorted(range(len(rows)), key=lambda place: (rows[place].importance, place))
    left = sum(sizes)
    dropped = set()
    for place in order:
        if left <= max_tokens:
            break
        dropped.add(place)
        left -= sizes[place]
    text = _join([row for place, row in enumerate(rows) if place not in dropped])
    return text, len(whole) - len(text)


def render_whole(sessions: Sequence[SessionEntries], before: int = 0) -> str:
    """All entries in full, for the file that the agent may read. The first prompt gets the number `before` + 1."""
    return _join(list(_rows(sessions, WHOLE_CHARS, before)))


def _join(rows: Sequence[_Row]) -> str:
    return "".join([f"{row.text}\n" for row in rows])


def _rows(sessions: Sequence[SessionEntries], chars: int, before: int = 0) -> Iterator[_Row]:
    number = before
    for each in sessions:
        name, day = each.session and f"session {each.session}", ""
        for place, entry in enumerate(each.entries):
            if name or entry.get("day", day) != day:
                day = entry.get("day", "")
                yield _Row(f"-- {', '.join(filter(None, (name, day)))} --", HEADING)
                name = ""
            number += entry["k"] == "prompt"
            following = next((other for other in each.entries[place + 1 :] if other["k"] in ("prompt", "agent")), None)
            text = _text_of(entry, number, chars, following)
            if text:
                yield _Row(text, _importance(entry, following))


def _importance(entry: Entry, following: Entry | None) -> int:
    if entry["k"] == "agent":
        return 1 if _needs_agent(entry, following) else -1
    if entry["k"] == "prompt" and set(entry["signs"]) & _NOTES.keys():
        return max(1, weight_of(entry, MOST))
    return MOST if entry["k"] == "compaction" else weight_of(entry, MOST)


def _needs_agent(entry: Entry, following: Entry | None) -> bool:
    """Whether a message of the agent is needed: the next prompt answers it, it apologises, or it is the last one."""
    if following is None or "apology" in entry["signs"]:
        return True
    is_prompt = following["k"] == "prompt"
    return is_prompt and ("answers_choice" in following["signs"] or len(following["text"]) <= MAX_SHORT_CHARS)


def _text_of(entry: Entry, number: int, chars: int, following: Entry | None) -> str:
    kind = entry["k"]
    if kind == "prompt":
        size = chars if weight_of(entry, MOST) else max(PROMPT_CHARS[-1], int(chars * PASSING_SHARE))
        quotation = max(MIN_QUOTATION_CHARS, int(chars * QUOTATION_SHARE))
        typed = _shortened_prompt(entry["text"], entry["quoted"], size if chars < WHOLE_CHARS else chars, quotation)
        return f"[{number}] user{_notes_of(entry)}: {_shown(typed)}"
    if kind == "agent":
        share = ANSWERED_SHARE if _needs_agent(entry, following) else AGENT_SHARE
        size = int(chars * share)
        if size < MIN_AGENT_CHARS:
            return ""
        said = _harmless(entry["text"])
        cut = "... " if len(said) > size else ""
        return f"    agent{_notes_of(entry)}: {cut}{_shown(said[-size:])}"
    if kind == "choice":
        asked = _shown(_cut(_harmless(entry["asked"]), chars))
        return f"    the agent asked: {asked}\n    the user chose: {_shown(_cut(_harmless(entry['text']), chars))}"
    if kind == "failed":
        return f"    failed {entry['tries']} times: {_shown(_harmless(entry['command']))}"
    if kind == "passed":
        return f"    passed after {entry['tries']} failures: {_shown(_harmless(entry['command']))}"
    if kind == "reverted":
        return f"    put back: {_shown(_harmless(entry['file']))}"
    return "    (the conversation was compacted here)"


def _notes_of(entry: Entry) -> str:
    notes = ", ".join([_NOTES[sign] for sign in entry["signs"] if sign in _NOTES])
    return f" ({notes})" if notes else ""


def _shortened_prompt(text: str, quoted: Sequence[Sequence[int]], chars: int, quotation_chars: int) -> str:
    """The text with each quotation marked and cut, and then its beginning and end."""
    marked, place = "", 0
    spans: list[tuple[int, int]] = []
    for begin, end in quoted:
        if begin < place or begin >= len(text):
            continue
        between = text[place:begin]
        place = end
        quotation = _harmless(text[begin:end])
        if quotation is not LEFT_OUT:
            quotation = _cut(quotation, quotation_chars)
        if spans and not between.strip() and len(marked) - spans[-1][0] >= quotation_chars:
            # A quotation of many lines has one mark and one budget.
            continue
        marked += between
        spans.append((len(marked), len(marked) + len(quotation) + len("[quoted from others: ]")))
        marked += f"[quoted from others: {quotation}]"
    marked += text[place:]
    if len(marked) <= chars:
        return marked
    head, tail = int(chars * BEGINNING_SHARE), len(marked) - (chars - int(chars * BEGINNING_SHARE))
    # A quotation without its mark would look like the user's own words.
    for begin, end in spans:
        head = end if begin < head < end else head
        tail = begin if begin < tail < end else tail
    return marked if head >= tail else marked[:head] + CUT + marked[tail:]


def _cut(text: str, chars: int) -> str:
    """The beginning and the end of a text with more than `chars` characters."""
    head = int(chars * BEGINNING_SHARE)
    return text if len(text) <= chars else text[:head] + CUT + text[len(text) - (chars - head) :]


@lru_cache(512)
def _harmless(text: str) -> str:
    """A text that the user did not type; a note in its place if it has instruction signs."""
    return LEFT_OUT if engine.instruction_signs(text) else text


def _shown(text: str) -> str:
    """A text that is safe between tags: hidden characters and back-ticks are replaced, angle brackets are escaped."""
    lines = [remove_hidden(line.translate(_SHOWN)) for line in text.split("\n")]
    return "\n    ".join(lines)

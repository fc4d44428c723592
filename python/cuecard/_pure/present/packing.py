"""Packs the memories that pass the gate, and the others of their subjects, into a block: in full, as a line with what
they say, or as a title (SPEC 39)."""

from itertools import accumulate

from ...basics.chars import scrub
from ...basics.memory_name import plain_slug
from ..memory.sections import is_fence
from ..settings.gate_model import PRECISE
from ..text.sanitize import block_title, escape_frames, remove_hidden
from ..text.terms import document_terms
from ..text.token_estimate import estimate_tokens
from .cut_text import cut_sentences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..memory.card import Card

HEADER = '<memory-context source=".claude/memory/" more="cuecard show ID|SLUG">\n'
FOOTER = "</memory-context>\n"
# The least logit of a memory that is shown in full: nine of ten such memories help (`docs/recall-quality.md`).
SURE = 1420
# The most tokens of a full text, unless its main field alone has more. At least so many must be left to cut it.
FULL_TOKENS = 160
LEAST_FULL_TOKENS = 60
MAX_GIST_CHARS = 200
# A memory that is not sure enough for its full text is shown by its gist, if its main field is longer than this; and so
# is a memory beside a surer one of its subject.
MAX_MAIN_CHARS = 1200
MAX_BESIDE_CHARS = 320
# The tokens of a main field with several lines that is longer than that.
MAX_LINES_TOKENS = 240
MAX_LABEL_CHARS = 80
MAX_NOTE_CHARS = 120
# What closes a block of code that is cut.
FENCE = "  ```\n"
# A text with fewer characters is not shortened again.
SHORT_CHARS = 20
_SAFE_CHARS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_.")
# What stands in place of the category of a memory with a pointer (SPEC 39.8).
POINTER = "POINTER"
# The label of a memory that nobody vouches for. It is also in `memory.trust_levels`, which only some prompts need.
UNREVIEWED = "unreviewed"
# The label of a memory that is not valid at the time of the prompt.
NOT_HOLDING = {"over": "no longer holds", "ahead": "does not hold yet"}
# Two memories are duplicates if their titles and gists have this share of their terms in common, in fifths.
SAME_OF_FIVE = 4

# Category in capitals (or `POINTER`), title, id, card, labels, logit in 1/1024, and the logit of the surer memory of
# the same subject beside which the memory is shown (None if there is none).
PackItem = tuple[str, str, str, "Card", list[str], int, "int | None"]
# The block; the outcome of each memory in the given order (`full`, `gist`, `title`, `line`, `sibling`, `duplicate` or
# `budget`); the estimated tokens.
Packed = tuple[str, list[str], int]


def pack(items: list[PackItem], max_tokens: int, budget_chars: int) -> Packed:
    """Pack memories, given best first, into a block within both budgets; the block is "" if no memory is shown.

    The surest memory comes first, with its siblings behind it, so that less sure memories get only what is left of the
    budgets. Memories that the user vouches for come before the unreviewed ones (SPEC 45.10), and pointers behind the
    other memories of their tier.
    """
    items = [_scrubbed(item) for item in items]
    used = estimate_tokens(HEADER) + estimate_tokens(FOOTER)
    tokens_left = max(0, max_tokens - used)
    chars_left = max(0, budget_chars - len(HEADER) - len(FOOTER))
    outcomes, lines = ["budget"] * len(items), ""
    chosen: list[tuple[PackItem, frozenset[str]]] = []
    for number in sorted(range(len(items)), key=lambda number: _order_key(items[number])):
        item = items[number]
        _date, _state, gist, full, *_rest = item[3]
        head = frozenset(document_terms(f"{item[1]}\n{gist}"))
        if any(_can_stand_for(earlier, item) and _is_same(head, other) for earlier, other in chosen):
            outcomes[number] = "duplicate"
            continue
        leads = any(other[6] == item[5] for other in items)
        fitting = _fit(_forms(item, tokens_left, leads=leads), tokens_left, chars_left)
        if fitting is None:
            continue
        tier, text, tokens = fitting
        tokens_left -= tokens
        chars_left -= len(text)
        used += tokens
        outcomes[number] = tier if gist or full else "line"
        chosen.append((item, head))
        lines += text
    return (HEADER + lines + FOOTER, outcomes, used) if lines else ("", outcomes, 0)


def _order_key(item: PackItem) -> tuple[bool, bool, int, bool, int, bool]:
    """The place of a memory in the block: vouched for first, valid ones first, the highest tier first, pointers last in
    it, the surest first, and behind each memory the others of its subject."""
    logit, beside = item[5:]
    certainty = logit if beside is None else beside
    is_late = any(label in NOT_HOLDING.values() for label in item[4])
    tier = 0 if certainty >= SURE else 1 if certainty >= PRECISE else 2
    return UNREVIEWED in item[4], is_late, tier, item[0] == POINTER, -certainty, beside is not None


def _scrubbed(item: PackItem) -> PackItem:
    """The item with U+FFFD in place of each lone surrogate."""
    category, title, name, (date, state, gist, text, anchors, evidence, main), labels, logit, beside = item
    card = scrub(date), scrub(state), scrub(gist), scrub(text), anchors, scrub(evidence), scrub(main)
    return scrub(category), scrub(title), scrub(name), card, [scrub(label) for label in labels], logit, beside


def _can_stand_for(item: PackItem, other: PackItem) -> bool:
    """Whether another memory that says nearly the same need not be shown beside `item`: nobody vouches for what an
    unreviewed memory says, so it stands only for others that are unreviewed (SPEC 45.10)."""
    return item[0] == other[0] and (UNREVIEWED not in item[4] or UNREVIEWED in other[4])


def _is_same(head: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two heads (the terms of title and gist) have at least 4/5 of their terms in common."""
    common = len(head & other)
    every = len(head) + len(other) - common
    return every > 0 and 5 * common >= SAME_OF_FIVE * every


def _fit(forms: "Iterable[tuple[str, str]]", tokens_left: int, chars_left: int) -> tuple[str, str, int] | None:
    """Tier, text and tokens of the first form of a memory that fits; None if none fits."""
    for tier, text in forms:
        if text and len(text) <= chars_left:
            tokens = estimate_tokens(text)
            if tokens <= tokens_left:
                return tier, text, tokens
    return None


def _forms(item: PackItem, tokens_left: int, *, leads: bool) -> "Iterator[tuple[str, str]]":
    """The tiers that the logit of a memory allows, the highest first, each with the text.

    `leads` says whether others of its subject stand beside it.
    """
    _category, title, name, card, _labels, logit, beside = item
    is_beside, end = beside is not None, pointer(title, name)
    if logit >= SURE:
        yield "full", _full_text(item, end, tokens_left)
    if logit >= PRECISE or is_beside or leads:
        tier, limit = ("sibling", MAX_BESIDE_CHARS) if is_beside else ("gist", MAX_MAIN_CHARS)
        is_short = len(card[6]) <= limit or ("\n" in card[6] and not is_beside)
        main = [card[6]] if card[6] and is_short else []
        head = _head(item, is_dated=not is_beside)
        for said in (*main, card[2][:MAX_GIST_CHARS]):
            if "\n" in said:
                lines = [_shown_line(line) for line in said.split("\n")]
                is_long = len(said) > limit
                text = _cut_lines(lines, MAX_LINES_TOKENS, _cut_mark(item)) if is_long else "".join(lines)
                yield tier, f"{head}{end}\n{text}"
                continue
            said = _cut(_beside_title(title, said), limit)
            yield tier, f"{head}{f': {said}' if said else ''}{end}\n"
    yield "title", f"{_head(item, is_dated=False)}{end}\n"


def _head(item: PackItem, is_dated: bool) -> str:
    """The beginning of a memory's line: category and title, then state, date, evidence and labels in brackets."""
    category, title, _name, card, labels, *_logits = item
    words = [_cut(word, MAX_LABEL_CHARS) for word in (card[1], *((card[0], card[5]) if is_dated else ())) if word]
    words += [_cut(label, MAX_NOTE_CHARS) for label in labels if label]
    suffix = f" ({', '.join(words)})" if words else ""
    return f"- [{_cut(category, MAX_LABEL_CHARS)}] {block_title(title)}{suffix}"


def _beside_title(title: str, said: str) -> str:
    """A statement; if it begins with the title, only the text after the title."""
    rest = said[len(title) :]
    return rest.lstrip(":. ") if said.startswith(title) and rest[:1] in ":. " else said


def pointer(title: str, name: str) -> str:
    """An arrow and the id; "" if the id can be made from the title as it is shown, or is not safe in a command."""
    is_told = title.isascii() and plain_slug(title) == name
    return "" if is_told or not _is_safe_id(name) else f" -> {remove_hidden(name)}"


def _is_safe_id(name: str) -> bool:
    """Whether an id is safe in a command: its ASCII characters have no special meaning for a shell."""
    return not name.startswith("-") and _SAFE_CHARS.issuperset([char for char in name if char < "\x80"])


def _full_text(item: PackItem, end: str, tokens_left: int) -> str:
    """Head and full text of a memory. The main field is whole if it fits; the other fields get what is left of
    `FULL_TOKENS`. "" if there is no text, or if the main field must be cut and too little is left."""
    text = f"{_head(item, is_dated=True)}{end}\n"
    left = max(0, tokens_left - estimate_tokens(text))
    lines = [_shown_line(line) for line in item[3][3].split("\n")]
    main = _main_lines(item[3])
    of_main = _tokens_of(lines[main.start : main.stop])
    if not item[3][3] or (left < LEAST_FULL_TOKENS and (not main or of_main > left)):
        return ""
    mark = _cut_mark(item)
    of_mark = estimate_tokens(mark)
    others, is_cut = max(0, min(max(FULL_TOKENS, of_main + of_mark), left) - of_main), False
    for place, line in enumerate(lines):
        is_main = place in main
        if (is_main and place > main.start) or (not is_main and is_cut):
            continue
        group = lines[main.start : main.stop] if is_main else [line]
        limit = left if is_main else others
        tokens = _tokens_of(group)
        if tokens <= limit:
            text += "".join(group)
            others -= 0 if is_main else tokens
        elif limit >= of_mark:
            text += _cut_lines(group, limit, mark) if len(group) > 1 else _cut_line(line, limit, mark)
            is_cut = True
    return text


def _tokens_of(lines: list[str]) -> int:
    return sum(map(estimate_tokens, lines))


def _main_lines(card: "Card") -> range:
    """The places of the lines of a card's text that have the main field; empty if there are none."""
    text, main = card[3], card[6]
    lines, wanted = text.split("\n"), main.split("\n")
    for place, line in enumerate(lines if main else []):
        if lines[place : place + len(wanted)] == wanted or line.partition(": ")[2] == main:
            return range(place, place + len(wanted))
    return range(0)


def _cut_lines(lines: list[str], limit: int, mark: str) -> str:
    """As many whole lines as give less than `limit` tokens with the mark that they are cut; code is closed first."""
    # Rounded for each line, the estimates of lines are at most twice that of their text.
    tokens = list(accumulate(map(estimate_tokens, lines)))
    count = sum([of_lines <= 2 * limit for of_lines in tokens])
    while True:
        kept = lines[:count]
        is_open = sum(map(is_fence, kept)) % 2 == 1
        text = f"{''.join(kept)}{FENCE if is_open else ''} {mark}\n"
        if not count or estimate_tokens(text) < limit:
            return text
        count -= 1


def _cut_line(line: str, limit: int, mark: str) -> str:
    """A line cut to at most `limit` tokens, with the mark that it is cut."""
    chars = len(line) * max(0, limit - estimate_tokens(mark)) // max(1, estimate_tokens(line))
    while True:
        begin = cut_sentences(line.removesuffix("\n"), chars)
        text = f"{begin}{mark}\n" if begin else f" {mark}\n"
        if chars < SHORT_CHARS or estimate_tokens(text) <= limit:
            return text
        chars -= chars // 8


def _cut_mark(item: PackItem) -> str:
    """What stands behind a text that is cut: the command that shows all of it, if the id is safe in a command."""
    return f" (cut: `cuecard show {remove_hidden(item[2])}`)" if _is_safe_id(item[2]) else " (cut)"


def _cut(text: str, limit: int) -> str:
    """A text without hidden characters, cut to `limit` characters, and with no beginning of a frame's tag."""
    return escape_frames(remove_hidden(text)[:limit])


def _shown_line(line: str) -> str:
    """A line below the line of its memory: as it was written, but without hidden characters, and with no beginning of a
    frame's tag. Code keeps its tabs and its placeholders."""
    line = escape_frames("\t".join(map(remove_hidden, line.split("\t"))))
    return f"  {line}\n" if line else "\n"

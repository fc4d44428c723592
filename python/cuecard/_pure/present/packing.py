"""Packs the memories that pass the gate into a block: in full, as a line with the gist, or as a title (SPEC 39)."""

from ...basics.chars import scrub
from ...basics.memory_name import plain_slug
from ..settings.gate_model import PRECISE, probability
from ..text.sanitize import escape_body, remove_hidden, sanitize_title
from ..text.terms import document_terms
from ..text.token_estimate import estimate_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..memory.card import Card

HEADER = '<memory-context source=".claude/memory/" more="cuecard show ID|SLUG">\n'
FOOTER = "</memory-context>\n"
# The least logit of a memory that is shown in full: nine of ten such memories help (`docs/recall-quality.md`).
SURE = 1420
# The most tokens of a full text, and the least tokens that must be left to show a full text.
FULL_TOKENS = 160
LEAST_FULL_TOKENS = 60
MAX_GIST_CHARS = 200
MAX_LABEL_CHARS = 80
_SAFE_CHARS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_.")
# Further characters of the prompt are ignored.
MAX_PROMPT_CHARS = 4096
# The value of a memory without new terms; each term of the prompt that no earlier memory has adds 1.
BASE_VALUE = 4
# The label of a memory that nobody vouches for. It is also in `memory.trust_levels`, which only some prompts need.
UNREVIEWED = "unreviewed"
# Two memories are duplicates if their titles and gists have this share of their terms in common, in fifths.
SAME_OF_FIVE = 4
TIERS = ("full", "gist", "title")

# Category in capitals, title, id, card, labels, logit in 1/1024.
PackItem = tuple[str, str, str, "Card", list[str], int]
# The block; the outcome of each memory in the given order (`full`, `gist`, `title`, `line`, `duplicate` or `budget`);
# the estimated tokens.
Packed = tuple[str, list[str], int]


def pack(prompt: str, items: list[PackItem], max_tokens: int, budget_chars: int) -> Packed:
    """Pack memories, given best first, into a block within both budgets; the block is "" if no memory is shown.

    Memories that the user vouches for come before the unreviewed ones (SPEC 52.10). The memory with the highest product
    of probability and value is packed next. The value is `BASE_VALUE` plus 1 for
    each new term of the prompt. The block is sorted by tier, category and id, so equal memories make an equal block.
    """
    items = [_scrubbed(item) for item in items]
    missing = set(document_terms(scrub(prompt)[:MAX_PROMPT_CHARS]))
    heads = [frozenset(document_terms(f"{item[1]}\n{item[3][2]}")) for item in items]
    frame = estimate_tokens(HEADER) + estimate_tokens(FOOTER)
    tokens_left = max(0, max_tokens - frame)
    chars_left = max(0, budget_chars - len(HEADER) - len(FOOTER))
    used, outcomes = frame, ["budget"] * len(items)
    texts: list[tuple[int, str, str, str]] = []
    chosen: list[tuple[PackItem, frozenset[str]]] = []
    # Memories that the user vouches for are packed first, so that the others get only what is left of the budgets.
    waiting = [number for number, item in enumerate(items) if UNREVIEWED not in item[4]]
    others = [number for number, item in enumerate(items) if UNREVIEWED in item[4]]
    while waiting or others:
        if not waiting:
            waiting, others = others, []
        values = [probability(items[number][5]) * (BASE_VALUE + len(heads[number] & missing)) for number in waiting]
        number = waiting.pop(values.index(max(values)))
        item, head = items[number], heads[number]
        if any(_can_stand_for(earlier, item) and _is_same(head, other) for earlier, other in chosen):
            outcomes[number] = "duplicate"
            continue
        fitting = _fit(item, tokens_left, chars_left)
        if fitting is None:
            continue
        tier, text, tokens = fitting
        tokens_left -= tokens
        chars_left -= len(text)
        used += tokens
        _date, _state, gist, full, *_rest = item[3]
        outcomes[number] = TIERS[tier] if gist or full else "line"
        chosen.append((item, head))
        missing -= head
        texts.append((tier, item[0], item[2], text))
    if not texts:
        return "", outcomes, 0
    texts.sort(key=lambda each: each[:3])
    return HEADER + "".join([each[3] for each in texts]) + FOOTER, outcomes, used


def _scrubbed(item: PackItem) -> PackItem:
    """The item with U+FFFD in place of each lone surrogate."""
    category, title, name, (date, state, gist, text, anchors, evidence), labels, logit = item
    card = scrub(date), scrub(state), scrub(gist), scrub(text), anchors, scrub(evidence)
    return scrub(category), scrub(title), scrub(name), card, [scrub(label) for label in labels], logit


def _can_stand_for(item: PackItem, other: PackItem) -> bool:
    """Whether another memory that says nearly the same need not be shown beside `item`: nobody vouches for what an
    unreviewed memory says, so it stands only for others that are unreviewed (SPEC 52.10)."""
    return item[0] == other[0] and (UNREVIEWED not in item[4] or UNREVIEWED in other[4])


def _is_same(head: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two heads (the terms of title and gist) have at least 4/5 of their terms in common."""
    common = len(head & other)
    every = len(head) + len(other) - common
    return every > 0 and 5 * common >= SAME_OF_FIVE * every


def _fit(item: PackItem, tokens_left: int, chars_left: int) -> tuple[int, str, int] | None:
    """Tier, text and tokens of a memory in the highest tier that fits and its logit allows; None if no tier fits."""
    logit = item[5]
    pointer = _pointer(item)
    for tier in range(0 if logit >= SURE else 1 if logit >= PRECISE else 2, 3):
        if tier == 0:
            text = _full_text(item, pointer, tokens_left)
        elif tier == 1:
            gist = _cut(_gist_beside_title(item), MAX_GIST_CHARS)
            text = f"{_head(item, is_dated=True)}{f': {gist}' if gist else ''}{pointer}\n"
        else:
            text = f"{_head(item, is_dated=False)}{pointer}\n"
        if text and len(text) <= chars_left:
            tokens = estimate_tokens(text)
            if tokens <= tokens_left:
                return tier, text, tokens
    return None


def _head(item: PackItem, is_dated: bool) -> str:
    """The beginning of a memory's line: category and title, then state, date, evidence and labels in brackets."""
    category, title, _name, card, labels, _logit = item
    words = [card[1], *((card[0], card[5]) if is_dated else ()), *labels]
    notes = ", ".join([_cut(word, MAX_LABEL_CHARS) for word in words if word])
    suffix = f" ({notes})" if any(words) else ""
    return f"- [{_cut(category, MAX_LABEL_CHARS)}] {sanitize_title(remove_hidden(title))}{suffix}"


def _gist_beside_title(item: PackItem) -> str:
    """The gist; if it begins with the title, only the text after the title."""
    title, gist = item[1], item[3][2]
    rest = gist[len(title) :]
    return rest.lstrip(":. ") if gist.startswith(title) and rest[:1] in ":. " else gist


def _pointer(item: PackItem) -> str:
    """An arrow and the id; "" if the id can be made from the title, or if the id is not safe in a command."""
    is_told = item[1].isascii() and plain_slug(item[1]) == item[2]
    return "" if is_told or not _is_safe_id(item[2]) else f" -> {_shown(item[2])}"


def _is_safe_id(name: str) -> bool:
    """Whether an id is safe in a command: its ASCII characters have no special meaning for a shell."""
    return not name.startswith("-") and _SAFE_CHARS.issuperset([char for char in name if char < "\x80"])


def _full_text(item: PackItem, pointer: str, tokens_left: int) -> str:
    """Head and full text, the text cut to the tokens that are left for it; "" if these are too few."""
    text = f"{_head(item, is_dated=True)}{pointer}\n"
    left = min(FULL_TOKENS, tokens_left - estimate_tokens(text))
    if not item[3][3] or left < LEAST_FULL_TOKENS:
        return ""
    for line in item[3][3].split("\n"):
        line = f"  {_shown(line)}\n"
        tokens = estimate_tokens(line)
        if tokens > left:
            fitting = line[: len(line) * left // tokens].rpartition(" ")[0]
            return text + (f"{fitting} …\n" if fitting.rstrip(" ") else "  …\n")
        left -= tokens
        text += line
    return text


def _cut(text: str, limit: int) -> str:
    return escape_body(remove_hidden(text)[:limit])


def _shown(text: str) -> str:
    """A text with markup escaped and hidden characters removed."""
    return escape_body(remove_hidden(text))

"""Tells the chosen option of a record from the others: by the words of the decision, or by a mark on the option.

Rules: docs/reference/import.md, "Records of decisions".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...store.records.record_file import Fields
from ..draft import NOT_STATED, shorten
from ..markup.markdown import Section, items, joined_lines, paragraphs, plain, without_markup
from ..titles import clean_heading
from .facts import tables_in
from .parts import AdrParts, top_level_of
from .statements import units_of
from .words import CONSEQUENCES, OPTIONS, fold, part_of, pattern_of, phrases, state_pattern

CHOSEN = re.compile(
    r"chosen (?:option|alternative|solution)s?(?: is)?:?\s*(.+?)(?:,?\s+because\b|\.\s|\n\s*\n|$)",
    re.IGNORECASE | re.DOTALL,
)
_AGAINST = re.compile(r"^\W*(bad|con|cons|negative|disadvantages?)\b", re.IGNORECASE)
_SIDE = re.compile(r"^\W*(pros?|cons?|advantages|disadvantages|benefits|drawbacks)\b", re.IGNORECASE)
_CONS = re.compile(r"^\W*(cons?|disadvantages|drawbacks)\b", re.IGNORECASE)
# Marks of people for the option that was taken, and for one that was not.
_TICK = re.compile(
    r"[\u2705\u2714\u2611\U0001f7e2\U0001f3c6\U0001f44d]|\[[xX]\](?!\()|:white_check_mark:|:heavy_check_mark:"
)
_CROSS = re.compile(r"[\u274c\u2716\u2718\U0001f534\U0001f6ab\u2717]|\[ \]|:x:")
_CHECKBOX = re.compile(r"^\s*\[[ xX]\]\s*")
_BRACKETS = re.compile(r"[(\[\uff08\u3010]([^()\[\]\uff08\uff09]{2,40})[)\]\uff09\u3011]")
_AFTER = re.compile(r"(?:\s[-\u2013\u2014]+\s|\u2190|<-+|:|\uff1a)\s*\**([^:*\u2190]{2,40}?)\**\s*[.!]?$")
_BOLD = re.compile(r"(?:\*\*|__)([^*_\n]{2,40}?)[:.!]?(?:\*\*|__)")
_REJECTED = re.compile(
    r"^(.{3,300}?)(?:[.;:,]|\s[-\u2013\u2014])\s*rejected\s*(?:[:,\u2013\u2014-]|because)\s*(.{3,})$", re.IGNORECASE
)
_REFERENCE = re.compile(r"\[([^\[\]]{1,200})\]\[[^\[\]]{0,80}\]")
# A line in bold type, and behind it marks, a remark in brackets, or a text.
_LABEL = re.compile(
    r"^\s*(?:\*\*|__)([^*_\n]{2,120}?):?(?:\*\*|__)(:?)\s*"
    r"(?:(\W{0,6}|[(\[\u2013\u2014-][^()\[\]]{2,30}[)\]]?)|(\w.*))\s*$"
)
_ITEM = re.compile(r"^\s*(?:[-*+]|\d{1,2}[.)])\s")
# `Option 2 - a queue`: what people call it by, and its name.
_NUMBERED = re.compile(r"^(\w+ (?:\d{1,2}|[A-Z]))\s*(?:[-\u2013\u2014:)]|\.(?=\s))\s*(\S.{2,150})$")
_OPTION_NAME = re.compile(r"^option (?:\w|\d+) ")
# `Option 1`, which is no name by itself.
_ONLY_NUMBER = re.compile(r"^\w+ (?:\d{1,2}|[A-Z])$")


# Names of the same option may differ by so little: `use a syntax like X` and `use a simplified syntax like X`.
MIN_SHARE_OF_WORDS = 0.9
MIN_OPTIONS = 2
_NEGATES = frozenset("no not without never except nicht kein keine sans ne pas sin non senza niet geen".split())

MAX_ALTERNATIVES = 20
MAX_NAME_CHARS = 300
MAX_LABEL_TEXT_CHARS = 150


@dataclass
class Option:
    """An option of a record."""

    name: str
    against: str = ""
    """The arguments against it in the source."""
    text: str = ""
    is_chosen: bool = False
    """Whether a mark at the option says that it was chosen."""
    is_rejected: bool = False
    """Whether the source says at the option that it was rejected."""
    below: str = ""
    """What stands below the item that names the option, if its first line leads to it."""


def find_options(parts: AdrParts) -> list[Option]:
    """The options of a record, in order: its headings below the options, else the items and rows there."""
    sections = parts.sections.get(OPTIONS, [])
    listed = _from_lists(sections)
    # Behind `Considered options` with a list, `Pros and cons of the options` has headings for the same.
    is_apart = sum([section.level == top_level_of(sections) for section in sections]) > 1
    found = _joined(_from_headings(sections), listed, is_apart=is_apart) or _from_labels(sections) or listed
    # If each option has a mark, the marks do not tell them apart.
    if found and all(option.is_chosen for option in found) and len(found) > 1:
        for option in found:
            option.is_chosen = False
    return found


def chosen_text(options: Sequence[Option]) -> str:
    """The options that are marked as chosen, as the text of a decision; "" if no option is marked."""
    return "\n\n".join([f"{option.name}\n\n{option.text}".strip() for option in options if option.is_chosen])


def with_names(decision: str, options: Sequence[Option]) -> str:
    """The text of a decision, with the name of an option behind its first mention by number: `Option 2 (a queue)`."""
    for option in options:
        named = _NUMBERED.match(option.name)
        if not named or _words_of(named[2]) in _words_of(decision):
            continue
        mention = re.compile(rf"\b{re.escape(named[1])}\b(\*{{0,2}})(?!\s*[-\u2013\u2014:(])", re.IGNORECASE)
        found = mention.search(decision)
        if found:
            decision = f"{decision[: found.end()]} ({named[2]}){decision[found.end() :]}"
    return decision


def split_options(options: Sequence[Option], decision: str, title: str) -> tuple[list[Fields], list[str]]:
    """The options that were not chosen, with the arguments against each, and the names of the others with what
    stands below them.

    If the chosen option is known, the second list is empty. If it is not known, the first list has only the options
    that the source calls rejected.
    """
    rejected = {option.name for option in options if option.is_rejected}
    marked = {option.name for option in options if option.is_chosen}
    chosen = (marked or _named_options(options, decision, title)) - rejected
    left = [option for option in options if option.name not in chosen and (chosen or option.name in rejected)]
    others = [] if chosen else [option for option in options if option.name not in rejected]
    return [
        {"option": shorten(option.name, MAX_NAME_CHARS), "rejected_reason": shorten(option.against, 1000) or NOT_STATED}
        for option in left[:MAX_ALTERNATIVES]
    ], [_with_below(option) for option in others]


def _with_below(option: Option) -> str:
    name = shorten(option.name, MAX_NAME_CHARS)
    return f"{name}: {shorten(option.below)}" if option.below else name


def _below(item: str) -> str:
    """The text below the first line of an item that ends with a colon."""
    first, _mark, rest = item.partition("\n")
    return joined_lines(plain(rest)) if first.rstrip(" *_").endswith((":", "\uff1a")) else ""


def _named_options(options: Sequence[Option], decision: str, title: str) -> set[str]:
    """The options that the text of the decision names as chosen."""
    found = CHOSEN.search(decision)
    taken = _words_of(found.group(1)) if found else ""
    head = _words_of(f"{title} {paragraphs(decision)[0] if paragraphs(decision) else ''}")
    chosen = set()
    for option in options:
        words = _words_of(option.name)
        core = _OPTION_NAME.sub("", words)
        is_named = bool(taken) and (words.startswith(taken) or taken.startswith(core) or f" {core} " in f" {taken} ")
        if is_named or (not taken and core and f" {core} " in f" {head} "):
            chosen.add(option.name)
    return chosen


def _from_headings(sections: list[Section]) -> list[Option]:
    """An option for each heading below the options; headings for its pros and cons belong to it."""
    base = top_level_of(sections)
    found: dict[str, Option] = {}
    current: Option | None = None
    for section in sections:
        is_side = bool(_SIDE.match(section.heading)) or part_of(section.heading) == CONSEQUENCES
        is_own = section.level > base or (part_of(section.heading) == OPTIONS and _is_single(section.heading))
        if is_own and not is_side and not (current and section.level > base + 1):
            name, is_chosen = read_mark(section.heading)
            current = found.setdefault(name, Option(name, is_chosen=is_chosen))
            current.is_chosen = current.is_chosen or any(_says_chosen(unit) for unit in units_of(section.lines))
            current.text = section.text
            current.is_rejected, current.against = _read_rejection(section.text)
        if current and is_own:
            cons = [item for item in items(section.text) if _CONS.match(section.heading) or _AGAINST.match(item)]
            current.against = "; ".join([part for part in (current.against, *cons) if part])
    return list(found.values())


def _joined(headed: list[Option], listed: list[Option], *, is_apart: bool) -> list[Option]:
    """The options with a heading, and those of a list that have none. A mark in the list counts for the heading."""
    if not headed:
        return []
    others: list[Option] = []
    found: list[Option | None] = []
    for option in listed:
        words = _words_of(option.name)
        same = [each for each in headed if (own := _words_of(each.name)) and (own in words or words in own)]
        same = same or [each for each in headed if _differs_little(words.split(), _words_of(each.name).split())]
        for each in same[:1]:
            each.is_chosen = each.is_chosen or option.is_chosen
        found.append(same[0] if same else None)
        others += [] if same else [option]
    is_same_list = MIN_OPTIONS <= len(headed) == len(listed) and any(found) and all(map(_is_at_place, headed, found))
    if is_apart and is_same_list:
        # The list names the options of the headings in their order, at more length.
        for each, option in zip(headed, listed, strict=True):
            each.is_chosen = each.is_chosen or option.is_chosen
        return headed
    return [*headed, *others]


def _is_at_place(headed: Option, found: Option | None) -> bool:
    return found is None or found is headed


def _differs_little(one: list[str], other: list[str]) -> bool:
    """Whether one name has the words of the other in their order, and hardly another one, which does not negate."""
    shorter, longer = sorted((one, other), key=len)
    rest = iter(longer)
    if not shorter or len(shorter) < MIN_SHARE_OF_WORDS * len(longer) or not all(word in rest for word in shorter):
        return False
    return not _NEGATES.intersection(set(longer) - set(shorter))


def _from_labels(sections: list[Section]) -> list[Option]:
    """An option for each line that begins in bold type, with marks or a text behind it; empty if there are not two."""
    found: list[Option] = []
    for section in sections:
        is_against = False
        for line in section.lines:
            label = _LABEL.match(line)
            if label and not _SIDE.match(label[1]) and not _AGAINST.match(label[1]):
                name, is_chosen = read_mark(_name_of_label(label))
                is_rejected, against = _read_rejection(label[4] or "")
                found.append(Option(name, against, label[4] or "", is_chosen=is_chosen, is_rejected=is_rejected))
                is_against = False
            elif found and is_against and _ITEM.match(line):
                item = plain(_ITEM.sub("", line))
                found[-1].against = "; ".join([part for part in (found[-1].against, item) if part])
            elif found and not _ITEM.match(line):
                is_against = bool(_CONS.match(line)) or (is_against and not line.strip())
                found[-1].text = f"{found[-1].text}\n{line}".strip()
    return found if len(found) > 1 else []


def _name_of_label(label: "re.Match[str]") -> str:
    """The name of an option in a line that begins in bold type, with the text behind it if the label is a number."""
    if _ONLY_NUMBER.match(label[1].strip()) and label[4] and len(label[4]) <= MAX_LABEL_TEXT_CHARS:
        return f"{label[1].strip()}: {label[4].strip()}"
    return f"{label[1]} {label[3]}" if label[3] else label[1]


def _from_lists(sections: list[Section]) -> list[Option]:
    """An option for each item of the lists, or for each row of the tables, of the section for the options."""
    base = top_level_of(sections)
    found: list[Option] = []
    lists = [block for section in sections if section.level == base for block in section.blocks if block.kind == "list"]
    for section in sections:
        if section.level != base:
            continue
        for place, block in enumerate(section.blocks):
            lead = section.blocks[place - 1].text.rstrip().rpartition("\n")[2] if place else ""
            if block.kind == "list" and _SIDE.match(lead):
                _add_arguments(found, lead, block.items)
            elif block.kind == "list":
                for item, raw in zip(block.items, block.raw_items, strict=True):
                    name, is_chosen = read_mark(raw)
                    # In one of several lists, a tick marks an argument and not an option.
                    name, against = _split_rejected(name or item)
                    is_chosen = is_chosen and len(lists) == 1
                    below = _below(raw)
                    found.append(Option(name, against, is_chosen=is_chosen, is_rejected=bool(against), below=below))
        for rows in tables_in(section.lines) if not found else []:
            found += _from_rows(rows)
    return found


def _add_arguments(options: list[Option], lead: str, arguments: Sequence[str]) -> None:
    """Add a list of arguments against an option to it, if the line before the list names one: `Cons of the queue:`."""
    words = set(_words_of(_SIDE.sub("", lead)).split()) - {"of", "for", "the", "a", "an", "using"}
    named = [option for option in options if words and words <= set(_words_of(option.name).split())]
    if named and _CONS.match(lead):
        named[0].against = "; ".join([part for part in (named[0].against, *arguments) if part])


def _split_rejected(item: str) -> tuple[str, str]:
    """The name of an option, and why it was rejected if its item says so: `A thread. Rejected: it dies`."""
    found = _REJECTED.match(item)
    return (found[1].strip(" .,;:-"), found[2]) if found else (item, "")


def _read_rejection(text: str) -> tuple[bool, str]:
    """Whether the text of an option begins with the word that it was rejected, and what follows in that paragraph."""
    lead = next(iter(paragraphs(text)), "")
    found = pattern_of("state rejected", "not chosen").match(fold(lead))
    if not found:
        return False, ""
    rest = lead[found.end() :]
    # What follows a point is a sentence of its own; else the word is a part of the reason.
    return True, rest.lstrip(" .:,;\u2013\u2014-") if rest[:1] in ".:,;" or rest[:2] in (" -", " \u2014") else lead


def _from_rows(rows: list[list[str]]) -> list[Option]:
    """An option for each row. It is chosen by a mark at its name, or in a column that says which one was."""
    head = [fold(without_markup(cell)).strip(" ?:") for cell in rows[0]]
    column = next((place for place, cell in enumerate(head) if place and cell in phrases("chosen")), 0)
    found = []
    for row in rows[1:]:
        name, is_chosen = read_mark(row[0]) if row and row[0] else ("", False)
        cell = row[column] if column and column < len(row) else ""
        words = fold(without_markup(cell)).strip(" .!*")
        is_chosen = is_chosen or bool(
            cell and (_TICK.search(cell) or words in phrases("yes") or words in phrases("chosen"))
        )
        if name:
            found.append(Option(name, is_chosen=is_chosen))
    return found


def read_mark(text: str) -> tuple[str, bool]:
    """The name of an option without its marks, and whether a mark says that it was chosen."""
    line = _REFERENCE.sub(r"\1", " ".join(text.split("\n")[0].split()))
    is_chosen = bool(_TICK.search(line)) and not _CROSS.search(line)
    for pattern in (_BRACKETS, _AFTER, _BOLD):
        for mark in pattern.finditer(line):
            if _is_choice(mark[1]):
                is_chosen = True
                line = line.replace(mark[0], " ")
                break
    name = _CROSS.sub(" ", _TICK.sub(" ", _CHECKBOX.sub("", line))).replace("\ufe0f", "")
    return clean_heading(name).strip(" ,;\u2190-"), is_chosen


def _is_choice(words: str) -> bool:
    """Whether words say that the option beside them was chosen: `our choice`, but not `not chosen`."""
    folded = fold(without_markup(words)).strip(" .:!*_\u2190")
    if folded in phrases("chosen"):
        return True
    rest = pattern_of("chosen").sub(" ", folded)
    return rest != folded and not re.search(r"\w", pattern_of("linking", "part options").sub(" ", rest))


def _says_chosen(unit: str) -> bool:
    """Whether a paragraph below an option has no other words than that it was chosen: `**Chosen**`."""
    bare = fold(without_markup(unit.strip(" >*_-"))).strip(" .:!*_")
    label, mark, value = bare.partition(":")
    words = value.strip() if mark and not pattern_of("chosen").search(label) else bare
    is_short = 0 < len(words) <= 40
    return is_short and _is_choice(words) and not state_pattern().fullmatch(label)


def _is_single(heading: str) -> bool:
    """Whether a heading names one option: `Option 1: a queue`."""
    return bool(re.match(r"^\W*\S+ (?:\d{1,2}|[A-Za-z])\b", clean_heading(heading)))


def _words_of(text: str) -> str:
    """The words of a text in lower case, without punctuation."""
    return " ".join(re.findall(r"\w+", text.lower()))

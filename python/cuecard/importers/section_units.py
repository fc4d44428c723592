"""The parts of a file of instructions that become one memory each: a section, with those below it if all is short.

Rules: docs/reference/import.md, "Instructions".
"""

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from ..store.records.record_limits import MAX_SECTIONS
from . import rule_words, section_words
from .markup.markdown import Block, Section
from .subjects import names_topic
from .titles import clean_heading

# Sections below one heading are one memory up to this size, about 300 tokens.
MAX_UNIT_CHARS = 1200
# What is longer is cut between its lists, paragraphs and items, into pieces of at most so many: the half of a section
# is rarely understood alone.
MAX_WHOLE_CHARS, MAX_PIECE_CHARS = 2500, 1500
# In a block, a longer text is shown by the part of it that fits the prompt.
MAX_SHOWN_CHARS, MAX_SHOWN_PART_CHARS = 500, 350
# The parts together are at most so many times as long as the text.
MAX_GROWTH = 2
# Steps belong together, as far as they fit into a memory.
MAX_STEPS_CHARS = 6000
# A section with such a heading is a part of the section before it.
_DEPENDENT = re.compile(
    r"^\W*(?:caveats?|(?:bad|good|wrong|right|correct|incorrect)\b.{0,30}|why\b.{0,40}|reasons?|rationale"
    r"|exceptions?(?: (?:to|from)\b.{0,40})?"
    r"|(?:\w+ )?(?:examples?|templates?)|do|do not|don['\u2019]?ts?|notes?"
    r"|when (?:not )?to use\b.{0,30})\W*$",
    re.IGNORECASE,
)
_STEP = re.compile(r"^\W*(?:step|phase|stage)\s*\d+\b", re.IGNORECASE)
# A paragraph that begins so is about what stands before it.
_LEANS = re.compile(
    r"^\W*(?:this|that|these|those|it|they|such|also|otherwise|then|instead|in (?:that|this|such|both|either) cases?"
    r"|similarly|likewise|conversely|however|again|the (?:same|former|latter|two|three|only|(?:one )?exception)"
    r"|exceptions?\b[: ]|except\b|even (?:then|so)"
    r"|for (?:example|instance))\b",
    re.IGNORECASE,
)
# A sentence that goes on behind code or a list.
_GOES_ON = re.compile(r"[*_(\"'\u2026. ]*[a-z]")
# HTML with attributes or components is code.
_MARKUP = re.compile(r"<[A-Z]|<[a-z][\w-]* [\w:@-]+=")
_NUMBERED = re.compile(r"^\W*\d{1,2}(?:\.\d{1,2})?[.):]?\s")


@dataclass(frozen=True)
class Unit:
    """A section, and the sections below it that are read together with it."""

    section: Section
    below: tuple[Section, ...] = ()
    is_in_order: bool = False
    """Whether the sections below are the steps of one procedure."""

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks of all sections, with the headings of those below as blocks of their own."""
        found = list(self.section.blocks)
        for section in self.below:
            heading = f"{'#' * section.level} {section.heading}"
            found += [Block("heading", heading, source=heading), *section.blocks]
        return tuple([block for block in found if block.text])


def units_of(sections: list[Section], is_about_part: Callable[[Section], bool]) -> Iterator[Unit]:
    """The units of a file in their order.

    `is_about_part` says whether all that is below a section has one subject, which is named.
    """
    pending: Unit | None = None
    at = 0
    while at < len(sections):
        section = sections[at]
        end = _end_of(sections, at)
        below = tuple(sections[at + 1 : end])
        in_order = _is_in_order(section, below)
        size = sum([len("\n".join(each.lines)) for each in (section, *below)])
        is_one = bool(below) and (
            size <= MAX_STEPS_CHARS if in_order else size <= MAX_UNIT_CHARS and is_about_part(section)
        )
        taken = end if is_one else at + 1
        unit = Unit(section, below if is_one else (), in_order and is_one)
        if pending and _depends(unit, pending):
            pending = replace(pending, below=(*pending.below, section, *unit.below))
        else:
            if pending:
                yield pending
            pending = unit
        at = taken
    if pending:
        yield pending


def _end_of(sections: list[Section], at: int) -> int:
    """The place behind a section and all sections below it."""
    level = sections[at].level
    if not level:
        return at + 1
    return next((place for place in range(at + 1, len(sections)) if sections[place].level <= level), len(sections))


def _is_in_order(section: Section, below: tuple[Section, ...]) -> bool:
    """Whether the sections directly below a section are the steps of one procedure."""
    own = [each.heading for each in below if each.level == section.level + 1]
    heading = clean_heading(section.heading)
    says_steps = section.level > 1 and (rule_words.has_steps_below(heading) or section_words.names_form(heading))
    return len(own) > 1 and (all(map(_STEP.match, own)) or (says_steps and all(map(_NUMBERED.match, own))))


def _depends(unit: Unit, before: Unit) -> bool:
    """Whether a unit says something only together with the unit before it."""
    if not _DEPENDENT.match(clean_heading(unit.section.heading)) or not before.section.level:
        return False
    known = [before.section, *before.below]
    if not any(section.blocks for section in known):
        return False
    size = sum([len("\n".join(each.lines)) for each in (*known, unit.section, *unit.below)])
    is_below = unit.section.level > before.section.level
    is_exception = clean_heading(unit.section.heading).lower().startswith(("exceptions to", "exceptions from"))
    is_beside = unit.section.above == known[-1].above and (bool(before.below) or is_exception)
    return (is_below or is_beside) and size <= 2 * MAX_UNIT_CHARS


def names_its_parts(section: Section, titles: tuple[str, ...], part: str) -> bool:
    """Whether all that is below a section has one subject, which its heading or the file names."""
    heading = clean_heading(section.heading)
    is_title = section.level < 2 and heading in titles
    if any(map(section_words.names_bad_things, (heading, part) if is_title else (heading,))):
        # Each section below it is about another thing that is to be avoided.
        return False
    if is_title:
        return bool(part)
    return section.level > 0 and names_topic(heading) and rule_words.kind_of_heading(heading) != rule_words.LINKS


def text_of(blocks: list[Block]) -> str:
    """The blocks as they are written, with an empty line between them unless a line leads to the next one."""
    text = ""
    for block in blocks:
        source = block.text if block.kind == "html" and not is_markup(block) else block.source.strip("\n").rstrip()
        gap = "\n" if text.endswith(":") or text.rpartition("\n")[2].startswith("#") else "\n\n"
        text += f"{gap}{source}" if text else source
    return text


def pieces_of(blocks: list[Block], least: int = MAX_WHOLE_CHARS, most: int = MAX_PIECE_CHARS) -> list[list[Block]]:
    """Blocks of more than `least` characters in pieces of at most `most`, as far as items and code can stay whole.

    A line that leads to a list stands above each piece of it.
    """
    if len(text_of(blocks)) <= least:
        return [blocks]
    groups = [piece for group in _groups_of(blocks) for piece in _parts_of(group, most)]
    sizes = [len(text_of(group)) for group in groups]
    target = sum(sizes) / -(-sum(sizes) // most)
    pieces: list[list[Block]] = []
    filled = 0
    for group, size in zip(groups, sizes, strict=True):
        if pieces and filled < target and filled + size <= most:
            pieces[-1] += [block for block in group if not any(block is known for known in pieces[-1])]
            filled += size
        else:
            pieces.append(list(group))
            filled = size
    return pieces


def shown_parts(blocks: list[Block], text: str, lead: str) -> list[list[Block]]:
    """The parts of a text of which a block shows the one that fits: what is below a heading, or some items of a list.

    `lead` stands in front of the text, which is cut no further if it has steps in order.
    """
    if len(text) <= MAX_SHOWN_CHARS or lead:
        return [blocks]
    parts = (
        _cut_at_headings(blocks)
        if any(block.is_ordered for block in blocks)
        else pieces_of(blocks, MAX_SHOWN_CHARS, MAX_SHOWN_PART_CHARS)
    )
    # A part has the line above its list again.
    is_much = len(parts) > MAX_SECTIONS or sum([len(text_of(part)) for part in parts]) > MAX_GROWTH * len(text)
    return [blocks] if is_much else parts


def _cut_at_headings(blocks: list[Block]) -> list[list[Block]]:
    starts = [at for at, block in enumerate(blocks) if at and block.kind == "heading"]
    return [blocks[begin:end] for begin, end in itertools.pairwise([0, *starts, len(blocks)])]


def is_markup(block: Block) -> bool:
    """Whether a block of HTML is code, and no text between plain tags."""
    return block.kind == "html" and bool(_MARKUP.search(block.raw))


def leads(block: Block) -> bool:
    """Whether a paragraph leads to the block behind it."""
    is_line = block.kind == "paragraph" and section_words.is_bold_line(block.raw)
    ends_open = block.kind != "code" and block.text.rstrip("*_ ").endswith((":", "\uff1a"))
    return block.kind == "heading" or is_line or ends_open


def announces(block: Block) -> bool:
    """Whether a paragraph says that several things follow, without a colon."""
    return block.kind == "paragraph" and section_words.announces(" ".join(block.text.split()))


def _groups_of(blocks: list[Block]) -> list[list[Block]]:
    """The blocks that must stay together."""
    groups: list[list[Block]] = []
    for block in blocks:
        before = groups[-1][-1] if groups else None
        is_led = before is not None and before.kind != "list" and (leads(before) or announces(before))
        is_more = block.kind in ("code", "quote", "table") or (
            block.kind == "paragraph"
            and bool(_LEANS.match(block.text) or _GOES_ON.match(block.raw) or section_words.comments(block.text))
        )
        if before is not None and (is_led or is_more):
            groups[-1].append(block)
        else:
            groups.append([block])
    return groups


def _parts_of(group: list[Block], most: int) -> list[list[Block]]:
    """A group that is too long, cut between the items of its longest list, with the lead above each part."""
    listed = [at for at, block in enumerate(group) if block.kind == "list" and not block.is_ordered]
    if len(text_of(group)) <= most or not listed:
        return [group]
    at = max(listed, key=lambda place: len(group[place].source))
    block = group[at]
    lead = group[:at]
    room = most - len(text_of(lead))
    if 2 * room < most:
        # Most of each part would be the lead.
        return [group]
    parts: list[list[int]] = [[]]
    filled = 0
    for number, item in enumerate(block.source_items):
        if parts[-1] and filled + len(item) > room:
            parts.append([])
            filled = 0
        parts[-1].append(number)
        filled += len(item) + 1
    cut = [[*lead, items_of(block, chosen)] for chosen in parts]
    cut[-1] += group[at + 1 :]
    return cut


def items_of(block: Block, chosen: list[int]) -> Block:
    """A list with the items at these positions alone."""
    source = "\n".join([block.source_items[at].rstrip() for at in chosen])
    return replace(
        block,
        text=source,
        raw=source,
        items=tuple([block.items[at] for at in chosen]),
        raw_items=tuple([block.raw_items[at] for at in chosen]),
        source_items=tuple([block.source_items[at] for at in chosen]),
        source=source,
    )

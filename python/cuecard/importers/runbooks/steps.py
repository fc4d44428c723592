"""The steps of a runbook, for readers of `content.steps` (docs/reference/import.md, "Runbooks")."""

import re

from .. import rule_words
from ..draft import CUT, MAX_ITEMS, shorten
from ..line_names import tells_to_do
from ..markup.markdown import Block, Section, plain

# What stands in a section that nobody has written yet.
_EMPTY = re.compile(
    r"^\W*(?:todo|tbd|tba|n/?a|none|not applicable|to be (?:done|written|defined|added|determined)|coming soon"
    r"|work in progress|wip)\W*$",
    re.IGNORECASE,
)
# A line before a list of what there is, rather than of what to do.
_LEADS_TO_EXAMPLES = re.compile(
    r"\b(?:such as|for (?:example|instance)|e\.g\.?|like|examples?|(?:causes?|reasons?|scenarios?|symptoms?|culprits?)"
    r"|(?:usual|common|known|possible|typical|potential) (?:issues|problems|errors|mistakes|failures)|things to check"
    r"|order of (?:preference|priority)|(?:one|any|either) of (?:the following|these)|either|(?:options?|alternatives?"
    r"|choices|ways|methods|approaches)"
    r"|include|includes|including)\b[^.:]{0,60}:\W*$",
    re.IGNORECASE,
)
_LINK = re.compile(
    r"\[[^\]]{0,200}\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)|\[[^\]]{0,200}\]\[[^\]]{0,80}\]|<?https?://\S+"
)
_SEE = re.compile(r"\b(?:see|also|more|refer|to|at|in|the|and|or|docs?|documentation|read)\b", re.IGNORECASE)
_ORDERED_NAME = re.compile(r"^\W*(?:(?:step|phase|stage)\b|\w?\d+\b)", re.IGNORECASE)
# A longer step is cut behind a line; the sections have all of it.
MAX_STEP_CHARS = 4000
_RUN = re.compile(r"^(?:\S+\s+){0,2}?`[^`]+`")


def steps_of(sections: list[Section]) -> list[str]:
    """The steps in some sections, as they are written. The first step of a section has the section's heading above it,
    where there are several sections. Sections beside each other that are no numbered parts are one step each."""
    found = []
    for section in sections:
        steps = _steps_of(section)
        beside = sum([other.above == section.above for other in sections]) > 1
        if section.level > 2 and beside and not _is_in_order(section):
            steps = ["\n".join(steps)] if steps else []
        if steps and len(sections) > 1 and section.level > 1:
            steps[0] = f"{section.heading}\n{steps[0]}"
        found += steps
    return found


def whole_lines(lines: list[str], limit: int = 1000) -> str:
    """As many lines as have at most `limit` characters together, without code that would be cut in the middle."""
    text = "\n".join(lines).strip()
    if len(text) <= limit:
        return text
    kept = text[:limit].rpartition("\n")[0].split("\n")
    fences = [place for place, line in enumerate(kept) if line.lstrip().startswith(("```", "~~~"))]
    kept = kept[: fences[-1]] if len(fences) % 2 else kept
    return "\n".join(kept).strip() or shorten(text, limit)


def fitting(steps: list[str]) -> list[str]:
    """At most `MAX_ITEMS` steps, each with its lines. The last one says how many more there are."""
    kept = [whole_lines(step.split("\n"), MAX_STEP_CHARS) for step in steps if step.strip()]
    if len(kept) > MAX_ITEMS:
        kept[MAX_ITEMS - 1 :] = [f"{len(kept) - MAX_ITEMS + 1} more{CUT}"]
    return kept


def says_nothing(section: Section) -> bool:
    """Whether a section only says that nobody has written it, or where to read more."""
    return all(map(_is_left_out, section.blocks))


def references_of(sections: list[Section]) -> list[str]:
    """What sections without steps say, such as another place that has the steps, without lines such as `TODO`."""
    texts = ["\n".join([line for line in section.lines if not _EMPTY.match(line)]).strip() for section in sections]
    return [text for text in texts if text]


def is_followed(section: Section) -> bool:
    """Whether a section has an instruction or code."""
    return any(block.kind == "code" or _tells(block) for block in section.blocks)


def _is_in_order(section: Section) -> bool:
    """Whether a section is a part of a procedure by its number, or has numbered steps."""
    return bool(_ORDERED_NAME.match(section.heading)) or any(block.is_ordered for block in section.blocks)


def _steps_of(section: Section) -> list[str]:
    """The items of a section's lists, or its paragraphs, each with the code and the remarks behind it.

    What tells nobody to do something joins the step before it, or the step behind it.
    """
    blocks = [block for block in section.blocks if not _is_left_out(block)]
    has_numbers = any(block.is_ordered for block in blocks)
    listed = [_lists_steps(blocks, at, has_numbers) for at in range(len(blocks))]
    steps: list[str] = []
    lead: list[str] = []
    for at, block in enumerate(blocks):
        source = block.source.rstrip()
        following = blocks[at + 1].kind if at + 1 < len(blocks) else ""
        is_step = following == "code" or _tells(block) if block.kind == "paragraph" else not (steps or lead)
        if listed[at]:
            first, *more = _joined(block)
            steps += ["\n".join([*lead, first]), *more]
            lead = []
        elif any(listed[at + 1 : at + 2]) and (block.kind == "paragraph" or not steps):
            lead.append(source)
        elif is_step and block.kind in ("paragraph", "code") and not has_numbers:
            steps.append("\n".join([*lead, source]))
            lead = []
        elif steps:
            steps[-1] += f"\n{source}"
        else:
            lead.append(source)
    return [*steps, *(["\n".join(lead)] if lead else [])]


def _lists_steps(blocks: list[Block], at: int, has_numbers: bool) -> bool:
    """Whether a block is a list of steps: it is numbered, or half of its items say what to do.

    Beside a numbered list, another list is none.
    """
    block = blocks[at]
    if block.kind != "list" or (at and _LEADS_TO_EXAMPLES.search(blocks[at - 1].text.rstrip())):
        return False
    return block.is_ordered or (
        not has_numbers and 2 * sum(map(_tells_item, block.source_items)) >= len(block.source_items)
    )


def _joined(block: Block) -> list[str]:
    """The steps of a list. What tells nobody to do something joins the item before it, but a number begins a step."""
    found: list[str] = []
    for item in block.source_items:
        if _is_reference(item) and not block.is_ordered:
            continue
        if found and not block.is_ordered and not _tells_item(item):
            found[-1] += f"\n{item}"
        else:
            found.append(item)
    return found


def _tells(block: Block) -> bool:
    """Whether a block has an instruction."""
    if block.kind == "list":
        return any(map(_tells_item, block.source_items))
    return block.kind in ("paragraph", "quote") and any(map(tells_to_do, (*block.text.split("\n"), block.text)))


def _tells_item(item: str) -> bool:
    """Whether an item of a list is an instruction, or has code."""
    text = plain(re.sub(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?", "", item))
    return (
        "```" in item or "~~~" in item or bool(_RUN.match(text)) or tells_to_do(text) or rule_words.is_imperative(text)
    )


def tells_step(step: str) -> bool:
    """Whether one of the lines of a step outside of code is an instruction."""
    prose = re.sub(r"^(```|~~~).*?^\1", "", step, flags=re.MULTILINE | re.DOTALL)
    return any(map(_tells_item, prose.split("\n")))


def _is_left_out(block: Block) -> bool:
    """Whether a block only says that nobody has written the section, or where to read more."""
    if block.kind == "list":
        return all(map(_is_reference, block.source_items))
    lines = [line for line in block.source.split("\n") if line.strip()]
    return block.kind == "paragraph" and all(bool(_EMPTY.match(line)) or _is_reference(line) for line in lines)


def _is_reference(line: str) -> bool:
    """Whether a line or an item has links, and no other words than those that lead to a link."""
    rest, links = _LINK.subn(" ", line)
    return bool(links) and not re.search(r"[^\W\d_]{2,}", _SEE.sub(" ", rest))

"""The blocks of a section of instructions that are read: no boilerplate, and nothing that only says where to read more.

Rules: docs/reference/import.md, "Instructions".
"""

import re
from collections import Counter
from dataclasses import replace

from . import rule_words
from .line_names import document_cell, tells_to_do
from .marks import tidy
from .markup.markdown import Block, Section, code_lines
from .titles import sentences_of

# A line with a colon at its end leads to a block of one of these kinds.
LED = ("list", "code", "table", "quote")
_LEADS = ("paragraph", "list", "quote", "html")
_LEADING = "a line that leads to what follows"
_DIVIDER = re.compile(r"^[=~#*_-]{2,}[^=\n]{0,100}[=~#*_-]{2,}$")
MAX_DIVIDER_CHARS = 120
# A comment that marks commands as wrong: `# WRONG - it hangs`. `# bad input` says what a command is about.
_WRONG = re.compile(
    r"(?<!\S)(?:#|//)[^\w\n]{0,9}(?:[\u274c\u2717\u2718]|(?-i:WRONG|BAD|INCORRECT)\b"
    r"|(?:wrong|bad|incorrect)(?=\s*(?:$|[^\w\s-])|\s+-))",
    re.IGNORECASE,
)
_COMMENT = ("#", "//")


def kept_blocks(section: Section, kind: str, *, is_listed: bool) -> tuple[list[Block], Counter[str]]:
    """The blocks that are read, and why others are not, with their number.

    A line that only leads to a block that is left out is left out, too. `kind` is the kind of the section's heading,
    and `is_listed` says that the heading above announces documents.
    """
    kept: list[Block] = []
    left: Counter[str] = Counter()
    for block in map(tidy, section.blocks):
        has_text = bool(block.text.strip())
        why = _why_left(block, kind, is_listed=is_listed) if has_text else ""
        if why:
            left[why] += 1
        if has_text and not why:
            kept.append(block)
        elif kept and block.kind in LED and kept[-1].kind in _LEADS and kept[-1].text.rstrip().endswith(":"):
            # Sentences before the one that leads say something by themselves.
            kept[-1:] = [rest for rest in [_without_lead(kept[-1])] if rest.text]
            left[_LEADING] += 1
    return kept, left


def _why_left(block: Block, kind: str, *, is_listed: bool) -> str:
    """Why a block is left out; "" if it is read."""
    if block.kind in ("paragraph", "quote", "html"):
        if rule_words.is_boilerplate(block.raw) or _is_divider(block.text):
            return "boilerplate: it says what the file is"
        if rule_words.is_pointer(" ".join(block.raw.split())):
            return "it only says where to read more"
    if block.kind in ("list", "table"):
        is_other = rule_words.is_target if kind == rule_words.LINKS else rule_words.is_document
        # A table row may name the document in any of its cells.
        rows = block.raw_items or [document_cell(row) for row in block.raw.splitlines()[2:]]
        pointers = sum(map(is_other, rows))
        # Below a list of documents, a list tells what is in each of them, unless most of it gives orders.
        is_content = is_listed and 2 * sum(map(tells_to_do, block.items)) <= len(rows)
        if (is_content or 2 * pointers > len(rows)) and not any(map(rule_words.is_strict, block.items)):
            return "pointers to other documents"
    return ""


def _is_divider(text: str) -> bool:
    """Whether a paragraph only divides a file, such as `=== rules of the team ===`."""
    line = text.strip()
    return len(line) <= MAX_DIVIDER_CHARS and bool(_DIVIDER.match(line))


def _without_lead(block: Block) -> Block:
    """A block without the sentence at its end, which leads to what follows; a list without it in its last item."""
    if block.kind != "list":
        return replace(block, text=_without_last_sentence(block.text), raw=_without_last_sentence(block.raw))
    *items, item = block.items
    *raw_items, raw = block.raw_items
    if rest := _without_last_sentence(item):
        items, raw_items = [*items, rest], [*raw_items, _without_last_sentence(raw) or rest]
    return replace(block, text="\n".join(items), items=tuple(items), raw_items=tuple(raw_items))


def _without_last_sentence(text: str) -> str:
    return " ".join(list(sentences_of(" ".join(text.split())))[:-1])


def right_commands(block: Block) -> list[str]:
    """The commands of a block of shell code that are not shown as wrong; empty for other code."""
    return code_lines(f"```\n{without_wrong(block.text)}\n```") if block.is_shell else []


def without_wrong(code: str) -> str:
    """The lines of a piece of code without those that are shown as wrong.

    The mark stands behind a command, or in a comment above commands and holds up to the next comment or empty line.
    """
    kept, is_marked = [], False
    for line in code.split("\n"):
        is_wrong = bool(_WRONG.search(line[: rule_words.MAX_CHARS]))
        if not line.strip() or line.lstrip().startswith(_COMMENT):
            is_marked = is_wrong
        if not is_wrong and not is_marked:
            kept.append(line)
    return "\n".join(kept)

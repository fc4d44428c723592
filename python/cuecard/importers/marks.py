"""Removes the marks in lines of instructions that are no text: check boxes, emoji, backslashes.

Rules: docs/reference/import.md, "Instructions".
"""

import re
from dataclasses import replace

from . import rule_words
from .markup.markdown import Block
from .titles import without_pictographs

_BOX = re.compile(r"^\s*\[[ xX]\]\s+")
_BAN = re.compile("^[\\s*_]*(?:\u274c|\u2717|\u2718|\u26d4|\U0001f6ab|\U0001f645)\ufe0f?[\\s:*_-]*")
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+.!<>|~-])")
# A tag of a tool around its part of the file, at either end of a line.
_TAG = re.compile(r"^\s*</?[a-z][\w-]{1,60}>|</[a-z][\w-]{1,60}>\s*$", re.IGNORECASE)
_CODE = re.compile(r"(`+[^`]*`+)")
_IMPERATIVE_WORD = re.compile(r"^[\s*_]*([A-Za-z][a-z-]*)\b")
_IS_ADVICE = re.compile(
    r"^\W*(?:always|avoid|only|ensure|instead|prefer|please|make sure)\b|\binstead\b(?! of)|^[^.]*\brather than\b",
    re.IGNORECASE,
)


def tidy(block: Block) -> Block:
    """A block without marks. An item behind a red cross says what not to do, and is turned into a prohibition."""
    if block.kind == "code":
        return block
    items, raw_items = map(_tidy_item, block.items), map(_tidy_item, block.raw_items)
    return replace(block, text=_tidy_lines(block.text), items=tuple(items), raw_items=tuple(raw_items))


def negated(text: str) -> str:
    """A line below a heading such as `Do not` as a prohibition of its own: `Do not use eval()`."""
    if rule_words.forbids(text) or rule_words.is_absence(text) or _IS_ADVICE.search(text):
        return text
    word = _IMPERATIVE_WORD.match(text)
    if word and rule_words.is_imperative(text):
        at = word.start(1)
        return f"{text[:at]}Do not {text[at].lower()}{text[at + 1 :]}"
    return f"Avoid: {text.strip()}"


def _tidy_item(item: str) -> str:
    is_banned = bool(_BAN.match(item))
    text = _tidy_lines(_BOX.sub("", _BAN.sub("", item)))
    return negated(text) if is_banned and text else text


def _tidy_lines(text: str) -> str:
    lines, is_code = [], False
    for line in text.split("\n"):
        is_fence = line.startswith("```")
        lines.append(line if is_code or is_fence else _tidy_line(line))
        is_code = is_code != is_fence
    return "\n".join(lines)


def _tidy_line(line: str) -> str:
    """A line without emoji and backslashes, except in code."""
    parts = _CODE.split(_TAG.sub("", line))
    for at in range(0, len(parts), 2):
        parts[at] = _ESCAPE.sub(r"\1", without_pictographs(parts[at]))
    return "".join(parts).strip() if "".join(parts) != line else line

"""Finds hidden text, tags that could close the frame around a memory, and text that addresses the model (SPEC 18.2).

Invisible characters are removed. In the tags of frames, `<` is replaced by U+2039, which looks similar and cannot open
or close a tag. Unlike an entity, it is not escaped again wherever the text is shown, and it changes no word for the
search. Text that addresses the model is kept and reported.
"""

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from ..._backend import engine
from .text_fields import copy_with_fields


@dataclass(frozen=True)
class Cleaned:
    """Which kind of characters was removed or replaced in which field."""

    field: str
    """The path of the field, such as `content.steps[2]`."""
    kind: str
    """`control`, `bidi`, `invisible`, `markup`, or `line-break` in a field that must have a single line."""
    count: int


@dataclass(frozen=True)
class Flag:
    """Text that addresses the model, its tools or secrets."""

    field: str
    """The path of the field, such as `content.steps[2]`."""
    reason: str
    """What the text does, such as `asks to set earlier instructions aside`."""


# These fields are not shown to the model, or cuecard wrote them.
_UNSEARCHED = ("changes[", "cuecard.flags[", "cuecard.source.")
# The strings in these fields may have several lines.
_PROSE_FIELDS = ("content", "changes", "cuecard", "retired_reason", "archived_reason")


def clean(record: dict[str, object]) -> tuple[dict[str, object], list[Cleaned]]:
    """Return a copy of a decoded record without hidden characters and with defused tags of frames, and the changes.

    Line ends become LF in fields that may have lines, and a blank in others. Joiners stay in emoji and between letters
    of scripts that need them; variation selectors stay behind emoji and ideographs. Cleaning the result again changes
    nothing. Call this before `redaction.redact`.
    """
    copied, fields = copy_with_fields(record)
    report = []
    for field in fields:
        text = field.text
        if text.isascii() and text.isprintable() and "<" not in text:
            continue
        counts: Counter[str] = Counter()
        has_lines = field.path.partition(".")[0].partition("[")[0] in _PROSE_FIELDS
        field.text = _neutralise(_remove_hidden(text, has_lines, counts), counts)
        report += [Cleaned(field.path, kind, count) for kind, count in counts.items()]
    return copied, report


def flag(record: dict[str, object]) -> list[Flag]:
    """Return which fields of a record address the model, and why (SPEC 46). Flags and history are not searched."""
    _, fields = copy_with_fields(record)
    searched = [field for field in fields if not field.path.startswith(_UNSEARCHED)]
    return [Flag(field.path, reason) for field in searched for reason in engine.instruction_signs(field.text)]


# --- characters ------------------------------------------------------------------------------------------------

_RARE_LINE_ENDS = re.compile("[\x0b\x0c\x85\u2028\u2029]")
# The default-ignorable code points of Unicode, other invisible formatting marks, controls, surrogates and
# noncharacters.
_HIDDEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202f"
    "\u2060-\u206f\u3164\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d159\U0001d173-\U0001d17a\U00016fe4\U000e0000-\U000e0fff\ud800-\udfff]"
)
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_EMOJI = re.compile(
    "[#*0-9\xa9\xae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u25fe\u2600-\u27bf\u2934\u2935"
    "\u2b05-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_IDEOGRAPH = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
# Arabic, Syriac, N'Ko and others to U+08FF, the Indic scripts and Sinhala, Tibetan, Myanmar, Khmer, Mongolian.
_JOINING = re.compile("[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc]")


def _remove_hidden(text: str, has_lines: bool, counts: Counter[str]) -> str:
    text, rare = _RARE_LINE_ENDS.subn("\n", text.replace("\r\n", "\n").replace("\r", "\n"))
    if rare:
        counts["control"] += rare
    if not has_lines and ("\n" in text or "\t" in text):
        counts["line-break"] += text.count("\n") + text.count("\t")
        text = text.replace("\n", " ").replace("\t", " ")
    if not _HIDDEN.search(text):
        return text
    kept: list[str] = []
    for char, following in pairwise(text + "\0"):
        if not _HIDDEN.match(char):
            kept.append(char)
        elif "\ud800" <= char <= "\udfff":
            counts["invisible"] += 1
            kept.append("\ufffd")
        elif _belongs(char, kept, following):
            kept.append(char)
        elif char == "\u202f":
            # A narrow no-break space looks like a blank.
            counts["invisible"] += 1
            kept.append(" ")
        else:
            counts["bidi" if char in _BIDI else "control" if char < "\xa0" else "invisible"] += 1
    return "".join(kept)


def _belongs(char: str, kept: list[str], following: str) -> bool:
    """Whether a hidden character belongs to the spelling of the character before it, as a joiner in an emoji does."""
    if not kept:
        return False
    before = kept[-1]
    if "\ufe00" <= char <= "\ufe0f":
        return bool((char >= "\ufe0e" and _EMOJI.match(before)) or (char <= "\ufe02" and _IDEOGRAPH.match(before)))
    if "\U000e0100" <= char <= "\U000e01ef":
        return bool(_IDEOGRAPH.match(before))
    if char == "\u200d" and _EMOJI.match(following) and following > "\xff":
        base = kept[-2] if before == "\ufe0f" and len(kept) > 1 else before
        return base > "\xff" and bool(_EMOJI.match(base))
    if char in "\u200c\u200d" and _JOINING.match(before):
        # After a virama, a joiner decides how the letter before it is drawn, whatever follows.
        joins = _JOINING.match(following) and not _HIDDEN.match(following)
        return bool(joins) or unicodedata.combining(before) == 9
    return False


# --- markup ----------------------------------------------------------------------------------------------------

# The frames of cuecard, of hosts, and of the formats of models.
_FRAME = (
    r"memory[-_ ]?context|system[-_ ]?(?:reminder|message|prompt)|user[-_]prompt[-_]submit[-_]hook|persisted-output"
    r"|local-command-(?:stdout|stderr|caveat)|command-(?:name|message|args)|task-notification|antml:"
    r"|function_(?:calls|results?)|tool_(?:use|calls?|result|response|code)\b|invoke\s{1,8}name|sys>>"
)
# The pattern can match blanks in one way only, so that its cost is linear in their number.
_FRAME_TAG = re.compile(rf"<(?=<?\s*(?:/\s*)?(?:{_FRAME})|\|[A-Za-z_]{{2,30}}\|>)", re.IGNORECASE)


def _neutralise(text: str, counts: Counter[str]) -> str:
    if "<" not in text:
        return text
    text, count = _FRAME_TAG.subn("\u2039", text)
    if count:
        counts["markup"] += count
    return text

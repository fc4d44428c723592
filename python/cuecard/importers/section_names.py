"""The names for the title of a section of instructions: what its lines are about.

Rules: docs/reference/import.md, "Titles and tags".
"""

import re

from ..store.records.record_limits import MAX_TITLE_CHARS
from . import rule_words, section_words
from .line_names import BOLD_LABEL, name_of, tells_to_do
from .markup.markdown import Block, plain, without_markup
from .section_units import leads
from .section_weights import Weights
from .subjects import leans_on_another
from .titles import clean_heading, make_title, sentences_of

MIN_TITLE_WORDS = 3
# A longer name of an item is a sentence for the text.
MAX_NAME_CHARS = 70
# What a paragraph is about, in bold type at its beginning.
_BOLD_BEGIN = re.compile(r"^\W{0,3}\*\*([^*\n]{2,70})\*\*")
_THIS_FOLDER = re.compile(r"\bthis (?:folder|directory|package|module|crate)\b", re.IGNORECASE)
# The number of a row of a table, such as `S-1: ...`: its cells behind one another are no sentence.
_ROW_NUMBER = re.compile(r"^\W*[A-Z]{1,6}[-_.]?\d{1,4}(?:\.\d{1,3})?: ")
_NUMBER = re.compile(r"^\W*(?:\d{1,2}[.)]|(?:CRITICAL|IMPORTANT|NOTE|WARNING):)\s+")


def in_folder(title: str, anchors: tuple[str, ...]) -> str:
    """A title that says `this folder` with the name of the folder in front, if it fits and the title has it not."""
    name = anchors[0].removesuffix("/**").rpartition("/")[2] if anchors and anchors[0].endswith("/**") else ""
    told = f"{name}/: {title}"
    is_needed = _THIS_FOLDER.search(title) and name and name.lower() not in title.lower()
    return told if is_needed and len(told) <= MAX_TITLE_CHARS else title


def names_of(blocks: list[Block], weights: Weights) -> list[str]:
    """What the lines of a section are about: their labels, or else the first sentences of the rules."""
    labels: list[str] = []
    headings = [without_markup(block.text.lstrip("# ")) for block in blocks if block.kind == "heading"]
    if len(headings) > 1:
        return headings
    for block in blocks:
        if block.kind == "list":
            pairs = zip(block.raw_items, block.items, strict=True)
            labels += [name_of(item) for raw, item in pairs if BOLD_LABEL.match(raw)]
        elif block.kind == "paragraph" and not leads(block) and (bold := _BOLD_BEGIN.match(block.raw)):
            labels += [] if rule_words.is_remark(f"{bold[1]}:") else [plain(bold[1]).rstrip(" .:?!")]
    if len(labels) > 1:
        return labels
    told = [_NUMBER.sub("", line) for line in weights.names if not _ROW_NUMBER.match(line)]
    # What asks for something says more than what only describes.
    told.sort(key=lambda line: not tells_to_do(line))
    return [_rule_in(line).rstrip(" .:;,") for line in told if not rule_words.is_remark(line)]


def _rule_in(line: str) -> str:
    """The first sentence of a line, or the first that tells to do something, if it is understood without the others."""
    first, *behind = [*sentences_of(line)] or [line]
    rule = next((each for each in (first, *behind) if rule_words.is_rule(each)), first)
    return first if rule_words.lacks_subject(rule) or leans_on_another(rule) else rule


def words_in(heading: str) -> int:
    """The number of words in a heading; the signs between them, such as `/`, are none."""
    return len([word for word in heading.split() if any(map(str.isalnum, word))])


def short_name(name: str) -> str:
    """A name that is not too long, or else what stands before its first colon, if that says something."""
    begun = name.partition(": ")[0]
    is_said = len(begun.split()) >= MIN_TITLE_WORDS and not section_words.is_fragment(f"{begun}:")
    return begun if len(clean_heading(name)) > MAX_NAME_CHARS and is_said and begun.count("`") % 2 == 0 else name


def joined(names: list[str]) -> str:
    """As many names as fit into a title."""
    title = ""
    for name in dict.fromkeys(map(clean_heading, names)):
        longer = f"{title}; {name}" if title else name
        if len(longer) > MAX_TITLE_CHARS:
            break
        title = longer
    return title or (make_title(names[0]) if names else "")

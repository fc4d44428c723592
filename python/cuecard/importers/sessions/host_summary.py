"""Makes a memory from the summary that a host writes when it compacts a conversation.

Rules: docs/reference/import.md, "Transcripts".
"""

import re
from textwrap import dedent

from ...store.records.record_file import Fields
from ..draft import ImportedDraft, first_sentence, shorten, shorten_all
from ..markup.markdown import MarkdownDocument, Section, items, paragraphs, parse, plain
from .session_sentences import CONFIDENCE, KIND, TAG

MAX_CHARS = 200_000
MAX_TITLE_CHARS = 100
# The texts before and after the summary, which tell the model to continue the conversation.
_OPENING = re.compile(r"\A(?:This session is being continued|Another language model started)[^\n]*\n+")
_CLOSING = re.compile(
    r"^[ \t]*(?:(?:Please )?continue (?:the conversation|with the last task|from where)|If you need specific details"
    r"|Recent messages are preserved|(?:Read|See) the full transcript)[\s\S]*\Z",
    re.IGNORECASE | re.MULTILINE,
)
_SUMMARY = re.compile(r"^[ \t]*(?:Summary:|<summary>)[ \t]*$", re.IGNORECASE | re.MULTILINE)
_TAG = re.compile(r"</?(?:summary|analysis)>")
# Matches a line that is a heading without a mark, such as `2. Key Technical Concepts:` or `**Next steps**`.
_HEADING = re.compile(
    r"^ {0,3}(?:\d{1,2}\.[ \t]+)?(\*\*)?([A-Z][\w ,/&-]{2,50}?):?(?(1):?\*\*:?|:)[ \t]*$", re.MULTILINE
)
_GOAL = re.compile(r"primary request|^goal|objective|^task|intent|^request", re.IGNORECASE)
_NEXT = re.compile(r"pending|next step|remaining|to do|todo|what remains", re.IGNORECASE)
_NOW = re.compile(r"current (?:work|state)|in progress", re.IGNORECASE)
_DONE = re.compile(r"problem solving|errors? and fix|progress|done|completed|accomplished|key decisions", re.IGNORECASE)
_CHANGED = re.compile(r"^files\b|changed files|code changes", re.IGNORECASE)


def draft_of_summary(text: str, path: str, date: str) -> ImportedDraft | None:
    """The memory of a summary; None if the summary is empty."""
    document = parse(_HEADING.sub(r"## \2", _stripped(text[:MAX_CHARS])))
    goal = "; ".join(_items(document, _GOAL)) or next(iter(paragraphs(document.text)), "")
    if not goal:
        return None
    now = _items(document, _NOW)
    content: Fields = {
        "goal": shorten(goal, 1000),
        "outcome": "partial",
        "completed": shorten_all(_items(document, _DONE)) or shorten_all([document.text]),
        "next_actions": shorten_all(_items(document, _NEXT)),
    }
    if now:
        content["in_progress"] = shorten_all(now)
    changed = _items(document, _CHANGED)
    if changed:
        content["key_changes"] = shorten_all(changed)
    title = shorten(f"{date[:10]} {first_sentence(goal)}", MAX_TITLE_CHARS)
    return ImportedDraft(
        "session_summary", title, content, KIND, path, "summary", (TAG,), (), date, confidence=CONFIDENCE
    )


def _stripped(text: str) -> str:
    """The summary without the texts around it that address the model, and without the model's analysis before it."""
    found = _SUMMARY.search(text)
    body = text[found.end() :] if found else _OPENING.sub("", text)
    return _TAG.sub("", _CLOSING.sub("", body)).strip()


def _items(document: MarkdownDocument, pattern: re.Pattern[str]) -> list[str]:
    found: list[Section] = [section for section in document.sections if pattern.search(section.heading)]
    # Hosts indent the text below a heading.
    return [item for section in found for item in items(plain(dedent("\n".join(section.lines))))]

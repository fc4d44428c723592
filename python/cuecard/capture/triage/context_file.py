"""Writes the text from which an agent drafts a memory of one category (docs/reference/triage.md, "Staging")."""

import html
import re
from collections.abc import Sequence

from ...store.intake.redaction import redact
from ...store.intake.screening import clean
from .conversation import Conversation
from .triage_scoring import SNIPPET_CHARS, SUMMARY, CategoryScore, TriageLine

AROUND_LINES = 10
MAX_BYTES = 50_000
MAX_LINE_CHARS = 4_000
# The text for a session summary has the first and the last lines of the conversation.
FIRST_LINES, LAST_LINES = 80, 200

_CONTROLS = re.compile("[\x00-\x1f\x7f]")
_INVISIBLE = re.compile("[\u200b-\u200f\u2028-\u202f\u2060-\u2069\ufeff\U000e0000-\U000e007f]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_CLOSING = "</transcript_data>"


def shown_snippet(text: str) -> str:
    """A line that is safe to show to a model: no invisible characters, no markup, at most 120 characters."""
    plain = _INVISIBLE.sub("", _CONTROLS.sub("", text)).replace("`", "")
    return html.escape(plain, quote=False).strip()[:SNIPPET_CHARS]


def write_context(
    score: CategoryScore, lines: Sequence[TriageLine], conversation: Conversation, description: str, transcript: str
) -> bytes:
    """The text for a category: the score, excerpts of the conversation without secrets, and the lines that matched.

    `transcript` is the name of the transcript. If it is "", the text has the form that the claude-memory plugin
    writes.
    """
    head = [f"Category: {score.category}", f"Score: {score.score:.2f}"]
    if description:
        head.append(f"Description: {shown_snippet(description)}")
    if transcript:
        head += [f"Transcript: {transcript}", f"Position: bytes {conversation.start} to {conversation.end}"]
    if score.category == SUMMARY:
        body = _activity_lines(conversation)
        if transcript:
            body += ["", *_beginning_and_end(lines)]
    else:
        body = _excerpts(score.line_numbers, lines)
    snippets = [f"  - {snippet}" for snippet in safe_snippets(score, lines)]
    tail = [_CLOSING, *(["", "Key snippets:", *snippets] if snippets else [])]
    return _bounded([*head, "", "<transcript_data>", *_without_secrets(body)], tail)


def safe_snippets(score: CategoryScore, lines: Sequence[TriageLine]) -> list[str]:
    """The lines that matched. Secrets are replaced before a line is cut, so that no part of a secret remains."""
    if not score.snippet_lines:
        return score.snippets
    safe = _without_secrets([lines[number].text for number in score.snippet_lines])
    return [text.strip()[:SNIPPET_CHARS] for text in safe]


def _activity_lines(conversation: Conversation) -> list[str]:
    activity = conversation.activity
    return [
        "Activity Metrics:",
        f"  Tool uses: {activity.tool_uses}",
        f"  Distinct tools: {activity.distinct_tools}",
        f"  Exchanges: {activity.exchanges}",
    ]


def _beginning_and_end(lines: Sequence[TriageLine]) -> list[str]:
    said = [f"user: {line.text}" if line.is_typed else line.text for line in lines if line.text.strip()]
    if len(said) <= FIRST_LINES + LAST_LINES:
        return said
    return [*said[:FIRST_LINES], "---", *said[-LAST_LINES:]]


def _excerpts(numbers: Sequence[int], lines: Sequence[TriageLine]) -> list[str]:
    """The lines around each match; overlapping and adjacent ranges are merged."""
    if not numbers:
        return []
    ranges: list[tuple[int, int]] = []
    for number in numbers:
        start, end = max(0, number - AROUND_LINES), min(len(lines), number + AROUND_LINES + 1)
        if ranges and start <= ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], end)
        else:
            ranges.append((start, end))
    parts = ["Relevant transcript excerpts:", ""]
    for position, (start, end) in enumerate(ranges):
        parts += ["---"] if position else []
        parts += [line.text for line in lines[start:end]]
    return parts


def _without_secrets(body: list[str]) -> list[str]:
    if not body:
        return []
    # Lines are cut to twice the limit first, and to the limit after redaction: half a secret would not be recognised.
    text = "\n".join([line[: 2 * MAX_LINE_CHARS] for line in body])
    cleaned, _ = clean({"content": {"text": _SURROGATES.sub("\ufffd", text)}})
    redacted, _ = redact(cleaned)
    content = redacted["content"]
    # Text behind a closing tag in the conversation would look like text of ours, so such tags are removed.
    said = str(content["text"]) if isinstance(content, dict) else ""
    return [line[:MAX_LINE_CHARS] for line in said.replace(_CLOSING, "").split("\n")]


def _bounded(body: list[str], tail: list[str]) -> bytes:
    data = "\n".join([*body, *tail]).encode("utf-8", "replace")
    if len(data) <= MAX_BYTES:
        return data
    ending = "\n".join(["", *tail, "", f"(truncated to {MAX_BYTES} bytes)"]).encode("utf-8", "replace")
    cut = "\n".join(body).encode("utf-8", "replace")[: MAX_BYTES - len(ending)]
    return cut.decode("utf-8", "ignore").encode() + ending

"""Builds the results of tool calls: a value in structured form and as text, or an error with advice.

Rules: docs/reference/mcp.md, "Tools".
"""

import json

from ..errors import CuecardError
from .advice import without_shell
from .project import shown, shown_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .message import Json


def done(result: "Json") -> "Json":
    """The result of a successful tool call."""
    structured = shown(result)
    text = json.dumps(structured, ensure_ascii=False, separators=(",", ":"))
    return {"content": [{"type": "text", "text": text}], "structuredContent": structured}


def failed(error: CuecardError, is_write: bool = False) -> "Json":
    """The result of a failed tool call: what is wrong, where, and how to fix it."""
    lines = [f"error: {error.what}"]
    problems = getattr(error, "problems", [])
    lines += [
        f"- `{found.field}`: expected {found.expected}, found {found.found}; {without_shell(found.fix)}"
        for found in problems
    ]
    if error.hint and not problems:
        lines.append(f"hint: {without_shell(error.hint)}")
    lines.append(f"({error.code}{'; nothing was written' if is_write else ''})")
    return {"content": [{"type": "text", "text": shown_text("\n".join(lines))}], "isError": True}

"""What a host sends, and the form in which it takes an answer (SPEC 12)."""

from ..errors import PayloadError, UsageError
from .chars import WHITESPACE, scrub
from .json_reader import JsonError, read_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HOSTS = ("claude-code", "plain")
MIN_PROMPT_CHARS = 10
CLAUDE_CODE_BUDGET_CHARS = 6000
PLAIN_BUDGET_CHARS = 2**31 - 1

_TEXT_FIELDS = (
    "prompt",
    "user_prompt",
    "cwd",
    "session_id",
    "transcript_path",
    "hook_event_name",
    "permission_mode",
)
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}


def read_payload(data: bytes) -> tuple[str, str | None, str | None]:
    """Prompt, working directory and session id of a prompt event.

    The prompt is `prompt`, else `user_prompt`. Raises `PayloadError` for anything that is not a JSON object
    with text in the fields we know and a prompt in one of the two.
    """
    payload = read_object(data)
    for field in _TEXT_FIELDS:
        text_field(payload, field)
    prompts = [payload.get("prompt"), payload.get("user_prompt")]
    if prompts == [None, None]:
        raise PayloadError("the payload has no `prompt`", "register the hook for `UserPromptSubmit`")
    prompt = prompts[0] or prompts[1] or ""
    cwd, session_id = payload.get("cwd"), payload.get("session_id")
    return prompt, cwd, session_id


def read_object(data: bytes) -> "dict[str, Any]":
    """The JSON object that a host sent; `PayloadError` where it is none."""
    if not data.strip(b" \t\n\r"):
        raise PayloadError("the payload is empty", "send the host's JSON on standard input")
    try:
        payload = read_json(data)
    except JsonError:
        raise PayloadError("the payload is not JSON", "send the host's JSON on standard input") from None
    if not isinstance(payload, dict):
        raise PayloadError("the payload is not a JSON object", "send the host's JSON on standard input")
    return payload


def text_field(payload: "dict[str, Any]", field: str) -> str | None:
    """The text of a field; None where it is null or absent, `PayloadError` where it is something else."""
    text = payload.get(field)
    if text is not None and not isinstance(text, str):
        raise PayloadError(f"the payload's `{field}` is not a string", "send the host's JSON unchanged")
    return text


def is_too_short(prompt: str) -> bool:
    """Whether a prompt has under 10 characters between its blanks, those of Hangul, Han and kana counting as two: a
    greeting, a go-ahead."""
    text = scrub(prompt).strip(WHITESPACE)[:MIN_PROMPT_CHARS]
    # Whatever comes behind ten characters makes no difference.
    if len(text) == MIN_PROMPT_CHARS or text.isascii():
        return len(text) < MIN_PROMPT_CHARS
    from .letters import HANGUL, IDEOGRAPHS, classify

    return (
        len(text) + sum(char >= "\x80" and classify(char) in (HANGUL, IDEOGRAPHS) for char in text) < MIN_PROMPT_CHARS
    )


def budget_of(host: str) -> int:
    """The most characters that a host's answer may have."""
    if host not in HOSTS:
        raise UsageError(f"unknown host `{scrub(host)}`", "use `claude-code` or `plain`")
    return CLAUDE_CODE_BUDGET_CHARS if host == "claude-code" else PLAIN_BUDGET_CHARS


def write_answer(block: str, host: str) -> bytes:
    """The bytes for standard output that hand `block` to the agent; none for an empty block."""
    budget_of(host)
    if not block:
        return b""
    if host == "plain":
        return scrub(block).encode()
    context = quote(scrub(block).rstrip("\n"))
    return (
        '{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":' + context + "}}\n"
    ).encode()


def quote(text: str) -> str:
    """A text as a JSON string."""
    quoted = [_ESCAPES[char] if char in _ESCAPES else f"\\u{ord(char):04x}" if char < " " else char for char in text]
    return '"' + "".join(quoted) + '"'

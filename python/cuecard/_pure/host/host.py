"""Reads the payloads of hosts and writes answers in the form that each host takes (SPEC 12)."""

from ...basics import host_table
from ...basics.chars import WHITESPACE, scrub
from ...basics.json_reader import JsonError, object_in, read_json
from ...errors import PayloadError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HOSTS = tuple(host_table.HOSTS)
MIN_PROMPT_CHARS = 10
MAX_CWD_BYTES = 4096
DIGITS = "0123456789"
MAX_NUMBER, MAX_DIGITS = 2**32 - 1, 10
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}


def read_payload(data: bytes) -> tuple[str, str | None, str | None, str | None, str | None]:
    """Return prompt, working directory, session id, the prompt in the host's rewritten form, and the transcript's path.

    All of these but the prompt may be None. The prompt is the first non-empty text of the fields `prompt`,
    `user_prompt` and `userPromptSubmit.prompt`. Raises `PayloadError` if the payload is not a JSON object, has none of
    these three fields, or has something other than text in a field of Claude Code. The prompt may also be a list of
    parts, whose texts are joined by line feeds.
    """
    payload = read_object(data)
    parts = payload.get("prompt")
    if isinstance(parts, list):
        payload["prompt"] = _join_parts(parts)
    for field in host_table.TEXT_FIELDS:
        text_field(payload, field)
    nested = _text(object_in(payload, "userPromptSubmit").get("prompt"))
    prompt, is_asked = "", False
    for text in (payload.get("prompt"), payload.get("user_prompt"), nested):
        if text is not None:
            is_asked = True
            prompt = prompt or text
    if not is_asked:
        raise PayloadError("the payload has no `prompt`", "register the hook for `UserPromptSubmit`")
    cwd = working_directory(payload)
    return prompt, cwd, session_of(payload), _text(payload.get("transformedPrompt")), payload.get("transcript_path")


def prompt_source(data: bytes, host: str) -> str:
    """Return who has submitted a prompt: `typed`, `program` or `machine`. Raises what `read_payload` raises."""
    facts_of(host)
    read_payload(data)
    payload = read_object(data)
    member = host_table.TYPED_MEMBERS.get(host)
    if member and not isinstance(payload.get(member), str):
        return "machine"
    if any(isinstance(payload.get(member), str) for member in host_table.AGENT_MEMBERS):
        return "program"
    return host_table.PROMPT_SOURCES.get(_text(payload.get("source")) or "", "typed")


def may_drop_answer(data: bytes, host: str) -> bool | None:
    """Whether the version of a host may drop the answer to its prompt (SPEC 12.7); None for a host that drops none.

    Raises what `read_payload` raises.
    """
    facts_of(host)
    read_payload(data)
    member, _blank, changes = host_table.DROPPED_ANSWERS.get(host, "").partition(" ")
    if not member:
        return None
    version = _numbers_of(_text(read_object(data).get(member)) or "")
    return sum(_numbers_of(change) <= version for change in changes.split(" ")) % 2 == 0


def _numbers_of(version: str) -> list[int]:
    """Return the numbers between dots with which a version begins."""
    numbers = list[int]()
    for part in version.split("."):
        digits = part[: len(part) - len(part.lstrip(DIGITS))]
        number = digits.lstrip("0")
        if not digits or len(number) > MAX_DIGITS or int(number or "0") > MAX_NUMBER:
            break
        numbers.append(int(number or "0"))
        if digits != part:
            break
    return numbers


def session_of(payload: "dict[str, Any]") -> str | None:
    """Return the id of the session in a payload of any host."""
    ids = [_text(payload.get(field)) for field in host_table.SESSION_FIELDS]
    return next((found for found in ids if found is not None), None)


def _join_parts(parts: "list[Any]") -> str:
    texts = [part.get("text") for part in parts if isinstance(part, dict) and part.get("type") == "text"]
    return "\n".join([text for text in texts if isinstance(text, str)])


def working_directory(payload: "dict[str, Any]") -> str | None:
    """Return `cwd` of a payload, or where that is empty or absent, the first folder of the workspace.

    Raises `PayloadError` if it is longer than `MAX_CWD_BYTES`.
    """
    return check_cwd(_text(payload.get("cwd")) or _first_root(payload))


def check_cwd(cwd: str | None) -> str | None:
    """Return the working directory `cwd`. Raises `PayloadError` if it is longer than `MAX_CWD_BYTES`.

    The limit exists because each folder in the path is looked up in the file system.
    """
    if cwd and len(cwd.encode()) > MAX_CWD_BYTES:
        raise PayloadError("the payload's `cwd` is too long", "send the host's JSON unchanged")
    return cwd


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _first_root(payload: "dict[str, Any]") -> str | None:
    """Return the first folder of the workspace; without one, the payload's `cwd`."""
    for field in host_table.ROOTS_FIELDS:
        roots = payload.get(field)
        if isinstance(roots, list) and roots and isinstance(roots[0], str):
            return _local_path(roots[0])
    return _text(payload.get("cwd"))


def _local_path(root: str) -> str:
    """Return a folder of the workspace without the slash that Cursor puts before the drive on Windows: `/c:/work`."""
    has_drive = root[:1] == "/" and root[1:2].isalpha() and root[1:2].isascii() and root[2:4] == ":/"
    return root[1:] if has_drive else root


def read_object(data: bytes) -> "dict[str, Any]":
    """Parse the JSON object that a host sent. Raises `PayloadError` for any other data."""
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
    """Return the text of a field; None if it is null or absent. Raises `PayloadError` for any other value."""
    text = payload.get(field)
    if text is not None and not isinstance(text, str):
        raise PayloadError(f"the payload's `{field}` is not a string", "send the host's JSON unchanged")
    return text


def is_too_short(prompt: str) -> bool:
    """Whether a prompt, such as a greeting, has fewer than 10 characters without the blanks around it.

    The prompt is composed, and a character of Hangul, Han or kana counts as two.
    """
    text = scrub(prompt).strip(WHITESPACE)
    if text.isascii():
        return len(text) < MIN_PROMPT_CHARS
    from ..text.full_forms import full_forms
    from ..text.letters import HANGUL, IDEOGRAPHS, classify

    text = full_forms(text)[:MIN_PROMPT_CHARS]
    return (
        len(text) + sum(char >= "\x80" and classify(char) in (HANGUL, IDEOGRAPHS) for char in text) < MIN_PROMPT_CHARS
    )


def facts_of(host: str) -> host_table.HostFacts:
    """Return what the protocol of a host is like. Raises `UsageError` for an unknown host."""
    facts = host_table.HOSTS.get(host)
    if facts is None:
        raise UsageError(f"unknown host `{scrub(host)}`", f"use `{'` or `'.join(HOSTS)}`")
    return facts


def budget_of(host: str) -> int:
    """Return how many characters a block for a host may have. Raises `UsageError` for an unknown host."""
    return facts_of(host).max_chars


def keeps_context(host: str) -> bool:
    """Whether a host keeps the blocks of earlier prompts in the agent's context, and reports when it drops them."""
    return facts_of(host).context == "kept"


def shows_context(host: str) -> bool:
    """Whether only the transcript of a host shows which blocks of earlier prompts are still in the agent's context."""
    return facts_of(host).context == "transcript"


def shows_notices(host: str) -> bool:
    """Whether a host shows messages of a hook to the user."""
    return facts_of(host).shows_notices


def write_answer(block: str, host: str, transformed_prompt: str | None = None) -> bytes:
    """Return the bytes for standard output that give `block` to the agent; empty for an empty block.

    A host whose whole prompt is replaced by the answer gets an empty one without its `transformed_prompt`.
    """
    facts = facts_of(host)
    if not block or (facts.has_prompt and transformed_prompt is None):
        return b""
    if facts.answer is None:
        return scrub(block).encode()
    before, after = facts.answer
    text = scrub(block).rstrip("\n")
    if facts.has_prompt:
        text = f"{scrub(transformed_prompt or '')}\n\n{text}"
    return f"{before}{quote(text)}{after}\n".encode()


def write_refusal(host: str, decision: str, reason: str) -> bytes:
    """Return the bytes for standard output that keep a tool from running, or with the decision `ask` ask the user."""
    before, _reason, after = _form_in(host_table.REFUSALS, host).partition("REASON")
    return f"{before.replace('DECISION', quote(scrub(decision)), 1)}{quote(scrub(reason))}{after}\n".encode()


def write_tool_context(host: str, event: str, block: str) -> bytes:
    """Return the bytes for standard output that give the agent `block` at a tool's event; empty for an empty block."""
    before, _block, after = _form_in(host_table.TOOL_CONTEXTS, host).partition("BLOCK")
    if not block:
        return b""
    text = quote(scrub(block).rstrip("\n"))
    return f"{before.replace('EVENT', quote(scrub(event)), 1)}{text}{after}\n".encode()


def write_new_input(host: str, new_input: str) -> bytes:
    """Return the bytes for standard output that change the input of a tool to this JSON text; empty if the host has no
    such answer."""
    before, _input, after = host_table.NEW_INPUTS.get(facts_of(host).name, "").partition("INPUT")
    return f"{before}{new_input}{after}\n".encode() if before else b""


def _form_in(forms: dict[str, str], host: str) -> str:
    return forms.get(facts_of(host).name) or forms[HOSTS[0]]


def quote(text: str) -> str:
    """Return a text as a JSON string with its quotes."""
    quoted = [_ESCAPES[char] if char in _ESCAPES else f"\\u{ord(char):04x}" if char < " " else char for char in text]
    return '"' + "".join(quoted) + '"'

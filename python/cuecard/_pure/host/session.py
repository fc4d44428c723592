"""Reads and writes the file of a session: its prompts and shown memories, and the events that clear them (SPEC 30)."""

from ...basics.chars import read_whole, scrub, whole_lines
from ...basics.host_table import SUMMARY_SIGN
from ...basics.light_row import Row
from .host import check_cwd, read_object, text_field
from .typed import Typed, read_typed

HEADER = "cuecard session 2"
# Files of this form have the texts of prompts. They are not read, and are removed.
OLD_HEADER = b"cuecard session 1\n"
# How many earlier prompts are kept.
MAX_PROMPTS = 5
MAX_SHOWN = 500
# How many times that a memory has spoken at an act are kept.
MAX_SPOKEN = 500
MAX_ID_CHARS = 100
MAX_SIZE = 2**32 - 1
MAX_BLOCKS = 2**32 - 1
MAX_MODIFIED = 2**63 - 1
# This text is in the first line of each block, and in no other line.
BLOCK_SIGN = b"memory-context source="
ID_CHARS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")

# A memory that the agent was shown: its path in the project, and the size and modification time of its file then.
Shown = tuple[str, int, int]
# A memory that has spoken at an act: a number that stands for the file or the command, and the memory's path.
Spoken = tuple[int, str]


class Session(Row):
    """What the file of a session holds. Each list has the oldest first."""

    # What is kept of the earlier prompts, as lines of `kept_terms`.
    prompts: list[str]
    shown: list[Shown]
    # The memories of which the agent was shown only the title.
    titled: list[Shown]
    # How many blocks the host's transcript must contain if the agent still has all of them.
    blocks: int
    # The facts about typed prompts; None if no prompt was noted.
    typed: Typed | None
    # The memories that have spoken at an act.
    spoken: list[Spoken]
    # The memories of which the agent was only told that they may concern its prompt.
    named: list[Shown]


def read_session(data: bytes) -> Session:
    """Return what the file of a session holds; nothing for a damaged file."""
    return _parse(data) or Session([], [], [], 0, None, [], [])


def _parse(data: bytes) -> Session | None:
    header, *lines = whole_lines(data) or [""]
    if header != HEADER:
        return None
    prompts: list[str] = []
    memories: dict[str, list[Shown]] = {"shown": [], "titled": [], "named": []}
    told: dict[str, str] = {}
    spoken: list[Spoken] = []
    blocks = 0
    for line in lines:
        kind, blank, rest = line.partition(" ")
        if kind == "prompt" and blank:
            prompts.append(rest)
            continue
        if kind == "blocks" and (count := read_whole(rest, MAX_BLOCKS)) is not None:
            blocks = count
            continue
        if kind in ("typed", "transcript") and blank:
            told[kind] = rest
            continue
        digits, blank, rest = rest.partition(" ")
        size = read_whole(digits, MAX_SIZE)
        if kind == "spoke" and blank and size is not None:
            spoken.append((size, rest))
            continue
        digits, blank, path = rest.partition(" ")
        modified = read_whole(digits, MAX_MODIFIED, least=-MAX_MODIFIED - 1)
        if kind not in memories or not blank or size is None or modified is None:
            return None
        memories[kind].append((path, size, modified))
    typed = None
    if "typed" in told:
        typed = read_typed(told["typed"], told.get("transcript", ""))
        if typed is None:
            return None
    return Session(prompts, memories["shown"], memories["titled"], blocks, typed, spoken, memories["named"])


def is_old_form(data: bytes) -> bool:
    """Whether a session's file has the form that held the texts of prompts."""
    return data.startswith(OLD_HEADER)


def write_session(
    prompts: list[str],
    memories: dict[str, list[Shown]],
    blocks: int = 0,
    typed: Typed | None = None,
    spoken: "list[Spoken] | tuple[()]" = (),
) -> bytes:
    """Return the bytes of a session's file, with the last `MAX_PROMPTS` prompts and `MAX_SHOWN` memories of each list.

    `prompts` are lines of `kept_terms`, which have no text of a prompt. Of equal ones only the last is kept. `memories`
    has the lists `shown`, `titled` and `named`; one that is empty may be missing.
    """
    asked: dict[str, None] = {}
    for prompt in prompts:
        if "\n" in prompt:
            continue
        line = "prompt " + scrub(prompt)
        asked.pop(line, None)
        asked[line] = None
    lines = [HEADER, *(typed.lines() if typed else []), *list(asked)[-MAX_PROMPTS:]]
    for kind in ("shown", "titled", "named"):
        last = [memory for memory in memories.get(kind, [])[-MAX_SHOWN:] if "\n" not in memory[0]]
        lines += [f"{kind} {size} {modified} {scrub(path)}" for path, size, modified in last]
    lines += [f"spoke {key} {scrub(path)}" for key, path in spoken[-MAX_SPOKEN:] if "\n" not in path]
    if blocks:
        lines.append(f"blocks {blocks}")
    return ("\n".join(lines) + "\n").encode()


def is_continued(prompts: list[str], prompt: str) -> bool:
    """Whether a prompt continues the earlier prompts, so that recall answers it even if it is short."""
    if not prompts:
        return False
    from ..text.cues import find_cues

    return "continues" in find_cues(prompt)


def count_blocks(data: bytes) -> int:
    """Count the blocks in the agent's context, by the transcript of Gemini CLI (SPEC 30.4).

    A line of the transcript is a message; or the whole conversation, for example after a compression, which replaces
    all lines before it; or a rewind, which removes a message and all messages after it.
    """
    messages: list[tuple[bytes, int]] = []
    for line in data.split(b"\n"):
        if _is_conversation(line):
            messages = []
        elif line.startswith(b'{"$rewindTo":"'):
            message, ids = line.split(b'"', 4)[3], [each[0] for each in messages]
            messages = messages[: ids.index(message)] if message in ids else []
            continue
        message = line.split(b'"', 4)[3] if line.startswith(b'{"id":"') else b""
        messages.append((message, line.count(BLOCK_SIGN)))
    return min(sum(blocks for _message, blocks in messages), MAX_BLOCKS)


def _is_conversation(line: bytes) -> bool:
    """Whether a line of the transcript of Gemini CLI is the whole conversation."""
    return line.startswith(b'{"$set":{') and b'"messages":[' in line


def was_compressed(data: bytes) -> bool:
    """Whether a conversation was compressed since the last prompt but one, by Gemini CLI's transcript (SPEC 30.5)."""
    prompts = 0
    for line in reversed(data.split(b"\n")):
        if _is_conversation(line) and SUMMARY_SIGN.encode() in line:
            return True
        prompts += line.startswith(b'{"id":"') and b'"type":"user"' in line
        if prompts > 1:
            return False
    return False


def session_file_name(session_id: str) -> str | None:
    """Return the file name for a session's id; None if the id cannot be a file name, and recall then has no session."""
    fits = 0 < len(session_id) <= MAX_ID_CHARS and ID_CHARS.issuperset(session_id)
    return session_id if fits else None


def read_session_event(data: bytes) -> tuple[str | None, str | None, str]:
    """Return working directory and session of an event, and what the session's file keeps after it.

    The third value is "prompts" for `PostCompact`, `PreCompact` and `SessionStart` with the source `compact`, "nothing"
    for `SessionStart` with the source `clear`, and "all" for any other event. Raises `PayloadError` if the payload is
    not a JSON object, or has something other than text in one of these fields.
    """
    payload = read_object(data)
    cwd, session_id = check_cwd(text_field(payload, "cwd")), text_field(payload, "session_id")
    event, source = text_field(payload, "hook_event_name"), text_field(payload, "source")
    if event in ("PostCompact", "PreCompact") or (event == "SessionStart" and source == "compact"):
        return cwd, session_id, "prompts"
    return cwd, session_id, "nothing" if event == "SessionStart" and source == "clear" else "all"

"""What a session has asked and been shown: its file, and what an event of the host does to it (SPEC 30)."""

from ..basics.chars import scrub
from .host import check_cwd, read_object, text_field

HEADER = "cuecard session 1"
# Prompts before, and what is kept of each.
MAX_PROMPTS = 5
MAX_PROMPT_CHARS = 500
MAX_SHOWN = 500
MAX_ID_CHARS = 100
MAX_SIZE = 2**32 - 1
MAX_BLOCKS = 2**32 - 1
MAX_MODIFIED = 2**63 - 1
MAX_DIGITS = 20
# In the first line of each block, and in no other line of it.
BLOCK_SIGN = b"memory-context source="
ID_CHARS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")

_CONTROLS = dict.fromkeys((*range(32), 127), " ")

# A memory that the session's agent has before it: path below the project, size and time of its file as it was then.
Shown = tuple[str, int, int]


def read_session(data: bytes) -> tuple[list[str], list[Shown], list[Shown], int]:
    """The prompts before, the memories that were shown, and those of which the agent has no more than the title.

    Each with the oldest first. Behind them the blocks that the host's transcript has if the agent still has all of
    them. None of it if the file is damaged.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return [], [], [], 0
    header, *lines = text.split("\n")
    if header != HEADER or not lines or lines.pop():
        return [], [], [], 0
    prompts: list[str] = []
    memories: dict[str, list[Shown]] = {"shown": [], "titled": []}
    blocks = 0
    for line in lines:
        kind, blank, rest = line.partition(" ")
        if kind == "prompt" and blank:
            prompts.append(rest)
            continue
        if kind == "blocks" and _is_number(rest, 0, MAX_BLOCKS):
            blocks = int(rest)
            continue
        size, _, rest = rest.partition(" ")
        modified, blank, path = rest.partition(" ")
        if kind not in memories or not blank or not _is_number(size, 0, MAX_SIZE):
            return [], [], [], 0
        if not _is_number(modified, -MAX_MODIFIED - 1, MAX_MODIFIED):
            return [], [], [], 0
        memories[kind].append((path, int(size), int(modified)))
    return prompts, memories["shown"], memories["titled"], blocks


def write_session(prompts: list[str], shown: list[Shown], titled: list[Shown], blocks: int = 0) -> bytes:
    """The bytes of a session's file: of prompts and memories the last ones, as many as are kept; of equal prompts the
    last."""
    asked: dict[str, None] = {}
    for prompt in prompts:
        line = "prompt " + scrub(prompt)[:MAX_PROMPT_CHARS].translate(_CONTROLS)
        asked.pop(line, None)
        asked[line] = None
    lines = [HEADER, *list(asked)[-MAX_PROMPTS:]]
    for kind, memories in (("shown", shown), ("titled", titled)):
        last = [memory for memory in memories[-MAX_SHOWN:] if "\n" not in memory[0]]
        lines += [f"{kind} {size} {modified} {scrub(path)}" for path, size, modified in last]
    if blocks:
        lines.append(f"blocks {blocks}")
    return ("\n".join(lines) + "\n").encode()


def is_continued(prompts: list[str], prompt: str) -> bool:
    """Whether a prompt goes on with those before it, so that it counts however short it is."""
    if not prompts:
        return False
    from ..text.cues import find_cues

    return "continues" in find_cues(prompt)


def count_blocks(data: bytes) -> int:
    """How many blocks the agent has before it, by the transcript of Gemini CLI (SPEC 30.4).

    A line is a message; or the whole conversation, which then replaces the lines before it, as when it was compressed;
    or it takes back a message and those after it.
    """
    messages: list[tuple[bytes, int]] = []
    for line in data.split(b"\n"):
        if line.startswith(b'{"$set":{') and b'"messages":[' in line:
            messages = []
        elif line.startswith(b'{"$rewindTo":"'):
            message, ids = line.split(b'"', 4)[3], [each[0] for each in messages]
            messages = messages[: ids.index(message)] if message in ids else []
            continue
        message = line.split(b'"', 4)[3] if line.startswith(b'{"id":"') else b""
        messages.append((message, line.count(BLOCK_SIGN)))
    return min(sum(blocks for _message, blocks in messages), MAX_BLOCKS)


def session_file_name(session_id: str) -> str | None:
    """The name of a session's file; None for an id that cannot be one: then there is no session."""
    fits = 0 < len(session_id) <= MAX_ID_CHARS and ID_CHARS.issuperset(session_id)
    return session_id if fits else None


def read_session_event(data: bytes) -> tuple[str | None, str | None, str]:
    """Working directory and session of an event, and which part of the known session it keeps.

    `PostCompact`, `PreCompact`, and `SessionStart` with the source `compact`, leave the "prompts", with `clear`
    "nothing", any other "all". Raises `PayloadError` as `read_payload` does.
    """
    payload = read_object(data)
    cwd, session_id = check_cwd(text_field(payload, "cwd")), text_field(payload, "session_id")
    event, source = text_field(payload, "hook_event_name"), text_field(payload, "source")
    if event in ("PostCompact", "PreCompact") or (event == "SessionStart" and source == "compact"):
        return cwd, session_id, "prompts"
    return cwd, session_id, "nothing" if event == "SessionStart" and source == "clear" else "all"


def _is_number(text: str, least: int, most: int) -> bool:
    """Whether it is a whole number in its shortest form."""
    digits = text[1:] if text[:1] == "-" else text
    is_short = digits.isascii() and digits.isdigit() and len(digits) <= MAX_DIGITS
    return is_short and str(int(text)) == text and least <= int(text) <= most

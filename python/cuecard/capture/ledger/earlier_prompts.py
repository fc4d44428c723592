"""Reads the earlier prompts of a session from the host's transcript, for models (docs/reference/models.md)."""

from ...errors import CuecardError
from ...files.folder import Unread
from ...files.store_files import read_end
from .redaction import redact_text
from .same_prompt import is_same_prompt
from .transcripts.read_record import read_record
from .transcripts.record import PROMPT

# How many bytes at the end of a transcript are read, and how many prompts and characters of each are returned.
MAX_BYTES = 1 << 20
MAX_PROMPTS = 5
MAX_PROMPT_CHARS = 500


def read_earlier_prompts(transcript: str, prompt: str) -> list[str]:
    """What the user typed before `prompt`, without secrets, the oldest first; empty if that cannot be found out."""
    try:
        data = read_end(transcript, MAX_BYTES)
    except Unread:
        return []
    typed: list[str] = []
    for line in reversed(data.split(b"\n")):
        typed += [item.text for item in reversed(read_record(line)) if item.kind == PROMPT]
        # The transcript may have this prompt already.
        if typed and is_same_prompt(prompt, typed[0]):
            typed = typed[1:]
        if len(typed) >= MAX_PROMPTS:
            break
    try:
        # A secret that is cut off might not be found.
        return [redact_text(text)[:MAX_PROMPT_CHARS] for text in reversed(typed[:MAX_PROMPTS])]
    except CuecardError:
        return []

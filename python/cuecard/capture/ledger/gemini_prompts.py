"""Tells which prompts of Gemini CLI somebody typed in a terminal (docs/reference/ledger.md).

Neither the event nor the environment of the hook says so. In a terminal, Gemini CLI writes every typed prompt to
`logs.json` beside the folder with its transcripts. `gemini -p` writes nothing there.
"""

import os
from io import BufferedReader

from ...basics.json_reader import JsonError, read_json
from .same_prompt import is_same_prompt
from .stop_event import StopEvent
from .transcript_lines import open_transcript
from .transcripts.record import text_of

FOLDER = "chats"
LIST = "logs.json"
MAX_BYTES = 8 << 20


def read_typed(event: StopEvent) -> list[str]:
    """The prompts that were typed in the session of an event, the oldest first, without slash commands."""
    folder, name = os.path.split(os.path.dirname(event.transcript))
    if name != FOLDER:
        return []
    try:
        with open_transcript(os.path.join(folder, LIST)) as raw, BufferedReader(raw) as file:
            data = file.read(MAX_BYTES + 1)
        listed = read_json(data) if len(data) <= MAX_BYTES else None
    except (OSError, JsonError):
        return []
    entries = listed if isinstance(listed, list) else []
    of_session = [each for each in entries if text_of(each, "sessionId") == event.session]
    return [text for text in [text_of(each, "message") for each in of_session] if not text.startswith("/")]


def was_typed(event: StopEvent) -> bool:
    """Whether a user typed the prompt of an event: it must be the last typed prompt of the session.

    If the event has no prompt, or the agent only went on after a request of the hook, any typed prompt is enough. True
    if the host keeps no list of typed prompts.
    """
    if event.typed is None:
        return True
    is_asked_for = not event.is_continued and event.prompt
    return bool(event.typed) and (not is_asked_for or is_same_prompt(event.prompt, event.typed[-1]))

"""Finds out whether somebody typed a prompt of Gemini CLI in a terminal (SPEC 56.8).

Neither the event nor the environment of the hook says so. In a terminal, Gemini CLI writes every typed prompt to
`logs.json` beside the folder with its transcripts. `gemini -p` writes nothing there.
"""

import os
from io import BufferedReader

from ...basics.chars import WHITESPACE
from ...basics.json_reader import JsonError, read_json
from .record import text_of
from .stop_event import StopEvent
from .transcript_lines import open_transcript

FOLDER = "chats"
LIST = "logs.json"
MAX_BYTES = 8 << 20


def was_typed(event: StopEvent) -> bool:
    """Whether the prompt of an event is the last typed prompt of its session.

    If the event has no prompt or follows a request for drafts, it is enough that something was typed in the session.
    """
    folder, name = os.path.split(os.path.dirname(event.transcript))
    if name != FOLDER:
        return False
    try:
        with open_transcript(os.path.join(folder, LIST)) as raw, BufferedReader(raw) as file:
            data = file.read(MAX_BYTES + 1)
        listed = read_json(data) if len(data) <= MAX_BYTES else None
    except (OSError, JsonError):
        return False
    entries = listed if isinstance(listed, list) else []
    of_session = [each for each in entries if text_of(each, "sessionId") == event.session]
    typed = [text for text in [text_of(each, "message") for each in of_session] if not text.startswith("/")]
    if not typed:
        return False
    begins = event.prompt.strip(WHITESPACE).startswith(typed[-1].strip(WHITESPACE))
    return event.is_continued or not event.prompt or begins

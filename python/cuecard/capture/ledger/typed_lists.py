"""Tells which prompts somebody typed in a terminal, by the lists that some hosts keep (docs/reference/ledger.md).

Neither the events nor the environment of the hooks of these hosts say so. In a terminal they write every typed prompt
to a list of their own; with `-p` they write nothing there.
"""

import hashlib
import os
from collections.abc import Callable
from io import BufferedReader
from pathlib import Path
from typing import Any

from ...basics.host_table import HOSTS
from ...basics.json_reader import JsonError, read_json
from ...errors import CuecardError
from ...files.folder import Unread
from ...files.store_files import read_end
from .same_prompt import is_same_prompt
from .stop_event import StopEvent
from .transcript_lines import open_transcript
from .transcripts.record import text_of

CHATS, TYPED, STATE = "chats", "logs.json", "state.json"
MAX_BYTES = 8 << 20
# How many bytes at the end of a list are read that has a line for each prompt in a folder.
MAX_END_BYTES = 1 << 20


def read_typed(event: StopEvent, host: str) -> list[str] | None:
    """The prompts that were typed in the session of an event, the oldest first, without slash commands.

    None if the host keeps no list of them. Raises CuecardError if the list is too large.
    """
    # Qwen Code installs our plugin for Claude Code too, which then speaks for that host.
    is_of_qwen = Path(event.transcript).match(f"projects/*/{CHATS}/*.jsonl")
    read = _LISTS.get("qwen" if host == next(iter(HOSTS)) and is_of_qwen else host)
    return None if read is None else [text for text in read(event) if not text.startswith("/")]


def was_typed(event: StopEvent) -> bool:
    """Whether a user typed the prompt of an event: it must be the last typed prompt of the session.

    If the event has no prompt, or the agent only went on after a request of the hook, any typed prompt is enough. True
    if the host keeps no list of typed prompts.
    """
    if event.typed is None:
        return True
    is_asked_for = not event.is_continued and event.prompt
    return bool(event.typed) and (not is_asked_for or is_same_prompt(event.prompt, event.typed[-1]))


def _of_gemini(event: StopEvent) -> list[str]:
    """Gemini CLI keeps the list beside the folder with its transcripts."""
    chats = Path(event.transcript).parent
    return _of_session(chats.parent / TYPED, event.session) if chats.name == CHATS else []


def _of_qwen(event: StopEvent) -> list[str]:
    """Qwen Code keeps a list for each project. Its folder has the digest of the path that the transcript names."""
    chats = Path(event.transcript).parent
    if chats.name != CHATS or len(chats.parents) < 3:
        return []
    project = text_of(_json_of(Path(event.transcript), is_first_line=True), "cwd")
    digest = hashlib.sha256((project.lower() if os.name == "nt" else project).encode("utf-8", "replace")).hexdigest()
    return _of_session(chats.parents[2] / "tmp" / digest / TYPED, event.session)


def _of_kimi(event: StopEvent) -> list[str]:
    """Kimi Code keeps a list for each working directory, and beside the transcripts of a session which one it has."""
    folders = Path(event.transcript).parents
    if len(folders) < 6:
        return []
    cwd = text_of(_json_of(folders[2] / STATE), "cwd").encode("utf-8", "replace")
    file = folders[5] / "user-history" / f"{hashlib.md5(cwd, usedforsecurity=False).hexdigest()}.jsonl"
    try:
        lines = read_end(str(file), MAX_END_BYTES).split(b"\n")
    except Unread:
        return []
    return [text_of(_parsed(line), "content") for line in lines if line]


_LISTS: dict[str, Callable[[StopEvent], list[str]]] = {"gemini": _of_gemini, "kimi": _of_kimi, "qwen": _of_qwen}


def _of_session(file: Path, session: str) -> list[str]:
    """The messages of a session in a list of messages of Gemini CLI or Qwen Code."""
    listed = _json_of(file)
    entries = listed if isinstance(listed, list) else []
    return [text_of(each, "message") for each in entries if text_of(each, "sessionId") == session]


def _json_of(file: Path, *, is_first_line: bool = False) -> Any:  # noqa: ANN401 - any JSON
    """The JSON value of a file or of its first line; None if it cannot be read."""
    data = _read(file, is_first_line=is_first_line)
    return _parsed(data)


def _parsed(data: bytes) -> Any:  # noqa: ANN401 - any JSON
    try:
        return read_json(data)
    except JsonError:
        return None


def _read(file: Path, *, is_first_line: bool = False) -> bytes:
    """The bytes of a file or of its first line; none if it cannot be read. Raises CuecardError if it is too large."""
    try:
        with open_transcript(str(file)) as raw, BufferedReader(raw) as reader:
            data = reader.readline(MAX_BYTES + 1) if is_first_line else reader.read(MAX_BYTES + 1)
    except OSError:
        return b""
    if len(data) > MAX_BYTES:
        raise CuecardError(f"the host's `{file.name}` is over 8 MiB, so nothing is known of what was typed")
    return data

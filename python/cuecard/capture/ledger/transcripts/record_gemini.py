"""Reads records in transcripts of Gemini CLI. It writes a message again whenever something is added to the message."""

from typing import Any

from ...._backend import typed_text, without_inserted
from ....basics.chars import WHITESPACE
from ....basics.host_table import SUMMARY_SIGN
from .record import (
    CALLED,
    COMMAND,
    COMPACTED,
    EDIT,
    ENDED,
    MAX_RESULT_CHARS,
    OPENED,
    PROMPT,
    SAID,
    Action,
    Item,
    JsonValue,
    list_of,
    opened_by,
    questions_of,
    text_of,
)

_COMPRESSED = "Chat history compressed"
_FAILED = tuple(f"Exit Code: {digit}" for digit in "123456789")


def read_message(record: dict[str, Any]) -> list[Item]:
    """The items of a message of the user or the agent."""
    said = _content_of(record)
    if text_of(record, "type") == "user":
        text = typed_text(said)
        return [Item(PROMPT, text, text_of(record, "id"))] if text else []
    said = without_inserted(said).strip(WHITESPACE)
    items = [Item(SAID, said)] if said else []
    for call in list_of(record, "toolCalls"):
        items += _read_call(call)
    return items


def read_notice(record: dict[str, Any]) -> list[Item]:
    """The item in a notice to the user: a compaction; empty for every other notice."""
    return [Item(COMPACTED)] if _content_of(record).startswith(_COMPRESSED) else []


def read_change(record: dict[str, Any]) -> list[Item]:
    """The item of a change to the conversation: a compaction, or nothing.

    The host writes all messages at the beginning of a conversation, when it is resumed, and after a compaction. After a
    compaction these include a message in the model's name, which thanks for the summary.
    """
    thanks = [message for message in list_of(record.get("$set"), "messages") if _is_thanks(message)]
    return [Item(COMPACTED, key=text_of(thanks[-1], "id"))] if thanks else []


def _is_thanks(message: JsonValue) -> bool:
    return text_of(message, "type") == "gemini" and _content_of(message).startswith(SUMMARY_SIGN)


def _content_of(record: dict[str, Any]) -> str:
    content = record.get("content")
    if isinstance(content, str):
        return content
    texts = [part.get("text") for part in list_of(record, "content") if isinstance(part, dict)]
    return "\n".join([text for text in texts if isinstance(text, str)])


def _read_call(call: JsonValue) -> list[Item]:
    """The items in a tool call; empty if the call has not ended yet."""
    status, name, key = text_of(call, "status"), text_of(call, "name"), text_of(call, "id")
    if status not in ("success", "error"):
        return []
    action = action_of(name, call.get("args"))
    answer = _answer_of(call)[:MAX_RESULT_CHARS]
    # The host reports a command with a non-zero exit status as a success.
    has_failed = status == "error" or any(line.startswith(_FAILED) for line in answer.split("\n"))
    return [Item(CALLED, key=key, action=action), Item(ENDED, answer, key, has_failed)]


def action_of(name: str, given: JsonValue) -> Action:
    """What a tool of Gemini CLI or Qwen Code does; each has names of its own for some of them."""
    file = text_of(given, "file_path")
    if name == "run_shell_command":
        return Action(COMMAND, text_of(given, "command"))
    if name in ("replace", "edit"):
        return Action(EDIT, file, text_of(given, "old_string"), text_of(given, "new_string"))
    if name == "write_file":
        return Action(EDIT, file, new=text_of(given, "content"))
    if name == "read_file":
        return Action(OPENED, file or text_of(given, "absolute_path"))
    return questions_of(given) if name in ("ask_user", "ask_user_question") else opened_by(name, given)


def _answer_of(call: JsonValue) -> str:
    for part in list_of(call, "result"):
        value = part
        for name in ("functionResponse", "response", "output"):
            value = value.get(name) if isinstance(value, dict) else None
        if isinstance(value, str):
            return value
    return ""

"""Reads records of a rollout file, which is a transcript of Codex. Older files have items without an envelope."""

from dataclasses import replace
from typing import Any

from ...._backend import typed_text, without_inserted
from ....basics.chars import WHITESPACE
from ....basics.json_reader import read_json_object
from .record import (
    CALLED,
    COMMAND,
    COMPACTED,
    EDIT,
    ENDED,
    INTERRUPTED,
    MAX_RESULT_CHARS,
    NOT_INTERACTIVE,
    PROMPT,
    READ_ONLY,
    SAID,
    Action,
    Item,
    JsonValue,
    list_of,
    opened_by,
    questions_of,
    text_of,
)

# The texts in front of a command's exit status. They are searched in the first `STATUS_CHARS` characters of the output.
STATUS = ("exited with code ", "Exit code: ", '"exit_code":', '"exit_code": ')
STATUS_CHARS = 400
FILE_MARKS = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")
# How many files of a patch are looked at.
MAX_FILES = 64
_DIGITS = tuple("123456789")


def read_item(record: dict[str, Any]) -> list[Item]:
    """The items of a line of a rollout."""
    payload, kind = record.get("payload"), text_of(record, "type")
    if kind == "session_meta":
        is_exec = text_of(payload, "source") == "exec" or text_of(payload, "originator").startswith("codex_exec")
        return [Item(NOT_INTERACTIVE, is_set=True)] if is_exec else []
    if kind == "turn_context":
        mode = text_of(_member(payload, "collaboration_mode"), "mode")
        policy = text_of(_member(payload, "sandbox_policy"), "type")
        return [Item(READ_ONLY, is_set=mode == "plan" or policy == "read-only")]
    if kind == "compacted":
        return [Item(COMPACTED)]
    if kind == "event_msg":
        if text_of(payload, "type") == "turn_aborted":
            return [Item(INTERRUPTED)]
        # Who began the turn: a session that was begun in a terminal may be resumed with `codex exec`.
        trigger = text_of(_member(payload, "turn_attribution"), "turn_trigger")
        return [Item(NOT_INTERACTIVE, is_set=trigger == "exec")] if trigger in ("exec", "user") else []
    return _read_response(payload if kind == "response_item" else record)


def _member(value: JsonValue, name: str) -> JsonValue:
    return value.get(name) if isinstance(value, dict) else None


def _read_response(item: JsonValue) -> list[Item]:
    kind, name, key = text_of(item, "type"), text_of(item, "name"), text_of(item, "call_id")
    if kind == "message":
        return _read_message(item)
    if kind == "function_call":
        arguments = read_json_object(text_of(item, "arguments").encode())
        return [Item(CALLED, key=key, action=_action_of(name, arguments))]
    if kind == "custom_tool_call":
        action = _edit_of(text_of(item, "input")) if name == "apply_patch" else Action()
        return [Item(CALLED, key=key, action=action)]
    if kind == "local_shell_call":
        return [Item(CALLED, key=key, action=_action_of("shell", item.get("action")))]
    if kind in ("function_call_output", "custom_tool_call_output"):
        output = item.get("output")
        answer = output if isinstance(output, str) else text_of(output, "content")
        has_failed = _has_failed(answer) or _member(output, "success") is False
        return [Item(ENDED, answer[:MAX_RESULT_CHARS], key, has_failed)]
    return []


def _read_message(item: JsonValue) -> list[Item]:
    blocks = list_of(item, "content")
    texts = [
        text_of(block, "text") for block in blocks if text_of(block, "type") in ("input_text", "output_text", "text")
    ]
    if text_of(item, "role") == "user":
        items = [Item(INTERRUPTED)] if any(text.startswith("<turn_aborted") for text in texts) else []
        typed = [text for text in map(typed_text, texts) if text]
        return [*items, Item(PROMPT, "\n".join(typed))] if typed else items
    if text_of(item, "role") != "assistant":
        return []
    said = "\n".join(map(without_inserted, texts)).strip(WHITESPACE)
    return [Item(SAID, said)] if said else []


def _action_of(name: str, arguments: JsonValue) -> Action:
    words = [word for word in list_of(arguments, "command") if isinstance(word, str)]
    command = text_of(arguments, "cmd")
    if not command and len(words) == 3 and words[1].startswith("-"):
        # `bash -lc COMMAND`
        command = words[2]
    elif not command:
        command = " ".join(words) if words else text_of(arguments, "command")
    if "*** Begin Patch" in command:
        return _edit_of(command)
    if name == "apply_patch":
        return _edit_of(text_of(arguments, "input"))
    if name == "request_user_input":
        return questions_of(arguments)
    return Action(COMMAND, command) if command else opened_by(name, arguments)


def _edit_of(patch: str) -> Action:
    """An edit of each file that a patch names; the first has the others."""
    files: list[tuple[str, list[str]]] = []
    for line in patch.split("\n"):
        mark = next((mark for mark in FILE_MARKS if line.startswith(mark)), "")
        if mark and len(files) == MAX_FILES:
            break
        if mark:
            files.append((line.removeprefix(mark).removesuffix("\r"), []))
        elif files and line.startswith("+"):
            files[-1][1].append(line[1:])
    edits = [Action(EDIT, path, new="\n".join(added)) for path, added in files]
    return replace(edits[0], others=tuple(edits[1:])) if edits else Action(EDIT)


def _has_failed(answer: str) -> bool:
    begin = answer[:STATUS_CHARS]
    for mark in STATUS:
        _, found, status = begin.partition(mark)
        if found:
            return status.startswith(_DIGITS)
    return False

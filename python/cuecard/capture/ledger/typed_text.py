"""Extracts what the user typed from a message, without the texts that hosts and hooks insert.

Rules: docs/reference/ledger.md.
"""

from ..._backend import is_machine_made, is_slash_command
from ...basics.chars import WHITESPACE

# The tags of inserted blocks. A tag that ends with `-` or `_` stands for every tag that starts with it.
INSERTED = ("memory-context", "system-reminder", "local-command-", "task-notification", "ide_", "hook_context")
# The beginnings of texts that a host or a hook writes in the user's name.
NOTICES = (
    "[Request interrupted",
    "Stop hook feedback:",
    "cuecard: ",
    "Another language model started to solve this problem",
    "# AGENTS.md instructions",
    "<environment_context>",
    "<user_instructions>",
    "<permissions",
    "<turn_aborted",
    "<skill",
    "<hook_prompt",
)
# The tags in which Claude Code wraps commands.
COMMANDS = ("<command-", "<local-command", "<bash-")
# The line that Gemini CLI puts between a prompt and the content of files that it names.
REFERENCES = "\n--- Content from referenced files ---"
_OF_NAME = frozenset("abcdefghijklmnopqrstuvwxyz-_")


def typed_text(text: str) -> str:
    """The text that the user typed; "" if the text is empty, a command or a notice."""
    begin = text.lstrip(WHITESPACE)
    if begin.startswith(NOTICES) or begin.startswith(COMMANDS) or is_slash_command(begin):
        return ""
    text = without_inserted(text.partition(REFERENCES)[0]).strip(WHITESPACE)
    return "" if is_machine_made(text) else text


def is_same_prompt(prompt: str, message: str) -> bool:
    """Whether the user typed the same text in `prompt` and in `message`, a message of a transcript.

    Words with `@` are not compared, because a host may replace the names of files (`@a`) with other text.
    """
    return _plain_words(prompt) == _plain_words(message)


def _plain_words(text: str) -> list[str]:
    words = "".join([" " if char in WHITESPACE else char for char in typed_text(text)]).split(" ")
    return [word for word in words if word and "@" not in word]


def without_inserted(text: str) -> str:
    """The text with a blank in place of each block that a host or a hook inserted."""
    kept, rest = [], text
    while (place := rest.find("<")) >= 0:
        kept.append(rest[:place])
        behind = _behind_block(rest[place:])
        kept.append("<" if behind is None else " ")
        rest = rest[place + 1 :] if behind is None else behind
    return "".join([*kept, rest])


def _behind_block(text: str) -> str | None:
    """The text behind an inserted block at the start of `text`; None if `text` does not start with a closed block."""
    end = 1
    while end < len(text) and text[end] in _OF_NAME:
        end += 1
    name, rest = text[1:end], text[end:]
    is_inserted = any(
        name == tag or (tag[-1] in "-_" and len(name) > len(tag) and name.startswith(tag)) for tag in INSERTED
    )
    if not is_inserted or not rest or (rest[0] != ">" and rest[0] not in WHITESPACE):
        return None
    _, closing, behind = rest.partition(f"</{name}>")
    return behind if closing else None

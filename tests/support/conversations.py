"""The shape of a request that a client sends to its model: the roles, and where the prompt and the block stand.

The texts of the client are left out, except a few characters around the block, on its line.
"""

import re
from typing import Any

from host_clients import VERSIONS, start
from host_machine import PROMPT, Machine

# The members in which the protocols have the messages, and those with the parts of a message.
MESSAGES = ("messages", "input", "contents")
PARTS = ("content", "parts")
BLOCK = re.compile(r"(?:<|&lt;)memory-context source.*?(?:<|&lt;)/memory-context(?:>|&gt;)", re.DOTALL)
# How many characters of the client are kept on each side of the block and of the prompt.
AROUND = 48


def shape_of(body: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    """The messages of a request, each with its role and its parts; parts and messages that say nothing of ours are
    counted as one."""
    shape: list[dict[str, Any]] = []
    messages: list[Any] = next((body[name] for name in MESSAGES if isinstance(body.get(name), list)), [])
    for message in messages:
        parts: Any = next((message[name] for name in PARTS if name in message), [])
        told = [_part(part) for part in ([parts] if isinstance(parts, str) else parts)]
        found = {"role": message.get("role", message.get("type", "")), "parts": _once(told)}
        if not shape or found != shape[-1]:
            shape.append(found)
    return shape


def version_of(machine: Machine, host: str) -> str:
    """The version of the client that is on PATH."""
    found = re.search(r"\d+\.\d+\.\d+", start(machine, *VERSIONS[host]))
    assert found
    return found[0]


def _part(part: Any) -> str:  # noqa: ANN401
    text = part if isinstance(part, str) else part.get("text", "")
    text = BLOCK.sub("BLOCK", text).replace(PROMPT, "PROMPT")
    places = [found.span() for found in re.finditer("BLOCK|PROMPT", text)]
    if not places:
        return "..."
    begin = max(places[0][0] - AROUND, text.rfind("\n", 0, places[0][0]) + 1)
    line_end = text.find("\n", places[-1][1])
    end = min(places[-1][1] + AROUND, len(text) if line_end < 0 else line_end)
    kept = ("..." if begin else "") + text[begin:end] + ("..." if end < len(text) else "")
    return re.sub(r"(BLOCK|PROMPT).{200,}?(BLOCK|PROMPT)", r"\1...\2", kept, flags=re.DOTALL)


def _once(told: list[str]) -> list[str]:
    return [part for place, part in enumerate(told) if place == 0 or part != "..." or told[place - 1] != "..."]

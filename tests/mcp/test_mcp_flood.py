"""Floods of invalid messages: the MCP server answers each message correctly and stays available.

The variable `CUECARD_MCP_MESSAGES` is the number of messages; `make fuzz-mcp` sends 50,000.
"""

import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cuecard import Store
from cuecard.mcp.tools import TOOLS
from mcp_process import run_lines
from records import assert_index_is_a_rebuild
from small_project import CONTENTS, write_project

pytestmark = pytest.mark.process

MESSAGES = int(os.environ.get("CUECARD_MCP_MESSAGES", "3000"))
CODES = {-32700, -32600, -32601, -32602, -32002, -32022}
METHODS = (
    "initialize server/discover ping tools/list tools/call resources/list resources/templates/list resources/read "
    "prompts/list prompts/get notifications/cancelled notifications/initialized completion/complete"
).split(" ")
NAMES = [*(tool.name for tool in TOOLS), "prompt_hook", "recall", "remember", "enrich", "import", "", "\ud800"]
KEYS = (
    "jsonrpc id method params name arguments uri cursor query limit detail status categories tags patch reason "
    "category title content cuecard _meta protocolVersion requestId io.modelcontextprotocol/protocolVersion"
).split(" ")
TEXTS = (
    "",
    "x",
    "hook",
    "2.0",
    "2025-03-26",
    "2026-07-28",
    "decision",
    "twins",
    "cuecard://index",
    "\ud800",
    "\0",
    "\u202e",
)

ARGUMENTS: dict[str, object] = {
    "query": "hook",
    "id": "twins",
    "patch": {"content": {"context": "another"}},
    "category": "decision",
    "title": "The same once more",
    "tags": ["hook"],
    "content": CONTENTS["decision"],
    "reason": "no reason",
}


def make_value(chance: random.Random, depth: int = 0) -> object:
    """A random JSON value; many values contain words of the protocol."""
    kind = chance.randrange(9 if depth < 4 else 6)
    if kind == 0:
        return chance.choice([None, True, False])
    if kind == 1:
        return chance.choice([0, -1, 7, 10**30, 1.5, -0.0])
    if kind < 6:
        return chance.choice((*TEXTS, *METHODS, *NAMES))
    if kind == 6:
        return [make_value(chance, depth + 1) for _ in range(chance.randrange(4))]
    return {chance.choice(KEYS): make_value(chance, depth + 1) for _ in range(chance.randrange(5))}


def make_request(chance: random.Random) -> dict[str, Any]:
    """A request of the protocol in which some parts are wrong."""
    params: dict[str, object] = {
        "name": chance.choice(NAMES),
        "arguments": {chance.choice(KEYS): make_value(chance) for _ in range(chance.randrange(6))},
        "uri": chance.choice(["cuecard://index", "cuecard://memory/decision/twins", "cuecard://memory/%ff/%00", "x"]),
    }
    request = {"jsonrpc": "2.0", "id": chance.randrange(100), "method": chance.choice(METHODS), "params": params}
    for _ in range(chance.randrange(3)):
        owner = chance.choice([request, params])
        if chance.random() < 0.3:
            owner.pop(chance.choice(list(owner)), None)
        else:
            owner[chance.choice(KEYS)] = make_value(chance)
    return request


def of_bytes(chance: random.Random) -> bytes:
    return chance.randbytes(chance.randrange(1, 60)).replace(b"\n", b" ")


def of_values(chance: random.Random) -> bytes:
    return json.dumps(make_value(chance)).encode()


def of_requests(chance: random.Random) -> bytes:
    return json.dumps(make_request(chance)).encode()


def of_calls(chance: random.Random) -> bytes:
    """A call of a tool in which up to two arguments are random or superfluous."""
    tool = chance.choice(TOOLS)
    arguments = {name: value for name, value in ARGUMENTS.items() if name in tool.properties}
    for _ in range(chance.randrange(3)):
        name = chance.choice(list(ARGUMENTS))
        arguments[name] = chance.choice([make_value(chance), ARGUMENTS[name]])
    params = {"name": tool.name, "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()


def of_pieces(chance: random.Random) -> bytes:
    data = bytearray(of_requests(chance))
    for _ in range(chance.randrange(1, 4)):
        place = chance.randrange(len(data) or 1)
        data[place : place + chance.randrange(4)] = chance.randbytes(chance.randrange(3))
    return bytes(data).replace(b"\n", b" ")


def of_batches(chance: random.Random) -> bytes:
    return json.dumps([make_request(chance) for _ in range(chance.randrange(4))]).encode()


def of_depths(chance: random.Random) -> bytes:
    depth = chance.choice([50, 150, 2000, 100_000])
    opening = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_update","arguments":{"patch":'
    return opening + b'{"a":' * depth + b"1" + b"}" * chance.choice([depth, depth + 3])


MAKERS: tuple[Callable[[random.Random], bytes], ...] = (
    *(of_bytes, of_values, of_values, of_requests, of_requests, of_calls, of_pieces, of_pieces, of_batches),
)


def answers_of(answers: list[Any]) -> list[Any]:
    """All answers in one list, including the answers within batches."""
    return [each for answer in answers for each in (answer if isinstance(answer, list) else [answer])]


def test_malformed_messages_are_answered_and_do_no_harm(tmp_path: Path) -> None:
    project = write_project(tmp_path / "project")
    seed = random.SystemRandom().randrange(1 << 32)
    chance = random.Random(seed)
    lines = [chance.choice(MAKERS)(chance) for _ in range(MESSAGES)]
    for place in range(20):
        lines.insert(chance.randrange(len(lines)), of_depths(chance) if place else b"x" * ((4 << 20) + 1))
    last = {"jsonrpc": "2.0", "id": "last", "method": "tools/call", "params": {"name": "memory_status"}}
    answers = answers_of(run_lines(tmp_path, project, [*lines, json.dumps(last).encode()]))
    about = f"seed {seed}"
    for answer in answers:
        assert answer["jsonrpc"] == "2.0", about
        if "error" in answer:
            assert answer["error"]["code"] in CODES, (answer, about)
            assert answer["error"]["message"], about
        else:
            assert isinstance(answer["result"], dict), about
    assert answers[-1]["id"] == "last", about
    assert answers[-1]["result"]["structuredContent"]["active"] >= 1, about
    codes = {answer["error"]["code"] for answer in answers if "error" in answer}
    assert codes >= {-32700, -32600, -32601, -32602}, about
    # Every memory file is complete.
    store = Store(project)
    assert store.memories(status="all"), about
    if any(answer.get("result", {}).get("structuredContent", {}).get("status") == "updated" for answer in answers):
        assert_index_is_a_rebuild(store)

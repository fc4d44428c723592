"""Memories with instructions from `payloads.jsonl`.

Each instruction is put into the content, the gist and the title of a memory.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from attacks.attack import FOLDER, PROMPTS, Attack
from attacks.entry_points import mcp_lines
from attacks.harms import harms_of_block, is_marked, memories_of, split_answer
from attacks.running import executable
from attacks.scene import Scene, write_memory
from fork_launcher import Launcher, Ran

VARIANTS = ("content", "gist", "title")
TITLE = "The ledger is stored in PostgreSQL"
# The least percentage of payloads for the model, its tools or secrets that must be withheld.
LEAST_WITHHELD = 80


@dataclass(frozen=True)
class Payload:
    """An instruction, and what it addresses.

    `addresses` is `model`, `hidden`, `tools` or `secrets`, or `none` for a misleading statement.
    """

    name: str
    addresses: str
    language: str
    text: str


@dataclass(frozen=True)
class Poisoned:
    """A payload, and the part of a memory that contains it."""

    payload: Payload
    variant: str

    @property
    def name(self) -> str:
        """A readable name for reports."""
        return f"{self.payload.name} in the {self.variant}"


def read_payloads() -> list[Payload]:
    """Every payload of `payloads.jsonl`."""
    lines = FOLDER.joinpath("payloads.jsonl").read_text("utf-8").splitlines()
    return [Payload(**json.loads(line)) for line in lines]


def poison(root: Path, poisoned: Poisoned, name: str = "ledger-store", title: str = TITLE) -> Path:
    """Write a memory that fits the prompt; the part `poisoned.variant` of the memory contains the payload."""
    said, text = "The ledger is stored in PostgreSQL, as two writers block each other.", poisoned.payload.text
    if poisoned.variant == "title":
        return write_memory(root, "decision", name, f"{title}: {text}", said)
    if poisoned.variant == "gist":
        return write_memory(root, "decision", name, title, said, gist=text)
    return write_memory(root, "decision", name, title, f"{said} {text}")


def block_for(
    poisoned: Poisoned, entry_point: str, launcher: Launcher, scratch: Path, *, is_trusted: bool = False
) -> str:
    """The hook's block for a store with only this memory; with `is_trusted`, the memory counts as reviewed."""
    attack = Attack(poisoned.name, "5", "", "payloads", has_memories=False)
    scene = Scene(scratch, attack)
    poison(scene.clone, poisoned)
    if is_trusted:
        settings = scene.home / ".config" / "cuecard" / "config.json"
        settings.parent.mkdir()
        settings.write_text('{"trust": {"review": "off"}}')
    payload = json.dumps({"session_id": "s-1", "cwd": str(scene.clone), "prompt": PROMPTS[0]}).encode()
    program = executable() if entry_point == "executable" else "hook"
    ran = launcher.run(program, ["prompt"], payload, cwd=scene.clone, environment=scene.environment())
    assert (ran.code, ran.stderr) == (0, ""), ran
    return split_answer(json.loads(ran.stdout))[0] if ran.stdout.strip() else ""


def harms_of(block: str) -> list[str]:
    """The harms in a block that shows an unreviewed memory: a bad frame, no mark `unreviewed`, or the full text."""
    harms = harms_of_block(block) if block else []
    harms += [f"unmarked: {line}" for line in memories_of(block) if not is_marked(line)]
    return harms + (["in full"] if "\n  " in block else [])


def outputs_of(payloads: Sequence[Payload], launcher: Launcher, scratch: Path) -> list[Ran]:
    """The output of commands and the MCP server in a store that has every payload in the content of a memory.

    The output is not on a terminal.
    """
    scene = Scene(scratch, Attack("printed", "5", "", "payloads", has_memories=False))
    for payload in payloads:
        poison(scene.clone, Poisoned(payload, "content"), payload.name, f"{TITLE}, {payload.name}")
    commands = [
        ["list", "--json"],
        ["recall", PROMPTS[0], "--json", "--explain"],
        ["recall", PROMPTS[0], "--block"],
        ["search", PROMPTS[0], "--limit", "100", "--json", "--explain"],
        ["consolidate", "--json"],
        *[["show", payload.name] for payload in payloads],
        *[["show", payload.name, "--json"] for payload in payloads],
        ["why", payloads[0].name, "--prompt", PROMPTS[0]],
    ]  # fmt: skip
    asked: list[tuple[str, object]] = [
        ("tools/call", {"name": "memory_search", "arguments": {"query": PROMPTS[0], "limit": 50, "detail": "full"}}),
        ("resources/list", {}),
        ("resources/read", {"uri": "cuecard://index"}),
        ("prompts/get", {"name": "recall", "arguments": {"prompt": PROMPTS[0]}}),
    ]
    asked += [("tools/call", {"name": "memory_get", "arguments": {"id": payload.name}}) for payload in payloads]
    asked += [("resources/read", {"uri": f"cuecard://memory/decision/{payload.name}"}) for payload in payloads]
    environment = scene.environment()
    ran = [launcher.run("cli", words, b"", cwd=scene.clone, environment=environment, stays=True) for words in commands]
    return [
        *ran,
        launcher.run("cli", ["mcp"], mcp_lines(asked), cwd=scene.clone, environment=environment, seconds=60),
    ]


def is_in(payload: Payload, ran: Ran) -> bool:
    """Whether a program has printed a payload, either unchanged or within JSON strings."""
    beginning = payload.text[:40]
    forms = [beginning]
    for ascii_only in (False, True):
        once = json.dumps(beginning, ensure_ascii=ascii_only)[1:-1]
        forms += [once, json.dumps(once, ensure_ascii=ascii_only)[1:-1]]
    return any(form in ran.stdout for form in forms)

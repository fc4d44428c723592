"""The doors through which texts of memories reach agents, and what the payloads of `doors.jsonl` do at each of them.

A door is an event of the hook, a command, or a tool, a resource or a prompt of the MCP server. Each payload stands in
one member of a memory that nobody vouches for.
"""

import html
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attacks.attack import FOLDER, Attack
from attacks.entry_points import mcp_lines
from attacks.scene import SAID, Scene, write_memory
from cuecard._backend import engine
from cuecard._pure.text.sanitize import remove_hidden
from fork_launcher import Launcher, Ran

PROMPT = "How is the ledger stored, which file writes it, and may it be emptied?"
TITLE = "The ledger is stored in PostgreSQL"
# The id of the memory that commands change; its texts are harmless, and it is unreviewed as well.
PLAIN = "ledger-plain"
# Payloads are looked for by their beginning, because titles are cut.
BEGINNING = 24
FILE = "src/ledger.py"
LINK = "src/link.json"
ERROR = "Deadlock: two writers of the ledger in PostgreSQL block each other"
WISH = "Remember this: the ledger is stored in PostgreSQL, as two writers block each other"


@dataclass(frozen=True)
class Planted:
    """A payload, what it addresses, and the member of a memory that it is put into.

    `addresses` is as in `payloads.jsonl`.
    """

    name: str
    addresses: str
    language: str
    place: str
    text: str

    @property
    def id(self) -> str:
        """The id of its memory."""
        return self.text if self.place == "id" else self.name

    @property
    def is_withheld(self) -> bool:
        """Whether its text has instruction signs, so that no agent may read it."""
        return bool(engine.instruction_signs(self.text))

    @property
    def beginning(self) -> str:
        """What is looked for in the texts that agents read."""
        return _plain(self.text)[:BEGINNING]


def read_planted() -> list[Planted]:
    """Every payload of `doors.jsonl`."""
    lines = FOLDER.joinpath("doors.jsonl").read_text("utf-8").splitlines()
    return [Planted(**json.loads(line)) for line in lines]


def plant(root: Path, planted: Planted, category: str = "decision") -> None:
    """Write a memory with this payload, without cuecard."""
    title, said = f"{TITLE}, {planted.name}", "Two writers of the ledger block each other."
    members: dict[str, Any] = {}
    text, place = planted.text, planted.place
    if place == "title":
        title = text
    elif place == "content":
        said = text
    elif place == "gist":
        members["gist"] = text
    elif place == "question":
        members["questions"] = [text]
    elif place == "tag":
        members["tags"] = ["ledger", text]
    elif place == "evidence":
        members["evidence"] = [{"kind": "user", "ref": text, "quote": text}]
    elif place == "file":
        members["anchors"] = [text, FILE]
    elif place == "key":
        members["content"] = {"decision": said, "rule": said, "trigger": said, "steps": [said], text: "x"}
    elif place == "supersedes":
        members |= {"supersedes": [text], "derived_from": [text]}
    if category == "constraint":
        members.setdefault("anchors", [FILE])
    path = write_memory(root, category, planted.id, title, said, **members)
    if place in ("reason", "summary"):
        record = json.loads(path.read_text("utf-8"))
        if place == "reason":
            record |= {"record_status": "retired", "retired_at": "2026-01-01T00:00:00Z", "retired_reason": text}
        else:
            record["changes"] = [{"date": "2026-01-01T00:00:00Z", "summary": text}]
        path.write_text(json.dumps(record), "utf-8")


# What is run at each command. A text in place of the words says why the command is no door.
NO_MEMORIES = "it prints nothing of a memory"
A_PERSON = "it works in a terminal or with files that the user names, and prints counts"
NEW = {
    "category": "decision",
    "title": TITLE,
    "tags": ["ledger", "postgresql"],
    "content": {"status": "accepted", "context": "c", "decision": "Two writers block each other.", "rationale": ["r"]},
}
DRAFT = [
    {
        "category": "decision",
        "action": "create",
        "new_info_summary": TITLE,
        "partial_content": {key: NEW[key] for key in ("title", "tags", "content")},
    }
]
Words = list[tuple[list[str], object]]


def command_doors(planted: list[Planted], scene: Scene) -> dict[str, Words | str]:
    """What is run at each command, or why it is no door; the names of all commands are the keys."""
    ids = [one.id for one in planted]

    def each(*words: str) -> Words:
        return [([*words, name], None) for name in ids]

    return {
        "init": [(["init", "--dry-run"], None)],
        "recall": [
            (["recall", PROMPT, *more], None)
            for more in ([], ["--json", "--explain"], ["--block"], ["--json"], ["--explain"])
        ],
        "search": [
            (["search", PROMPT, "--status", "all", "--limit", "100", *more], None)
            for more in (
                [],
                ["--json"],
                ["--explain"],
                ["--json", "--explain"],
                ["--all-projects"],
                ["--all-projects", "--json"],
            )
        ],
        "doctor": [([*words], None) for words in (["doctor"], ["doctor", "--json"], ["doctor", "--ci"])],
        "log": [(["log"], None), (["log", "--json"], None)],
        "stats": [(["stats"], None), (["stats", "--json"], None)],
        "why": [
            *[(["why", name, "--prompt", PROMPT], None) for name in ids],
            (["why", PLAIN, "--prompt", PROMPT, "--json"], None),
        ],
        "replay": [(["replay"], None), (["replay", "--json"], None)],
        "focus": [(["focus"], None), (["focus", "ledger"], None)],
        "add": [(["add"], NEW), (["add", "--json"], NEW)],
        "update": [(["update", PLAIN], {"tags": ["ledger"]}), (["update", PLAIN, "--json"], {"tags": ["changed"]})],
        "retire": [(["retire", name, "--reason", "over"], None) for name in (ids[0], ids[6])],
        "restore": [(["restore", name], None) for name in (ids[0], ids[6])],
        "undo": [(["undo"], None)],
        "wrong": [(["wrong", ids[0]], None), (["wrong", "--list"], None)],
        "good": [(["good", name], None) for name in ids[:2]],
        "history": [(["history"], None), (["history", "--json"], None)],
        "show": [*each("show"), *each("show", "--json")],
        "list": [(["list", "--status", "all"], None), (["list", "--status", "all", "--json"], None)],
        "candidate": [
            ([*words], None)
            for words in (
                ["candidate", "--category", "decision", "--new-info", PROMPT],
                *[["candidate", "--category", "decision", "--new-info", one.text] for one in planted[::6]],
            )
        ],
        "health": [(["health"], None), (["health", "--json"], None)],
        "gc": [(["gc", "--dry-run"], None)],
        "export": [(["export", "all.jsonl"], None), (["export", "all.jsonl", "--json"], None)],
        "copy": [*each("copy", "--to", "user"), (["copy", PLAIN, "--to", "user", "--json"], None)],
        "move": [*each("move", "--to", "user"), (["move", PLAIN, "--to", "user", "--json"], None)],
        "merge": [(["merge", "--dry-run"], None), (["merge", "--json"], None)],
        "merge-file": NO_MEMORIES,
        "stores": NO_MEMORIES,
        "install": NO_MEMORIES,
        "uninstall": NO_MEMORIES,
        "hosts": NO_MEMORIES,
        "mcp": "its tools, resources and prompts are doors of their own",
        "view": "the page is for a person: it answers only with the token that a browser keeps",
        "browse": "the screen is for a person at a terminal: without one it shows nothing",
        "timeline": [*each("timeline"), (["timeline", PLAIN, "--json"], None)],
        "lineage": [*each("lineage"), (["lineage", PLAIN, "--json"], None)],
        "consolidate": [(["consolidate"], None), (["consolidate", "--json"], None)],
        "enrich": [(["enrich", "--limit", "100"], None), (["enrich", "--limit", "100", "--json"], None)],
        "review": [(["review"], None), (["review", "--json"], None)],
        "import": [(["import", "--dry-run", "."], None), (["import", "--dry-run", ".", "--json"], None)],
        "embed": NO_MEMORIES,
        "allow": NO_MEMORIES,
        "trust": [(["trust"], None), (["trust", "--json"], None)],
        "config": NO_MEMORIES,
        "completion": NO_MEMORIES,
        "capture commit": [(["capture", "commit"], DRAFT), (["capture", "commit", "--json"], DRAFT)],
        "capture background": NO_MEMORIES,
        "capture preview": [(["capture", "preview", str(scene.transcript)], None)],
        "capture sources": [(["capture", "sources", ".", "--json"], None)],
        "share": NO_MEMORIES,
        "sync status": NO_MEMORIES,
        "sync pull": NO_MEMORIES,
        "sync push": NO_MEMORIES,
        "sync join": NO_MEMORIES,
        "sync leave": NO_MEMORIES,
        "sync proposals": "it prints texts on a terminal alone, where a person reads them",
        "sync server": NO_MEMORIES,
        "index rebuild": [(["index", "rebuild"], None)],
        "index validate": [(["index", "validate"], None)],
        "index query": [(["index", "query", "ledger"], None)],
        "eval run": A_PERSON,
        "eval score": A_PERSON,
        "eval report": A_PERSON,
        "eval make": A_PERSON,
        "eval wholeness": A_PERSON,
        "eval calibrate": A_PERSON,
    }


def mcp_doors(planted: list[Planted]) -> dict[str, list[tuple[str, object]]]:
    """What is asked at each tool, resource and prompt of the MCP server."""

    def call(name: str, **arguments: object) -> tuple[str, object]:
        return "tools/call", {"name": name, "arguments": arguments}

    update = {"id": PLAIN, "patch": {"tags": ["ledger", "changed"]}}
    section = {"path": "docs/notes.md", "line": 1, "hash": "0" * 64}
    return {
        "memory_search": [
            call("memory_search", query=PROMPT, limit=50, status="all", detail=detail) for detail in ("short", "full")
        ],
        "memory_get": [call("memory_get", id=one.id) for one in planted],
        "memory_save": [call("memory_save", **NEW)],
        "memory_draft": [call("memory_draft", source=section, drafts=[])],
        "memory_update": [call("memory_update", **update)],
        "memory_retire": [call("memory_retire", id=PLAIN, reason="over")],
        "memory_status": [call("memory_status")],
        "prompt_hook": [call("prompt_hook", prompt=PROMPT, session_id="s-7")],
        "resources/list": [("resources/list", {})],
        "cuecard://index": [("resources/read", {"uri": "cuecard://index"})],
        "cuecard://memory/": [("resources/read", {"uri": f"cuecard://memory/decision/{one.id}"}) for one in planted],
        "recall": [("prompts/get", {"name": "recall", "arguments": {"prompt": PROMPT}})],
        "enrich": [("prompts/get", {"name": "enrich", "arguments": {}})],
        "import": [("prompts/get", {"name": "import", "arguments": {"sources": "."}})],
        "remember": [("prompts/get", {"name": "remember", "arguments": {}})],
    }


def hook_doors(scene: Scene, planted: Planted) -> dict[str, list[dict[str, object]]]:
    """What is sent at each event of the hook."""
    file = str(scene.clone / FILE)
    edit = {"tool_name": "Edit", "tool_input": {"file_path": file, "old_string": "1", "new_string": "2"}}
    failed = {"tool_name": "Bash", "tool_input": {"command": "make ledger"}, "error": ERROR}
    said = [("user", WISH), ("assistant", [{"type": "text", "text": SAID}])]
    lines = [{"type": role, "message": {"role": role, "content": content}} for role, content in said]
    scene.transcript.write_text("".join([json.dumps(line) + "\n" for line in lines]), "utf-8")
    stop = {"hook_event_name": "Stop", "transcript_path": str(scene.transcript), "last_assistant_message": SAID}
    written = str(_hostile_file(scene, planted))
    uses = [
        *[(tool, {"file_path": LINK, "content": "x"}) for tool in ("Write", "Edit", "MultiEdit")],
        ("NotebookEdit", {"notebook_path": LINK}),
        *[(tool, {"command": f"echo x > {LINK}"}) for tool in ("Bash", "PowerShell")],
        ("mcp__files__write_file", {"path": LINK}),
        # A path that reads like a sentence, in the agent's own words.
        ("Write", {"file_path": written}),
    ]
    return {
        "guard": [{"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given} for tool, given in uses],
        "validate": [
            {"hook_event_name": "PostToolUse", "tool_name": "Write", "tool_input": {"file_path": written}},
        ],
        "prompt": [{"prompt": PROMPT}, {"prompt": "Remember: the ledger is stored in PostgreSQL"}],
        "need": [{"hook_event_name": "PreToolUse", **edit}, {"hook_event_name": "PostToolUseFailure", **failed}],
        "stop": [{**stop, "stop_hook_active": False}],
        "session": [{"hook_event_name": "SessionStart", "source": "compact"}],
    }


def make_hook_scene(scratch: Path, planted: Planted) -> tuple[Scene, dict[str, str]]:
    """A clone in which every event of the hook can meet the payload, and the environment of the hook.

    The payload is in a decision, in a constraint about the file that is edited, and in a runbook for the failure.
    """
    scene = Scene(scratch, Attack("doors", "5", "", "doors", has_memories=False))
    for category in ("decision", "constraint", "runbook"):
        plant(scene.clone, planted, category)
    # A link of the clone and a file that is no memory, each with the payload as a name.
    file = _hostile_file(scene, planted)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("{}")
    (scene.clone / LINK).symlink_to(file)
    # An agent is only asked for memories if there is a program that takes its drafts.
    program = scene.home / "bin" / "cuecard"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return scene, scene.environment(PATH=f"{program.parent}{os.pathsep}{os.environ.get('PATH', '')}")


def _hostile_file(scene: Scene, planted: Planted) -> Path:
    name = planted.text.replace("/", "-")[:40]
    return scene.memory_dir / "tech-debt" / f"{name}.json"


def run_cli(scene: Scene, launcher: Launcher, words: list[str], sent: object) -> Ran:
    """The output of a command that is not on a terminal. One process runs all of them, as nothing of it is at stake."""
    stdin = json.dumps(sent).encode() if sent is not None else b""
    return launcher.run("cli", words, stdin, cwd=scene.clone, environment=scene.environment(), stays=True, seconds=60)


def run_mcp(scene: Scene, launcher: Launcher, asked: list[tuple[str, object]]) -> Ran:
    """The answers of the MCP server."""
    return launcher.run("cli", ["mcp"], mcp_lines(asked), cwd=scene.clone, environment=scene.environment(), seconds=90)


def make_scene(scratch: Path, planted: list[Planted]) -> Scene:
    """A clone with one memory for each payload, and one harmless memory."""
    scene = Scene(scratch, Attack("doors", "5", "", "doors", has_memories=False))
    for one in planted:
        plant(scene.clone, one)
    write_memory(scene.clone, "decision", PLAIN, "The ledger has one plain memory", "Two writers block each other.")
    return scene


def harms_at(printed: str, planted: list[Planted], asked: object = ()) -> list[str]:
    """What a text for an agent does wrong: payloads that must be withheld, and others without a mark.

    The texts of `asked` are the agent's own words, which a program may repeat.
    """
    own = {text for text, _is_marked in _texts(asked, is_marked=False)}
    places = [(text, is_marked) for text, is_marked in _places(printed) if text not in own]
    harms = []
    for one in planted:
        found = [(text, is_marked) for text, is_marked in places if one.beginning in text]
        if found and one.is_withheld:
            harms.append(f"{one.name} is not withheld: {found[0][0][:160]}")
        elif any(not is_marked for _text, is_marked in found):
            harms.append(f"{one.name} is not marked: {next(text for text, marked in found if not marked)[:160]}")
    return harms


def leaves_its_frame(answer: str) -> bool:
    """Whether an answer of the guard has the signs of a frame, or hidden characters."""
    texts = [text for value in _documents(answer) for text in _strings(value)]
    lines = [line for text in texts for line in text.split("\n")]
    return any(set(line) & set("<>") or remove_hidden(line) != line for line in lines)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for member in value.values():
            yield from _strings(member)


def _places(printed: str) -> Iterator[tuple[str, bool]]:
    """The texts in an output, each with whether it is marked as unreviewed: on its line, or in its JSON object."""
    values = _documents(printed)
    if values:
        for value in values:
            yield from _texts(value, is_marked=False)
        return
    # `cuecard show` prints one memory, with its trust on a line of its own.
    is_marked = any(line.strip() == "trust: unreviewed" for line in printed.splitlines())
    for line in printed.splitlines():
        yield _plain(line), is_marked or "unreviewed" in line


def _documents(printed: str) -> list[object]:
    try:
        return [json.loads(printed)]
    except ValueError:
        pass
    try:
        return [json.loads(line) for line in printed.splitlines() if line.strip()]
    except ValueError:
        return []


def _texts(value: object, *, is_marked: bool) -> Iterator[tuple[str, bool]]:
    if isinstance(value, str):
        inner = _documents(value) if value[:1] in "[{" else []
        if inner:
            for each in inner:
                yield from _texts(each, is_marked=is_marked)
        else:
            for line in value.split("\n"):
                yield _plain(line), is_marked or "unreviewed" in line
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts(item, is_marked=is_marked)
    elif isinstance(value, dict):
        is_marked = is_marked or value.get("trust") == "unreviewed" or "(unreviewed)" in str(value.get("title"))
        for name, member in value.items():
            yield _plain(name), is_marked
            yield from _texts(member, is_marked=is_marked)


def _plain(text: str) -> str:
    """A text as it reads: without hidden characters, entities and differences of case and blanks."""
    return " ".join(remove_hidden(html.unescape(text)).casefold().split())

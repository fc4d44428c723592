"""What the plugin of OpenCode hands to the hook at a stop, with messages in the form of OpenCode 1.18.33."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from cuecard.capture.ledger.entries import Batch, read_batch
from cuecard.capture.ledger.ledger_lines import Ledger
from host_machine import Machine

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

WISH = "remember this: tests never sleep"
# It notes what it is sent at a stop, and fails once if there is a file `failure` in its folder.
HOOK = """
import json, pathlib, sys
folder = pathlib.Path(__file__).parent
payload = json.loads(sys.stdin.read())
if sys.argv[1] == "stop":
    with (folder / "sent").open("a") as file:
        file.write(json.dumps(payload) + "\\n")
    failure = folder / "failure"
    if failure.exists():
        failure.unlink()
        sys.exit(1)
"""
# The plugin counts what is typed only in the process of a terminal.
RUN = """
import { Cuecard } from FILE
let data = []
const get = async () => ({ data: { id: "s-1" } })
const session = { get, messages: async () => ({ data }) }
const plugin = await Cuecard({ client: { session }, directory: "/project" })
for (const messages of STOPS) {
  const { info, parts } = messages[0]
  await plugin["chat.message"]({ sessionID: "s-1" }, { message: info, parts: [...parts] })
  data = [...data, ...messages]
  await plugin.event({ event: { type: "session.idle", properties: { sessionID: "s-1" } } })
}
"""
Message = dict[str, Any]


def message(at: int, role: str, *parts: dict[str, Any]) -> Message:
    return {"info": {"id": f"m-{at:06}", "role": role}, "parts": [{"id": "p", **part} for part in parts]}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def tool(name: str, output: str) -> dict[str, Any]:
    state = {"status": "completed", "input": {"command": "make"}, "output": output}
    return {"type": "tool", "tool": name, "callID": "c", "state": state}


class OpenCode:
    """The plugin of OpenCode with a hook of the test's own."""

    def __init__(self, folder: Path) -> None:
        self.machine = Machine(folder)
        self.folder = folder
        plugin = Path(self.machine.document("install", "opencode")["file"]).read_text()
        command = next(line for line in plugin.splitlines() if line.startswith("const command = "))
        own = [sys.executable, str(folder / "hook.py"), "prompt", "--host", "opencode"]
        (folder / "hook.py").write_text(HOOK)
        # Node reads a `.mjs` file as a module.
        (folder / "plugin.mjs").write_text(plugin.replace(command, f"const command = {json.dumps(own)}"))

    def play(self, *stops: list[Message]) -> None:
        """End a turn after each of the lists of new messages, the first of which is the typed one."""
        worker = self.folder / "cli" / "tui" / "worker.js"
        worker.parent.mkdir(parents=True)
        (self.folder / "package.json").write_text(json.dumps({"type": "module"}))
        worker.write_text(
            RUN.replace("FILE", json.dumps(str(self.folder / "plugin.mjs"))).replace("STOPS", json.dumps(stops))
        )
        self.machine.ask([str(shutil.which("node")), str(worker)], {})

    def sent(self) -> list[dict[str, Any]]:
        """What the hook got at the stops."""
        return [json.loads(line) for line in (self.folder / "sent").read_text().splitlines()]


def prompts_of(stop: dict[str, Any]) -> list[str]:
    lines = stop["transcript_lines"].encode().splitlines()
    found = read_batch(Batch(Ledger(), "s-1", list(enumerate(lines)), len(lines), str))
    return [entry["text"] for entry in found.entries if entry["k"] == "prompt"]


@pytest.fixture
def opencode(tmp_path: Path) -> OpenCode:
    return OpenCode(tmp_path)


def test_a_long_turn_keeps_the_prompt_that_began_it(opencode: OpenCode) -> None:
    done = [message(at, "assistant", text("x" * 9_000), tool("bash", "y" * 5_000)) for at in range(1, 100)]
    first = [message(0, "user", text(WISH)), *done, message(200, "assistant", text("Noted."))]
    opencode.play(first, [message(300, "user", text("go on")), message(301, "assistant", text("Done."))])
    stop, following = opencode.sent()
    assert prompts_of(stop) == [WISH]
    assert len(stop["transcript_lines"]) <= 400_000
    assert "Noted." in stop["transcript_lines"]
    assert stop["transcript_start"] > 0
    assert following["transcript_start"] == stop["transcript_start"] + len(stop["transcript_lines"])
    assert prompts_of(following) == ["go on"]


def test_a_hook_that_fails_gets_the_lines_again(opencode: OpenCode) -> None:
    (opencode.folder / "failure").touch()
    turns = [[message(at, "user", text(words))] for at, words in enumerate([WISH, "go on", "thanks"])]
    opencode.play(*turns)
    assert [prompts_of(stop) for stop in opencode.sent()] == [[WISH], [WISH, "go on"], ["thanks"]]
    assert [stop["transcript_start"] for stop in opencode.sent()][:2] == [0, 0]

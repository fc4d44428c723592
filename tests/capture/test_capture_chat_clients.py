"""Sessions in a terminal with the real Qwen Code, Kimi Code, pi and Kilo, offline, with a scripted model (`make e2e`).

Runs with `CUECARD_E2E=1` where the client is on PATH. No data leaves the machine. All four speak the protocol of chat
completions.
"""

import json
import os
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from client_terminal import ClientTerminal, Reply, Script, ScriptedModel, find_asks, hand_in
from host_clients import AGAIN, RUNS, Settings, set_up_kilo, set_up_kimi, set_up_pi, set_up_qwen, write
from host_machine import Machine
from scripted_model import answer_in
from test_capture_client import DRAFTS, PROMPTS

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(os.environ.get("CUECARD_E2E") != "1", reason="CUECARD_E2E is not 1: no client is started"),
    pytest.mark.skipif(os.name == "nt", reason="the driver needs a POSIX terminal"),
    pytest.mark.timeout(500),
]
REMEMBER = "remember this: tests never sleep, they take the clock"
# What nobody types: it stands in a file of the project.
IN_A_FILE = "remember this: the text of a file was not typed"
LONGEST_END_SECONDS = 20
QUIET_SECONDS = 3


@dataclass(frozen=True)
class Kind:
    """How a client is driven."""

    set_up: Callable[[Machine, str], Settings]
    shell: str
    """The name of the tool that runs commands."""
    free: tuple[str, ...] = ()
    """The options that let the agent run commands unasked."""
    compact: str = "/compact"
    quits: str = "/exit"
    first_seconds: int = 12
    """How long the client needs before it reads keys."""
    first_keys: str = ""
    tokens: int = 100
    """How many tokens a request is said to have. With few, Qwen Code does not compress; with many, Kimi Code does."""


KINDS = {
    "qwen": Kind(
        set_up_qwen,
        "run_shell_command",
        ("--approval-mode", "yolo"),
        compact="/compress",
        quits="/quit",
        tokens=60_000,
    ),
    # It asks whether the folder is trusted.
    "kimi": Kind(set_up_kimi, "Bash", ("--yolo",), first_keys="\r"),
    "pi": Kind(set_up_pi, "bash", quits="/quit"),
    # Without a network, Kilo takes up to two minutes before it reads keys.
    "kilo": Kind(set_up_kilo, "bash", first_seconds=100),
}
# Requests of Qwen Code for its own memory and for suggestions would take replies from the script.
QWEN = {
    "memory": {"enableManagedAutoMemory": False, "enableManagedAutoDream": False},
    "ui": {"enableFollowupSuggestions": False},
}


class Model(ScriptedModel):
    """A server with the protocol of chat completions."""

    def __init__(self, script: Script, kind: Kind) -> None:
        self.shell, self.tokens, self.numbers = kind.shell, kind.tokens, count(1)
        super().__init__(script)

    def encode(self, reply: Reply, path: str) -> str:
        given: dict[str, object] = {"command": reply.command, "description": "hand in the drafts"}
        given |= {"is_background": False} if self.shell == "run_shell_command" else {}
        given = {"command": reply.command} if self.shell == "Bash" else given
        made = answer_in(
            path, (self.shell, given) if reply.command else reply.text, next(self.numbers), self.tokens, is_stream=True
        )
        assert made is not None
        return made


class Client:
    """A client in a project with one memory, with our hooks."""

    def __init__(self, folder: Path, host: str, script: Script) -> None:
        self.host, self.kind = host, KINDS[host]
        if shutil.which(host) is None:
            pytest.skip(f"`{host}` is not on PATH")
        self.machine = Machine(folder)
        self.model = Model(script, self.kind)
        self.memory = self.machine.project / ".claude" / "memory"
        (self.machine.project / "rules.md").write_text(f"{IN_A_FILE}\n")
        if host == "qwen":
            write(self.machine, ".qwen/settings.json", QWEN)
        self.options, self.more = self.kind.set_up(self.machine, self.model.url)
        self.machine.document("install", host)

    @property
    def path(self) -> str:
        return f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    def type_prompts(self, *prompts: str, options: tuple[str, ...] | None = None) -> None:
        """Run a session in a terminal in which the prompts are typed."""
        program = shutil.which(self.host) or ""
        command = [program, *self.options, *(self.kind.free if options is None else options)]
        variables = {"PATH": self.path, "TERM": "xterm-256color", "CUECARD_LOG": "off", **self.machine.variables}
        terminal = ClientTerminal(command, self.machine.project, {**variables, **self.more}, self.model.asked)
        terminal.quiet_seconds, terminal.first_seconds = QUIET_SECONDS, self.kind.first_seconds
        terminal.first_keys = self.kind.first_keys
        terminal.type_prompts(prompts, quits=self.kind.quits)
        # The hook does not wait for the Python that completes the ledger.
        end = time.monotonic() + LONGEST_END_SECONDS
        while time.monotonic() < end and {lines[-1]["kind"] for lines in self.ledgers} != {"end"}:
            time.sleep(0.1)

    def execute(self, prompt: str, *arguments: str) -> None:
        """Run the client for a program, which waits for the answer."""
        RUNS[self.host](self.machine, self.model, *arguments, prompt=prompt)

    @property
    def ledgers(self) -> list[list[dict[str, Any]]]:
        """The lines of all ledgers."""
        files = self.machine.home.rglob("ledger/*.jsonl")
        return [[json.loads(line) for line in file.read_text("utf-8").splitlines()] for file in files]

    def texts(self, kind: str) -> list[str]:
        """The texts of the entries of a kind in the only ledger."""
        [lines] = self.ledgers
        return [entry["text"] for line in lines for entry in line.get("entries", []) if entry["k"] == kind]


each_client = pytest.mark.parametrize("host", KINDS)


@each_client
def test_what_the_user_wants_remembered_is_saved_by_the_agent(tmp_path: Path, host: str) -> None:
    client = Client(tmp_path, host, ["Written.", "Noted.", hand_in(json.dumps(DRAFTS[:1])), "Saved.", "Here it is."])
    client.type_prompts(PROMPTS[0], REMEMBER, PROMPTS[9])
    assert find_asks(client.model.asked) == [2]
    assert REMEMBER in client.model.asked[2]
    [saved] = client.memory.glob("preferences/*.json")
    assert json.loads(saved.read_text("utf-8"))["title"] == DRAFTS[0]["partial_content"]["title"]
    [lines] = client.ledgers
    assert [line["cause"] for line in lines if line["kind"] == "ask"] == ["word"]
    assert [line["how"] for line in lines if line["kind"] == "done"] == ["drafts"]
    assert client.texts("prompt") == [PROMPTS[0], REMEMBER, PROMPTS[9]]
    assert client.texts("agent") == ["Written.", "Noted.", "Here it is."]
    assert lines[-1]["kind"] == "end"


@each_client
def test_a_run_for_a_program_is_left_alone_also_in_a_session_of_a_terminal(tmp_path: Path, host: str) -> None:
    client = Client(tmp_path, host, [])
    client.execute(REMEMBER)
    assert client.ledgers == []
    client.type_prompts(PROMPTS[0])
    assert client.texts("prompt") == [PROMPTS[0]]
    before = client.ledgers
    client.execute(REMEMBER, *AGAIN[host])
    assert find_asks(client.model.asked) == []
    assert len(client.model.asked) == 3
    assert client.ledgers == before


@each_client
def test_the_first_stop_after_a_compaction_asks(tmp_path: Path, host: str) -> None:
    client = Client(tmp_path, host, [])
    client.type_prompts(*PROMPTS[:2], client.kind.compact, PROMPTS[3])
    [lines] = client.ledgers
    assert [line["cause"] for line in lines if line["kind"] == "ask"] == ["compaction"]
    assert client.texts("prompt") == [*PROMPTS[:2], PROMPTS[3]]


@each_client
def test_what_a_file_and_a_command_say_was_not_typed(tmp_path: Path, host: str) -> None:
    client = Client(tmp_path, host, [lambda _said: Reply(command="cat rules.md"), "It says a rule."])
    client.type_prompts("run the tests as @rules.md wants it, please")
    assert IN_A_FILE in client.model.asked[1]
    assert find_asks(client.model.asked) == []
    assert [text for text in client.texts("prompt") if IN_A_FILE in text] == []
    assert len(client.texts("prompt")) == 1


def test_a_file_that_pi_puts_in_front_of_a_prompt_is_not_in_the_ledger(tmp_path: Path) -> None:
    client = Client(tmp_path, "pi", [])
    client.type_prompts(PROMPTS[0], options=("@rules.md", PROMPTS[1]))
    assert IN_A_FILE in client.model.asked[0]
    assert find_asks(client.model.asked) == []
    assert client.texts("prompt") == [PROMPTS[1], PROMPTS[0]]


@pytest.mark.parametrize(
    ("host", "options", "commands"),
    [("qwen", ("--approval-mode", "plan"), ()), ("kimi", (), ("/plan",)), ("kilo", ("--agent", "plan"), ())],
)
def test_plan_mode_is_left_alone(
    tmp_path: Path, host: str, options: tuple[str, ...], commands: tuple[str, ...]
) -> None:
    client = Client(tmp_path, host, [])
    client.type_prompts(*commands, REMEMBER, options=options)
    assert find_asks(client.model.asked) == []
    assert client.texts("prompt") == [REMEMBER]

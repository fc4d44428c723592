"""The hooks inside the real clients: what each client sends to a fake model when the hook is installed.

The tests run only with `CUECARD_E2E=1`, for the clients that are on PATH (npm: `@openai/codex`, `@google/gemini-cli`,
`opencode-ai`, `@github/copilot`). No data leaves the machine. Claude Code is tested in `test_hosts_command.py`.
"""

import json
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from host_machine import BLOCK, PROMPT, Machine

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(os.environ.get("CUECARD_E2E") != "1", reason="CUECARD_E2E is not 1: no client is started"),
    pytest.mark.timeout(300),
]
USAGE = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
MESSAGE = {"id": "m", "type": "message", "role": "assistant"}
# The events of the reply "ok", in the two protocols in which events have names.
RESPONSES: list[dict[str, Any]] = [
    {"type": "response.created", "response": {"id": "r"}},
    {"type": "response.output_item.done", "item": {**MESSAGE, "content": [{"type": "output_text", "text": "ok"}]}},
    {"type": "response.completed", "response": {"id": "r", "usage": USAGE}},
]
MESSAGES: list[dict[str, Any]] = [
    {"type": "message_start", "message": {**MESSAGE, "model": "m", "content": [], "usage": USAGE}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "ok"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": USAGE},
    {"type": "message_stop"},
]
GENERATED = {
    "candidates": [{"content": {"role": "model", "parts": [{"text": "ok"}]}, "finishReason": "STOP", "index": 0}],
    "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
}


class Model:
    """A server that answers "ok" in the protocol of each client, and records the requests."""

    def __init__(self) -> None:
        """Start the server; its address is `url`."""
        self.bodies: list[str] = []
        model = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: object) -> None:
                pass

            def do_GET(self) -> None:
                self.send_error(404)

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                model.bodies.append(body.decode())
                self.send_response(200)
                events = RESPONSES if self.path.endswith("/responses") else MESSAGES
                is_stream = "stream" in self.path or ":" not in self.path
                self.send_header("content-type", "text/event-stream" if is_stream else "application/json")
                self.end_headers()
                if ":" not in self.path:
                    reply = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
                else:
                    reply = f"data: {json.dumps(GENERATED)}\r\n\r\n" if is_stream else json.dumps(GENERATED)
                self.wfile.write(reply.encode())

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def strings(self) -> list[str]:
        """Every string in the recorded requests."""

        def walk(value: object) -> Iterator[str]:
            if isinstance(value, str):
                yield value
            for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
                yield from walk(inner)

        return [text for body in self.bodies for text in walk(json.loads(body))]


@pytest.fixture
def model() -> Iterator[Model]:
    model = Model()
    thread = threading.Thread(target=model.server.serve_forever)
    thread.start()
    yield model
    model.server.shutdown()
    thread.join()
    model.server.server_close()


def run(machine: Machine, client: str, *arguments: str, **variables: str) -> None:
    program = shutil.which(client)
    if program is None:
        pytest.skip(f"`{client}` is not on PATH")
    environment = {"HOME": str(machine.home), "PATH": os.environ["PATH"], "CUECARD_LOG": "off", **variables}
    command = [program, *arguments]
    subprocess.run(
        command, cwd=machine.project, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=True
    )


def run_codex(machine: Machine, model: Model) -> None:
    settings = machine.home / ".codex" / "config.toml"
    settings.parent.mkdir(exist_ok=True)
    provider = {"name": "m", "base_url": f"{model.url}/v1", "wire_api": "responses", "env_key": "KEY"}
    lines = [f"{name} = {json.dumps(value)}" for name, value in provider.items()]
    settings.write_text("\n".join(['model = "m"', 'model_provider = "m"', "[model_providers.m]", *lines]) + "\n")
    trust = "--dangerously-bypass-hook-trust"
    run(machine, "codex", "exec", trust, "--skip-git-repo-check", PROMPT, KEY="x")


def run_gemini(machine: Machine, model: Model, *arguments: str) -> None:
    run(
        machine,
        "gemini",
        "--skip-trust",
        "-m",
        "gemini-2.5-pro",
        *arguments,
        "-p",
        PROMPT,
        GEMINI_API_KEY="x",
        GOOGLE_GEMINI_BASE_URL=model.url,
    )


def run_opencode(machine: Machine, model: Model) -> None:
    settings = machine.home / ".config" / "opencode" / "opencode.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    options = {"baseURL": f"{model.url}/v1", "apiKey": "x"}
    name = "anthropic/claude-sonnet-4-5"
    provider = {"anthropic": {"options": options}}
    settings.write_text(json.dumps({"model": name, "small_model": name, "autoupdate": False, "provider": provider}))
    run(machine, "opencode", "run", PROMPT)


def run_copilot(machine: Machine, model: Model, *arguments: str, prompt: str = PROMPT) -> None:
    variables = {"BASE_URL": model.url, "TYPE": "anthropic", "API_KEY": "x"}
    provider = {f"COPILOT_PROVIDER_{name}": value for name, value in variables.items()}
    run(
        machine,
        "copilot",
        *arguments,
        "-p",
        prompt,
        COPILOT_OFFLINE="true",
        COPILOT_MODEL="claude-sonnet-4.5",
        **provider,
    )


RUNS = {"codex": run_codex, "gemini": run_gemini, "opencode": run_opencode, "copilot": run_copilot}


@pytest.mark.parametrize("host", RUNS)
def test_the_model_is_sent_the_memory_until_the_hook_is_uninstalled(tmp_path: Path, model: Model, host: str) -> None:
    machine = Machine(tmp_path)
    # Without this setting, Gemini CLI asks how the user wants to sign in.
    settings = machine.home / ".gemini" / "settings.json"
    settings.parent.mkdir()
    before = '{\n  // mine\n  "security": {"auth": {"selectedType": "gemini-api-key"}}\n}\n'
    settings.write_text(before)
    machine.document("install", host)
    RUNS[host](machine, model)
    # Gemini CLI writes `<` and `>` as entities.
    sent = [text.replace("&lt;", "<").replace("&gt;", ">") for text in model.strings()]
    assert any(PROMPT in text for text in sent)
    assert any(BLOCK in text for text in sent)
    machine.document("uninstall", host)
    assert settings.read_text() == before
    model.bodies.clear()
    RUNS[host](machine, model)
    assert any(PROMPT in text for text in model.strings())
    assert not any("memory-context" in text for text in model.strings())


def test_gemini_is_sent_a_memory_once_and_again_after_a_compression(tmp_path: Path, model: Model) -> None:
    machine = Machine(tmp_path)
    settings = machine.home / ".gemini" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"security": {"auth": {"selectedType": "gemini-api-key"}}}))
    machine.document("install", "gemini")

    def blocks(*arguments: str, threshold: float = 0.9) -> int:
        """Run the client, and return the number of blocks in its last request.

        If the context is filled by more than the share `threshold`, the client compresses it.
        """
        content = json.loads(settings.read_text())
        settings.write_text(json.dumps({**content, "model": {"compressionThreshold": threshold}}))
        model.bodies.clear()
        run_gemini(machine, model, *arguments)
        return model.bodies[-1].count("memory-context source=")

    resume = ("--resume", "latest")
    # The block of the first prompt stays in the conversation, so no second block is sent. The client sends
    # `PreCompress` at each prompt.
    assert [blocks(), blocks(*resume), blocks(*resume)] == [1, 1, 1]
    # The client replaces the oldest messages with a summary. The hook notices this at the next prompt.
    blocks(*resume, threshold=0.0001)
    assert len(model.bodies) > 1
    after = [blocks(*resume), blocks(*resume)]
    assert after == [1, 1]


def test_copilot_is_sent_a_memory_once_and_again_after_a_compaction(tmp_path: Path, model: Model) -> None:
    machine = Machine(tmp_path)
    machine.document("install", "copilot")

    def blocks(*arguments: str) -> int:
        """Run the client, and return the number of blocks in its last request."""
        model.bodies.clear()
        run_copilot(machine, model, *arguments)
        return model.bodies[-1].count("memory-context source=")

    assert [blocks(), blocks("--continue"), blocks("--continue")] == [1, 1, 1]
    # The client replaces the conversation with a summary, which is "ok", the answer of our model.
    run_copilot(machine, model, "--continue", prompt="/compact")
    assert [blocks("--continue"), blocks("--continue")] == [1, 1]

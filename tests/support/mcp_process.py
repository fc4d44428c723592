"""Starts the MCP server, as a separate process or in this process, and talks to it line by line."""

import json
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

from command_process import environment
from cuecard.mcp.server import Server

MODERN_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
}
COMMAND = (sys.executable, "-m", "cuecard.cli", "mcp")


class Client:
    """A client with its own server process; the server runs in the folder `cwd`."""

    def __init__(self, home: Path, cwd: Path, *arguments: "str | Path", version: str = "", **variables: str) -> None:
        """Start the server; with `version`, initialize with this version of the protocol.

        Without `version`, each request names the newest version, as the newest protocol demands.
        """
        self._process = subprocess.Popen(
            [*COMMAND, *arguments],
            cwd=cwd,
            env=environment(home) | variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._greet(version)

    def _greet(self, version: str) -> None:
        self._is_modern = not version
        self._last = 0
        if version:
            self.opening = self.ask("initialize", protocolVersion=version, capabilities={}, clientInfo={"name": "t"})
            self.notify("notifications/initialized")

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()

    def send(self, message: object) -> None:
        """Send a message; bytes are sent unchanged as a line."""
        assert self._process.stdin
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        self._process.stdin.write(data + b"\n")
        self._process.stdin.flush()

    def receive(self) -> Any:  # noqa: ANN401 - JSON
        """Receive the next message of the server."""
        assert self._process.stdout
        return json.loads(self._process.stdout.readline())

    def request(self, method: str, **params: object) -> dict[str, object]:
        """Build a request with a new id."""
        self._last += 1
        if self._is_modern:
            params["_meta"] = MODERN_META
        return {"jsonrpc": "2.0", "id": self._last, "method": method, "params": params}

    def exchange(self, message: object) -> Any:  # noqa: ANN401 - JSON
        """Send a message and return the answer."""
        self.send(message)
        return self.receive()

    def ask(self, method: str, **params: object) -> Any:  # noqa: ANN401 - JSON
        """Send a request and return its result; asserts that it is no error."""
        answer = self.exchange(self.request(method, **params))
        assert answer["id"] == self._last
        assert "error" not in answer, answer
        return answer["result"]

    def refusal(self, method: str, **params: object) -> Any:  # noqa: ANN401 - JSON
        """Send a request and return its error; asserts that it is an error."""
        answer = self.exchange(self.request(method, **params))
        assert answer["id"] == self._last
        assert "result" not in answer, answer
        return answer["error"]

    def notify(self, method: str, **params: object) -> None:
        """Send a notification, which gets no answer."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def call(self, tool: str, **arguments: object) -> Any:  # noqa: ANN401 - JSON
        """Call a tool and return its result; asserts that its text and its structured content are equal."""
        result = self.ask("tools/call", name=tool, arguments=arguments)
        [content] = result["content"]
        assert not result.get("isError"), content["text"]
        assert json.loads(content["text"]) == result["structuredContent"]
        return result["structuredContent"]

    def fault(self, tool: str, **arguments: object) -> str:
        """Call a tool and return the text of the error; asserts that the call fails."""
        result = self.ask("tools/call", name=tool, arguments=arguments)
        assert result["isError"] is True, result
        assert "structuredContent" not in result
        text: str = result["content"][0]["text"]
        assert text.startswith("error: ")
        return text

    def close(self) -> str:
        """Close the connection and return the server's stderr.

        Asserts that the server exits with 0 and sends no more messages.
        """
        if self._process.stdin and not self._process.stdin.closed:
            self._process.stdin.close()
        assert self._process.stdout
        assert self._process.stderr
        rest = self._process.stdout.read()
        said = self._process.stderr.read().decode()
        assert self._process.wait(timeout=60) == 0, said
        self._process.stdout.close()
        self._process.stderr.close()
        assert rest == b""
        return said


class NearClient(Client):
    """A client whose server runs in this process, with the environment of this process."""

    def __init__(self, project: Path | None = None, *, version: str = "") -> None:
        """Start the server for `project`, or for the working directory without it; `version` is as for `Client`."""
        self._said: list[str] = []
        self._answers: list[bytes] = []
        self._server = Server(str(project) if project else None, self._said.append)
        self._greet(version)

    def send(self, message: object) -> None:
        """Let the server answer a message; bytes are passed unchanged as a line."""
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        if answer := self._server.answer(data + b"\n"):
            self._answers.append(answer)

    def receive(self) -> Any:  # noqa: ANN401 - JSON
        """Take the next message of the server."""
        return json.loads(self._answers.pop(0))

    def close(self) -> str:
        """Return the server's messages for people; asserts that no message for the client is left."""
        assert not self._answers
        return "\n".join(self._said)


def run_lines(home: Path, cwd: Path, lines: list[bytes]) -> list[Any]:
    """Send lines to a server all at once, and return its answers.

    Asserts that the server exits with 0 and writes nothing to stderr.
    """
    ran = subprocess.run(
        COMMAND, cwd=cwd, env=environment(home), input=b"\n".join(lines), capture_output=True, timeout=600, check=False
    )
    assert ran.returncode == 0
    assert ran.stderr == b"", ran.stderr.decode()[-2000:]
    return [json.loads(line) for line in ran.stdout.splitlines()]

"""The MCP server, as a process of its own or in this one, and a client that speaks to it line by line."""

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
    """A client with a server of its own, in the folder `cwd`."""

    def __init__(self, home: Path, cwd: Path, *arguments: "str | Path", version: str = "", **variables: str) -> None:
        """Shake hands for a `version`; without one each request says the newest, as that revision wants it."""
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
        """Send a message, or a line as it is."""
        assert self._process.stdin
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        self._process.stdin.write(data + b"\n")
        self._process.stdin.flush()

    def receive(self) -> Any:  # noqa: ANN401 - JSON
        """The next message of the server."""
        assert self._process.stdout
        return json.loads(self._process.stdout.readline())

    def request(self, method: str, **params: object) -> dict[str, object]:
        """A request with an id of its own."""
        self._last += 1
        if self._is_modern:
            params["_meta"] = MODERN_META
        return {"jsonrpc": "2.0", "id": self._last, "method": method, "params": params}

    def exchange(self, message: object) -> Any:  # noqa: ANN401 - JSON
        """What a message is answered."""
        self.send(message)
        return self.receive()

    def ask(self, method: str, **params: object) -> Any:  # noqa: ANN401 - JSON
        """The result of a request."""
        answer = self.exchange(self.request(method, **params))
        assert answer["id"] == self._last
        assert "error" not in answer, answer
        return answer["result"]

    def refusal(self, method: str, **params: object) -> Any:  # noqa: ANN401 - JSON
        """The error of a request."""
        answer = self.exchange(self.request(method, **params))
        assert answer["id"] == self._last
        assert "result" not in answer, answer
        return answer["error"]

    def notify(self, method: str, **params: object) -> None:
        """Tell without an answer."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def call(self, tool: str, **arguments: object) -> Any:  # noqa: ANN401 - JSON
        """What a tool gives, once the two copies of it are found equal."""
        result = self.ask("tools/call", name=tool, arguments=arguments)
        [content] = result["content"]
        assert not result.get("isError"), content["text"]
        assert json.loads(content["text"]) == result["structuredContent"]
        return result["structuredContent"]

    def fault(self, tool: str, **arguments: object) -> str:
        """What a tool says that could not do it."""
        result = self.ask("tools/call", name=tool, arguments=arguments)
        assert result["isError"] is True, result
        assert "structuredContent" not in result
        text: str = result["content"][0]["text"]
        assert text.startswith("error: ")
        return text

    def close(self) -> str:
        """Hang up; standard error of the server, which must end well and have nothing left to say."""
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
    """A client whose server answers in this process, with its environment."""

    def __init__(self, project: Path | None = None, *, version: str = "") -> None:
        """The server of `project`, or of the working directory; `version` as for a server of its own."""
        self._said: list[str] = []
        self._answers: list[bytes] = []
        self._server = Server(str(project) if project else None, self._said.append)
        self._greet(version)

    def send(self, message: object) -> None:
        """Have a message answered, or a line as it is."""
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        if answer := self._server.answer(data + b"\n"):
            self._answers.append(answer)

    def receive(self) -> Any:  # noqa: ANN401 - JSON
        """The next message of the server."""
        return json.loads(self._answers.pop(0))

    def close(self) -> str:
        """What the server had to say to people; it must have nothing left to say to its client."""
        assert not self._answers
        return "\n".join(self._said)


def run_lines(home: Path, cwd: Path, lines: list[bytes]) -> list[Any]:
    """What a server answers to lines that are sent at once; it must end well, and keep standard error empty."""
    ran = subprocess.run(
        COMMAND, cwd=cwd, env=environment(home), input=b"\n".join(lines), capture_output=True, timeout=600, check=False
    )
    assert ran.returncode == 0
    assert ran.stderr == b"", ran.stderr.decode()[-2000:]
    return [json.loads(line) for line in ran.stdout.splitlines()]

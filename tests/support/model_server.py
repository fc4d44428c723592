"""A server on loopback that answers like the endpoints of models, always in the same way, and can have their faults.

    with ModelServer() as server:
        server.url                         # http://127.0.0.1:PORT
        server.fault = "slow"              # one of FAULTS, for all following requests
        server.keep = lambda titles: [0]   # the numbers of the candidates that its judge keeps
        server.requests                    # the path, headers and body of each request

Routes: Ollama `/api/embed` and `/api/chat`, OpenAI `/v1/embeddings` and `/v1/chat/completions`, Anthropic
`/v1/messages`. The vector of a text counts its words by their CRC-32, so texts that share words are near each other.
"""

import json
import re
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from zlib import crc32

DIMENSION = 16
# How many seconds a slow server waits: longer than any client waits.
SLOW_SECONDS = 30
# A client that took fewer seconds than this has not waited for the slow server, even on a slow machine.
UNWAITED_SECONDS = SLOW_SECONDS / 2
# The faults that the server can have. With `redirect` it redirects to `redirect_to`; with `echo` it answers 401 and the
# headers of the request.
FAULTS = (
    "slow", "dripping", "dripping_headers", "500", "401", "429", "garbage", "not_http", "half", "half_json", "empty",
    "wrong_dimension", "wrong_count", "wrong_form", "not_numbers", "nan", "infinite",
    "several_lengths", "redirect", "huge", "hang_up", "echo",
    "second_fails",
)  # fmt: skip
_CANDIDATE = re.compile(r"^\[(\d+)\] \[[A-Z_]+\] (.*)$", re.MULTILINE)

Keep = Callable[[list[str]], list[int]]
Embed = Callable[[str], list[float]]


@dataclass(frozen=True)
class ReceivedRequest:
    """A request as the server received it."""

    path: str
    headers: dict[str, str]
    body: Any


class ModelServer:
    """The server; it runs in threads of this process, and stops at the end of the `with` block."""

    def __init__(self, dimension: int = DIMENSION) -> None:
        """Answer with vectors of `dimension` numbers."""
        self.dimension = dimension
        self.fault = ""
        self.keep: Keep = lambda titles: list(range(len(titles)))
        # If this is not None, the judge answers with this text.
        self.says: str | None = None
        # The function that makes the vectors, and a text: texts that contain it get no vector.
        self.embed: Embed = lambda text: vector_of(text, self.dimension)
        self.refused = ""
        self.requests: list[ReceivedRequest] = []
        self.redirect_to = ""
        self._closing = threading.Event()
        self._server = _Server(self)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> "ModelServer":
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()

    def wait(self, seconds: float) -> None:
        """Wait for some seconds, or until the server stops."""
        self._closing.wait(seconds)

    @property
    def is_closing(self) -> bool:
        """Whether the server is being stopped."""
        return self._closing.is_set()

    @property
    def bodies(self) -> list[Any]:
        """The bodies of all requests that were received."""
        return [asked.body for asked in self.requests]


def free_port() -> int:
    """A port on which no server listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def vector_of(text: str, dimension: int = DIMENSION) -> list[float]:
    """The vector that the server returns for a text."""
    vector = [0.0] * dimension
    for word in re.findall(r"[a-z0-9]+", text.lower()):
        vector[crc32(word.encode()) % dimension] += 1.0
    return vector


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, owner: ModelServer) -> None:
        self.owner = owner
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore errors, because clients may hang up."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""

    def do_GET(self) -> None:
        self.server.owner.requests.append(
            ReceivedRequest(self.path, {name.title(): value for name, value in self.headers.items()}, None)
        )
        self._send(200, b"{}")

    def do_POST(self) -> None:
        owner = self.server.owner
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", "0"))))
        owner.requests.append(
            ReceivedRequest(self.path, {name.title(): value for name, value in self.headers.items()}, body)
        )
        self.close_connection = True
        fault = owner.fault
        if fault == "second_fails":
            fault = "500" if len(owner.requests) % 2 == 0 else ""
        if fault == "slow":
            owner.wait(SLOW_SECONDS)
        if fault == "hang_up":
            return
        if fault == "not_http":
            self.wfile.write(b"\x00\x01 this is no HTTP\r\n\r\n")
            return
        if fault in ("500", "401", "429"):
            return self._send(int(fault), b'{"error": {"message": "no"}}')
        if fault == "echo":
            return self._send(401, json.dumps({name.title(): value for name, value in self.headers.items()}).encode())
        if fault == "redirect":
            self.send_response(307)
            self.send_header("Location", owner.redirect_to + self.path)
            self.send_header("Content-Length", "0")
            return self.end_headers()
        if fault == "dripping_headers":
            return self._drip(b"HTTP/1.1 200 OK\r\nX-Slow: " + b"x" * 100_000)
        if fault == "huge":
            return self._send(200, b'{"x": "' + b"x" * (9 << 20) + b'"}')
        answer = self._answer(body, fault)
        if answer is None:
            return self._send(404, b"{}")
        data = json.dumps(answer).encode()
        if fault == "garbage":
            data = b"<html>\xff\xfe not JSON at all"
        elif fault == "empty":
            data = b""
        elif fault == "half_json":
            data = data[: len(data) // 2]
        if fault == "half":
            # The half may be complete JSON, so only the length in the head shows that the answer was cut off.
            self._head(200, 2 * len(data))
            self.wfile.write(data)
        elif fault == "dripping":
            self._head(200, len(data) + 1000)
            self._drip(b" " * 1000 + data)
        else:
            self._send(200, data)

    def _answer(self, body: Any, fault: str) -> Any:  # noqa: ANN401 - JSON
        """What the route answers to a request; None if there is no such route."""
        if self.path in ("/api/embed", "/v1/embeddings"):
            texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
            owner = self.server.owner
            vectors: list[list[Any]] = [owner.embed(text) for text in texts]
            if fault == "wrong_dimension":
                vectors = [vector[:-1] for vector in vectors]
            if fault == "wrong_count":
                vectors = vectors[:-1]
            if fault == "not_numbers":
                vectors = [["x" for _ in vector] for vector in vectors]
            if fault in ("nan", "infinite"):
                vectors[0][-1] = float(fault.removesuffix("inite"))
            if fault == "several_lengths":
                vectors[-1] = [*vectors[-1], 1.0]
            if owner.refused and any(owner.refused in text for text in texts):
                vectors = []
            if fault == "wrong_form":
                return {"vectors": vectors}
            if self.path == "/api/embed":
                return {"model": body["model"], "embeddings": vectors}
            data = [
                {"object": "embedding", "index": index, "embedding": vector} for index, vector in enumerate(vectors)
            ]
            return {"object": "list", "data": data, "model": body["model"]}
        if self.path not in ("/api/chat", "/v1/chat/completions", "/v1/messages"):
            return None
        text = self._judge(body)
        if fault == "wrong_form":
            return {"choices": [], "content": 3, "message": "x"}
        if self.path == "/api/chat":
            return {"model": body["model"], "message": {"role": "assistant", "content": text}, "done": True}
        if self.path == "/v1/chat/completions":
            return {"choices": [{"index": 0, "message": {"role": "assistant", "content": text}}]}
        return {"type": "message", "role": "assistant", "content": [{"type": "text", "text": text}]}

    def _judge(self, body: Any) -> str:  # noqa: ANN401 - JSON
        owner = self.server.owner
        if owner.says is not None:
            return owner.says
        asked = body["messages"][-1]["content"]
        titles = [title for _number, title in _CANDIDATE.findall(asked)]
        return json.dumps({"keep": owner.keep(titles)})

    def _head(self, status: int, length: int) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(length))
        self.end_headers()

    def _send(self, status: int, data: bytes) -> None:
        self._head(status, len(data))
        self.wfile.write(data)

    def _drip(self, data: bytes) -> None:
        """Send one byte at a time, so that each single read stays within its time limit."""
        ends = time.monotonic() + SLOW_SECONDS
        for byte in data:
            if self.server.owner.is_closing or time.monotonic() > ends:
                return
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
            self.server.owner.wait(0.02)

"""A model server for real clients: it answers in the protocol of each client by a script, and records the requests."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any

USAGE = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
STOPPED = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}

# A text, or the name of a tool and its input. The input of Codex's `apply_patch` is a text.
Reply = str | tuple[str, "dict[str, Any] | str"]


class ScriptedModel:
    """A server on this machine; its address is `url`. Without replies left it answers "ok"."""

    def __init__(self) -> None:
        """Start the server."""
        self.replies: list[Reply] = []
        self.bodies: list[Any] = []
        # How many tokens the next requests are said to have; with many, a client makes its conversation shorter.
        self.tokens: list[int] = []
        self._numbers = count(1)
        self._lock = threading.Lock()
        model = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: object) -> None:
                pass

            def do_GET(self) -> None:
                self.send_error(404)

            def do_POST(self) -> None:
                body = json.loads(self._body() or b"{}")
                path = self.path.partition("?")[0]
                is_stream = "stream" in self.path or bool(body.get("stream"))
                reply, number = model.take(body)
                tokens = model.tokens.pop(0) if model.tokens and body.get("tools") else 1
                answer = answer_in(path, reply, number, tokens, is_stream=is_stream)
                if answer is None:
                    return self.send_error(404)
                self.send_response(200)
                self.send_header("content-type", "text/event-stream" if is_stream else "application/json")
                self.end_headers()
                self.wfile.write(answer.encode())

            def _body(self) -> bytes:
                if self.headers.get("transfer-encoding") != "chunked":
                    return self.rfile.read(int(self.headers.get("content-length", 0)))
                data = b""
                while size := int(self.rfile.readline().split(b";")[0], 16):
                    data += self.rfile.read(size)
                    self.rfile.readline()
                return data

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Stop the server."""
        self.server.shutdown()
        self.server.server_close()

    def play(self, *replies: Reply) -> None:
        """Forget the requests so far, and give these replies to the next ones."""
        with self._lock:
            self.bodies.clear()
            self.replies[:] = replies

    def take(self, body: Any) -> tuple[Reply, int]:  # noqa: ANN401
        """Record a request; return its reply and a number. Only a request with tools takes one from the script."""
        with self._lock:
            self.bodies.append(body)
            has_tools = isinstance(body, dict) and bool(body.get("tools"))
            return (self.replies.pop(0) if has_tools and self.replies else "ok"), next(self._numbers)

    def strings(self) -> list[str]:
        """Every text in the requests; Gemini CLI writes `<` and `>` as entities."""
        texts = [text for body in self.bodies for text in walk(body)]
        return [text.replace("&lt;", "<").replace("&gt;", ">") for text in texts]

    def has(self, words: str) -> bool:
        """Whether a text of the requests has these words."""
        return any(words in text for text in self.strings())


def walk(value: object) -> Iterator[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from walk(inner)


def answer_in(path: str, reply: Reply, number: int, tokens: int, *, is_stream: bool) -> str | None:
    """The reply in the protocol of this path; None for an unknown path."""
    if path.endswith("/responses"):
        return _events(_responses(reply, number))
    if path.endswith("/messages"):
        message = _message(reply, number)
        return _events(_message_events(message)) if is_stream else json.dumps(message)
    if path.endswith("/chat/completions"):
        return _chat(reply, number, tokens, is_stream=is_stream)
    if "enerateContent" in path:
        parts = (
            [{"text": reply}] if isinstance(reply, str) else [{"functionCall": {"name": reply[0], "args": reply[1]}}]
        )
        candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
        content = json.dumps({"candidates": [candidate], "usageMetadata": STOPPED})
        return f"data: {content}\r\n\r\n" if is_stream else content
    if path.endswith("countTokens") or path.endswith("count_tokens"):
        return json.dumps({"totalTokens": 1, "input_tokens": 1})
    return None


def _events(events: list[dict[str, Any]]) -> str:
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)


def _responses(reply: Reply, number: int) -> list[dict[str, Any]]:
    if isinstance(reply, str):
        content = [{"type": "output_text", "text": reply}]
        item: dict[str, Any] = {"type": "message", "role": "assistant", "id": f"m{number}", "content": content}
    elif isinstance(reply[1], str):
        item = {"type": "custom_tool_call", "id": f"t{number}", "name": reply[0], "input": reply[1]}
    else:
        item = {"type": "function_call", "id": f"f{number}", "name": reply[0], "arguments": json.dumps(reply[1])}
    done = {"type": "response.output_item.done", "item": {**item, "call_id": f"call{number}"}}
    return [
        {"type": "response.created", "response": {"id": f"r{number}"}},
        done,
        {"type": "response.completed", "response": {"id": f"r{number}", "usage": USAGE}},
    ]


def _message(reply: Reply, number: int) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "text", "text": reply}
    if not isinstance(reply, str):
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": reply[0], "input": reply[1]}
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [block],
        "stop_reason": "end_turn" if isinstance(reply, str) else "tool_use",
        "stop_sequence": None,
        "usage": USAGE,
    }


def _message_events(message: dict[str, Any]) -> list[dict[str, Any]]:
    [block] = message["content"]
    begin: dict[str, Any] = {"type": "text", "text": ""}
    delta = {"type": "text_delta", "text": block.get("text", "")}
    if block["type"] != "text":
        begin, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    return [
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": begin},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": message["stop_reason"]}, "usage": USAGE},
        {"type": "message_stop"},
    ]


def _chat(reply: Reply, number: int, tokens: int, *, is_stream: bool) -> str:
    message: dict[str, Any] = {"role": "assistant", "content": reply if isinstance(reply, str) else None}
    if not isinstance(reply, str):
        function = {"name": reply[0], "arguments": json.dumps(reply[1])}
        message["tool_calls"] = [{"index": 0, "id": f"call_{number}", "type": "function", "function": function}]
    ended = "stop" if isinstance(reply, str) else "tool_calls"
    usage = {"prompt_tokens": tokens, "completion_tokens": 1, "total_tokens": tokens + 1}
    base = {"id": f"c{number}", "created": 1, "model": "m"}
    if not is_stream:
        choice = {"index": 0, "message": message, "finish_reason": ended}
        return json.dumps({**base, "object": "chat.completion", "choices": [choice], "usage": usage})
    chunk = {**base, "object": "chat.completion.chunk"}
    first = {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}
    last = {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": ended}], "usage": usage}
    return f"data: {json.dumps(first)}\n\ndata: {json.dumps(last)}\n\ndata: [DONE]\n\n"

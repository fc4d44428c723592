"""Asks the local page without a server: what a browser or an attacker would send, and what comes back."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from cuecard import Store
from cuecard.viewer.app import make_app

TOKEN = "the-token-of-this-test"
PORT = 4711
HOST = f"127.0.0.1:{PORT}"
ORIGIN = f"http://{HOST}"


@dataclass(frozen=True)
class Answer:
    """What the page has answered."""

    status: int
    headers: dict[str, str]
    text: str


class PageClient:
    """The page of a store."""

    def __init__(self, store: Store, *, is_read_only: bool = False) -> None:
        self.app = make_app(store, TOKEN, PORT, is_read_only=is_read_only)

    def get(self, path: str, headers: "Mapping[str, str | None] | None" = None, /, **query: str) -> Answer:
        """Ask for a page as the frame's script does; `headers` replace the usual ones, and None leaves one out."""
        usual: dict[str, str | None] = {"host": HOST, "x-cuecard-token": TOKEN, "sec-fetch-site": "same-origin"}
        return self._ask("GET", (path, urlencode(query)), usual | dict(headers or {}), b"")

    def post(self, path: str, headers: "Mapping[str, str | None] | None" = None, /, **form: str) -> Answer:
        """Send a form as the page does."""
        body = urlencode(form).encode()
        usual: dict[str, str | None] = {
            "host": HOST,
            "x-cuecard-token": TOKEN,
            "origin": ORIGIN,
            "sec-fetch-site": "same-origin",
        }
        return self._ask("POST", (path, ""), usual | {"content-length": str(len(body))} | dict(headers or {}), body)

    def _ask(self, method: str, place: tuple[str, str], headers: "dict[str, str | None]", body: bytes) -> Answer:
        path, query = place
        sent: list[Any] = []
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.encode(), value.encode()) for name, value in headers.items() if value is not None],
            "server": ("127.0.0.1", PORT),
            "client": ("127.0.0.1", 1),
        }

        messages = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> dict[str, object]:
            return messages.pop() if messages else {"type": "http.disconnect"}

        async def send(message: Any) -> None:  # noqa: ANN401
            sent.append(message)

        async def ask() -> None:
            await self.app(scope, receive, send)

        asyncio.run(ask())
        start = sent[0]
        headers_of = {name.decode(): value.decode() for name, value in start["headers"]}
        text = b"".join([message.get("body", b"") for message in sent[1:]]).decode()
        return Answer(start["status"], headers_of, text)

"""One question to an HTTP endpoint and its answer, both JSON, within a time for the whole (SPEC 48.1).

Nothing that an error says holds a header, a body, or more of the URL than its host: a key may stand in any of them.
"""

import json
import threading
import time
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from socket import SHUT_RDWR
from typing import Any, NoReturn
from urllib.error import HTTPError, URLError
from urllib.request import HTTPHandler, HTTPRedirectHandler, HTTPSHandler, ProxyHandler, Request, build_opener

from ..errors import ModelError
from .allowed_hosts import check_allowed
from .place import host_of, is_loopback
from .sent import ledger

__all__ = ["host_of", "is_loopback", "post_json"]

MAX_ANSWER_BYTES = 8 << 20
_CHUNK_BYTES = 1 << 16
_HINTS = {
    401: "check the key in the environment",
    403: "check the key in the environment",
    404: "check the URL, and that the endpoint has the model",
    429: "the endpoint has had too many requests; wait, or raise its limit",
}


def post_json(url: str, body: dict[str, Any], headers: dict[str, str], timeout: float, what: str = "embedding") -> Any:  # noqa: ANN401 - JSON
    """What the endpoint at a URL answers to a body, within `timeout` seconds for everything together.

    The request is counted in `sent.ledger` as a `what` once there is a connection. Redirects are not followed, and
    between this machine and itself stands no proxy. Raises ModelError for whatever is no whole answer in JSON, and for
    a host that the user has not allowed, which is told nothing.
    """
    place = host_of(url)
    check_allowed(url)
    data = json.dumps(body).encode()
    call = _Call(Request(url, data, headers={"Content-Type": "application/json", **headers}), what, place, timeout)
    # A server that sends a byte now and then outlives every limit of a single read: so the whole runs beside us.
    worker = threading.Thread(target=call.run, name="cuecard-endpoint", daemon=True)
    worker.start()
    worker.join(max(call.deadline - time.monotonic(), 0))
    found = call.outcome
    if found is None:
        call.abandon()
        raise ModelError(f"`{place}` has not answered within {timeout * 1000:.0f} ms", "raise `timeout_ms`, or mend it")
    if isinstance(found, BaseException):
        _refuse(found, place)
    try:
        return json.loads(found)
    except (ValueError, RecursionError):
        raise ModelError(f"`{place}` has answered with what is no JSON", "check the URL") from None


class _Call:
    """A request under way in a thread of its own; `outcome` is the answer's bytes, or what went wrong."""

    def __init__(self, request: Request, what: str, place: str, timeout: float) -> None:
        self.outcome: bytes | BaseException | None = None
        self.deadline = time.monotonic() + timeout
        self._request, self._what, self._place = request, what, place
        self._connections: list[HTTPConnection] = []
        self._is_abandoned = False

    def run(self) -> None:
        try:
            self.outcome = self._ask()
        except BaseException as error:  # handed to the thread that waits
            self.outcome = error

    def abandon(self) -> None:
        """Let go of the connection, so that the thread ends soon, and send nothing any more."""
        self._is_abandoned = True
        for connection in self._connections:
            if connection.sock:
                with suppress(OSError):
                    connection.sock.shutdown(SHUT_RDWR)

    def note(self, connection: HTTPConnection) -> None:
        """There is a connection, over which the body goes next."""
        self._connections.append(connection)
        if self._is_abandoned:
            raise TimeoutError
        data = self._request.data
        ledger.add(self._what, self._place, len(data) if isinstance(data, bytes) else 0)

    def _ask(self) -> bytes:
        handlers = [_Http(self), _Https(self), _NoRedirects()]
        if is_loopback(self._request.full_url):
            handlers.append(ProxyHandler({}))
        remaining = max(self.deadline - time.monotonic(), 0.001)
        with build_opener(*handlers).open(self._request, timeout=remaining) as response:
            return self._read(response)

    def _read(self, response: HTTPResponse) -> bytes:
        data = b""
        while chunk := response.read1(_CHUNK_BYTES):
            data += chunk
            if len(data) > MAX_ANSWER_BYTES:
                raise ModelError(f"`{self._place}` has answered with more than 8 MiB", "check the URL")
            if time.monotonic() > self.deadline:
                raise TimeoutError
        if response.length:
            raise ModelError(f"`{self._place}` has broken off its answer")
        return data


class _Http(HTTPHandler):
    def __init__(self, call: _Call) -> None:
        super().__init__()
        self._call = call

    def http_open(self, req: Request) -> HTTPResponse:
        call = self._call

        class Connection(HTTPConnection):
            def connect(self) -> None:
                super().connect()
                call.note(self)

        return self.do_open(Connection, req)


class _Https(HTTPSHandler):
    def __init__(self, call: _Call) -> None:
        super().__init__()
        self._call = call

    def https_open(self, req: Request) -> HTTPResponse:
        call = self._call

        class Connection(HTTPSConnection):
            def connect(self) -> None:
                super().connect()
                call.note(self)

        return self.do_open(Connection, req)


class _NoRedirects(HTTPRedirectHandler):
    """What an endpoint is asked goes to no other place, and a question is not asked twice."""

    def redirect_request(self, req: Request, fp: object, code: int, msg: str, headers: object, newurl: str) -> None:
        return None


def _refuse(error: BaseException, place: str) -> NoReturn:
    """Raise ModelError for what went wrong, in words that hold nothing of what was sent."""
    if isinstance(error, ModelError):
        raise error
    if isinstance(error, HTTPError):
        error.close()
        if 300 <= error.code < 400:
            raise ModelError(f"`{place}` has answered with a redirect", "name the place that it leads to") from None
        raise ModelError(f"`{place}` has answered with status {error.code}", _HINTS.get(error.code, "")) from None
    cause = error.reason if isinstance(error, URLError) else error
    if isinstance(cause, TimeoutError):
        raise ModelError(f"`{place}` has not answered in time", "raise `timeout_ms`, or mend it") from None
    if isinstance(cause, OSError):
        reason = cause.strerror or type(cause).__name__
        raise ModelError(f"`{place}` cannot be reached: {reason}", "check the URL, and that it runs") from None
    if isinstance(cause, HTTPException):
        raise ModelError(f"`{place}` has answered with what is no HTTP", "check the URL") from None
    raise ModelError(f"`{place}` cannot be asked: {type(cause).__name__}", "check the URL and the key") from None

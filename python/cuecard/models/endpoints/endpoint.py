"""Sends one JSON request to an HTTP endpoint and reads its JSON answer, within one timeout for everything.

Rules: docs/reference/models.md, "Requests to endpoints".

Errors never contain a header, a body, or more of the URL than its host, since each may contain a key.
"""

import json
import threading
import time
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse
from socket import SHUT_RDWR
from typing import Any, NoReturn

from ..._backend import endpoint_parts
from ...basics.version import __version__
from ...errors import ModelError
from .allowed_hosts import check_allowed
from .allowed_places import EMBEDDING
from .connection import Plain, PlainByProxy, Secure, SecureByProxy
from .place import is_loopback, place_of
from .proxy import proxy_for
from .resting import note_answer, note_failure
from .sent import ledger

__all__ = ["place_of", "is_loopback", "post_json"]

MAX_ANSWER_BYTES = 8 << 20
_CHUNK_BYTES = 1 << 16
_HINTS = {
    401: "check the key in the environment",
    403: "check the key in the environment",
    404: "check the URL, and that the endpoint has the model",
    429: "the endpoint has had too many requests; wait, or raise its limit",
}


def post_json(
    url: str,
    body: dict[str, Any],
    headers: dict[str, str],
    timeout: float,
    what: str = EMBEDDING,
    purpose: str = EMBEDDING,
) -> Any:  # noqa: ANN401 - JSON
    """Send a body to an endpoint and return its JSON answer; everything together may take `timeout` seconds.

    The request is counted in `sent.ledger` under the name `what` once the connection is open. Redirects are not
    followed. A proxy is used only if the user's configuration says so, and never for this machine. Raises ModelError
    for anything but a complete JSON answer. It is also raised for a place that the user has not allowed for `purpose`;
    nothing is sent to such a place. An endpoint that cannot be reached or is late is recorded, so that the next prompts
    skip it.
    """
    place = place_of(url)
    check_allowed(url, purpose)
    call = _Call(url, json.dumps(body).encode(), headers, what, place, timeout)
    # Each read has its own timeout, so a server that sends single bytes slowly would never exceed it. A thread has one
    # timeout for all reads.
    worker = threading.Thread(target=call.run, name="cuecard-endpoint", daemon=True)
    worker.start()
    worker.join(max(call.deadline - time.monotonic(), 0))
    found = call.outcome
    if found is None:
        call.abandon()
        note_failure(place)
        raise ModelError(
            f"`{place}` has not answered within {timeout * 1000:.0f} ms", "raise `timeout_ms`, or repair its server"
        )
    if isinstance(found, BaseException):
        _refuse(found, place)
    note_answer(place)
    try:
        return json.loads(found)
    except (ValueError, RecursionError):
        raise ModelError(f"`{place}` has answered with something that is not JSON", "check the URL") from None


class _Call:
    """A request in a thread of its own; `outcome` is the bytes of the answer or the error, None until then."""

    def __init__(self, url: str, data: bytes, headers: dict[str, str], what: str, place: str, timeout: float) -> None:
        self.outcome: bytes | BaseException | None = None
        self.deadline = time.monotonic() + timeout
        own = {"Content-Type": "application/json", "Connection": "close", "User-Agent": f"cuecard/{__version__}"}
        self._url, self._data, self._headers = url, data, own | headers
        self._what, self._place = what, place
        self._connections: list[HTTPConnection] = []
        self._is_abandoned = False

    def run(self) -> None:
        try:
            self.outcome = self._ask()
        except BaseException as error:  # handed to the thread that waits
            self.outcome = error

    def abandon(self) -> None:
        """Shut the connection down, so that the thread ends soon and sends nothing more."""
        self._is_abandoned = True
        for connection in self._connections:
            if connection.sock:
                with suppress(OSError):
                    connection.sock.shutdown(SHUT_RDWR)

    def _note(self, connection: HTTPConnection) -> None:
        """Count the request; called when the connection is open, before the body is sent."""
        self._connections.append(connection)
        if self._is_abandoned:
            raise TimeoutError
        ledger.add(self._what, self._place, len(self._data))

    def _ask(self) -> bytes:
        connection, route, headers = self._open()
        try:
            connection.request("POST", route, self._data, headers)
            with connection.getresponse() as response:
                if not 200 <= response.status < 300:
                    _refuse_status(response.status, self._place)
                return self._read(response)
        finally:
            connection.close()

    def _open(self) -> tuple[HTTPConnection, str, dict[str, str]]:
        """A connection that is not open yet, with the route and the headers of the request."""
        parts = endpoint_parts(self._url)
        if parts is None:
            raise ModelError("a URL in the settings is not valid")
        is_secure, host, port, route = parts
        remaining = max(self.deadline - time.monotonic(), 0.001)
        proxy = None if is_loopback(self._url) else proxy_for(host, port, is_secure)
        if proxy is None:
            kind = Secure if is_secure else Plain
            return kind(host, port, remaining, self._note), route, self._headers
        if is_secure:
            tunnel = SecureByProxy(proxy.host, proxy.port, remaining, self._note)
            tunnel.set_tunnel(host, port, proxy.headers)
            return tunnel, route, self._headers
        shown = f"[{host}]" if ":" in host else host
        plain = PlainByProxy(proxy.host, proxy.port, remaining, self._note)
        return plain, f"http://{shown}:{port}{route}", {**self._headers, **proxy.headers}

    def _read(self, response: HTTPResponse) -> bytes:
        data = b""
        while chunk := response.read1(_CHUNK_BYTES):
            data += chunk
            if len(data) > MAX_ANSWER_BYTES:
                raise ModelError(f"`{self._place}` has answered with more than 8 MiB", "check the URL")
            if time.monotonic() > self.deadline:
                raise TimeoutError
        if response.length:
            raise ModelError(f"`{self._place}` has ended its answer too early")
        return data


def _refuse_status(status: int, place: str) -> NoReturn:
    if 300 <= status < 400:
        raise ModelError(f"`{place}` has answered with a redirect", "use the URL to which it redirects")
    raise ModelError(f"`{place}` has answered with status {status}", _HINTS.get(status, ""))


def _refuse(error: BaseException, place: str) -> NoReturn:
    """Raise ModelError for an error, with a message that contains nothing that was sent."""
    if isinstance(error, ModelError):
        raise error
    if isinstance(error, TimeoutError):
        note_failure(place)
        raise ModelError(f"`{place}` has not answered in time", "raise `timeout_ms`, or repair its server") from None
    if isinstance(error, HTTPException) and not isinstance(error, OSError):
        raise ModelError(f"`{place}` has answered with something that is not HTTP", "check the URL") from None
    if isinstance(error, OSError):
        note_failure(place)
        reason = error.strerror or type(error).__name__
        raise ModelError(f"`{place}` cannot be reached: {reason}", "check the URL, and that its server runs") from None
    raise ModelError(f"`{place}` cannot be asked: {type(error).__name__}", "check the URL and the key") from None

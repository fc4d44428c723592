"""Keeps the page to the person who started it: the token, the host, the origin, and what a browser may load.

The page is served on the loopback interface. Another site in the same browser can send requests to it, and can point a
name of its own at the loopback address. So each request must name our own host and come from our own origin, and all
data needs a token that stands only in the fragment of the address that was printed.
"""

import hmac

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOKEN = "x-cuecard-token"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
MAX_BODY = 1 << 20


class Guard:
    """Refuses what does not come from the page itself, before anything else looks at it."""

    def __init__(self, app: "ASGIApp", token: str, port: int, *, is_read_only: bool) -> None:
        """`token` must be in a header of every request for data. With `is_read_only` nothing is changed."""
        self._app, self._token, self._is_read_only = app, token.encode(), is_read_only
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            return
        problem = self._refuse(scope)

        async def with_headers(message: "Message") -> None:
            if message["type"] == "http.response.start":
                own = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message["headers"], *own]
            await send(message)

        if problem:
            await PlainTextResponse(problem, 403)(scope, receive, with_headers)
        else:
            await self._app(scope, receive, with_headers)

    def _refuse(self, scope: "Scope") -> str:
        """Why a request is refused; "" if it is answered."""
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        if host not in self._hosts:
            return "unknown host"
        if origin is not None and origin != f"http://{host}":
            return "another origin"
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return "another site"
        is_write = scope["method"] not in ("GET", "HEAD")
        if is_write and origin is None:
            return "no origin"
        if is_write and int(headers.get("content-length") or 0) > MAX_BODY:
            return "too large"
        if is_write and self._is_read_only:
            return "the page was started with `--read-only`"
        given = headers.get(TOKEN, "").encode()
        if (is_write or TOKEN in headers) and not hmac.compare_digest(given, self._token):
            return "the token is missing or wrong: open the address that `cuecard view` has printed"
        return ""

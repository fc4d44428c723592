"""JSON-RPC 2.0: parses requests and builds error answers (docs/reference/mcp.md, "Messages").

The package `mcp` 2.3 does this too, but it needs 28 packages of 45 MB. Importing its server takes 71 times the CPU time
of an empty Python; importing this module takes 1.8 times.
"""

import json

from ..basics.json_reader import BYTE_ORDER_MARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    Id = str | int | float
    Json = dict[str, object]

MAX_MESSAGE_BYTES = 4 << 20
# The value in place of a line of more than `MAX_MESSAGE_BYTES`.
TOO_LARGE = b"\0"
MAX_DIGITS = 400
MAX_PING_BYTES = 1000

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603


class Failure(Exception):
    """An error answer of the protocol. (A failed tool call is not one: its error is in a normal result.)"""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        """Store the code, the message and the data for the client."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    def to_answer(self, id: "Id | None") -> "Json":
        """The error answer. JSON-RPC demands a null id if the id of the request is not known."""
        error: Json = {"code": self.code, "message": self.message}
        if self.data is not None:
            error["data"] = self.data
        return {"jsonrpc": "2.0", "id": id, "error": error}


class Request:
    """A request; or, if `id` is None, a notification, which is not answered."""

    def __init__(self, id: "Id | None", method: str, params: "Json") -> None:
        """Keep the parts of the request."""
        self.id = id
        self.method = method
        self.params = params


def read_message(line: bytes) -> object:
    """The JSON value of a line. Raises Failure if the line is too large or not JSON."""
    if line is TOO_LARGE:
        raise Failure(INVALID_REQUEST, "the message is over 4 MiB; send less at once")
    try:
        text = line.removeprefix(BYTE_ORDER_MARK).decode("utf-8")
        return json.loads(text, parse_constant=_refuse, parse_float=_finite, parse_int=_whole)
    except UnicodeDecodeError as error:
        raise Failure(PARSE_ERROR, f"the message is not UTF-8 (byte {error.start})") from None
    except RecursionError:
        raise Failure(PARSE_ERROR, "the message is nested too deep") from None
    except ValueError as error:
        reason = str(error)
        raise Failure(PARSE_ERROR, f"the message is not JSON: {reason[:1].lower()}{reason[1:]}") from None


def read_request(message: object) -> Request | None:
    """The request in a message; None if the message is an answer. Raises Failure for a malformed request."""
    if not isinstance(message, dict):
        raise Failure(INVALID_REQUEST, "a message must be a JSON object")
    method = message.get("method")
    if method is None and "id" in message and ("result" in message or "error" in message):
        return None
    if message.get("jsonrpc") != "2.0":
        raise Failure(INVALID_REQUEST, '`jsonrpc` is not "2.0"')
    if not isinstance(method, str):
        raise Failure(INVALID_REQUEST, "`method` is not a text")
    if "id" in message and id_of(message) is None:
        raise Failure(INVALID_REQUEST, "`id` is neither a text nor a number")
    params = message.get("params")
    if params is None:
        params = {}
    if not isinstance(params, dict):
        raise Failure(INVALID_PARAMS, "`params` is not an object")
    return Request(id_of(message), method, params)


def id_of(message: object) -> "Id | None":
    """The id of a message; None if the id is missing or invalid."""
    found = message.get("id") if isinstance(message, dict) else None
    return found if isinstance(found, (str, int, float)) and not isinstance(found, bool) else None


def cancelled_id(line: bytes) -> "Id | None":
    """The id of the request that a line cancels; None for any other line."""
    # A fast check: almost no line is a cancellation, and other lines are parsed elsewhere.
    if b"notifications/cancelled" not in line:
        return None
    try:
        request = read_request(read_message(line))
    except Failure:
        return None
    if request is None or request.method != "notifications/cancelled":
        return None
    return id_of({"id": request.params.get("requestId")})


def ping_id(line: bytes) -> "Id | None":
    """The id of the ping in a line; None for any other line."""
    # A fast check: other lines are parsed elsewhere. A ping has no long parameters.
    if len(line) > MAX_PING_BYTES or b'"ping"' not in line:
        return None
    try:
        request = read_request(read_message(line))
    except Failure:
        return None
    return request.id if request is not None and request.method == "ping" else None


def _finite(digits: str) -> float:
    number = float(digits)
    if abs(number) == float("inf"):
        raise ValueError("a number is too large")
    return number


def _whole(digits: str) -> int:
    # Converting longer numbers is slow, and they have no use.
    if len(digits) > MAX_DIGITS:
        raise ValueError("a number is too large")
    return int(digits)


def _refuse(name: str) -> "NoReturn":
    raise ValueError(f"`{name}` is not a JSON number")

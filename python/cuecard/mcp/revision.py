"""The revisions of the protocol, and the check which revision a request belongs to.

Rules: docs/reference/mcp.md, "Revisions of the protocol".
"""

from .message import INVALID_PARAMS, Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .message import Json

# The revisions without a handshake: each request names its revision.
MODERN = ("2026-07-28",)
# The revisions that `initialize` negotiates, the newest first.
HANDSHAKE = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
# The revisions that allow several messages in one line.
BATCHED = ("2025-03-26", "2024-11-05")

UNSUPPORTED_VERSION = -32022
# The error code for a missing resource, in revisions with a handshake.
NOT_FOUND = -32002

VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
SERVER = "io.modelcontextprotocol/serverInfo"

DISCOVER = "server/discover"


def agree(requested: object) -> str:
    """The revision to agree on in a handshake: the requested revision, else the newest one that has a handshake.

    Raises Failure if `requested` is not a text.
    """
    if not isinstance(requested, str):
        raise Failure(INVALID_PARAMS, "`protocolVersion` is not a text", {"supported": [*HANDSHAKE]})
    return requested if requested in HANDSHAKE else HANDSHAKE[0]


def is_modern(method: str, params: "Json") -> bool:
    """Whether a request belongs to a revision without a handshake. Raises Failure if such a request is incomplete."""
    meta = params.get("_meta")
    version = meta.get(VERSION) if isinstance(meta, dict) else None
    if version is None:
        if method == DISCOVER:
            raise Failure(INVALID_PARAMS, f"`_meta` has no `{VERSION}`", {"supported": [*MODERN]})
        return False
    if not isinstance(version, str):
        raise Failure(INVALID_PARAMS, f"`{VERSION}` is not a text")
    if version not in MODERN:
        data = {"supported": [*MODERN], "requested": version}
        raise Failure(UNSUPPORTED_VERSION, f"the revision `{version[:40]}` is not supported", data)
    if not isinstance(meta, dict) or not isinstance(meta.get(CAPABILITIES), dict):
        raise Failure(INVALID_PARAMS, f"`_meta` has no `{CAPABILITIES}`")
    return True

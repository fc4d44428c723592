"""Adds a message for the user to the answer for the agent (SPEC 12.4)."""

from ...basics.chars import WHITESPACE, scrub
from ..host.host import quote, shows_notices

# A longer notice is cut.
MAX_CHARS = 1000


def add_notice(answer: bytes, notice: bytes, host: str) -> bytes:
    """Add the lines of a notice to an answer of `write_answer`.

    The answer is returned unchanged if the notice has no lines or the host shows no notices.
    """
    text = _read_notice(notice)
    if not shows_notices(host) or not text:
        return answer
    told = '{"systemMessage":' + quote(text)
    return (told + ",").encode() + answer[1:] if answer.startswith(b"{") else (told + "}\n").encode()


def _read_notice(notice: bytes) -> str:
    lines = scrub(notice.decode("utf-8", "replace")).split("\n")
    plain = ["".join([" " if _is_control(char) else char for char in line]).strip(WHITESPACE) for line in lines]
    return "; ".join([line for line in plain if line])[:MAX_CHARS]


def _is_control(char: str) -> bool:
    return char < " " or "\x7f" <= char <= "\x9f"

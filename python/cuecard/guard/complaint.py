"""What the agent is told about what a tool has done (SPEC 16.5)."""

from ..basics.chars import scrub
from ..protocol.host import quote


def write_complaint(reason: str, context: str) -> bytes:
    """The bytes for standard output that say what is wrong with what a tool has done, and more about it."""
    return (
        f'{{"decision":"block","reason":{quote(scrub(reason))},"hookSpecificOutput":'
        f'{{"hookEventName":"PostToolUse","additionalContext":{quote(scrub(context))}}}}}\n'
    ).encode()

"""Runs the test vectors of statements that a host shows itself, on the pure backend."""

import json

from cuecard._pure.engine.hosted import HostedStatements
from cuecard._pure.memory.statement import statement_key


def is_hosted(data: str, memory: str, *, is_vouched: bool) -> bool:
    """Whether the host shows what a memory says, by a list of keys."""
    return HostedStatements(data.encode()).has(json.loads(memory), is_vouched=is_vouched)


HOSTED_PARTS = {"statement_key": statement_key, "is_hosted": is_hosted}

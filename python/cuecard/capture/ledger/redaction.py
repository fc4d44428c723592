"""Replaces secrets before anything is written to the ledger (docs/reference/secrets.md)."""

from ...errors import CuecardError
from ...store.intake.redaction import redact_texts


def redact_text(text: str) -> str:
    """The text without secrets. Raises CuecardError if secrets cannot be searched for; then nothing may be written."""
    redacted = redact_texts([text])
    if redacted is None:
        raise CuecardError("the search for secrets failed, so nothing of this session is kept")
    return redacted[0]

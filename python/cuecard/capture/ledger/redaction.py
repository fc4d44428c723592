"""Secrets are replaced before anything is written (SPEC 55)."""

from ...store.intake.redaction import redact


def redact_text(text: str) -> str:
    """The text without secrets."""
    redacted = redact({"content": text})[0]["content"]
    return redacted if isinstance(redacted, str) else ""

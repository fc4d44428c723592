"""Settings that ask a judge at a server on loopback."""

from typing import Any

KEY = "sk-ant-very-secret-0123456789"
VARIABLE = "ANTHROPIC_API_KEY"
# A time limit that is long enough for every slow machine.
PATIENT_MS = 10_000


def config_of(url: str, timeout_ms: int = PATIENT_MS, **judge: object) -> dict[str, Any]:
    return {"retrieval": {"judge": {"enabled": True, "url": url, "timeout_ms": timeout_ms, **judge}}}

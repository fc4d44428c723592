"""Settings with which a model at a server on loopback judges the memories."""

from typing import Any

KEY = "sk-ant-very-secret-0123456789"
VARIABLE = "ANTHROPIC_API_KEY"
# A time limit that is long enough even for a slow machine.
PATIENT_MS = 10_000


def config_of(url: str, timeout_ms: int = PATIENT_MS, **judge: object) -> dict[str, Any]:
    return {"retrieval": {"judge": {"enabled": True, "url": url, "timeout_ms": timeout_ms, **judge}}}

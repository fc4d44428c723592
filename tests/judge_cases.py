"""Settings with which the judge is asked at a server on loopback."""

from typing import Any

KEY = "sk-ant-very-secret-0123456789"
VARIABLE = "ANTHROPIC_API_KEY"
# As much as no machine needs that is only slow.
PATIENT_MS = 10_000


def config_of(url: str, timeout_ms: int = PATIENT_MS, **judge: object) -> dict[str, Any]:
    return {"retrieval": {"judge": {"enabled": True, "url": url, "timeout_ms": timeout_ms, **judge}}}

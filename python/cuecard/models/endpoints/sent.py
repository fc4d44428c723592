"""What this process has sent to endpoints: counted where it is sent, so that no caller can forget to.

Rules: docs/reference/models.md, "Counting".
"""

import threading


class Ledger:
    """Requests and bytes for each pair of what was sent and to which host; threads may share it."""

    def __init__(self) -> None:
        """Nothing was sent."""
        self._lock = threading.Lock()
        self._counts: dict[tuple[str, str], tuple[int, int]] = {}

    def add(self, what: str, host: str, size: int) -> None:
        """Count a request with a body of `size` bytes."""
        with self._lock:
            requests, total = self._counts.get((what, host), (0, 0))
            self._counts[what, host] = requests + 1, total + size

    def take(self) -> list[tuple[str, str, int, int]]:
        """What was sent since this was last asked: what, host, requests, bytes; ordered by what and host."""
        with self._lock:
            counts, self._counts = self._counts, {}
        return sorted((what, host, *count) for (what, host), count in counts.items())


ledger = Ledger()

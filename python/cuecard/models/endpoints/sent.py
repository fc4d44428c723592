"""Counts what this process sends to endpoints. The function that sends also counts, so no caller can forget it.

Rules: docs/reference/models.md, "Counting".
"""

import threading


class Ledger:
    """The number of requests and bytes for each purpose and host. Threads may share it."""

    def __init__(self) -> None:
        """Start with empty counts."""
        self._lock = threading.Lock()
        self._counts: dict[tuple[str, str], tuple[int, int]] = {}

    def add(self, what: str, host: str, size: int) -> None:
        """Count a request with a body of `size` bytes."""
        with self._lock:
            requests, total = self._counts.get((what, host), (0, 0))
            self._counts[what, host] = requests + 1, total + size

    def take(self) -> list[tuple[str, str, int, int]]:
        """The counts since the last call: purpose, host, requests, bytes; ordered by purpose and host."""
        with self._lock:
            counts, self._counts = self._counts, {}
        return sorted((what, host, *count) for (what, host), count in counts.items())


ledger = Ledger()

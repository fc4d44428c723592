"""Writes the two files for an agent that is asked for drafts into the session's staging folder.

Rules: docs/reference/ledger.md.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from ..staging import MANIFEST, Staging
from .ledger_lines import Ask

# The file with all entries that the agent is asked about.
WHOLE = "context-ledger.txt"


@dataclass(frozen=True)
class Staged:
    """The content of the two files for the agent."""

    session: str
    transcript: str
    start: int
    """The first byte of the transcript that the request is about."""
    end: int
    """The byte behind the last byte that the request is about."""
    time: str
    parts: Sequence[tuple[str, Ask]]
    """Each session that the agent is asked about, with its ask."""
    whole: str
    """All entries in full, as text."""
    root: str = ""
    """The folder of the project whose store gets the memories; "" for the session's own."""

    def write(self, staging: Staging) -> None:
        """Write the file of entries and the manifest. Raises OSError."""
        parts = [{"session": session, "ask": ask.id, "from": ask.start, "to": ask.end} for session, ask in self.parts]
        manifest = {
            "version": 1,
            "revision": "ledger",
            "session_id": self.session,
            "transcript": self.transcript,
            "start": self.start,
            "end": self.end,
            "time": self.time,
            "cause": self.parts[0][1].cause,
            "parts": parts,
            "root": self.root,
        }
        staging.put(WHOLE, self.whole.encode())
        text = json.dumps(manifest, ensure_ascii=False, separators=(",", ":"))
        staging.put(MANIFEST, f"{text}\n".encode())

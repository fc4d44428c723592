"""Transcripts of Claude Code and Codex, for tests that import them."""

from pathlib import Path
from typing import Any

from command_process import Ran, run_in
from cuecard import Store
from cuecard.capture.triage.conversation import read_conversation
from cuecard.capture.triage.triage_settings import read_triage_settings
from cuecard.importers.draft import ImportedDraft
from cuecard.importers.sessions.session_sentences import find_drafts
from triage_cases import in_jsonl

SECRET = "ghp_" + "a1B2c3D4e5" * 4
COMPACTED = """This session is being continued from a previous conversation that ran out of context. The summary below \
covers the earlier portion of the conversation.

Analysis:
First I looked at everything.

Summary:
1. Primary Request and Intent:
   Move the job queue to PostgreSQL. Keep the old one until then.

2. Errors and fixes:
   - **Locks**: two writers waited for each other.
     - Fixed with `SKIP LOCKED`.
   - The tests ran twice.

3. All user messages:
   - "move it"

4. Pending Tasks:
   - Remove the old queue.

5. Current Work:
   The last test was made green.

If you need specific details from before compaction, read the full transcript at: /home/somebody/x.jsonl
Please continue the conversation from where we left it off without asking the user any further questions.
"""


def session(cwd: "str | Path", *records: dict[str, Any], day: str = "2026-03-01") -> bytes:
    """A transcript of Claude Code; there is one minute between two records."""
    members = {"cwd": str(cwd), "sessionId": "s-1", "isSidechain": False, "version": "2.1.329"}
    first = {"type": "queue-operation", "operation": "enqueue", "sessionId": "s-1"}
    dated = [
        {**members, "timestamp": f"{day}T10:{number:02}:00.000Z", **record} for number, record in enumerate(records)
    ]
    return in_jsonl([first, *dated])


def rollout(cwd: "str | Path", *items: dict[str, Any]) -> bytes:
    """A transcript of Codex."""
    meta = {"type": "session_meta", "payload": {"id": "c-1", "cwd": str(cwd)}}
    records = [meta, *[item if "type" in item else {"type": "response_item", "payload": item} for item in items]]
    return in_jsonl([{"timestamp": "2026-03-02T10:00:00.000Z", **record} for record in records])


def codex_said(role: str, text: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"payload": {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}} | {
        "type": "response_item"
    }


def imported(store: Store, files: dict[str, bytes], *arguments: str) -> Ran:
    """Write transcripts into a folder beside the store, and import this folder."""
    folder = Path(store.root).parent / "sessions"
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return run_in(store, "import", folder, "--json", *arguments)


def outcomes(ran: Ran, status: str = "created") -> list[dict[str, Any]]:
    return [outcome for outcome in ran.document["outcomes"] if outcome["status"] == status]


def drafts_of(tmp_path: Path, *records: object) -> list[ImportedDraft]:
    file = tmp_path / "t.jsonl"
    file.write_bytes(in_jsonl(records))
    return find_drafts(read_conversation(str(file), 1 << 30), read_triage_settings("", "current"), "t.jsonl", "")

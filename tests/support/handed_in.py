"""Drafts as agents hand them in to cuecard, and the staging folder that triage creates for the drafts."""

import json
from pathlib import Path
from typing import Any

from command_process import Ran, run_in
from cuecard import Store
from cuecard.capture.commit import commit_drafts
from scratch_home import kept_of
from small_project import CONTENTS

Json = dict[str, Any]
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
SESSION = "0f4c2b1e-7d3a-4c59-9a67-1b2c3d4e5f60"


# This content has enough words, so that a draft with it does not count as vague.
SAID: dict[str, Json] = {
    "session_summary": {"goal": "a goal that was agreed on", "completed": ["the work that was planned"]},
    "decision": {"context": "a context that everybody knows", "decision": "so and not otherwise"},
    "runbook": {"trigger": "it fails at the start", "steps": ["repair it by hand", "start it again"]},
    "constraint": {"rule": "a rule that was agreed on", "impact": ["it is slow on some machines"]},
    "tech_debt": {"description": "old and hard to change", "reason_deferred": "there was no time"},
    "preference": {"value": "short and without ornament", "reason": "clear to all who read it"},
}


def draft(title: str = "Use PostgreSQL for the ledger", **members: object) -> Json:
    """A draft as an agent hands it in. Keyword arguments replace members of the draft or of its `partial_content`."""
    category = str(members.pop("category", "decision"))
    content = {
        "title": title,
        "tags": ["postgresql", "ledger"],
        "confidence": 0.9,
        "change_summary": "Decided in the session",
        "content": CONTENTS[category] | SAID[category],
    }
    outer = {name: members.pop(name) for name in ("action", "new_info_summary", "lifecycle_event") if name in members}
    whole: Json = {"category": category, "action": "create", "new_info_summary": f"{title}, postgresql ledger"}
    return whole | outer | {"partial_content": content | members}


def staged(store: Store, session: str = SESSION) -> Path:
    """A staging folder, as triage creates it for a session."""
    folder = kept_of(store.memory_dir) / "staging" / session
    folder.mkdir(mode=0o700, parents=True)
    manifest = {
        "version": 1,
        "session_id": session,
        "transcript": f"/home/somebody/.claude/projects/p/{session}.jsonl",
        "start": 120,
        "end": 4096,
        "categories": [{"category": "decision"}],
    }
    (folder / "triage.json").write_text(json.dumps(manifest))
    (folder / "context-decision.txt").write_text("Category: decision")
    (folder / "handled-4096").write_text("")
    return folder


def hand_in(store: Store, folder: Path, *drafts: object, arguments: tuple[str, ...] = ()) -> Ran:
    return run_in(store, "capture", "commit", folder, *arguments, send=list(drafts))


def statuses(store: Store, *drafts: object, **options: Any) -> list[str]:  # noqa: ANN401
    return [outcome.status for outcome in commit_drafts(store, drafts, **options).outcomes]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def notice_of(store: Store) -> Path:
    """The path of the file with the notice that the user sees at the next prompt."""
    return kept_of(store.memory_dir) / "notice"

"""Checks the trust in memories: how many are unreviewed, and where trust is stored (SPEC 45)."""

import os
from collections import Counter

from ..._backend import read_effective_settings
from ...files.trust_levels import FOLDER, UNREVIEWED
from ...files.user_folder import data_path
from ...store.records.memory import read_memories
from ...store.trust.agent_view import views_of
from .finding import Finding


def examine_trust(folder: str, memory_dir: str) -> list[Finding]:
    """Findings about the trust in the memories of a store. Reads every memory."""
    data = data_path()
    place = os.path.join(data, FOLDER) if data else ""
    facts: dict[str, object] = {"folder": place or None}
    if not read_effective_settings(memory_dir).settings.reviews_trust:
        words = "your configuration has `trust.review` off: every memory counts as reviewed"
        return [Finding("trust", "ok", words, facts=facts)]
    if not _is_writable(data):
        words = f"`{data}` cannot be written" if data else "there is no folder for your data"
        return [Finding("trust", "warn", f"{words}: every memory is unreviewed", "set `CUECARD_HOME`", facts=facts)]
    # A retired memory reaches no agent, and `cuecard trust` does not ask about it.
    counted = [memory for memory in read_memories(folder, memory_dir) if memory.status != "retired"]
    views = views_of(memory_dir, counted)
    counts = Counter([view.trust for view in views])
    withheld = sum([view.is_withheld for view in views])
    facts |= {"own": counts["own"], "reviewed": counts["reviewed"], "unreviewed": counts[UNREVIEWED]}
    facts["withheld"] = withheld
    kept = f"kept in {place}"
    if not counts[UNREVIEWED]:
        words = f"{counts['own']} own and {counts['reviewed']} reviewed memories, {kept}"
        return [Finding("trust", "ok", words, facts=facts)]
    words = (
        f"{counts[UNREVIEWED]} of {len(views)} memories are unreviewed, {withheld} of them withheld; trust is {kept}"
    )
    return [Finding("trust", "warn", words, "`cuecard trust` shows and accepts them", facts=facts)]


def _is_writable(path: str) -> bool:
    """Whether a folder is writable or could be created; it is not created."""
    while path and not os.path.isdir(path):
        above = os.path.dirname(path)
        path = "" if above == path else above
    return bool(path) and os.access(path, os.W_OK)

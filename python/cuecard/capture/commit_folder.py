"""The staging folder that a commit is called with: checked, read for provenance, cleared.

Rules: docs/reference/capture-commit.md, "Folder" and "Report".
"""

import json
import os
from contextlib import suppress
from pathlib import Path

from ..errors import CuecardError, UsageError
from ..files.folder import Unread
from ..store.records.record_file import Fields, decode_any
from .draft import MAX_INPUT_BYTES, digest
from .staging import MANIFEST, Staging

# How the file of a draft that failed begins.
KEPT = "failed-"
MAX_MANIFEST_BYTES = 1 << 20


class CommitFolder:
    """A session's staging folder."""

    def __init__(self, memory_dir: str, folder: str) -> None:
        """`folder` of the store at `memory_dir`; an agent names it, so `UsageError` where it is any other folder."""
        path = Path(folder).absolute()
        staging = Staging(memory_dir, path.name)
        hint = "name the folder that the instruction to save names, in the project it is of"
        if staging.path.name != path.name or not _are_same(path.parent, staging.path.parent):
            raise UsageError(
                f"`{folder[:200]}` is no folder in which triage leaves drafts of this project", hint, field="DIR"
            )
        if not staging.is_there:
            raise UsageError(f"`{staging.path}` is no folder", hint, field="DIR")
        self.path = staging.path
        self._staging = staging

    @property
    def is_asked_for(self) -> bool:
        """Whether triage waits for drafts."""
        try:
            self._staging.read(MANIFEST, MAX_MANIFEST_BYTES)
        except Unread:
            return False
        return True

    def source(self) -> Fields:
        """Where the drafts come from, as `cuecard.source` has it; the session at least."""
        source: Fields = {"session": self.path.name}
        manifest = self._manifest()
        session, transcript = manifest.get("session_id"), manifest.get("transcript")
        if isinstance(session, str) and session:
            source["session"] = session[:200]
        if isinstance(transcript, str) and transcript:
            source["transcript"] = transcript.replace("\\", "/").rpartition("/")[2][:200]
        for name in ("start", "end"):
            value = manifest.get(name)
            if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53:
                source[name] = value
        return source

    def asks(self) -> list[str]:
        """The names of the asks that the drafts answer (SPEC 56.9)."""
        parts = self._manifest().get("parts")
        asks = [part.get("ask") for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
        return list(dict.fromkeys([ask for ask in asks if isinstance(ask, str)]))

    def _manifest(self) -> Fields:
        try:
            manifest = decode_any(self._staging.read(MANIFEST, MAX_MANIFEST_BYTES), MANIFEST)
        except (Unread, CuecardError, ValueError):
            return {}
        return manifest if isinstance(manifest, dict) and manifest.get("version") == 1 else {}

    def keep(self, raw: object) -> str:
        """Keep a draft that failed, in the form in which it can be handed in again; its path. Raises OSError."""
        data = json.dumps([raw], indent=2).encode() + b"\n"
        return str(self._staging.put(_kept_name(raw), data))

    def kept(self) -> dict[str, object]:
        """The drafts that were kept, by the names of their files. What cannot be read is left out."""
        found: dict[str, object] = {}
        for name in self._staging.names():
            if name.startswith(KEPT) and name.endswith(".json"):
                with suppress(Unread, CuecardError):
                    held = decode_any(self._staging.read(name, MAX_INPUT_BYTES), name)
                    found[name] = held[0] if isinstance(held, list) and held else held
        return found

    def drop(self, raw: object) -> None:
        """Let go of a draft that is dealt with, and of what it corrects."""
        self._staging.remove(_kept_name(raw))
        for name, other in self.kept().items():
            if _corrects(raw, other):
                self._staging.remove(name)

    def clear(self) -> None:
        """All drafts are dealt with: nothing more is to be drafted from what triage left."""
        self._staging.clear()


def _kept_name(raw: object) -> str:
    return f"{KEPT}{digest(raw)}.json"


def _corrects(raw: object, other: object) -> bool:
    """Whether a draft is another one in other words: of its category, with one of the texts that it is known by."""
    if not isinstance(raw, dict) or not isinstance(other, dict) or raw.get("category") != other.get("category"):
        return False
    mine, theirs = raw.get("partial_content"), other.get("partial_content")
    mine, theirs = mine if isinstance(mine, dict) else {}, theirs if isinstance(theirs, dict) else {}
    pairs = [(raw.get("new_info_summary"), other.get("new_info_summary"))]
    pairs += [(mine.get(name), theirs.get(name)) for name in ("title", "content")]
    return any(one == another and one for one, another in pairs)


def _are_same(folder: Path, other: Path) -> bool:
    return os.path.realpath(folder) == os.path.realpath(other)

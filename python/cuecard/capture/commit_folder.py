"""The staging folder of a commit: checks it, reads the provenance from it, and clears it.

Rules: docs/reference/capture-commit.md, "Folder" and "Report".
"""

import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..errors import CuecardError, UsageError
from ..files.folder import Unread
from ..store.intake.redaction import redact_texts
from ..store.records.record_file import Fields, decode_any
from .draft import MAX_INPUT_BYTES, digest
from .staging import MANIFEST, Staging

# The prefix of the file name of a failed draft.
KEPT = "failed-"
MAX_MANIFEST_BYTES = 1 << 20


@dataclass(frozen=True)
class AskedSession:
    """A session that an agent was asked about: the part that it was asked about, from a position to another."""

    session: str
    start: int
    end: int
    transcript: str = ""
    """The file name of the transcript; "" if no ledger says so."""


class CommitFolder:
    """A session's staging folder."""

    def __init__(self, memory_dir: str, folder: str) -> None:
        """Open `folder`. Raises `UsageError` if it is not a staging folder of the store at `memory_dir`."""
        path = Path(folder).absolute()
        staging = Staging(memory_dir, path.name)
        hint = "use the folder from the instruction to save, and run the command in its project"
        if staging.path.name != path.name or not _are_same(path.parent, staging.path.parent):
            raise UsageError(f"`{folder[:200]}` is not a staging folder of this project", hint, field="DIR")
        if not staging.is_there:
            raise UsageError(f"`{staging.path}` is not a folder", hint, field="DIR")
        self.path = staging.path
        self._staging = staging
        self._root = ""

    @property
    def is_asked_for(self) -> bool:
        """Whether the session's agent was asked for drafts and has not sent them yet."""
        try:
            self._staging.read(MANIFEST, MAX_MANIFEST_BYTES)
        except Unread:
            return False
        return True

    def source(self) -> Fields:
        """The session that was asked, in the form of `cuecard.source`. The field `session` is always set."""
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

    def sessions(self) -> list[AskedSession]:
        """The sessions that the agent was asked about; the session of this folder if the request names none."""
        parts = self._manifest().get("parts")
        found = []
        for part in parts if isinstance(parts, list) else []:
            members = part if isinstance(part, dict) else {}
            session, start, end = (members.get(name) for name in ("session", "from", "to"))
            if isinstance(session, str) and session and isinstance(start, int) and isinstance(end, int):
                found.append(AskedSession(session[:200], start, end))
        return found

    def asks(self) -> list[str]:
        """The ids of the requests for drafts that these drafts answer (docs/reference/ledger.md)."""
        parts = self._manifest().get("parts")
        asks = [part.get("ask") for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
        return list(dict.fromkeys([ask for ask in asks if isinstance(ask, str)]))

    def choose(self, root: str) -> None:
        """Let the store of another project get the memories than the one that the request names."""
        self._root = root

    @property
    def is_chosen(self) -> bool:
        """Whether somebody has chosen the store."""
        return self._root != ""

    def root(self) -> str:
        """The folder of the project whose store gets the memories; "" for the session's own."""
        if self._root:
            return self._root
        root = self._manifest().get("root")
        return root if isinstance(root, str) else ""

    def _manifest(self) -> Fields:
        try:
            manifest = decode_any(self._staging.read(MANIFEST, MAX_MANIFEST_BYTES), MANIFEST)
        except (Unread, CuecardError, ValueError):
            return {}
        return manifest if isinstance(manifest, dict) and manifest.get("version") == 1 else {}

    def keep(self, raw: object) -> str:
        """Save a failed draft, without its secrets, in a file that can be sent again, and return the file's path.

        Raises OSError, also if secrets cannot be searched for.
        """
        raw = _without_secrets(raw)
        data = json.dumps([raw], indent=2, ensure_ascii=False).encode() + b"\n"
        return str(self._staging.put(_kept_name(raw), data))

    def kept(self) -> dict[str, object]:
        """The failed drafts that were saved, by file name. Unreadable files are left out."""
        found: dict[str, object] = {}
        for name in self._staging.names():
            if name.startswith(KEPT) and name.endswith(".json"):
                with suppress(Unread, CuecardError):
                    held = decode_any(self._staging.read(name, MAX_INPUT_BYTES), name)
                    found[name] = held[0] if isinstance(held, list) and held else held
        return found

    def drop(self, raw: object) -> None:
        """Remove the saved file of a draft that succeeded, and the files of failed drafts that this draft corrects."""
        raw = _without_secrets(raw)
        self._staging.remove(_kept_name(raw))
        for name, other in self.kept().items():
            if _corrects(raw, other):
                self._staging.remove(name)

    def clear(self) -> None:
        """Remove the request and the texts to draft from. Call this when all drafts are committed."""
        self._staging.clear()


def _without_secrets(raw: object) -> object:
    """A draft, which may be any JSON value, without secrets, also in the names of its fields. Raises OSError."""
    texts: list[str] = []

    def note(text: str) -> str:
        texts.append(text)
        return text

    _replace_texts(raw, note)
    redacted = redact_texts(texts)
    if redacted is None:
        raise OSError(27, "the draft is too large to be searched for secrets")
    left = iter(redacted)
    return _replace_texts(raw, lambda _text: next(left))


def _replace_texts(value: object, replaced: Callable[[str], str]) -> object:
    """A copy of a JSON value in which each text, also the name of a field, is replaced, in order."""
    if isinstance(value, str):
        return replaced(value)
    if isinstance(value, list):
        return [_replace_texts(item, replaced) for item in value]
    if isinstance(value, dict):
        return {replaced(str(name)): _replace_texts(item, replaced) for name, item in value.items()}
    return value


def _kept_name(raw: object) -> str:
    return f"{KEPT}{digest(raw)}.json"


def _corrects(raw: object, other: object) -> bool:
    """Whether `raw` is a corrected version of `other`: same category, and the same summary, title or content."""
    if not isinstance(raw, dict) or not isinstance(other, dict) or raw.get("category") != other.get("category"):
        return False
    mine, theirs = raw.get("partial_content"), other.get("partial_content")
    mine, theirs = mine if isinstance(mine, dict) else {}, theirs if isinstance(theirs, dict) else {}
    pairs = [(raw.get("new_info_summary"), other.get("new_info_summary"))]
    pairs += [(mine.get(name), theirs.get(name)) for name in ("title", "content")]
    return any(one == another and one for one, another in pairs)


def _are_same(folder: Path, other: Path) -> bool:
    return os.path.realpath(folder) == os.path.realpath(other)

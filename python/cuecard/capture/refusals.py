"""Remembers which drafts were refused as vague, so that no draft is refused twice.

    DATA/stores/KEY/inbox/
        refused      a line for each title, content and session of a draft that was refused

It lies in the user's data folder: nothing that a repository brings along counts as a refusal. Rules:
docs/reference/capture-commit.md, "Vague drafts".
"""

from contextlib import suppress

from ..errors import WriteError
from ..files.folder import PRIVATE_FILE, Unread
from ..files.user_folder import open_store_folder
from .draft import AgentDraft, digest
from .inbox import FOLDER

FILE = "refused"
MAX_LINES = 10_000
MAX_BYTES = 1 << 20
# A session that brings vague drafts again and again is not held up any longer: each has other words.
MAX_IN_SESSION = 3


def refuse_once(memory_dir: str, draft: AgentDraft, session: str, *, is_dry_run: bool = False) -> bool:
    """Whether a vague draft is refused now; False where it was before, or too many of its session were.

    What counts as the same draft has its title or its content. `session` is "" for a draft without one. A refusal is
    remembered first: raises `WriteError` where that cannot be done.
    """
    known = _read(memory_dir)
    keys = _keys_of(draft)
    of_session = [digest(["session", session])] if session else []
    if any(key in known for key in keys) or sum(known.count(key) for key in of_session) >= MAX_IN_SESSION:
        return False
    if not is_dry_run:
        _note(memory_dir, known, [*keys, *of_session])
    return True


def _note(memory_dir: str, known: list[str], keys: list[str]) -> None:
    try:
        folder = open_store_folder(memory_dir, FOLDER, make=True)
        if folder is None:
            raise FileNotFoundError(2, "there is no folder for the user's data")
        with folder:
            if len(known) > MAX_LINES:
                newer = known[len(known) // 2 :]
                folder.replace(FILE, ("\n".join(newer) + "\n").encode(), mode=PRIVATE_FILE)
            # A line that a crash has torn spoils no other.
            folder.append(FILE, ("".join([f"\n{key}" for key in keys]) + "\n").encode(), PRIVATE_FILE)
    except OSError as error:
        what = f"a refusal cannot be noted: {error.strerror or error}"
        raise WriteError(what, "make room, or check the permissions of the folder that `CUECARD_HOME` names") from error


def _read(memory_dir: str) -> list[str]:
    folder = open_store_folder(memory_dir, FOLDER)
    if folder is None:
        return []
    with folder, suppress(Unread):
        return folder.read(FILE, MAX_BYTES)[0].decode("ascii", "replace").split()
    return []


def _keys_of(draft: AgentDraft) -> list[str]:
    title = " ".join(draft.title.casefold().split())
    return [digest([draft.category, title]), digest([draft.category, draft.content])]

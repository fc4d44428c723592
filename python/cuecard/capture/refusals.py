"""Remembers what agents were asked about drafts, so that each question is asked only once.

    DATA/stores/KEY/inbox/
        refused      one line each for the title, the content and the session of a draft that was refused as vague, and
                     for each component whose drafts an agent was asked to join

The file is in the user's data folder, so that a repository cannot add refusals. Rules:
docs/reference/capture-commit.md, "Vague drafts" and "Parts of one subject".
"""

from ..errors import WriteError
from ..files.folder import PRIVATE_FILE
from ..files.user_folder import open_store_folder, read_kept
from ..store.intake.redaction import redact
from .draft import AgentDraft, digest
from .inbox import FOLDER

FILE = "refused"
MAX_LINES = 10_000
MAX_BYTES = 1 << 20
# After this many refusals no vague draft of the session is refused any more, even if its words are new.
MAX_IN_SESSION = 3


def refuse_once(memory_dir: str, draft: AgentDraft, session: str, *, is_dry_run: bool = False) -> bool:
    """Whether to refuse a vague draft; the refusal is then recorded.

    False if the draft was refused before, or if `MAX_IN_SESSION` drafts of its session were refused.

    A draft with the same title or the same content is the same draft. `session` is "" if the session is not known.
    Raises `WriteError` if the refusal cannot be recorded.
    """
    known = _read(memory_dir)
    keys = _keys_of(draft)
    of_session = [digest(["session", session])] if session else []
    if any(key in known for key in keys) or sum(known.count(key) for key in of_session) >= MAX_IN_SESSION:
        return False
    if not is_dry_run:
        _note(memory_dir, known, [*keys, *of_session])
    return True


def propose_once(memory_dir: str, component: str, session: str, *, is_dry_run: bool = False) -> bool:
    """Whether to ask for the drafts about a component to be joined; the proposal is then recorded.

    False if it was proposed in this session before; where `session` is "", if it was ever proposed. Raises `WriteError`
    if the proposal cannot be recorded.
    """
    known, key = _read(memory_dir), digest(["join", session, component])
    if key in known:
        return False
    if not is_dry_run:
        _note(memory_dir, known, [key])
    return True


def _note(memory_dir: str, known: list[str], keys: list[str]) -> None:
    try:
        folder = open_store_folder(memory_dir, FOLDER, make=True)
        if folder is None:
            raise FileNotFoundError(2, "the user's data folder cannot be opened or created")
        with folder:
            if len(known) > MAX_LINES:
                newer = known[len(known) // 2 :]
                folder.replace(FILE, ("\n".join(newer) + "\n").encode(), mode=PRIVATE_FILE)
            # A crash may have left the last line incomplete. The newline in front keeps the first key apart from it.
            folder.append(FILE, ("".join([f"\n{key}" for key in keys]) + "\n").encode(), PRIVATE_FILE)
    except OSError as error:
        what = f"a refusal cannot be recorded: {error.strerror or error}"
        raise WriteError(what, "make room, or check the permissions of the folder that `CUECARD_HOME` names") from error


def _read(memory_dir: str) -> list[str]:
    return (read_kept(memory_dir, FOLDER, FILE, limit=MAX_BYTES) or b"").decode("ascii", "replace").split()


def _keys_of(draft: AgentDraft) -> list[str]:
    # The hash of a short secret would confirm a guess.
    clean = redact({"title": draft.title, "content": draft.content})[0]
    title = " ".join(str(clean["title"]).casefold().split())
    return [digest([draft.category, title]), digest([draft.category, clean["content"]])]

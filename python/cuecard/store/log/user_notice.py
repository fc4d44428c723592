"""Leaves notices that the user sees once beside the answer to a prompt: saved memories, waiting drafts, and failures.

Rules: docs/reference/capture-commit.md, "Notice".
"""

from ..._backend import INBOX, MAX_NOTICE_BYTES, NOTICE, TOLD
from ...basics.chars import scrub
from ...files.folder import PRIVATE_FILE
from ...files.user_folder import open_project_folder, open_store_folder


def leave_user_notice(memory_dir: str, line: str) -> None:
    """Append a line, without secrets, to the notices that the user has not seen yet.

    If they grow too long, the oldest are dropped. Raises OSError.
    """
    # Prompts only take notices, and do not load the rules for secrets.
    from ..intake.redaction import redact_texts

    # A path that is no UTF-8 has lone surrogates.
    line = (redact_texts([scrub(line)]) or [""])[0]
    folder = open_project_folder(memory_dir, make=True)
    if folder is None:
        raise FileNotFoundError(2, "the user's data folder cannot be opened or created")
    with folder:
        before = (folder.read_if_any(NOTICE, MAX_NOTICE_BYTES) or b"").decode("utf-8", "replace")
        lines = [*before.splitlines(), line]
        while len(lines) > 1 and len("\n".join(lines).encode()) >= MAX_NOTICE_BYTES:
            lines = lines[1:]
        folder.replace(NOTICE, ("\n".join(lines) + "\n").encode(), mode=PRIVATE_FILE, durable=False)


def note_told(memory_dir: str) -> None:
    """Record that the user was told of the waiting drafts now."""
    folder = open_store_folder(memory_dir, INBOX)
    if folder is not None:
        with folder:
            try:
                folder.replace(TOLD, b"", mode=PRIVATE_FILE, durable=False)
            except OSError:
                # Without the record the user is told again.
                return

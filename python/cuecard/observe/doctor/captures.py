"""Checks what sessions left unfinished: drafts that could not be saved, unanswered requests, waiting drafts."""

import os
import shlex
import time

from ..._backend import AT_WORK_SECONDS, INBOX, STAGING, is_failed_draft, undone_files
from ...files.user_folder import open_store_folder, store_path
from .finding import Finding

RETRY = "correct each draft and run the command shown for it, or delete its file"
ANSWER = "nothing is lost: the conversation is still in its transcript; `/cuecard:save` saves what you name"


def examine_captures(memory_dir: str) -> list[Finding]:
    """Findings about what sessions of the store left unfinished; one `ok` finding if there is nothing unfinished."""
    findings = find_undone(memory_dir)
    waiting = count_waiting(memory_dir)
    if waiting:
        words = f"{waiting} drafts wait for you" if waiting > 1 else "1 draft waits for you"
        findings.append(Finding("inbox", "warn", words, "`cuecard review` shows them", facts={"waiting": waiting}))
    if not findings:
        findings.append(Finding("capture", "ok", "no session left a draft or a request behind"))
    return findings


def find_undone(memory_dir: str) -> list[Finding]:
    """Findings about failed drafts and unanswered requests; empty if there are none."""
    failed, unanswered = _list_undone(memory_dir)
    findings = []
    if failed:
        words = f"{len(failed)} drafts could not be saved" if len(failed) > 1 else "1 draft could not be saved"
        findings.append(Finding("failed drafts", "warn", words, RETRY, failed, {"failed": len(failed)}))
    if unanswered:
        count = f"{len(unanswered)} sessions" if len(unanswered) > 1 else "1 session"
        words = f"{count} ended before its drafts were written"
        findings.append(Finding("unanswered", "warn", words, ANSWER, unanswered, {"unanswered": len(unanswered)}))
    return findings


def _list_undone(memory_dir: str) -> tuple[list[str], list[str]]:
    """For each failed draft the command that tries to save it again, and a line for each session without its drafts."""
    staging = open_store_folder(memory_dir, STAGING)
    failed: list[str] = []
    unanswered: list[str] = []
    if staging is None:
        return failed, unanswered
    place = os.path.join(store_path(memory_dir, STAGING), STAGING)
    with staging:
        for name in sorted([entry.name for entry in staging.scan()]):
            try:
                changed = staging.status(name).st_mtime
                folder = staging.folder(name)
            except OSError:
                continue
            with folder:
                files = sorted(undone_files(folder))
            path = shlex.quote(os.path.join(place, name))
            drafts = [os.path.join(place, name, file) for file in files if is_failed_draft(file)]
            failed += [f"cuecard capture commit {path} --file {shlex.quote(draft)}" for draft in drafts]
            if files and not drafts and abs(time.time() - changed) >= AT_WORK_SECONDS:
                when = time.strftime("%Y-%m-%d %H:%M", time.localtime(changed))
                unanswered.append(f"session {name}, {when}")
    return failed, unanswered


def count_waiting(memory_dir: str) -> int:
    """How many drafts wait for the user's decision."""
    inbox = open_store_folder(memory_dir, INBOX)
    if inbox is None:
        return 0
    with inbox:
        return sum(entry.name.endswith(".json") for entry in inbox.scan())

"""Checks the project: its store, its settings, its index and memories, the log."""

import os
import time
from collections.abc import Sequence
from contextlib import suppress

from ... import _backend
from ..._backend import MAX_HOOK_LOG_BYTES, log_path
from ...basics.counted import counted
from ...basics.installing import REINSTALL
from ...basics.timestamp import utc_stamp
from ...errors import StoreError
from ...files.environment import Environment
from ...files.folder import Unread
from ...files.locate import locate
from ...files.memory_files import list_records
from ...files.root import Project
from ...files.scopes import PROJECT
from ...files.store_files import has_store, read_bounded
from ...files.used_stores import kept_stores
from ...store.derived.health import (
    BEGIN,
    CONFLICT_MARKER,
    DAMAGED,
    MERGE,
    MISSING,
    OUTSIDE,
    REBUILD_REST,
    STRAY,
    Health,
    inspect,
)
from ...store.derived.snapshot_health import SnapshotHealth
from ...store.scopes.scoped_stores import find_scoped_stores, stores_of_project
from .captures import examine_captures
from .finding import Finding, Verdict
from .merging import examine_merging
from .pointers import examine_pointers
from .settings import examine_settings
from .trust import examine_trust

RECENT_SECONDS = 24 * 60 * 60
REBUILD = "`cuecard index rebuild` rebuilds it from the memory files"
# With more memories than this, the pure backend is too slow for prompts.
MOST_FOR_PURE = 3_000


def examine_project(root: str | os.PathLike[str] | None) -> list[Finding]:
    """Findings about the project that `root` or the environment names. Writes nothing."""
    environment = Environment()
    try:
        folder, memory_dir = locate(root, environment)
    except StoreError as error:
        # Outside a project it is right that the hook prints nothing.
        verdict: Verdict = "warn" if root is None and not environment.root else "fail"
        others: list[str] = []
        # A link that is refused is the problem itself.
        with suppress(StoreError):
            others = [one.label for one in find_scoped_stores() if not one.left_out] if verdict == "warn" else []
        if others:
            words = f"this folder has no store of its own; prompts find the memories of {', '.join(others)}"
            return [Finding("store", "ok", words), _examine_log(environment, "")]
        return [Finding("store", verdict, error.what, error.hint), _examine_log(environment, "")]
    source = _source_of(folder, root, environment)
    return [
        Finding("store", "ok", f"{memory_dir}, {source}", facts={"root": folder, "source": source}),
        *_examine_place((folder, memory_dir)),
        *examine_settings(memory_dir, environment),
        *_examine_memories(inspect(folder, memory_dir, is_brief=True), _others_than(folder, memory_dir)),
        *examine_merging(folder),
        *examine_trust(folder, memory_dir),
        *examine_pointers(folder, memory_dir),
        *examine_captures(memory_dir),
        _examine_log(environment, memory_dir),
    ]


def examine_store(root: str | os.PathLike[str] | None) -> list[Finding]:
    """Findings about the files of a store, without this machine's user and installation, as a pipeline needs them."""
    environment = Environment()
    try:
        folder, memory_dir = locate(root, environment)
    except StoreError as error:
        return [Finding("store", "fail", error.what, error.hint)]
    health = inspect(folder, memory_dir)
    findings = [Finding("store", "ok", memory_dir, facts={"root": folder}), *_examine_memories(health)]
    if health.unfit:
        files = [f"{path}: {reason}" for path, reason in health.unfit]
        words = f"{counted(len(files), 'memory', 'memories')} not valid by the schema of their category"
        findings.append(Finding("schema", "warn", words, "fix them, best before the next update", files))
    return [*findings, *examine_merging(folder)]


def _source_of(folder: str, root: str | os.PathLike[str] | None, environment: Environment) -> str:
    if root is not None:
        return "as asked for"
    if environment.root:
        return "named by `CUECARD_ROOT`"
    cwd = os.getcwd()
    if folder == cwd:
        return "in the working directory"
    if cwd.startswith(os.path.join(folder, "")):
        return "above the working directory"
    return "of this worktree's main checkout"


def _examine_place(project: Project) -> list[Finding]:
    """A finding for a project that was moved, and whose history is still kept for its former folder."""
    if all(has_store(root) for root, _folder, _key in kept_stores()):
        return []
    from ...store.scopes.moved_project import offer_of_move  # noqa: PLC0415 - seldom needed, and large

    offer = offer_of_move(project)
    return [Finding("place", "warn", offer)] if offer else []


def _others_than(folder: str, memory_dir: str) -> list[str]:
    """The scopes of the other stores with memories that prompts find here."""
    others = [
        one for one in stores_of_project((folder, memory_dir)) if not one.left_out and one.memory_dir != memory_dir
    ]
    return [one.label or PROJECT for one in others if list_records(one.memory_dir)]


def _examine_memories(health: Health, others: Sequence[str] = ()) -> list[Finding]:
    findings = [_examine_index(health, others), _examine_snapshot(health.snapshot), *_examine_size(health)]
    if health.conflicted:
        words = f"{counted(len(health.conflicted), 'file')} with the conflict markers of a merge"
        findings.append(Finding("conflicts", "fail", words, MERGE, health.conflicted))
    bad_lines = [row for row in health.bad_lines if row[1] != CONFLICT_MARKER]
    if bad_lines:
        reasons = [f"line {line}: {_BAD_LINE.get(reason, reason)}" for line, reason in bad_lines]
        words = f"{counted(len(reasons), 'line')} of index.md cannot be read"
        findings.append(Finding("index lines", "warn", words, REBUILD, reasons))
    if health.unlisted:
        words = f"no prompt finds {counted(len(health.unlisted), 'memory', 'memories')} that index.md does not list"
        findings.append(Finding("unlisted", "warn", words, REBUILD, health.unlisted))
    vanished = [f"line {stale.line}: {stale.path}" for stale in health.stale if stale.reason == MISSING]
    if vanished:
        words = f"{counted(len(vanished), 'line')} of index.md without a memory file"
        findings.append(Finding("vanished", "warn", words, REBUILD, vanished))
    inactive = [
        f"line {stale.line}: {stale.path} {stale.reason}"
        for stale in health.stale
        if stale.reason not in (MISSING, OUTSIDE, DAMAGED, STRAY)
    ]
    if inactive:
        words = (
            f"index.md still has {counted(len(inactive), 'retired or archived memory', 'retired or archived memories')}"
        )
        findings.append(Finding("inactive", "warn", words, REBUILD, inactive))
    outside = [f"line {stale.line}: {stale.path}" for stale in health.stale if stale.reason == OUTSIDE]
    if outside:
        words = f"{counted(len(outside), 'line')} of index.md with a path outside of the store, never shown"
        findings.append(Finding("outside", "warn", words, REBUILD, outside))
    if health.only_damaged:
        files = [f"{path}: {reason}" for path, reason in health.only_damaged]
        words = f"{counted(len(files), 'file')} in the store that are not valid memories"
        findings.append(
            Finding(
                "damaged",
                "fail",
                words,
                "fix them, or move them away with `cuecard health --quarantine`; the index is built without them",
                files,
            )
        )
    return findings


_BAD_LINE = {
    "category": "no `[CATEGORY]` at the beginning",
    "title": "no `title -> path`",
    "tags": "what follows the path is not ` #tags:` and a list",
    "encoding": "not UTF-8",
    "length": "over 8 KiB",
}


def _examine_index(health: Health, others: Sequence[str]) -> Finding:
    facts: dict[str, object] = {
        "lines": health.lines,
        "memories": health.active + health.inactive + len(health.damaged),
        "active": health.active,
        "inactive": health.inactive,
    }
    memories = counted(health.active, "memory", "memories")
    if health.inactive:
        memories += f", {health.inactive} more retired or archived"
    if health.has_nothing_to_list or (health.is_in_step and not health.active):
        if others:
            scopes = ", ".join([f"`{name}`" for name in others])
            return Finding("index", "ok", f"no memory of its own; prompts find those of {scopes}", facts=facts)
        return Finding("index", "warn", "there is no memory that a prompt could find", BEGIN, facts=facts)
    if health.index_problem == Unread.MISSING:
        words = f"index.md is missing; the next prompt makes it from {memories}"
        return Finding("index", "warn", words, facts=facts)
    if health.index_problem:
        words = f"index.md {health.index_problem}: no prompt is answered"
        return Finding("index", "fail", words, REBUILD, facts=facts)
    if not health.lines:
        return Finding("index", "warn", "index.md lists no memory", REBUILD if health.active else "", facts=facts)
    return Finding("index", "ok", f"{counted(health.lines, 'line')} for {memories}", facts=facts)


def _examine_size(health: Health) -> list[Finding]:
    memories = health.active + health.inactive
    if _backend.backend == "native" or memories <= MOST_FOR_PURE:
        return []
    words = f"{memories:,} memories, and the pure backend looks at each of them for every prompt"
    hint = f"the answers are right, but slow; for a native module install Rust with `cargo` on PATH, then {REINSTALL}"
    return [Finding("size", "warn", words, hint, facts={"memories": memories})]


def _examine_snapshot(snapshot: SnapshotHealth) -> Finding:
    facts: dict[str, object] = {
        "state": snapshot.state,
        "memories": snapshot.documents,
        "bytes": snapshot.bytes,
        "delta_bytes": snapshot.delta_bytes,
        "behind": len(snapshot.behind),
    }
    if snapshot.state == "damaged":
        return Finding("snapshot", "fail", snapshot.words, REBUILD, facts=facts)
    if snapshot.state == "partial":
        return Finding("snapshot", "warn", snapshot.words, REBUILD_REST, facts=facts)
    return Finding("snapshot", "ok", snapshot.words, facts=facts)


def _examine_log(environment: Environment, memory_dir: str) -> Finding:
    path = log_path(environment, memory_dir)
    if not path:
        off = "switched off by `CUECARD_LOG`" if environment.log else "there is no folder to keep it in"
        return Finding("log", "ok", off, facts={"path": None})
    try:
        text = read_bounded(path, 2 * MAX_HOOK_LOG_BYTES).decode("utf-8", "replace")
    except Unread as unread:
        if unread.words == Unread.MISSING:
            words = f"no error so far; errors of the hook go to {path}"
            return Finding("log", "ok", words, facts={"path": path, "lines": 0})
        return Finding("log", "warn", f"{path} {unread.words}", facts={"path": path})
    lines = text.splitlines()
    since = utc_stamp(time.time() - RECENT_SECONDS)
    recent = sum(line[: len(since)] >= since for line in lines)
    facts: dict[str, object] = {"path": path, "lines": len(lines), "recent": recent, "last": lines[-1] if lines else ""}
    words = f"{counted(recent, 'line')} in the last 24 hours, {len(lines)} in all, in {path}"
    if not recent:
        return Finding("log", "ok", words, facts=facts)
    return Finding("log", "warn", words, "delete it once the cause is gone", [f"last: {lines[-1]}"], facts)

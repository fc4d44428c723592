"""Writes the snapshot, the index, the session and the logs after a prompt or a tool event was answered (SPEC 14.1)."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...files.environment import Environment
    from ..engine.snapshot_upkeep import Loaded
    from .answer import Answer


def keep(found: "Answer", environment: "Environment", event: str) -> None:
    """Write the files that an answer changes. A file that cannot be written becomes a note in the log."""
    if found.loaded:
        _write_snapshot(found.loaded, found.notes)
    if found.rebuilt_index is not None:
        _write_index(found.memory_dir, found.rebuilt_index, found.index_made, found.notes)
    for memory_dir, loaded in found.others:
        _write_snapshot(loaded, found.notes)
        if loaded.index_text is not None:
            _write_index(memory_dir, loaded.index_text, loaded.index_made, found.notes)
    for session in (found.wish, found.session or found.noted):
        try:
            if session:
                session.write()
        except OSError:  # noqa: PERF203 - each file is tried
            found.notes.append("the session's file cannot be written")
    if found.git:
        try:
            found.git.write(found.memory_dir)
        except OSError:
            found.notes.append("the list of changed files cannot be written")
    if found.notes:
        from .hook_log import append

        append(environment, found.memory_dir, event, found.notes)
    if found.memory_dir and found.event.kind:
        _log_event(found, environment)


def _write_snapshot(loaded: "Loaded", notes: list[str]) -> None:
    try:
        loaded.write()
    except OSError:
        notes.append("the snapshot cannot be written")


def _write_index(memory_dir: str, text: str, made: int, notes: list[str]) -> None:
    from ...files.memory_files import write

    try:
        write(memory_dir, text, made)
    except OSError:
        notes.append("index.md cannot be written")


def _log_event(found: "Answer", environment: "Environment") -> None:
    """Append the decision to the event log, unless the settings switch the log off."""
    is_logged = found.is_logged
    if is_logged is None:
        from ..settings.settings_files import read_effective_settings

        settings = read_effective_settings(found.memory_dir).settings
        is_logged, found.event.keeps_texts = settings.log_events, settings.log_prompts
    if is_logged:
        from .event import append

        append(environment, found.memory_dir, found.event)

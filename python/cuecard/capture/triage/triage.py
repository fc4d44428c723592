"""The Stop hook of triage: decides whether to stop an agent, and tells it what to draft.

Rules: docs/reference/triage.md, "Where it runs".
"""

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..._backend import engine
from ...basics.json_reader import JsonError, read_json
from ...basics.timestamp import utc_stamp
from ...errors import CuecardError, PayloadError
from ...files.environment import Environment
from ...files.root import find_future_project
from ...store.log.capture_event import ASK, CaptureEvent, note_capture
from ..program import find_word
from ..staging import MANIFEST, Staging
from .context_file import safe_snippets, shown_snippet, write_context
from .conversation import Conversation, read_conversation
from .plugin_marks import PluginMarks
from .plugin_record import MalformedMessage
from .triage_patterns import CURRENT
from .triage_reason import Item, write_reason
from .triage_scoring import CategoryScore, TriageLine, score_lines
from .triage_settings import TriageSettings, read_triage_settings

# An agent that stops again within this time after it was asked is assumed to have drafted.
DRAFTING_SECONDS = 1800


@dataclass
class TriageAnswer:
    """The output of the hook, and the notes for the log. With an empty output the agent may stop."""

    stdout: bytes = b""
    memory_dir: str = ""
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Stop:
    """The Stop event of the host."""

    cwd: str
    transcript: str
    session: str
    is_continued: bool
    """Whether the agent went on because a Stop hook had kept it from stopping."""
    is_planning: bool
    """Whether the agent is in plan mode, in which it cannot run the command that sends drafts."""
    last_said: str
    """The agent's last message, as the host reports it."""


@dataclass(frozen=True)
class Triage:
    """The result of scoring a transcript."""

    conversation: Conversation
    lines: list[TriageLine]
    scores: list[CategoryScore]
    """The scores of all six categories."""
    triggered: list[CategoryScore]
    """The scores that reach their thresholds."""


def answer(payload: bytes, environment: Environment, revision: str = "") -> TriageAnswer:
    """Answer a Stop event. `revision` overrides the configured `triage.revision`. Raises OSError."""
    verdict = TriageAnswer()
    try:
        verdict.stdout = _run(payload, environment, revision, verdict)
    except CuecardError as error:
        verdict.notes.append(error.what)
    except MalformedMessage as error:
        verdict.notes.append(f"the transcript cannot be read as the plugin reads it: {error}")
    return verdict


def triage(transcript: str, settings: TriageSettings, since: int = 0, last_said: str = "") -> Triage:
    """Score the end of a transcript, from byte `since` on. Raises OSError, MalformedMessage."""
    is_plugin = settings.revision is not CURRENT
    conversation = read_conversation(transcript, settings.max_messages, since, is_plugin=is_plugin)
    if not is_plugin:
        conversation.add_last(last_said)
    lines = conversation.plugin_lines() if is_plugin else conversation.lines()
    scores = score_lines(lines, conversation.activity, settings.revision)
    triggered = [
        score
        for score in scores
        if score.score >= settings.thresholds[score.category] and score.category not in settings.left_out
    ]
    return Triage(conversation, lines, scores, triggered if conversation.messages else [])


def _run(payload: bytes, environment: Environment, revision: str, verdict: TriageAnswer) -> bytes:
    stop = _read_stop(payload)
    root, memory_dir = find_future_project(stop.cwd, environment.root, environment.home)
    # A project without memories has no log.
    verdict.memory_dir = memory_dir if Path(memory_dir).is_dir() else ""
    settings = read_triage_settings(memory_dir, revision)
    verdict.notes += settings.notes
    # The home folder is not a project, although it contains the host's folder `.claude`.
    if not settings.is_enabled or not stop.transcript or stop.is_planning or not _may_have_memories(root, environment):
        return b""
    plugin = PluginMarks(root, memory_dir) if settings.revision is not CURRENT else None
    if plugin and plugin.forbid():
        return b""
    if not Path(stop.transcript).is_file() or (plugin and not _is_at_home(stop.transcript, environment)):
        return b""
    staging = Staging(memory_dir, stop.session)
    mark = staging.last_mark()
    since = 0
    if mark and not plugin:
        since, age_seconds = mark
        if stop.is_continued and abs(age_seconds) < DRAFTING_SECONDS:
            # The messages that were written while the agent drafted are not scored.
            staging.claim(Path(stop.transcript).stat().st_size)
        elif abs(age_seconds) < settings.quiet_seconds:
            return b""
    if stop.is_continued:
        return b""
    found = triage(stop.transcript, settings, since, stop.last_said)
    if not found.triggered:
        return b""
    return _hold_up(found, stop, settings, staging, plugin, verdict)


def _hold_up(
    found: Triage,
    stop: Stop,
    settings: TriageSettings,
    staging: Staging,
    plugin: PluginMarks | None,
    verdict: TriageAnswer,
) -> bytes:
    """Write the texts to draft from and return the instruction. Also record that the agent was stopped now."""
    program = find_word()
    if not program:
        return b""
    try:
        if not staging.claim(found.conversation.end) and not plugin:
            return b""
        if plugin:
            plugin.leave()
        staging.clear()
        files = {}
        for score in found.triggered:
            description = settings.descriptions.get(score.category, "")
            shown = "" if plugin else shown_snippet(stop.transcript)
            data = write_context(score, found.lines, found.conversation, description, shown)
            files[score.category] = staging.put(f"context-{score.category}.txt", data)
        staging.put(MANIFEST, _manifest(found, stop, settings, files))
    except OSError as error:
        verdict.notes.append(f"the files for the drafting agent cannot be written: {error.strerror or error}")
        return b""
    if verdict.memory_dir:
        note_capture(verdict.memory_dir, [CaptureEvent(ASK, "words", stop.session)])
    items = [_item(score, found.lines, settings, plugin is not None) for score in found.triggered]
    reason = write_reason(items, str(staging.path), program)
    return json.dumps({"decision": "block", "reason": reason}, ensure_ascii=True).encode() + b"\n"


def _item(score: CategoryScore, lines: Sequence[TriageLine], settings: TriageSettings, is_plugin: bool) -> Item:
    shown = safe_snippets(score, lines)
    description = shown_snippet(settings.descriptions.get(score.category, ""))
    snippet = shown_snippet(shown[0]) if shown else ""
    # The snippet may quote a stranger's file, and it would become part of an instruction.
    if not is_plugin and engine.instruction_signs(snippet):
        snippet = ""
    return Item(score.category, score.score, description, snippet)


def _manifest(found: Triage, stop: Stop, settings: TriageSettings, files: dict[str, Path]) -> bytes:
    """The content of `triage.json`, which tells programs what the drafts are written from."""
    categories = []
    for score in found.triggered:
        entry: dict[str, object] = {"category": score.category, "score": round(score.score, 4)}
        if score.category in settings.descriptions:
            entry["description"] = settings.descriptions[score.category]
        entry["context_file"] = str(files[score.category])
        categories.append(entry)
    manifest = {
        "version": 1,
        "revision": settings.revision.name,
        "session_id": stop.session,
        "transcript": stop.transcript,
        "start": found.conversation.start,
        "end": found.conversation.end,
        "time": utc_stamp(),
        "categories": categories,
        "parallel_config": settings.parallel,
    }
    return (json.dumps(manifest, ensure_ascii=True, indent=2) + "\n").encode()


def _read_stop(payload: bytes) -> Stop:
    try:
        event = read_json(payload)
    except JsonError:
        raise PayloadError("the payload is not JSON") from None
    if not isinstance(event, dict):
        raise PayloadError("the payload is not a JSON object")

    def text(name: str) -> str:
        value = event.get(name)
        return value if isinstance(value, str) and "\0" not in value else ""

    cwd = Path(text("cwd") or ".").absolute()
    transcript = text("transcript_path") and str(cwd / text("transcript_path"))
    session = text("session_id") or Path(transcript).stem
    is_continued = event.get("stop_hook_active") is True
    is_planning = event.get("permission_mode") == "plan"
    return Stop(str(cwd), transcript, session, is_continued, is_planning, text("last_assistant_message"))


def _may_have_memories(root: str, environment: Environment) -> bool:
    folder = Path(root)
    if folder.joinpath(".claude", "memory").is_dir():
        return True
    return folder != folder.parent and root != environment.home


def _is_at_home(path: str, environment: Environment) -> bool:
    """Whether a path, with links resolved, is below the user's home or the folder for temporary files."""
    real = Path(path).resolve()
    places = [Path(place).resolve() for place in (tempfile.gettempdir(), environment.home) if place]
    return any(place in real.parents for place in places)

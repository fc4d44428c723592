"""The capture log: a line of JSON for each request to an agent (`ask`), answer, draft, refusal, review and run.

    DATA/stores/KEY/log/
        captures.jsonl     the lines
        captures.1.jsonl   the older lines

Rules: docs/reference/events.md, "Capture". The two settings that switch off the event log of the hook switch this log
off too.
"""

import json
from collections.abc import Sequence

from ..._backend import LOG_FOLDER, RecallSettings, read_effective_settings
from ...basics.chars import scrub
from ...basics.light_dataclass import dataclass
from ...basics.timestamp import utc_stamp
from ...files.environment import Environment
from ...files.user_folder import append_to_log

FILE, OLDER_FILE = "captures.jsonl", "captures.1.jsonl"
MAX_LOG_BYTES = 1 << 20
MAX_TEXT_CHARS = 200
ASK, ANSWER, DRAFT, REFUSAL, REVIEW, RUN = KINDS = ("ask", "answer", "draft", "refusal", "review", "run")


@dataclass(frozen=True)
class CaptureEvent:
    """One action of capture, such as refusing a draft."""

    kind: str
    """One of `KINDS`."""
    what: str
    """For an ask, its cause; for an answer, a draft, a review or a run, its result; for a refusal, the reason."""
    session: str = ""
    """The session that was asked, or that a draft comes from."""
    category: str = ""
    title: str = ""
    why: str = ""
    tokens: int = 0
    """For a run: the tokens that the model read and wrote, estimated if the model does not report them."""
    time: str = ""
    """The time in UTC, set when the event is written."""

    def as_dict(self) -> dict[str, object]:
        """Return the members of the event's line of JSON."""
        named = {"session": self.session, "category": self.category, "title": self.title, "why": self.why}
        said: dict[str, object] = {name: text for name, text in named.items() if text}
        said |= {"tokens": self.tokens} if self.kind == RUN else {}
        return {"v": 1, "time": self.time, "event": self.kind, "what": self.what, **said}


def note_capture(memory_dir: str, events: Sequence[CaptureEvent]) -> None:
    """Append events to the capture log of a store, with secrets redacted. Write errors are ignored."""
    environment = Environment()
    settings = RecallSettings(read_effective_settings(memory_dir), environment, [])
    if not events or environment.log == "off" or not settings.recall.log_events:
        return
    stamp = utc_stamp()
    try:
        lines = [json.dumps(_clean(event, stamp).as_dict(), separators=(",", ":")) for event in events]
        append_to_log(
            memory_dir, (LOG_FOLDER, FILE, OLDER_FILE), MAX_LOG_BYTES, "".join([f"{line}\n" for line in lines]).encode()
        )
    except (OSError, ValueError):
        return


def _clean(event: CaptureEvent, stamp: str) -> CaptureEvent:
    # Commands that read the log do not load the rules for secrets.
    from ..intake.redaction import redact

    named = {"session": event.session, "category": event.category, "what": event.what, "why": event.why}
    texts = redact({"title": event.title, "content": named})[0]
    content = texts.get("content")
    shown = {name: _shown(text) for name, text in content.items()} if isinstance(content, dict) else {}
    return CaptureEvent(event.kind, title=_shown(texts.get("title")), tokens=event.tokens, time=stamp, **shown)


def _shown(text: object) -> str:
    return scrub(text)[:MAX_TEXT_CHARS] if isinstance(text, str) else ""

"""Reads the events that the hook has logged (SPEC 38)."""

import json
import time
from binascii import crc32

from ..._backend import EVENTS_FILE as FILE
from ..._backend import GATE_SETTINGS, MAX_EVENT_LOG_BYTES, NAMED, SENT, SHOWN_OUTCOMES, STAGES, KeptTerms
from ..._backend import LOG_FOLDER as FOLDER
from ..._backend import OLDER_EVENTS_FILE as OLDER_FILE
from ...basics.chars import scrub
from ...basics.light_dataclass import asdict, dataclass
from ...basics.timestamp import parse_timestamp
from ...errors import UsageError
from ...files.folder import Folder, Unread
from ...files.user_folder import open_store_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...basics.options import GateSetting

VERSION = 1
ID_CHARS = 7
STAMP_CHARS = len("2026-01-31T09:30:00Z")
# The hook never lets the log become larger than this. If a file is larger, only its end is read.
MAX_READ_BYTES = 4 * MAX_EVENT_LOG_BYTES
MAX_NUMBER = 2**53
# The hook logs this many characters of a session.
MAX_SESSION_CHARS = 100
KEPT_BACK = (
    *("gate", "session", "duplicate", "budget", "superseded", "over", "ahead", "withheld", "judge", "verdict"),
    *("holdout", "hosted", NAMED),
)
JUDGED = ("kept", "failed")
# The silences of prompts that no memory could have answered.
NOT_ASKING = ("short", "slash_command", "machine_made", "disabled", "courtesy")
MAX_DIGITS = 9
SECONDS = {"m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400}
MICROSECONDS = 1_000_000


@dataclass(frozen=True)
class LoggedMemory:
    """A memory as an event recorded it; `logit` is in units of 1/1024, and None without a gate."""

    id: str
    category: str
    path: str
    outcome: str
    logit: int | None
    score: int
    forbids: str = ""
    """What the memory forbids of the act that it was shown at (SPEC 40); "" for any other event."""
    scope: str = ""
    """The scope of the memory's store, such as `user` or `team NAME`; "" for the project's own."""

    def as_dict(self) -> dict[str, object]:
        """The JSON object that `--json` prints: the members of the log."""
        document = asdict(self)
        return {name: value for name, value in document.items() if value or name not in ("forbids", "scope")}

    @property
    def is_shown(self) -> bool:
        """Whether the agent saw the memory."""
        return self.outcome in SHOWN_OUTCOMES


@dataclass(frozen=True)
class LoggedJudgment:
    """The judge's result: `kept` or `failed`, how many of the `of` memories it kept, and its time in microseconds."""

    outcome: str
    kept: int
    of: int
    micros: int


@dataclass(frozen=True)
class LoggedEmbedder:
    """The embedder of the prompt's vector; `static` is the built-in table.

    `note` says why the configured embedder was not used; None if it was used.
    """

    name: str
    note: str | None


@dataclass(frozen=True)
class LoggedSent:
    """What was sent to a host: `embedding` or `judge`, the number of requests, and their bytes."""

    what: str
    host: str
    requests: int
    bytes: int


@dataclass(frozen=True)
class LoggedHoldout:
    """In how many of a hundred sessions a memory near the gate's limit was withheld, and which logits are near."""

    percent: int
    least: int
    below: int


@dataclass(frozen=True)
class LoggedEvent:
    """A decision of the hook, read from its line in the log.

    `seconds` is its time since 1970. `prompt` is the text without secrets, and `history` what the session kept of its
    earlier prompts; both are None if the settings do not keep texts. `silence` is the code of the reason why nothing
    was shown, else None. `micros` has the time of each stage in microseconds. `judge` is None if the judge was not
    asked, `embedder` is None if the settings named no embedder. An event of the kind `sent` is not a decision: it
    records what commands, the library and writes sent to endpoints.
    """

    id: str
    time: str
    seconds: int
    kind: str
    host: str
    session: str | None
    prompt_hash: str
    prompt_chars: int
    prompt: str | None
    history: tuple[str, ...] | None
    strategy: str | None
    setting: "GateSetting | None"
    silence: str | None
    memories: tuple[LoggedMemory, ...]
    tokens: int
    chars: int
    documents: int
    micros: dict[str, int]
    judge: LoggedJudgment | None = None
    embedder: LoggedEmbedder | None = None
    sent: tuple[LoggedSent, ...] = ()
    holdout: LoggedHoldout | None = None

    @property
    def is_decision(self) -> bool:
        """Whether the event is a decision of the hook, and not only a record of what was sent."""
        return self.kind != SENT

    @property
    def shown(self) -> list[LoggedMemory]:
        """The memories that the agent saw, in order."""
        return [memory for memory in self.memories if memory.is_shown]

    @property
    def named(self) -> list[LoggedMemory]:
        """The memories whose titles were named as ones that may concern the prompt."""
        return [memory for memory in self.memories if memory.outcome == NAMED]

    @property
    def is_whole(self) -> bool:
        """Whether the whole text of the prompt was kept."""
        return self.prompt is not None and len(self.prompt) == self.prompt_chars

    @property
    def is_of_file_or_act(self) -> bool:
        """Whether the event is about a file or an act of a tool (SPEC 37, 40), for which no gate is asked."""
        return self.kind == "need" and self.setting is None

    def as_dict(self) -> dict[str, object]:
        """The id, and the fields of the line under the names that they have in the log; ready for JSON."""
        texts = {"prompt": self.prompt, "history": list(self.history or ())} if self.prompt is not None else {}
        return {
            "id": self.id,
            "time": self.time,
            "event": self.kind,
            "host": self.host,
            "session": self.session,
            "prompt_hash": self.prompt_hash,
            "prompt_chars": self.prompt_chars,
            **texts,
            "strategy": self.strategy,
            "setting": self.setting,
            "silence": self.silence,
            "memories": [memory.as_dict() for memory in self.memories],
            "tokens": self.tokens,
            "chars": self.chars,
            "documents": self.documents,
            "micros": dict(self.micros),
            **({"holdout": asdict(self.holdout)} if self.holdout else {}),
            **({"embedder": asdict(self.embedder)} if self.embedder else {}),
            **({"judge": asdict(self.judge)} if self.judge else {}),
            **({"sent": [asdict(one) for one in self.sent]} if self.sent else {}),
        }


@dataclass(frozen=True)
class EventLog:
    """The content of a store's two log files: the events, the oldest first, and how many lines are not events."""

    events: list[LoggedEvent]
    damaged: int = 0
    """The number of lines that are incomplete or were not written by cuecard."""
    foreign: int = 0
    """The number of lines of another version."""

    def find(self, name: str) -> LoggedEvent:
        """The latest event whose id starts with `name`. Raises UsageError if there is none."""
        wanted = name.lower()
        for event in reversed(self.events):
            if wanted and event.id.startswith(wanted):
                return event
        raise UsageError(f"there is no event `{name}`", "`cuecard log` lists them")

    def select(
        self, *, since: str | None = None, session: str = "", is_silent: bool | None = None
    ) -> list[LoggedEvent]:
        """The events since a time, of sessions whose ids start with `session`.

        `since` is a span before now (`30m`, `12h`, `7d`, `2w`) or a date. With `is_silent` True only events that showed
        nothing are returned, with False only events that showed something. Raises UsageError for an invalid `since`.
        """
        begin = None if since is None else read_since(since, int(time.time()))
        return [
            event
            for event in self.events
            if (begin is None or event.seconds >= begin)
            and (not session or (event.session or "").startswith(session))
            and (is_silent is None or (event.is_decision and is_silent == (not event.shown)))
        ]


class _Damaged(Exception):
    """A line that is not an event."""


def read_events(memory_dir: str, session: str = "") -> EventLog:
    """The events of a store, or of one session; empty if there is no log.

    Never raises: unreadable lines are counted or left out.
    """
    wanted = json.dumps(session[:MAX_SESSION_CHARS], ensure_ascii=False).encode() if session else b""
    folder = open_store_folder(memory_dir, FOLDER)
    events: list[LoggedEvent] = []
    damaged = foreign = 0
    for name in (OLDER_FILE, FILE):
        for line in _read_lines(folder, name) if folder else ():
            if wanted not in line:
                continue
            try:
                event = _read_line(line)
            except (_Damaged, ValueError, RecursionError):
                damaged += 1
                continue
            if event is None:
                foreign += 1
            else:
                events.append(event)
    return EventLog(events, damaged, foreign)


def read_since(text: str, now: int) -> int:
    """The seconds since 1970 of a time: a span before now (`30m`, `12h`, `7d`, `2w`) or a date. Raises UsageError."""
    words = text.strip()
    count, unit = words[:-1], words[-1:]
    if unit in SECONDS and count.isascii() and count.isdigit() and len(count) <= MAX_DIGITS:
        return now - int(count) * SECONDS[unit]
    moment = parse_timestamp(words)
    if moment is None:
        raise UsageError(
            f"`--since` is `{text}`, which is not a time", "use a span such as `7d`, or a day such as `2026-01-31`"
        )
    return moment // MICROSECONDS


def _read_lines(folder: Folder, name: str) -> list[bytes]:
    """The lines of a regular file; only the last ones if it is too large."""
    try:
        handle, status = folder.open_file(name)
    except Unread:
        return []
    with open(handle, "rb") as file:
        try:
            size = status.st_size
            file.seek(max(size - MAX_READ_BYTES, 0))
            data = file.read(MAX_READ_BYTES)
        except OSError:
            return []
    lines = [line for line in data.split(b"\n") if line]
    return lines[1:] if size > MAX_READ_BYTES else lines


def _read_line(data: bytes) -> LoggedEvent | None:
    """The event in a line; None for a line of another version. Raises _Damaged, ValueError, RecursionError."""
    line = json.loads(data)
    version = _get(line, "v")
    if version != VERSION and type(version) is int:
        return None
    stamp = _text(line, "time")
    moment = parse_timestamp(stamp) if len(stamp) == STAMP_CHARS else None
    if version != VERSION or moment is None or moment < 0:
        raise _Damaged
    micros = _get(line, "micros")
    return LoggedEvent(
        f"{crc32(data):08x}"[:ID_CHARS],
        stamp,
        moment // MICROSECONDS,
        _text(line, "event"),
        _text(line, "host"),
        _text_or_none(line, "session"),
        _text(line, "prompt_hash"),
        _number(line, "prompt_chars"),
        _text(line, "prompt") if "prompt" in line else None,
        tuple([KeptTerms(_check_text(text)) for text in _list(line, "history")]) if "history" in line else None,
        _text_or_none(line, "strategy"),
        _read_setting(line),
        _text_or_none(line, "silence"),
        tuple([_read_memory(memory) for memory in _list(line, "memories")]),
        _number(line, "tokens"),
        _number(line, "chars"),
        _number(line, "documents"),
        {stage: _number(micros, stage) for stage in STAGES},
        _read_judgment(_get(line, "judge")) if "judge" in line else None,
        _read_embedder(_get(line, "embedder")) if "embedder" in line else None,
        tuple([_read_sent(sent) for sent in _list(line, "sent")]) if "sent" in line else (),
        _read_holdout(_get(line, "holdout")) if "holdout" in line else None,
    )


def _read_setting(line: object) -> "GateSetting | None":
    setting = _text_or_none(line, "setting")
    if setting is not None and setting not in GATE_SETTINGS:
        raise _Damaged
    return setting  # type: ignore[return-value]  # `cast` would need an import at run time


def _read_memory(memory: object) -> LoggedMemory:
    outcome = _text(memory, "outcome")
    if outcome not in SHOWN_OUTCOMES and outcome not in KEPT_BACK:
        raise _Damaged
    logit = None if _get(memory, "logit") is None else _number(memory, "logit", -MAX_NUMBER)
    score = _number(memory, "score", -MAX_NUMBER)
    named = _text(memory, "id"), _text(memory, "category"), _text(memory, "path")
    forbids, scope = [_text(memory, name) if _has(memory, name) else "" for name in ("forbids", "scope")]
    return LoggedMemory(*named, outcome, logit, score, forbids, scope)


def _read_embedder(embedder: object) -> LoggedEmbedder:
    return LoggedEmbedder(_text(embedder, "name"), _text_or_none(embedder, "note"))


def _read_holdout(holdout: object) -> LoggedHoldout:
    least, below = [_number(holdout, name, -MAX_NUMBER) for name in ("from", "below")]
    return LoggedHoldout(_number(holdout, "percent"), least, below)


def _read_judgment(judge: object) -> LoggedJudgment:
    outcome = _text(judge, "outcome")
    if outcome not in JUDGED:
        raise _Damaged
    return LoggedJudgment(outcome, _number(judge, "kept"), _number(judge, "of"), _number(judge, "micros"))


def _read_sent(sent: object) -> LoggedSent:
    return LoggedSent(_text(sent, "what"), _text(sent, "host"), _number(sent, "requests"), _number(sent, "bytes"))


def _has(owner: object, name: str) -> bool:
    return isinstance(owner, dict) and name in owner


def _get(owner: object, name: str) -> object:
    if not isinstance(owner, dict) or name not in owner:
        raise _Damaged
    value: object = owner[name]
    return value


def _text(owner: object, name: str) -> str:
    return _check_text(_get(owner, name))


def _text_or_none(owner: object, name: str) -> str | None:
    return None if _get(owner, name) is None else _text(owner, name)


def _check_text(value: object) -> str:
    if not isinstance(value, str):
        raise _Damaged
    return scrub(value)


def _number(owner: object, name: str, least: int = 0) -> int:
    value = _get(owner, name)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= MAX_NUMBER:
        raise _Damaged
    return value


def _list(owner: object, name: str) -> list[object]:
    value = _get(owner, name)
    if not isinstance(value, list):
        raise _Damaged
    return value

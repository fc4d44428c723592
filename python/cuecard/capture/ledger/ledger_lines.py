"""The lines of a ledger: their format, and the state that they describe together (docs/reference/ledger.md).

A line of the kind `part` has the list `entries`. An entry is one JSON object in this list.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...basics.json_reader import JsonError, read_json
from .quotes import own_words
from .transcripts.record import JsonValue, list_of, text_of

MAX_BYTES = 1 << 20
KEPT_BYTES = 1 << 19
MAX_ASKS = 3
# The `how` of an ask that nobody answered, so that the claimed ledgers were given back.
GIVEN_BACK = "given_back"
CORRECTIONS = ("refusal", "apology")
# The fields of an entry of each kind, and their types.
MEMBERS: dict[str, dict[str, type]] = {
    "prompt": {"text": str},
    "agent": {"text": str, "edits": int},
    "choice": {"asked": str, "text": str},
    "failed": {"command": str, "tries": int},
    "passed": {"command": str, "tries": int},
    "reverted": {"file": str},
    "compaction": {},
}

Entry = dict[str, Any]
_DAY = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass
class Ask:
    """A request to an agent to draft memories from the entries at the positions from `start` to before `end`."""

    id: str
    cause: str
    by: str
    """The session that was asked."""
    start: int
    end: int
    at: int = 0
    """The position that the ledger had reached when the agent was asked."""
    how: str = ""
    """How the ask ended, such as `drafts` or `nothing`; "" while it has not ended."""

    @property
    def is_completed(self) -> bool:
        """Whether an agent has processed the entries that the request is about."""
        return self.how not in ("", GIVEN_BACK)


@dataclass
class Ledger:
    """The state that the lines of a ledger describe together."""

    position: int = 0
    """The position up to which the transcript was read."""
    base: int = 0
    """The number that is added to a byte offset in the transcript to get a position."""
    transcript: str = ""
    """The file name of the transcript."""
    entries: list[Entry] = field(default_factory=list)
    asks: list[Ask] = field(default_factory=list)
    is_ended: bool = False
    has_looked: bool = False
    """Whether this session has already looked at the ledgers of earlier sessions."""
    has_part: bool = False
    """Whether a line of the kind `part` was read."""
    edited: list[tuple[int, str]] = field(default_factory=list)
    """The folders in which files were edited, each with the position behind the part that says so."""

    def with_new(self, entries: Sequence[Entry], position: int, base: int) -> "Ledger":
        """A copy of this ledger with new entries that are not in the file yet.

        `position` and `base` replace those of the ledger: the position up to which the transcript was read, and the
        number that makes a position of a byte offset.
        """
        return replace(self, entries=[*self.entries, *entries], position=position, base=base)

    def asked(self, session: str) -> int:
        """The position behind the last entry that `session` was asked about; 0 if it was not asked."""
        return max([ask.end for ask in self.asks if ask.by == session], default=0)

    def was_asked(self, session: str) -> bool:
        """Whether the agent of `session` was asked about this ledger."""
        return any(ask.by == session for ask in self.asks)

    def open_entries(self, session: str) -> list[Entry]:
        """The entries that `session` was not asked about."""
        asked = self.asked(session)
        return [entry for entry in self.entries if entry["at"] >= asked]

    def left_entries(self) -> list[Entry]:
        """The unprocessed entries: fewer than `MAX_ASKS` requests were about them, and none of these was completed."""
        return [entry for entry in self.entries if self.is_left(entry["at"])]

    def is_left(self, at: int) -> bool:
        """Whether an entry at the position `at` is unprocessed."""
        asks = [ask for ask in self.asks if ask.start <= at < ask.end]
        return len(asks) < MAX_ASKS and not any(ask.is_completed for ask in asks)

    def pending(self, session: str) -> list[Ask]:
        """The asks (requests for drafts) to the agent of `session` that have not ended yet."""
        return [ask for ask in self.asks if ask.by == session and not ask.how]

    def is_answering(self, session: str) -> bool:
        """Whether the agent of `session` was asked and no prompt followed, so that the agent now answers the ask.

        The ask may be about the ledger of another session.
        """
        asked = max([ask.at for ask in self.asks if ask.by == session], default=None)
        return asked is not None and not any(entry["k"] == "prompt" and entry["at"] >= asked for entry in self.entries)

    def last_agent(self) -> tuple[str, bool, int]:
        """The agent's last message, whether it offers a choice, and the number of file changes since the last prompt.

        `("", False, 0)` if there is no message after the last prompt.
        """
        for entry in reversed(self.entries):
            if entry["k"] == "agent":
                return entry["text"], "offers_choice" in entry["signs"], entry["edits"]
            if entry["k"] == "prompt":
                break
        return "", False, 0

    def edited_since(self, start: int) -> list[str]:
        """The folders in which files were edited behind the position `start`."""
        return list(dict.fromkeys([folder for position, folder in self.edited if position > start]))

    def failing(self) -> dict[str, int]:
        """The commands whose last run failed, each with the number of its failures."""
        failing: dict[str, int] = {}
        for entry in self.entries:
            if entry["k"] in ("failed", "passed"):
                failing.pop(entry["command"], None)
            if entry["k"] == "failed":
                failing[entry["command"]] = entry["tries"]
        return failing

    def has_prompt(self, text: str) -> bool:
        """Whether the user has typed exactly this text."""
        return any(entry["k"] == "prompt" and entry["text"] == text for entry in self.entries)


def own_words_of(entry: Entry) -> str:
    """The user's own words in an entry, without quoted parts; "" if the entry is not a prompt."""
    return own_words(entry["text"], entry["quoted"]) if entry["k"] == "prompt" else ""


def is_substantial_prompt(entry: Entry) -> bool:
    """Whether an entry is a substantial prompt."""
    return entry["k"] == "prompt" and entry["is_substantial"] is True


def corrections_of(entry: Entry) -> int:
    """The number of signs in an entry that the user corrected the agent, or answered its question."""
    if entry["k"] in ("prompt", "agent"):
        return sum(sign in CORRECTIONS for sign in entry["signs"])
    return int(entry["k"] == "choice")


def read_ledger(data: bytes) -> Ledger:
    """Read the lines of a ledger file. Malformed lines are ignored."""
    ledger = Ledger()
    for _, line in _objects(data):
        _add(ledger, line)
    return ledger


def write_line(kind: str, time: str, members: dict[str, Any]) -> bytes:
    """Encode a line of the ledger as JSON, with LF at its end. `members` are the fields of this `kind` of line."""
    line = {"v": 1, "kind": kind, "time": time, **members}
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def ask_line(ask: Ask, time: str) -> bytes:
    """Encode the line that records a request to an agent, with LF at its end."""
    members = {"id": ask.id, "cause": ask.cause, "by": ask.by, "from": ask.start, "to": ask.end}
    return write_line("ask", time, members)


def shorten(data: bytes) -> bytes:
    """Shorten the content of a ledger file that has become too long.

    Up to `KEPT_BYTES` of the newest lines are kept: lines of requests to agents, and lines of the kind `part` with
    unprocessed entries. The last `part` is always kept, because it has the position.
    """
    ledger = read_ledger(data)
    lines = list(_objects(data))
    parts = [place for place, (_, line) in enumerate(lines) if line.get("kind") == "part"]
    last = parts[-1] if parts else 0
    kept: list[bytes] = []
    size = 0
    for place in range(len(lines) - 1, -1, -1):
        text, line = lines[place]
        counts = place == last or line.get("kind") != "part" or _has_left(line, ledger)
        if counts and (place == last or size + len(text) < KEPT_BYTES):
            size += len(text) + 1
            kept.append(text)
    return b"".join([text + b"\n" for text in reversed(kept)])


def _has_left(line: dict[str, Any], ledger: Ledger) -> bool:
    return any(ledger.is_left(entry["at"]) for entry in _entries(list_of(line, "entries")))


def _objects(data: bytes) -> Iterator[tuple[bytes, dict[str, Any]]]:
    for text in data.split(b"\n"):
        try:
            line = read_json(text)
        except JsonError:
            continue
        yield text, line if isinstance(line, dict) else {}


def _add(ledger: Ledger, line: dict[str, Any]) -> None:
    kind = text_of(line, "kind")
    start, end = _number(line, "from"), _number(line, "to")
    if kind == "part":
        base = _number(line, "base")
        if start is None or end is None or base is None or (ledger.has_part and start < ledger.position):
            return
        ledger.has_part = True
        ledger.position, ledger.base, ledger.transcript = end, base, text_of(line, "transcript")
        day = _day(text_of(line, "time"))
        entries = _entries(list_of(line, "entries"))
        ledger.entries += [{**entry, "day": day} for entry in entries] if day else entries
        ledger.edited += [(end, folder) for folder in list_of(line, "edited") if isinstance(folder, str)]
        ledger.has_looked = ledger.has_looked or line.get("is_stop") is True
        ledger.is_ended = False
    elif kind == "ask" and start is not None and end is not None:
        ask = Ask(text_of(line, "id"), text_of(line, "cause"), text_of(line, "by"), start, end, ledger.position)
        if not any(_meet(ask, other) for other in ledger.asks):
            ledger.asks.append(ask)
    elif kind == "done":
        for ask in ledger.asks:
            if ask.id == text_of(line, "id") and not ask.is_completed:
                ask.how = text_of(line, "how")
                break
    elif kind == "end":
        ledger.is_ended = True


def _meet(ask: Ask, other: Ask) -> bool:
    return ask.id == other.id or (ask.by == other.by and other.start < ask.end and ask.start < other.end)


def _entries(values: Sequence[Any]) -> list[Entry]:
    return [entry for value in values if (entry := _entry(value)) is not None]


def _entry(value: JsonValue) -> Entry | None:
    members = MEMBERS.get(text_of(value, "k"))
    if members is None or _number(value, "at") is None:
        return None
    if not all(_is(value.get(name), kind) for name, kind in members.items()):
        return None
    if value["k"] in ("prompt", "agent"):
        value["signs"] = [sign for sign in list_of(value, "signs") if isinstance(sign, str)]
    if value["k"] == "compaction":
        value["id"] = text_of(value, "id")
    if value["k"] == "prompt":
        value["quoted"] = [span for span in list_of(value, "quoted") if _is_span(span)]
        value["is_substantial"] = value.get("is_substantial") is True
    return dict(value)


def _is(value: JsonValue, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def _is_span(value: JsonValue) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(_is(end, int) and end >= 0 for end in value)


def _day(time: str) -> str:
    """The day of a line; "" if its time is malformed."""
    return time[:10] if _DAY.fullmatch(time[:10]) else ""


def _number(value: JsonValue, name: str) -> int | None:
    number = value.get(name) if isinstance(value, dict) else None
    return number if isinstance(number, int) and not isinstance(number, bool) else None

"""Statistics of events: how many, how fast, how large, and which memories (SPEC 38.5)."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from .._backend import SHOWN_OUTCOMES, STAGES
from ..basics.light_dataclass import asdict, dataclass
from ..basics.timestamp import parse_timestamp
from ..models.endpoints.place import is_loopback
from ..store.log.capture_event import CaptureEvent
from ..store.log.events import MICROSECONDS, NOT_ASKING, EventLog, LoggedEvent, read_events, read_since
from ..store.records.memory import Memory
from ..store.records.store_reader import StoreReader
from ..store.scopes.scoped_stores import scope_reader, stores_of_project
from .capture_log import count_captures, read_captures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    Name = TypeVar("Name", str, tuple[str, str])

DAY_SECONDS = 86_400
PERCENTILES = (50, 95, 99)


@dataclass(frozen=True)
class MemoryUse:
    """How often a memory was shown. `scope` is that of its store, "" for the store of the log."""

    category: str
    id: str
    path: str
    count: int
    scope: str = ""

    @property
    def name(self) -> str:
        """Its id, with the scope if it has one."""
        return self.id + (f" ({self.scope})" if self.scope else "")


@dataclass(frozen=True)
class Unused:
    """An active memory that no event has shown; `age_days` is None if its file has no date."""

    category: str
    id: str
    title: str
    path: str
    age_days: int | None


@dataclass(frozen=True)
class Judged:
    """Statistics of the judge: how often it was asked and failed, and how many candidates it saw and kept.

    `p50_micros` and `p95_micros` are the median and the 95th percentile of the judge's time in microseconds, including
    failures.
    """

    asked: int
    failed: int
    candidates: int
    kept: int
    p50_micros: int
    p95_micros: int


@dataclass(frozen=True)
class SentSummary:
    """What was sent to a host, and whether it left the machine."""

    what: str
    host: str
    leaves: bool
    requests: int
    bytes: int


@dataclass(frozen=True)
class EventStatistics:
    """Statistics of the hook's events and of events of capture. A field is None if no event has a value for it.

    `asking` counts the prompts that may need a memory, so not courtesies and slash commands, for example. `latency`
    has the percentiles `p50`, `p95` and `p99` of each stage of a prompt, in microseconds. Tokens are counted in the
    answers to prompts and to tool events. `named` counts the prompts that got a line of titles instead of an answer,
    and `named_tokens` has its tokens. `captures` counts the events of capture by kind, such as `draft created`.
    """

    first: str | None
    last: str | None
    prompts: int
    asking: int
    answered: int
    needs: int
    needs_answered: int
    sessions: int
    silences: dict[str, int]
    latency: dict[str, dict[str, int]]
    tokens_mean: float | None
    tokens_p95: int | None
    tokens_sum: int
    named: int
    named_tokens: int
    tiers: dict[str, int]
    hosts: dict[str, int]
    shown_most: list[MemoryUse]
    active: int
    never_shown: list[Unused]
    judge: Judged | None
    sent: list[SentSummary]
    captures: dict[str, int]

    @property
    def is_empty(self) -> bool:
        """Whether there was no event at all."""
        return not (self.first or self.sent or self.captures)

    def as_dict(self) -> dict[str, object]:
        """The fields by name, ready for JSON."""
        return asdict(self)


def summarize(
    events: list[LoggedEvent],
    active: list[Memory],
    now: int,
    captures: Sequence[CaptureEvent],
    read_scope: Callable[[str], str],
) -> EventStatistics:
    """The statistics of events in a store with these active memories; `events` has the oldest event first.

    `now` is in seconds since 1970, and `read_scope` a `scope_reader` of the store's project.
    """
    sent = _sent(events)
    events = [event for event in events if event.is_decision]
    prompts = [event for event in events if event.kind == "prompt"]
    needs = [event for event in events if event.kind != "prompt"]
    tokens = [event.tokens for event in events if event.shown]
    shown = [memory for event in events for memory in event.shown]
    named = {(read_scope(memory.scope), memory.path): memory for memory in shown}
    used = Counter([(read_scope(memory.scope), memory.path) for memory in shown])
    unused = [_unused(memory, now) for memory in active if ("", memory.path) not in used]
    unused.sort(key=lambda memory: -1 if memory.age_days is None else memory.age_days, reverse=True)
    return EventStatistics(
        events[0].time if events else None,
        events[-1].time if events else None,
        len(prompts),
        sum(bool(event.shown) or event.silence not in NOT_ASKING for event in prompts),
        sum(bool(event.shown) for event in prompts),
        len(needs),
        sum(bool(event.shown) for event in needs),
        len({event.session for event in events if event.session is not None}),
        _ranked(event.silence or "" for event in prompts if not event.shown),
        {stage: _percentiles([event.micros[stage] for event in prompts]) for stage in STAGES} if prompts else {},
        sum(tokens) / len(tokens) if tokens else None,
        _percentile(sorted(tokens), 95) if tokens else None,
        sum(tokens),
        sum(bool(event.named) for event in prompts),
        sum(event.tokens for event in prompts if event.named),
        {outcome: sum(memory.outcome == outcome for memory in shown) for outcome in SHOWN_OUTCOMES},
        _ranked(event.host for event in events),
        [
            MemoryUse(named[scope, path].category, named[scope, path].id, path, count, scope)
            for (scope, path), count in _ranked(used.elements()).items()
        ],
        len(active),
        unused,
        _judged(events),
        sent,
        count_captures(captures),
    )


def summarize_since(store: StoreReader, since: str, read: EventLog | None = None) -> EventStatistics:
    """The statistics of a store's events since a time, which is a span such as `7d` or a date.

    `read` is the log of the store, if it was read before.
    """
    now = int(time.time())
    read = read or read_events(store.memory_dir)
    captures = read_captures(store.memory_dir, read_since(since, now))
    read_scope = scope_reader(stores_of_project(store.project))
    return summarize(read.select(since=since), store.memories(), now, captures, read_scope)


def _judged(events: list[LoggedEvent]) -> Judged | None:
    runs = [event.judge for event in events if event.judge]
    if not runs:
        return None
    micros = sorted([run.micros for run in runs])
    return Judged(
        len(runs),
        sum(run.outcome == "failed" for run in runs),
        sum(run.of for run in runs),
        sum(run.kept for run in runs),
        _percentile(micros, 50),
        _percentile(micros, 95),
    )


def _sent(events: list[LoggedEvent]) -> list[SentSummary]:
    """The totals of what events have sent, by purpose and host; what left the machine comes first."""
    totals: dict[tuple[str, str], tuple[int, int]] = {}
    for one in [one for event in events for one in event.sent]:
        requests, size = totals.get((one.what, one.host), (0, 0))
        totals[one.what, one.host] = requests + one.requests, size + one.bytes
    found = [SentSummary(what, host, not is_loopback(host), *total) for (what, host), total in totals.items()]
    return sorted(found, key=lambda one: (not one.leaves, one.what, one.host))


def _ranked(names: "Iterable[Name]") -> "dict[Name, int]":
    """How often each name occurs, the most frequent first, then by name."""
    return dict(sorted(Counter(names).items(), key=lambda item: (-item[1], item[0])))


def _percentiles(values: list[int]) -> dict[str, int]:
    ordered = sorted(values)
    return {f"p{percent}": _percentile(ordered, percent) for percent in PERCENTILES}


def _percentile(ordered: list[int], percent: int) -> int:
    """The smallest value such that at least `percent` percent of the values are not greater (nearest rank)."""
    return ordered[max(-(-len(ordered) * percent // 100) - 1, 0)]


def _unused(memory: Memory, now: int) -> Unused:
    moments = [parse_timestamp(str(memory.record.get(name))) for name in ("created_at", "updated_at")]
    known = [moment for moment in moments if moment is not None]
    age = max((now - known[0] // MICROSECONDS) // DAY_SECONDS, 0) if known else None
    return Unused(memory.category, memory.id, memory.title, memory.path, age)

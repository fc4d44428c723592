"""How often what was shown is used, with intervals: `cuecard stats --use` (docs/reference/verdicts.md).

A memory is counted once in a session. What is compared is whether the agent did what a memory is about with and without
it, so only signs count that need no memory: the edit of an anchored file, and a failed command that succeeds.
"""

from math import sqrt

from ..basics.light_dataclass import asdict, dataclass
from ..basics.timestamp import parse_timestamp
from ..store.log.events import LoggedEvent, LoggedMemory
from ..store.log.learning import GOOD, UNSEEN, USED, WRONG
from ..store.log.verdict_log import Verdict

# A share of fewer memories than this says nothing.
ENOUGH = 20
# 95 of 100 such intervals have the true share.
SURE = 1.96
WITHHELD, BESIDE = "holdout", "sibling"
# The signs that an agent can give without having seen a memory.
WITHOUT_MEMORY = ("edited", "passed")
MICROSECONDS = 1_000_000

# A memory in a session: the session, the memory's scope and path.
_Shown = tuple[str, str, str]


@dataclass(frozen=True)
class Share:
    """How many of how many, with the interval of 95 % in which the true share lies (Wilson)."""

    count: int
    of: int
    low: float
    high: float

    @property
    def is_enough(self) -> bool:
        """Whether the interval says anything."""
        return self.of >= ENOUGH


@dataclass(frozen=True)
class Comparison:
    """Memories near the gate's limit: the share that was used of those that were shown and of those that were withheld.

    `low` and `high` are the interval of 95 % of the difference (Newcombe); None where there is not enough data.
    """

    percent: int
    shown: Share
    withheld: Share
    low: float | None
    high: float | None


@dataclass(frozen=True)
class UseStatistics:
    """What happened to the memories that sessions were shown. `signs` counts sessions and memories by sign."""

    used: Share
    wrong: Share
    signs: dict[str, int]
    near: Comparison | None

    def as_dict(self) -> dict[str, object]:
        """The fields by name, ready for JSON."""
        return {"enough": ENOUGH, **asdict(self)}


def count_use(events: list[LoggedEvent], said: list[Verdict], begin: int) -> UseStatistics:
    """The statistics of the events and verdicts since a time in seconds since 1970."""
    events = [event for event in events if event.is_decision and event.session and event.seconds >= begin]
    shown = {_place(event.session, memory) for event in events for memory in event.shown}
    said = [one for one in said if _is_since(one, begin)]
    signs: dict[str, set[_Shown]] = {}
    for one in said:
        place = _place(one.session, one)
        if one.kind == USED and place in shown:
            signs.setdefault(one.sign, set()).add(place)
    judged = {_place(one.session, one): one.kind for one in said if one.kind in (GOOD, WRONG)}
    return UseStatistics(
        used=share(len(set[_Shown]().union(*signs.values())), len(shown)),
        wrong=share([*judged.values()].count(WRONG), len(judged)),
        signs={name: len(found) for name, found in sorted(signs.items())},
        near=_compare(events, said),
    )


def share(count: int, of: int) -> Share:
    """A share with its interval by Wilson's formula; from 0 to 1 without data."""
    if not of:
        return Share(0, 0, 0.0, 1.0)
    found, room = count / of, SURE * SURE / of
    middle = (found + room / 2) / (1 + room)
    half = SURE * sqrt(found * (1 - found) / of + room / of / 4) / (1 + room)
    return Share(count, of, max(0.0, middle - half), min(1.0, middle + half))


def _compare(events: list[LoggedEvent], said: list[Verdict]) -> Comparison | None:
    """What happened to the memories near the gate's limit, by the latest chance; None without a chance."""
    percents = [event.holdout.percent for event in events if event.holdout]
    if not percents:
        return None
    shown: set[_Shown] = set()
    withheld: set[_Shown] = set()
    seen = {_place(event.session, memory) for event in events for memory in event.memories if memory.is_shown}
    for event in events:
        chance = event.holdout
        if chance is None or chance.percent != percents[-1]:
            continue
        for memory in event.memories:
            is_near = memory.logit is not None and chance.least <= memory.logit < chance.below
            if is_near and memory.outcome == WITHHELD:
                withheld.add(_place(event.session, memory))
            elif is_near and memory.is_shown and memory.outcome != BESIDE:
                shown.add(_place(event.session, memory))
    signs = [one for one in said if one.sign in WITHOUT_MEMORY]
    used = {kind: {_place(one.session, one) for one in signs if one.kind == kind} for kind in _ARMS}
    # What a session was shown besides is not compared: nobody knows which of both it has worked with.
    compared = shown - withheld, withheld - seen
    arms = [share(len(places & used[kind]), len(places)) for kind, places in zip(_ARMS, compared, strict=True)]
    low, high = _difference(*arms) if arms[0].is_enough and arms[1].is_enough else (None, None)
    return Comparison(percents[-1], arms[0], arms[1], low, high)


_ARMS = (USED, UNSEEN)


def _difference(one: Share, other: Share) -> tuple[float, float]:
    """The interval of the first share without the second one, by Newcombe's formula."""
    first, second = one.count / one.of, other.count / other.of
    down = sqrt((first - one.low) ** 2 + (other.high - second) ** 2)
    up = sqrt((one.high - first) ** 2 + (second - other.low) ** 2)
    return first - second - down, first - second + up


def _place(session: str | None, one: LoggedMemory | Verdict) -> _Shown:
    return session or "", one.scope, one.path


def _is_since(one: Verdict, begin: int) -> bool:
    moment = parse_timestamp(one.at)
    return moment is not None and moment // MICROSECONDS >= begin

"""How often what was shown is used: shares with intervals, a memory once in a session, and what was withheld."""

import pytest

from cuecard.basics.light_dataclass import replace
from cuecard.cli.show.events.show_use import lines_of
from cuecard.observe.use_statistics import count_use, share
from cuecard.store.log.events import LoggedEvent, LoggedHoldout, LoggedMemory
from cuecard.store.log.verdict_log import Verdict

PATH = ".claude/memory/decisions/queue.json"
STAMP = "2026-03-01T10:00:00Z"


def event(session: str, outcome: str = "full", logit: int = 100, holdout: LoggedHoldout | None = None) -> LoggedEvent:
    memory = LoggedMemory("queue", "DECISION", PATH, outcome, logit, 0)
    return LoggedEvent(
        id="a",
        time=STAMP,
        seconds=1000,
        kind="prompt",
        host="plain",
        session=session,
        prompt_hash="0",
        prompt_chars=1,
        prompt=None,
        history=None,
        strategy="hybrid",
        setting="balanced",
        silence=None,
        memories=(memory,),
        tokens=0,
        chars=0,
        documents=1,
        micros={},
        holdout=holdout,
    )


def said(session: str, kind: str, sign: str = "") -> Verdict:
    return Verdict(f"v{session}{kind}{sign}", STAMP, kind, PATH, "ab", session=session, sign=sign)


@pytest.mark.parametrize(
    ("count", "of", "low", "high"), [(0, 0, 0, 1), (0, 10, 0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1)]
)
def test_the_interval_of_a_share(count: int, of: int, low: float, high: float) -> None:
    found = share(count, of)
    assert found.low == pytest.approx(low, abs=1e-4)
    assert found.high == pytest.approx(high, abs=1e-4)


def test_a_memory_counts_once_in_a_session() -> None:
    events = [event("a"), event("a"), event("b")]
    signs = [said("a", "used", "edited"), said("a", "used", "words"), said("c", "used", "edited")]
    found = count_use(events, [*signs, said("b", "wrong")], 0)
    assert (found.used.count, found.used.of, found.wrong.count, found.wrong.of) == (1, 2, 1, 1)
    assert found.signs == {"edited": 1, "words": 1}


def test_memories_of_two_stores_at_one_path_count_apart() -> None:
    chance = LoggedHoldout(50, 0, 512)
    own, withheld = event("a", holdout=chance), event("b", "holdout", holdout=chance)
    others = [replace(one, memories=tuple([replace(m, scope="user") for m in one.memories])) for one in (own, withheld)]
    signs = [said("a", "used", "edited"), said("b", "unseen", "edited")]
    signs += [said("a", "wrong"), replace(said("a", "good"), scope="user")]
    found = count_use([own, withheld, *others], signs, 0)
    assert (found.used.count, found.used.of, found.wrong.count, found.wrong.of) == (1, 2, 1, 2)
    assert found.near is not None
    assert (found.near.shown.count, found.near.shown.of) == (1, 2)
    assert (found.near.withheld.count, found.near.withheld.of) == (1, 2)


def test_too_little_data_is_no_figure() -> None:
    lines = lines_of(count_use([event("a")], [said("a", "used", "edited")], 0))
    assert lines[0].endswith("1 of 1: not enough data, 20 are needed")
    assert lines[-1].endswith("see `learning.holdout`")


def test_what_was_withheld_is_compared_by_what_needs_no_memory() -> None:
    chance = LoggedHoldout(50, 0, 512)
    shown = [event(f"s{number}", holdout=chance) for number in range(40)]
    withheld = [event(f"w{number}", "holdout", holdout=chance) for number in range(40)]
    # Surer than near, only beside another one, and by an earlier chance: none of these is compared.
    others = [event("x", logit=512, holdout=chance), event("y", "sibling", holdout=chance)]
    earlier = [event("z", holdout=replace(chance, percent=10))]
    signs = [said(f"s{number}", "used", "edited") for number in range(30)]
    signs += [said(f"s{number}", "used", "words") for number in range(30, 40)]
    signs += [said(f"w{number}", "unseen", "edited") for number in range(5)]
    near = count_use([*earlier, *others, *shown, *withheld], signs, 0).near
    assert near is not None
    assert (near.shown.count, near.shown.of, near.withheld.count, near.withheld.of) == (30, 40, 5, 40)
    assert near.low is not None
    assert near.high is not None
    assert 0 < near.low < (30 - 5) / 40 < near.high
    # What was withheld and shown in one session counts in neither arm.
    both = count_use([*shown, *withheld, event("s0", "holdout", holdout=chance), event("w0")], signs, 0).near
    assert both is not None
    assert (both.shown.count, both.shown.of, both.withheld.count, both.withheld.of) == (29, 39, 4, 39)
    few = count_use([*shown, *withheld[:5]], signs, 0).near
    assert few is not None
    assert few.low is None

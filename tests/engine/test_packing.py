"""The block into which memories are packed stays within its budgets."""

import random

from hypothesis import given
from hypothesis import strategies as st

from cuecard._pure.present.packing import SURE, pack
from cuecard._pure.settings.gate_model import PRECISE
from cuecard._pure.text.sanitize import escape_frames
from cuecard._pure.text.token_estimate import estimate_tokens
from format_strategies import sentences, texts
from pooled import pooled

Card = tuple[str, str, str, str, list[str], str, str]
Item = tuple[str, str, str, Card, list[str], int, "int | None"]

HEADER = '<memory-context source=".claude/memory/" more="cuecard show ID|SLUG">\n'
FOOTER = "</memory-context>\n"
WORDS = st.one_of(texts(), sentences())
LOGITS = st.one_of(st.sampled_from([SURE, SURE - 1, PRECISE, PRECISE - 1]), st.integers(-9000, 9000))
SHOWN = ("full", "gist", "title", "line", "sibling")


@st.composite
def cards(draw: st.DrawFn) -> Card:
    lines = draw(st.lists(WORDS, max_size=4))
    date, state = draw(st.sampled_from(["", "2026-02-03"])), draw(st.sampled_from(["", "accepted"]))
    # The main field is one of the lines, a line with a name before it, or none.
    main = draw(st.one_of(st.just(""), st.sampled_from(lines or [""])))
    if draw(st.booleans()):
        lines = [f"rule: {line}" for line in lines]
    evidence = draw(st.one_of(st.just(""), texts()))
    return date, state, draw(WORDS), "\n".join(lines), draw(st.lists(texts(), max_size=2)), evidence, main


def any_items() -> st.SearchStrategy[Item]:
    categories = st.sampled_from(["DECISION", "RUNBOOK", "_X"])
    besides = st.one_of(st.none(), LOGITS)
    return st.tuples(categories, WORDS, texts(), cards(), st.lists(texts(), max_size=2), LOGITS, besides)


ITEMS = st.lists(pooled(any_items), max_size=6)


TOKENS = st.one_of(st.integers(0, 300), st.just(700))
CHARS = st.one_of(st.integers(0, 900), st.just(6000))


@given(ITEMS, TOKENS, CHARS)
def test_a_block_keeps_its_budgets_and_can_not_be_closed_early(items: list[Item], tokens: int, chars: int) -> None:
    block, outcomes, used = pack(items, tokens, chars)
    shown = [outcome for outcome in outcomes if outcome in SHOWN]
    assert len(outcomes) == len(items)
    assert len(block) <= chars
    assert used <= tokens
    if not shown:
        assert (block, used) == ("", 0)
        return
    assert block.startswith(HEADER)
    assert block.endswith(FOOTER)
    inner = block[len(HEADER) : -len(FOOTER)]
    # Code keeps its placeholders, and nothing begins a tag of the frame.
    assert escape_frames(inner) == inner
    assert inner.count("\n- [") + 1 == len(shown)
    # The token estimate of the whole block may be a little more than the sum of the estimates of its lines.
    assert estimate_tokens(block) <= used + 2 * len(shown)


@given(ITEMS)
def test_no_memory_has_a_higher_tier_than_its_logit_allows(items: list[Item]) -> None:
    block, outcomes, _used = pack(items, 10_000, 100_000)
    for item, outcome in zip(items, outcomes, strict=True):
        leads = any(other[6] == item[5] for other in items)
        if outcome == "full":
            assert item[5] >= SURE
            assert item[3][3]
        if outcome == "gist":
            assert item[5] >= PRECISE or leads
        if outcome == "sibling":
            assert item[6] is not None
        if outcome == "title":
            assert item[5] < PRECISE
            assert item[6] is None
    assert "budget" not in outcomes or not block


@given(ITEMS, st.randoms(use_true_random=False))
def test_the_surest_memory_stands_first(items: list[Item], chance: random.Random) -> None:
    items = [(*item[:5], 1000 - number, None) for number, item in enumerate(items)]
    block, _outcomes, _used = pack(items, 10_000, 100_000)
    mixed = chance.sample(items, len(items))
    assert pack(mixed, 10_000, 100_000)[0] == block

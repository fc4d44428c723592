"""The block into which memories are packed: both backends make the same block, and it stays within its budgets."""

from types import ModuleType

from hypothesis import given
from hypothesis import strategies as st

from cuecard._pure.memory.card import read_card
from cuecard._pure.present.packing import FULL_TOKENS, SURE, TIERS, pack
from cuecard._pure.text.token_estimate import estimate_tokens
from format_strategies import memories, prompts, sentences, texts, told_memories, whole_memories
from pooled import pooled

Card = tuple[str, str, str, str, list[str], str]
Item = tuple[str, str, str, Card, list[str], int]

HEADER = '<memory-context source=".claude/memory/" more="cuecard show ID|SLUG">\n'
FOOTER = "</memory-context>\n"
WORDS = st.one_of(texts(), sentences())
LOGITS = st.one_of(st.sampled_from([SURE, SURE - 1, 143, 142]), st.integers(-9000, 9000))


def cards() -> st.SearchStrategy[Card]:
    lines = st.lists(WORDS, max_size=4).map("\n".join)
    dates = st.sampled_from(["", "2026-02-03"])
    states, anchors = st.sampled_from(["", "accepted"]), st.lists(texts(), max_size=2)
    return st.tuples(dates, states, WORDS, lines, anchors, st.one_of(st.just(""), texts()))


def any_items() -> st.SearchStrategy[Item]:
    categories = st.sampled_from(["DECISION", "RUNBOOK", "_X"])
    return st.tuples(categories, WORDS, texts(), cards(), st.lists(texts(), max_size=2), LOGITS)


ITEMS = st.lists(pooled(any_items), max_size=6)


TOKENS = st.one_of(st.integers(0, 300), st.just(700))
CHARS = st.one_of(st.integers(0, 900), st.just(6000))


@given(prompts(), ITEMS, TOKENS, CHARS)
def test_blocks_are_equal(native: ModuleType, prompt: str, items: list[Item], tokens: int, chars: int) -> None:
    assert native.pack(prompt, items, tokens, chars) == pack(prompt, items, tokens, chars)


@given(st.one_of(told_memories(), whole_memories(), memories(), st.binary(max_size=40)))
def test_cards_are_equal(native: ModuleType, data: bytes) -> None:
    assert native.read_card(data) == read_card(data)


@given(prompts(), ITEMS, TOKENS, CHARS)
def test_a_block_keeps_its_budgets_and_can_not_be_closed_early(
    reference: ModuleType, prompt: str, items: list[Item], tokens: int, chars: int
) -> None:
    block, outcomes, used = reference.pack(prompt, items, tokens, chars)
    shown = [outcome for outcome in outcomes if outcome in (*TIERS, "line")]
    assert len(outcomes) == len(items)
    assert len(block) <= chars
    assert used <= tokens
    if not shown:
        assert (block, used) == ("", 0)
        return
    assert block.startswith(HEADER)
    assert block.endswith(FOOTER)
    inner = block[len(HEADER) : -len(FOOTER)]
    assert "<" not in inner
    assert inner.count("\n- [") + 1 == len(shown)
    # The token estimate of the whole block may be a little more than the sum of the estimates of its lines.
    assert estimate_tokens(block) <= used + 2 * len(shown)


@given(prompts(), ITEMS)
def test_no_memory_has_a_higher_tier_than_its_logit_allows(
    reference: ModuleType, prompt: str, items: list[Item]
) -> None:
    block, outcomes, used = reference.pack(prompt, items, 10_000, 100_000)
    for item, outcome in zip(items, outcomes, strict=True):
        if outcome == "full":
            assert item[5] >= SURE
            assert item[3][3]
        if outcome == "gist":
            assert item[5] >= 143
    assert used <= 40 + len(items) * (FULL_TOKENS + 700)
    assert "budget" not in outcomes or not block


@given(prompts(), ITEMS, st.randoms(use_true_random=False))
def test_the_same_memories_make_the_same_block(
    reference: ModuleType, prompt: str, items: list[Item], chance: object
) -> None:
    # If no memory is left out, the order of the search result does not change the block.
    block, outcomes, used = reference.pack(prompt, items, 10_000, 100_000)
    backwards = reference.pack(prompt, items[::-1], 10_000, 100_000)
    if not {"duplicate", "budget"} & {*outcomes, *backwards[1]} and len({item[2] for item in items}) == len(items):
        assert backwards[0] == block
        assert backwards[2] == used

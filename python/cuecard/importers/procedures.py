"""Tells the sections of instructions that are done step by step from those that say how something should be.

Rules: docs/reference/import.md, "Instructions".
"""

from collections.abc import Sequence

from . import rule_words, section_words
from .markup.markdown import Block
from .section_weights import Weights


def is_procedure(weights: Weights, kind: str, headings: Sequence[str], blocks: Sequence[Block]) -> bool:
    """Whether most of a section is steps or commands, or is gone through in an order.

    `kind` is what the section's heading announces, and `headings` are this heading and those above it.
    """
    heading = headings[0]
    if kind == rule_words.BANS or (section_words.advises(heading) and weights.rules and not weights.steps):
        return False
    if section_words.is_checklist(heading) and any(block.kind == "list" for block in blocks):
        return 2 * weights.bans < weights.all
    has_code = any(block.is_shell for block in blocks)
    is_done = section_words.tells_how(heading) or (has_code and rule_words.has_steps_below(heading))
    orders = sum(map(section_words.is_step, weights.rules)) if is_done else 0
    if any(map(section_words.tells_remedy, headings)):
        orders = len(weights.rules) - weights.strict
    doing = weights.steps + len(weights.commands) + orders
    # In a long text, a few commands are not what it is about.
    is_long = not orders and 4 * weights.done < sum([len(block.source) for block in blocks])
    is_most = 2 * doing > weights.all or (3 * doing >= weights.all and not is_long)
    return doing > weights.asking - orders and is_most and 2 * weights.strict < weights.all

"""Finds the memories that nearly answered prompts, from the log of the hook."""

import math
from collections import defaultdict

from ..store.log.events import LoggedEvent, LoggedMemory, read_events

# How many memories of a prompt count. The others were far behind.
MAX_MEMORIES = 3
LOGIT_UNIT = 1024


def near_answers(memory_dir: str) -> dict[str, float]:
    """The paths of memories that the gate kept from silent prompts, each with the answers that were to be expected.

    That is the sum of the probabilities with which they would have helped. A prompt that was typed twice counts once.
    """
    expected: dict[str, float] = defaultdict(float)
    events = {event.prompt_hash: event for event in read_events(memory_dir).events if _is_silent(event)}
    for event in events.values():
        near = sorted(filter(_was_unsure, event.memories), key=lambda memory: -(memory.logit or 0))
        for memory in near[:MAX_MEMORIES]:
            expected[memory.path] += _probability(memory)
    return dict(expected)


def _is_silent(event: LoggedEvent) -> bool:
    """Whether the gate was not sure enough of any memory for a prompt."""
    return event.is_decision and not event.is_of_file_or_act and event.silence == "gate"


def _was_unsure(memory: LoggedMemory) -> bool:
    return memory.outcome == "gate" and memory.logit is not None


def _probability(memory: LoggedMemory) -> float:
    return 1 / (1 + math.exp(-(memory.logit or 0) / LOGIT_UNIT))

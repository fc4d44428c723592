"""Asks a judge about the gate's memories before they are packed (SPEC 14.5).

Rules: docs/reference/models.md, "Place of the judge".
"""

import time

from ..requests.results import JudgeRun
from .answers import Judged
from .recalled_memory import RecalledMemory
from .siblings import is_sibling
from .snapshot_recall import SnapshotRecall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..requests.request import Question
    from .snapshot import Snapshot

    # The memories to show, the memories that were passed over with the reasons, and whether the prompt is only a
    # courtesy.
    ChosenValues = tuple[list[RecalledMemory], list[tuple[RecalledMemory, str]], bool]
    # The places of the candidates that the judge keeps, ascending, and ""; or None and why it failed.
    Verdict = tuple["list[int] | None", str]
    # Asks a judge about candidates.
    Judge = Callable[[list[RecalledMemory]], Verdict]


def judge_memories(
    snapshot: "Snapshot", root: str, ungated: "Question", chosen: "ChosenValues", limit: int, judge: "Judge"
) -> Judged:
    """The memories that a judge keeps, at most `limit`, in the place of those that the gate chose for a question.

    `ungated` is the question without the gate; it asks for as many memories as the judge gets to see. If the judge
    fails, the gate's own memories stay.
    """
    memories, passed_over, is_courtesy = chosen
    if is_courtesy:
        return Judged(memories, passed_over, None, [])
    start = time.perf_counter_ns()
    # The search with the gate has noted what concerns the shown memories.
    ranked = SnapshotRecall(snapshot, root, ungated.review, []).choose(ungated).memories
    candidates = _candidates(memories, ranked, ungated.request.k)
    if not candidates:
        return Judged(memories, passed_over, None, [])
    kept, failure = judge(candidates)
    micros = (time.perf_counter_ns() - start) // 1000
    if kept is None:
        note = f"the judge has failed, so the gate's own result is used: {failure}"
        return Judged(memories, passed_over, JudgeRun(len(candidates), 0, micros, failure), [note])
    wanted = [candidates[place] for place in kept if place < len(candidates)][:limit]
    positions = {memory.position for memory in wanted}
    # A sibling stays as long as the memory does beside which it is shown.
    siblings = [memory for memory in memories if is_sibling(memory)]
    wanted += [memory for memory in siblings if memory.beside and memory.beside.position in positions]
    positions |= {memory.position for memory in wanted}
    dropped = [(memory, "judge") for memory in memories if memory.position not in positions]
    # The judge has seen what the gate was unsure of, so nothing is named.
    held_back = [
        (memory, "gate" if why == "named" else why) for memory, why in passed_over if memory.position not in positions
    ]
    return Judged(wanted, dropped + held_back, JudgeRun(len(candidates), len(kept), micros, ""), [])


def _candidates(gated: list[RecalledMemory], ranked: list[RecalledMemory], pool: int) -> list[RecalledMemory]:
    """Return the `pool` best candidates by rank. Every memory of the gate is among them, even if that makes more."""
    gated = [memory for memory in gated if not is_sibling(memory)]
    own = {memory.position: memory for memory in gated}
    missing = [memory for memory in gated if all(memory.position != other.position for other in ranked)]
    ranked = [own.get(memory.position, memory) for memory in ranked]
    while len(ranked) + len(missing) > max(pool, len(own)):
        # The lowest-ranked candidate that the gate did not let through.
        place = max([place for place, memory in enumerate(ranked) if memory.position not in own], default=None)
        if place is None:
            break
        del ranked[place]
    return ranked + missing

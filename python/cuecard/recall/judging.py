"""Asks the judge about the gate's memories before they are packed (docs/reference/models.md, "Place of the judge")."""

import time

from ..errors import CuecardError
from .snapshot_recall import JudgeRun, is_sibling

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._backend import RecalledMemory
    from ..settings.judge_settings import JudgeSettings
    from .snapshot_recall import Chosen, ProjectSnapshot, PromptQuery

    # The judge's last answer: the numbers of the candidates that it keeps (None if it failed), the failure, and the
    # time. The key is the question: the settings, the prompt, the earlier prompts and the candidates.
    Memo = dict[tuple[object, ...], tuple[list[int] | None, str, float]]

# For this many seconds after a failure, the judge is not asked the same question again. Otherwise one command could
# wait for a broken judge several times.
PATIENCE = 10
# The memo's entry for a question that was not asked yet.
UNKNOWN = (None, "", float("-inf"))


def judge_memories(
    chosen: "Chosen",
    store: "ProjectSnapshot",
    query: "PromptQuery",
    before: list[str],
    limit: int,
    memo: "Memo | None" = None,
) -> None:
    """Replace the memories in `chosen` with the memories that the judge keeps; do nothing without a judge.

    `chosen` comes from the gate and stays as it is if the judge fails for any reason. `before` are the session's
    earlier prompts, the oldest first. `memo` keeps the last answer, so that the same question is not asked twice in a
    row.
    """
    settings = query.config.judge
    if settings is None or chosen.is_courtesy:
        return
    start = time.perf_counter_ns()
    candidates = _candidates(chosen, store, query, settings.pool)
    if not candidates:
        return
    key = (settings, query.prompt, *before, None, *[memory.parts[2] for memory in candidates])
    kept, failure, moment = memo.get(key, UNKNOWN) if memo else UNKNOWN
    if kept is None and moment < time.monotonic() - PATIENCE:
        kept, failure = _ask(settings, query.prompt, before, candidates, is_prompt=memo is None)
        if memo is not None:
            memo.clear()
            memo[key] = (kept, failure, time.monotonic())
    micros = (time.perf_counter_ns() - start) // 1000
    if kept is None:
        chosen.judgment = JudgeRun(len(candidates), 0, micros, failure)
        store.notes.append(f"the judge has failed, so the gate's own result is used: {failure}")
        return
    chosen.judgment = JudgeRun(len(candidates), len(kept), micros)
    wanted = [candidates[number] for number in kept][:limit]
    positions = {memory.position for memory in wanted}
    # A sibling stays as long as the memory does beside which it is shown.
    siblings = [memory for memory in chosen.memories if is_sibling(memory)]
    wanted += [memory for memory in siblings if memory.beside and memory.beside[0] in positions]
    positions |= {memory.position for memory in wanted}
    dropped = [(memory, "judge") for memory in chosen.memories if memory.position not in positions]
    held_back = [(memory, why) for memory, why in chosen.passed_over if memory.position not in positions]
    chosen.memories = wanted
    chosen.passed_over = dropped + held_back


def _ask(
    settings: "JudgeSettings",
    prompt: str,
    before: list[str],
    candidates: "list[RecalledMemory]",
    *,
    is_prompt: bool,
) -> "tuple[list[int] | None, str]":
    """Return the numbers of the candidates that the judge keeps, and ""; or None and the reason if the judge fails.

    If `is_prompt`, a judge that failed a short time ago is not asked and counts as failed.
    """
    from ..models.endpoints.resting import is_resting
    from ..models.judge import ask_judge
    from ..models.judge_question import JudgeCandidate
    from ..settings.place import place_of

    try:
        if is_prompt and is_resting(place_of(settings.url)):
            return None, f"`{place_of(settings.url)}` failed a short time ago and is not asked again yet"
        shown = []
        for memory in candidates:
            category, title, _path, tags = memory.parts
            shown.append(JudgeCandidate(category, title, tuple(tags), memory.gist))
        return ask_judge(settings, prompt, before, shown), ""
    except CuecardError as error:
        return None, error.what
    except Exception as error:  # after any failure the gate's own result is used
        return None, f"defect in cuecard: {type(error).__name__}"


def _candidates(chosen: "Chosen", store: "ProjectSnapshot", query: "PromptQuery", pool: int) -> "list[RecalledMemory]":
    """Return the `pool` best candidates by rank. Every memory in `chosen` is among them, even if that makes more."""
    # `choose_ungated` drops notes about broken files: the search with the gate has noted what concerns shown memories.
    ranked = store.choose_ungated(query, pool).memories
    passing = [memory for memory in chosen.memories if not is_sibling(memory)]
    own = {memory.position: memory for memory in passing}
    missing = [memory for memory in passing if all(memory.position != other.position for other in ranked)]
    ranked = [own.get(memory.position, memory) for memory in ranked]
    while len(ranked) + len(missing) > max(pool, len(own)):
        # The lowest-ranked candidate that the gate did not let through.
        place = max([place for place, memory in enumerate(ranked) if memory.position not in own], default=None)
        if place is None:
            break
        del ranked[place]
    return ranked + missing

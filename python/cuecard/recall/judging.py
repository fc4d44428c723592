"""The judge's place in recall: behind the gate, before packing (docs/reference/models.md, "Place of the judge")."""

import time

from ..errors import CuecardError
from .snapshot_recall import JudgeRun

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._backend import RecalledMemory
    from ..configuration.judge_settings import JudgeSettings
    from .snapshot_recall import Chosen, ProjectSnapshot, PromptQuery

    # What the judge keeps, or why it has failed, and when; by what it was asked: the prompt, those before it, and the
    # candidates.
    Memo = dict[tuple[object, ...], tuple[list[int] | None, str, float]]

# So many seconds one that has failed is not asked the same again: a command would wait for it several times over.
PATIENCE = 10
# The kept answer to a question that was not asked yet.
UNKNOWN = (None, "", float("-inf"))


def judge_memories(
    chosen: "Chosen",
    store: "ProjectSnapshot",
    query: "PromptQuery",
    before: list[str],
    limit: int,
    memo: "Memo | None" = None,
) -> None:
    """Let the judge of the settings, if they have one, keep what it wants of the gate's candidates.

    `chosen` is what the gate lets through, and stays as it is where the judge fails in whatever way; `before` are the
    session's prompts, the oldest first. With a `memo` the same is not asked twice in a row.
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
        store.notes.append(f"the judge has failed, and the gate's own result stands: {failure}")
        return
    chosen.judgment = JudgeRun(len(candidates), len(kept), micros)
    wanted = [candidates[number] for number in kept]
    positions = {memory.position for memory in wanted}
    dropped = [(memory, "judge") for memory in chosen.memories if memory.position not in positions]
    held_back = [(memory, why) for memory, why in chosen.passed_over if memory.position not in positions]
    chosen.memories = wanted[:limit]
    chosen.passed_over = dropped + held_back


def _ask(
    settings: "JudgeSettings",
    prompt: str,
    before: list[str],
    candidates: "list[RecalledMemory]",
    *,
    is_prompt: bool,
) -> "tuple[list[int] | None, str]":
    """The numbers of the candidates that the judge keeps, None where it fails, and then why.

    A prompt leaves a judge alone that has failed a short time ago.
    """
    from ..configuration.place import host_of
    from ..models.endpoints.resting import is_resting
    from ..models.judge import ask_judge
    from ..models.judge_question import JudgeCandidate

    try:
        if is_prompt and is_resting(host_of(settings.url)):
            return None, f"`{host_of(settings.url)}` failed a short time ago and is not asked again yet"
        shown = []
        for memory in candidates:
            category, title, _path, tags = memory.parts
            shown.append(JudgeCandidate(category, title, tuple(tags), memory.gist))
        return ask_judge(settings, prompt, before, shown), ""
    except CuecardError as error:
        return None, error.what
    except Exception as error:  # whatever it is, the gate's own result stands
        return None, f"defect in cuecard: {type(error).__name__}"


def _candidates(chosen: "Chosen", store: "ProjectSnapshot", query: "PromptQuery", pool: int) -> "list[RecalledMemory]":
    """The first candidates, whatever the gate says of them, among them all that it lets through, by rank."""
    # What is wrong with their files was noted when the gate's own were found, or concerns nothing that is shown.
    ranked = store.choose_ungated(query, pool).memories
    own = {memory.position: memory for memory in chosen.memories}
    missing = [memory for memory in chosen.memories if all(memory.position != other.position for other in ranked)]
    ranked = [own.get(memory.position, memory) for memory in ranked]
    while len(ranked) + len(missing) > max(pool, len(own)):
        # The last that the gate has held back.
        place = max([place for place, memory in enumerate(ranked) if memory.position not in own], default=None)
        if place is None:
            break
        del ranked[place]
    return ranked + missing

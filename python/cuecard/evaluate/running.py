"""Asks the engine about judged prompts, one after the other."""

from collections.abc import Callable, Sequence

from .engine import LIMIT, Engine, check_memories
from .judged_prompts import JudgedPrompt
from .run_file import RunLine

# Called with the number of prompts that are done and the number of all prompts.
Progress = Callable[[int, int], None]


TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..basics.options import GateSetting, Strategy


def run(
    prompts: Sequence[JudgedPrompt],
    *,
    root: str | None = None,
    setting: "GateSetting | None" = None,
    strategy: "Strategy | None" = None,
    limit: int = LIMIT,
    progress: Progress | None = None,
) -> list[RunLine]:
    """Ask the engine about each prompt, with at most `limit` memories per answer. Lines are in the order of prompts.

    `root` is the project of the prompts; if it is None, the project is found as `Store` finds it. If `setting` or
    `strategy` is None, the project's settings decide; the setting `off` means no gate. Prompts with `without` are asked
    last, with a copy of the store that lacks the memories in `without`. Raises `UsageError` for an unknown setting or
    strategy, `StoreError` without a project, and `InputError` for judgments of memories that the project does not have.
    """
    lines: dict[int, RunLine] = {}
    # Prompts that leave the same memories out are asked together, because they share a copy of the store.
    order = sorted(range(len(prompts)), key=lambda place: prompts[place].without)
    with Engine(root, setting=setting, strategy=strategy, limit=limit) as engine:
        check_memories(list(prompts), engine)
        for done, place in enumerate(order, 1):
            prompt = prompts[place]
            answer = engine.answer(prompt)
            lines[place] = RunLine(
                project=prompt.project,
                prompt_id=prompt.id,
                results=answer.memories,
                probabilities=answer.probabilities,
                ms=answer.ms,
                tokens=answer.tokens,
                is_first=answer.is_first,
                strategy=engine.strategy,
                setting=setting or "",
            )
            if progress:
                progress(done, len(prompts))
    return [lines[place] for place in range(len(prompts))]

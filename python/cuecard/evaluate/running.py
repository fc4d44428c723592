"""Judged prompts put to the engine, one after the other."""

from collections.abc import Callable, Sequence

from .engine import LIMIT, Engine, check_memories
from .judged_prompts import JudgedPrompt
from .run_file import RunLine

# Called with how many prompts are done, and how many there are.
Progress = Callable[[int, int], None]


TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..settings.options import GateSetting, Strategy


def run(
    prompts: Sequence[JudgedPrompt],
    *,
    root: str | None = None,
    setting: "GateSetting | None" = None,
    strategy: "Strategy | None" = None,
    limit: int = LIMIT,
    progress: Progress | None = None,
) -> list[RunLine]:
    """What the engine injects for each prompt, at most `limit` memories, in the order of the prompts.

    `root` is the prompts' project, found as by `Store`; without a setting its own is used, and `off` is no gate at
    all. Prompts that leave memories out are asked last, in copies of the store without them. Raises `UsageError` for
    an unknown setting or strategy, `StoreError` where there is no project, `InputError` for judgments of memories
    that it does not have.
    """
    lines: dict[int, RunLine] = {}
    # Those that leave the same memories out share one copy of the store.
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

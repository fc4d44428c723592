"""Asks the judge of the settings about memories, for a prompt of the hook or for a person.

Rules: docs/reference/models.md, "Place of the judge".
"""

import time

from ..errors import CuecardError
from .endpoints.place import place_of
from .endpoints.resting import is_resting
from .judge import ask_judge
from .judge_question import JudgeCandidate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._backend import RecalledMemory, Verdict
    from .judge_settings import JudgeSettings

    # The judge's last answer, and the time of it. The key is the question: the settings, the prompt, the earlier
    # prompts and the candidates.
    Memo = dict[tuple[object, ...], tuple[Verdict, float]]

# For this many seconds after a failure, the judge is not asked the same question again. Otherwise one command could
# wait for a broken judge several times.
PATIENCE = 10


def ask_about(
    settings: "JudgeSettings",
    prompt: str,
    before: list[str],
    candidates: "list[RecalledMemory]",
    *,
    is_prompt: bool,
) -> "Verdict":
    """Return the places of the candidates that the judge keeps, and ""; or None and the reason if the judge fails.

    `before` are the session's earlier prompts, the oldest first. If `is_prompt`, a judge that failed a short time ago
    is not asked and counts as failed.
    """
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


def ask_once(
    settings: "JudgeSettings",
    prompt: str,
    before: list[str],
    candidates: "list[RecalledMemory]",
    memo: "Memo",
) -> "Verdict":
    """Do the same for a person. `memo` keeps the last answer, so that no question is asked twice in a row."""
    key = (settings, prompt, *before, None, *[memory.parts[2] for memory in candidates])
    known = memo.get(key)
    if known and (known[0][0] is not None or known[1] >= time.monotonic() - PATIENCE):
        return known[0]
    verdict = ask_about(settings, prompt, before, candidates, is_prompt=False)
    memo.clear()
    memo[key] = verdict, time.monotonic()
    return verdict

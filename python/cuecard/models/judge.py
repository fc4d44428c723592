"""The judge: asks a language model which of the gate's candidates a prompt needs.

Rules: docs/reference/models.md, "Judge".
"""

import threading
import time
from queue import Empty, SimpleQueue

from ..errors import ModelError
from .chat import ChatQuestion, ask_chat
from .endpoints.api_key import read_key
from .endpoints.endpoint import place_of
from .endpoints.resting import note_failure
from .judge_question import SYSTEM, JudgeCandidate, read_kept, shuffled_order, write_question
from .judge_settings import JudgeSettings

# More candidates than this are split into two questions, which are asked at the same time.
WHOLE = 6
MAX_TOKENS = 128
# How many seconds after its timeout a thread may still report that it timed out.
SLACK = 0.05


def ask_judge(settings: JudgeSettings, prompt: str, before: list[str], candidates: list[JudgeCandidate]) -> list[int]:
    """Ask which candidates to keep, within `settings.timeout_ms` in all; returns their numbers, ascending.

    `before` are the earlier prompts of the conversation, the oldest first; the last `settings.turns` of them are sent.
    Raises ModelError unless all candidates were judged.
    """
    ends = time.monotonic() + settings.timeout_ms / 1000
    key = read_key(settings.key_variable, settings.url)
    told = before[-settings.turns :] if settings.turns else []

    def ask(first: int, part: list[JudgeCandidate], batch: int | None) -> list[int]:
        order = shuffled_order(prompt, len(part), batch)
        question = write_question(prompt, told, [part[number] for number in order])
        left = max(ends - time.monotonic(), 0.001)
        text = ask_chat(settings, key, ChatQuestion(SYSTEM, question, MAX_TOKENS, "judge"), left)
        return [first + number for number in read_kept(text, order)]

    if len(candidates) <= WHOLE:
        return ask(0, candidates, None)
    middle = (len(candidates) + 1) // 2
    halves = [(0, candidates[:middle], 0), (middle, candidates[middle:], middle)]
    answers: SimpleQueue[list[int] | BaseException] = SimpleQueue()

    def run(half: tuple[int, list[JudgeCandidate], int]) -> None:
        try:
            answers.put(ask(*half))
        except BaseException as error:  # handed to the thread that waits
            answers.put(error)

    for half in halves:
        threading.Thread(target=run, args=(half,), name="cuecard-judge", daemon=True).start()
    # Even if one of the two questions fails, wait for the other: its request must be counted with this prompt.
    kept: list[int] = []
    failure: BaseException | None = None
    for found in [_next(answers, settings, ends) for _half in halves]:
        if isinstance(found, BaseException):
            failure = failure or found
        else:
            kept += found
    if failure:
        raise failure
    return sorted(kept)


def _next(
    answers: "SimpleQueue[list[int] | BaseException]", settings: JudgeSettings, ends: float
) -> list[int] | BaseException:
    """The next answer about half of the candidates, or the error of that question."""
    try:
        # A thread that times out usually reports this itself.
        return answers.get(timeout=max(ends - time.monotonic(), 0) + SLACK)
    except Empty:
        note_failure(place_of(settings.url))
        return ModelError(f"`{place_of(settings.url)}` has not answered in time")

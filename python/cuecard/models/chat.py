"""Asks a language model one question (docs/reference/models.md, "Requests to a judge")."""

from typing import Any

from ..basics.light_dataclass import dataclass
from ..errors import ModelError
from .endpoints.allowed_places import JUDGE
from .endpoints.endpoint import post_json
from .endpoints.place import join_route
from .judge_settings import JudgeSettings

ANTHROPIC_VERSION = "2023-06-01"


@dataclass(frozen=True)
class ChatQuestion:
    """A question to a model: the instructions of cuecard, and a message with the data."""

    system: str
    message: str
    max_tokens: int
    what: str
    """The name under which the request is counted."""
    purpose: str = JUDGE
    """What the user's consent must be for."""


def ask_chat(settings: JudgeSettings, key: str, question: ChatQuestion, timeout: float) -> str:
    """Ask a model, and return the text of its answer. Raises ModelError, also if it takes over `timeout` seconds."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    said = [{"role": "system", "content": question.system}, {"role": "user", "content": question.message}]
    path: tuple[str | int, ...]
    body: dict[str, Any] = {"model": settings.model, "messages": said}
    if settings.provider == "anthropic":
        headers = {"anthropic-version": ANTHROPIC_VERSION, **({"x-api-key": key} if key else {})}
        body |= {"max_tokens": question.max_tokens, "system": question.system, "messages": said[1:]}
        route, path = "/v1/messages", ("content", -1, "text")
    elif settings.provider == "openai":
        body |= {"max_tokens": question.max_tokens, "temperature": 0}
        route, path = "/v1/chat/completions", ("choices", 0, "message", "content")
    else:
        body |= {"stream": False, "format": "json", "options": {"temperature": 0, "num_predict": question.max_tokens}}
        route, path = "/api/chat", ("message", "content")
    url = join_route(settings.url, route)
    answer = post_json(url, body, headers, timeout, question.what, question.purpose)
    return _text_at(answer, question.what, *path)


def _text_at(answer: Any, what: str, *steps: str | int) -> str:  # noqa: ANN401 - JSON
    """The text at the path `steps` in an answer. Raises ModelError if there is no text at this path."""
    try:
        for step in steps:
            answer = answer[step]
    except (KeyError, IndexError, TypeError):
        answer = None
    if not isinstance(answer, str):
        raise ModelError(
            f"the {what}'s answer is not in the format of the configured provider",
            "check the settings `provider` and `url`",
        )
    return answer

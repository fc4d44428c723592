"""Lists the endpoints that the settings use, where they are, and what each endpoint is sent (SPEC 41.3)."""

from .._backend import ENDPOINTS
from ..basics.light_dataclass import dataclass
from ..errors import ModelError
from .embedders.embedding_settings import EmbeddingSettings
from .endpoints.allowed_hosts import check_allowed
from .endpoints.api_key import has_key, read_key
from .endpoints.place import is_loopback, place_of
from .judge_question import MAX_PROMPT_CHARS
from .judge_settings import JudgeSettings


@dataclass(frozen=True)
class Destination:
    """An endpoint that the settings name: its purpose, its provider and model, and what it is sent.

    `leaves` says whether that data leaves the machine. `problem` says why nothing would be sent, "" if data would be
    sent; `fix` says what to do about it.
    """

    what: str
    provider: str
    model: str
    host: str
    leaves: bool
    told: tuple[str, ...]
    key_variable: str
    has_key: bool
    problem: str
    fix: str


def destinations(
    embedding: EmbeddingSettings | None, judge: JudgeSettings | None, is_prompted: bool = True
) -> list[Destination]:
    """The endpoints that the settings use, the embedder's first; empty if they use none.

    If `is_prompted` is false, the embedder gets no prompts, so its destination lists only memories.
    """
    found = []
    if embedding and embedding.provider in ENDPOINTS:
        told: tuple[str, ...] = ("the text of each memory, with `cuecard embed` and after writes",)
        if is_prompted:
            told += ("the text of each prompt that may be answered, and of each search",)
        place = (embedding.provider, embedding.model, embedding.url, embedding.api_key_env)
        found.append(_destination("embedding", *place, told))
    if judge:
        before = f", and up to {judge.turns} prompts before it" if judge.turns else ""
        told = (
            f"the first {MAX_PROMPT_CHARS} characters of each prompt with candidates{before}",
            f"category, title, tags and gist of at most {judge.pool} memories",
            "title, tags and content of the memories without questions, with `cuecard enrich --model`",
        )
        found.append(_destination("judge", judge.provider, judge.model, judge.url, judge.key_variable, told))
    return found


def _destination(what: str, provider: str, model: str, url: str, variable: str, told: tuple[str, ...]) -> Destination:
    try:
        read_key(variable, url)
        check_allowed(url, what)
        problem, fix = "", ""
    except ModelError as error:
        problem, fix = error.what, error.hint
    place = (place_of(url), not is_loopback(url))
    return Destination(what, provider, model, *place, told, variable, has_key(variable), problem, fix)

"""The settings of the judge, `retrieval.judge` of `memory-config.json`.

Rules: docs/reference/models.md, "Settings of the judge".

Prompts are sent only to places that the settings name. If the provider, the URL or the variable of the key is
malformed, no judge is asked; no default replaces the malformed value.
"""

from .._backend import JUDGE_URLS, Values
from ..basics.light_dataclass import dataclass
from ..errors import ModelError
from .endpoints.allowed_places import JUDGE, allowed_model
from .endpoints.api_key import is_variable
from .endpoints.place import place_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._backend import Settings

# The defaults of each provider: the model, the URL and the environment variable of the key.
PROVIDERS = {
    "anthropic": ("claude-haiku-4-5", JUDGE_URLS["anthropic"], "ANTHROPIC_API_KEY"),
    "openai": ("gpt-4.1-mini", JUDGE_URLS["openai"], "OPENAI_API_KEY"),
    "ollama": ("llama3.2", JUDGE_URLS["ollama"], ""),
}
MAX_MODEL_CHARS = 200


@dataclass(frozen=True)
class JudgeSettings:
    """Model and URL of the judge, the environment variable of its key ("" if it needs none), and its limits.

    The judge sees at most `pool` candidates, and at most `turns` prompts before the current prompt.
    """

    provider: str
    model: str
    url: str
    key_variable: str
    timeout_ms: int = 700
    pool: int = 15
    turns: int = 5


def read_judge_settings(
    of_store: "Settings", problems: list[str], *, is_asked_by_user: bool = False
) -> JudgeSettings | None:
    """The judge that the settings of a store name; None if they switch it off or cannot be used.

    With `is_asked_by_user`, for a command of the user, settings with a provider suffice: `enabled` need not be true.
    Malformed values add a sentence to `problems`, except those that `read_settings` reports.
    """
    judge = Values(of_store.members, []).group("retrieval.judge")
    values = Values(of_store.members, problems)
    if not judge or (
        values.given("retrieval.judge.enabled") is not True and not (is_asked_by_user and "provider" in judge)
    ):
        return None
    provider = values.given("retrieval.judge.provider", "anthropic")
    if not isinstance(provider, str) or provider not in PROVIDERS:
        listed = ", ".join([f"`{name}`" for name in PROVIDERS])
        problems.append(f"`retrieval.judge.provider` must be one of {listed}; the judge is not asked")
        return None
    model, url, variable = PROVIDERS[provider]
    url_given = values.given("retrieval.judge.url", url)
    try:
        place_of(url_given if isinstance(url_given, str) else "")
    except ModelError:
        problems.append(
            "`retrieval.judge.url` must be an `http` or `https` URL without a password; the judge is not asked"
        )
        return None
    variable_given = values.given("retrieval.judge.api_key_env", variable)
    if variable_given != "" and not is_variable(variable_given):
        problems.append("`retrieval.judge.api_key_env` must be a name that ends in `_API_KEY`; the judge is not asked")
        return None
    model_given = values.given("retrieval.judge.model", allowed_model(str(url_given), JUDGE) or model)
    if not isinstance(model_given, str) or not 0 < len(model_given.strip()) <= MAX_MODEL_CHARS:
        problems.append(f"`retrieval.judge.model` is not a name; using `{model}`")
        model_given = model
    turns = values.integer("retrieval.judge.context_turns")
    return JudgeSettings(
        provider,
        model_given.strip(),
        str(url_given),
        str(variable_given),
        values.integer("retrieval.judge.timeout_ms"),
        values.integer("retrieval.judge.candidate_pool_size"),
        turns if values.switch("retrieval.judge.include_conversation_context") else 0,
    )

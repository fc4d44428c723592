"""How the judge is set, in `retrieval.judge` of `memory-config.json` (SPEC 47.1).

A prompt goes to no place that the settings do not name: where provider, URL or the key's variable are malformed, there
is no judge, and no default stands in.
"""

from .._pure.json_reader import JsonError, read_json
from .._pure.recall_config import JUDGE_MS, JUDGE_URLS, MAX_ENDPOINT_MS, MIN_JUDGE_MS
from ..errors import ModelError
from ..light_dataclass import dataclass
from .api_key import is_variable
from .place import host_of

# Of each provider: model, URL and variable of the key where the settings name none.
PROVIDERS = {
    "anthropic": ("claude-haiku-4-5", JUDGE_URLS["anthropic"], "ANTHROPIC_API_KEY"),
    "openai": ("gpt-4.1-mini", JUDGE_URLS["openai"], "OPENAI_API_KEY"),
    "ollama": ("llama3.2", JUDGE_URLS["ollama"], ""),
}
POOL, MAX_POOL = 15, 30
TURNS, MAX_TURNS = 5, 5
MAX_MODEL_CHARS = 200
_ABOVE = "retrieval.judge"


@dataclass(frozen=True)
class JudgeSettings:
    """Which model is asked at which URL, with the key of which variable ("" for none), and how long.

    It sees at most `pool` candidates, and `turns` prompts before the one that it is asked about.
    """

    provider: str
    model: str
    url: str
    key_variable: str
    timeout_ms: int = JUDGE_MS
    pool: int = POOL
    turns: int = TURNS


def read_judge_settings(data: bytes, problems: list[str]) -> JudgeSettings | None:
    """The settings in the bytes of a `memory-config.json`; None where they ask no judge, or cannot be used.

    What is wrong with them is added to `problems`, but for what `read_recall_config` notes.
    """
    judge = _judge_of(data)
    if judge.get("enabled") is not True:
        return None
    provider = judge.get("provider", "anthropic")
    if not isinstance(provider, str) or provider not in PROVIDERS:
        listed = ", ".join([f"`{name}`" for name in PROVIDERS])
        problems.append(f"`{_ABOVE}.provider` is none of {listed}; asking no judge")
        return None
    model, url, variable = PROVIDERS[provider]
    url_given = judge.get("url", url)
    try:
        host_of(url_given if isinstance(url_given, str) else "")
    except ModelError:
        problems.append(f"`{_ABOVE}.url` is no URL of `http` or `https` without a password; asking no judge")
        return None
    variable_given = judge.get("api_key_env", variable)
    if variable_given != "" and not is_variable(variable_given):
        problems.append(f"`{_ABOVE}.api_key_env` is no name that ends in `_API_KEY`; asking no judge")
        return None
    model_given = judge.get("model", model)
    if not isinstance(model_given, str) or not 0 < len(model_given.strip()) <= MAX_MODEL_CHARS:
        problems.append(f"`{_ABOVE}.model` is no name; using `{model}`")
        model_given = model
    turns = _count(judge, "context_turns", 0, MAX_TURNS, TURNS, problems)
    return JudgeSettings(
        provider,
        model_given.strip(),
        str(url_given),
        str(variable_given),
        _count(judge, "timeout_ms", MIN_JUDGE_MS, MAX_ENDPOINT_MS, JUDGE_MS, problems),
        _count(judge, "candidate_pool_size", 1, MAX_POOL, POOL, problems),
        turns if _switch(judge, "include_conversation_context", True, problems) else 0,
    )


def _judge_of(data: bytes) -> dict[str, object]:
    try:
        file = read_json(data)
    except JsonError:
        return {}
    retrieval = file.get("retrieval") if isinstance(file, dict) else None
    judge = retrieval.get("judge") if isinstance(retrieval, dict) else None
    return judge if isinstance(judge, dict) else {}


def _count(values: dict[str, object], name: str, least: int, most: int, default: int, problems: list[str]) -> int:
    value = values.get(name, default)
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
        return value
    problems.append(f"`{_ABOVE}.{name}` is not an integer from {least} to {most}; using {default}")
    return default


def _switch(values: dict[str, object], name: str, default: bool, problems: list[str]) -> bool:
    value = values.get(name, default)
    if isinstance(value, bool):
        return value
    problems.append(f"`{_ABOVE}.{name}` is neither true nor false; using {'true' if default else 'false'}")
    return default

"""Settings of hybrid recall in `memory-config.json`; whatever is malformed falls back to its default (SPEC 26.3)."""

from .json_reader import JsonError, read_json

GATE_SETTINGS = ("precise", "balanced", "eager", "off")
FUSIONS = ("score", "rrf")
# A weight of 1.
WEIGHT_ONE = 1024
MAX_WEIGHT = 16
# What is added to the logit from which the gate shows a memory; 1 of it, and at most so many.
SHIFT_ONE = 1024
MAX_SHIFT = 2
MAX_RRF_K = 1000
MIN_POOL = 10
MAX_POOL = 200
# Of what is injected.
MIN_TOKENS = 50
MAX_TOKENS = 10_000
DAY_SECONDS = 86_400
MAX_HALF_LIFE_DAYS = 36_500
MAX_CATEGORIES = 100
# The providers of embeddings that are asked over a connection; how long that may take, in milliseconds, and the judge.
ENDPOINTS = ("ollama", "openai")
EMBEDDING_URLS = {"ollama": "http://localhost:11434", "openai": "https://api.openai.com"}
# Of each judge, the default first.
JUDGE_URLS = {"anthropic": "https://api.anthropic.com", **dict(reversed(EMBEDDING_URLS.items()))}
EMBEDDING_MS, MIN_EMBEDDING_MS = 150, 10
JUDGE_MS, MIN_JUDGE_MS = 700, 100
MAX_ENDPOINT_MS = 10_000
# What holds until it is retired, however old it is.
LASTING = ("DECISION", "CONSTRAINT", "PREFERENCE")


class RecallConfig:
    """How hybrid recall is set. Weights and shift are in 1/1024; a half-life of 0 is none; categories in capitals."""

    __slots__ = (
        "candidate_pool",
        "decay_categories",
        "embedding_place",
        "embedding_ms",
        "embedding_weight",
        "fusion",
        "gate_setting",
        "gate_shift",
        "graph",
        "graph_weight",
        "half_life_seconds",
        "judge_place",
        "judge_ms",
        "lexical_weight",
        "log_events",
        "log_prompts",
        "max_tokens",
        "priors",
        "problems",
        "related_terms",
        "rrf_k",
        "semantic_weight",
        "session",
        "situation_focus",
        "situation_git",
        "reviews_trust",
        "situation_need",
        "situation_paths",
    )

    def __init__(self) -> None:
        """The defaults."""
        self.gate_setting = "balanced"
        self.gate_shift = 0
        self.fusion = "score"
        self.rrf_k = 60
        self.lexical_weight = WEIGHT_ONE
        self.semantic_weight = 1792
        self.graph_weight = 512
        # Of model vectors, where there are any.
        self.embedding_weight = WEIGHT_ONE
        self.candidate_pool = 50
        self.related_terms = True
        self.graph = False
        self.priors = True
        self.session = True
        # The most estimated tokens of what is injected.
        self.max_tokens = 700
        # Whether paths in a prompt favour the memories that are anchored to them; the branch and the files changed in
        # the working tree; what a user has set the focus on.
        self.situation_paths = True
        self.situation_git = False
        self.situation_focus = True
        # Whether memories are also shown before a tool touches what they are anchored to, and after a failed command.
        self.situation_need = True
        # Whether an event is logged for each decision, and whether it has the prompt's text.
        # How many milliseconds an endpoint may take over a prompt's vector, and the judge; 0 where there is none.
        self.embedding_ms = 0
        self.judge_ms = 0
        # Host and port of those endpoints; None where there is none, or its URL is none.
        self.embedding_place: str | None = None
        self.judge_place: str | None = None
        self.log_events = True
        self.log_prompts = False
        # Whether memories must be vouched for, or each counts as reviewed.
        self.reviews_trust = True
        self.half_life_seconds = 0
        self.decay_categories = ["SESSION_SUMMARY"]
        # A sentence for each value that was replaced by its default.
        self.problems: list[str] = []


def read_recall_config(data: bytes) -> RecallConfig:
    """The settings in the bytes of a `memory-config.json`; a file that is none has the defaults, which is told
    elsewhere."""
    config = RecallConfig()
    try:
        file = read_json(data)
    except JsonError:
        return config
    if not isinstance(file, dict):
        return config
    problems = config.problems
    log = file.get("log", {})
    if isinstance(log, dict):
        config.log_events = _read_switch(log, "log", "events", config.log_events, problems)
        config.log_prompts = _read_switch(log, "log", "prompts", config.log_prompts, problems)
    else:
        problems.append("`log` is not an object; using its defaults")
    embedding = file.get("embedding", {})
    if isinstance(embedding, dict):
        config.embedding_weight = _read_weight(embedding, "embedding", "weight", config.embedding_weight, problems)
        if embedding.get("provider") in ENDPOINTS:
            config.embedding_ms = _milliseconds(embedding, MIN_EMBEDDING_MS, EMBEDDING_MS)
            config.embedding_place = _place_of(embedding, EMBEDDING_URLS)
    else:
        problems.append("`embedding` is not an object; using its defaults")
    trust = file.get("trust", {})
    if isinstance(trust, dict):
        config.reviews_trust = _read_review(trust, problems)
    else:
        problems.append("`trust` is not an object; using its defaults")
    retrieval = file.get("retrieval")
    if isinstance(retrieval, dict):
        _read_retrieval(retrieval, config)
    return config


def _read_retrieval(retrieval: dict[str, object], config: RecallConfig) -> None:
    problems = config.problems
    config.gate_setting = _read_choice(retrieval, "gate_setting", GATE_SETTINGS, config.gate_setting, problems)
    if "gate_shift" in retrieval:
        config.gate_shift = _read_shift(retrieval["gate_shift"], problems)
    config.fusion = _read_choice(retrieval, "fusion", FUSIONS, config.fusion, problems)
    config.rrf_k = _read_count(retrieval, "rrf_k", 1, MAX_RRF_K, config.rrf_k, problems)
    weights = retrieval.get("weights", {})
    if isinstance(weights, dict):
        above = "retrieval.weights"
        config.lexical_weight = _read_weight(weights, above, "lexical", config.lexical_weight, problems)
        config.semantic_weight = _read_weight(weights, above, "semantic", config.semantic_weight, problems)
        config.graph_weight = _read_weight(weights, above, "graph", config.graph_weight, problems)
    else:
        problems.append("`retrieval.weights` is not an object; using its defaults")
    config.candidate_pool = _read_count(
        retrieval, "candidate_pool", MIN_POOL, MAX_POOL, config.candidate_pool, problems
    )
    config.related_terms = _read_switch(retrieval, "retrieval", "related_terms", config.related_terms, problems)
    config.graph = _read_switch(retrieval, "retrieval", "graph", config.graph, problems)
    config.priors = _read_switch(retrieval, "retrieval", "priors", config.priors, problems)
    config.session = _read_switch(retrieval, "retrieval", "session", config.session, problems)
    config.max_tokens = _read_count(retrieval, "max_tokens", MIN_TOKENS, MAX_TOKENS, config.max_tokens, problems)
    situation = retrieval.get("situation", {})
    if isinstance(situation, dict):
        above = "retrieval.situation"
        config.situation_paths = _read_switch(situation, above, "paths", config.situation_paths, problems)
        config.situation_git = _read_switch(situation, above, "git", config.situation_git, problems)
        config.situation_focus = _read_switch(situation, above, "focus", config.situation_focus, problems)
        config.situation_need = _read_switch(situation, above, "need", config.situation_need, problems)
    else:
        problems.append("`retrieval.situation` is not an object; using its defaults")
    decay = retrieval.get("decay", {})
    if isinstance(decay, dict):
        _read_decay(decay, config)
    else:
        problems.append("`retrieval.decay` is not an object; using its defaults")
    judge = retrieval.get("judge", {})
    if isinstance(judge, dict):
        if _read_switch(judge, "retrieval.judge", "enabled", False, problems):
            config.judge_ms = _milliseconds(judge, MIN_JUDGE_MS, JUDGE_MS)
            config.judge_place = _place_of(judge, JUDGE_URLS)
    else:
        problems.append("`retrieval.judge` is not an object; using its defaults")


def _read_review(trust: dict[str, object], problems: list[str]) -> bool:
    """Whether memories must be vouched for: `on` or `off`."""
    review = trust.get("review", "on")
    if review not in ("on", "off"):
        problems.append("`trust.review` is neither `on` nor `off`; using `on`")
    return review != "off"


def _place_of(values: "dict[str, object]", urls: "dict[str, str]") -> "str | None":
    """Host and port of the endpoint that these settings name: of their URL, else of their provider's own."""
    url = values.get("url") if "url" in values else urls.get(str(values.get("provider", next(iter(urls)))))
    if not isinstance(url, str):
        return None
    from .endpoint_place import endpoint_place

    return endpoint_place(url)


def _milliseconds(values: dict[str, object], least: int, default: int) -> int:
    """A time that endpoints have. What is malformed is told where all of their settings are read."""
    value = values.get("timeout_ms", default)
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= MAX_ENDPOINT_MS:
        return value
    return default


def _read_choice(
    values: dict[str, object], name: str, choices: tuple[str, ...], default: str, problems: list[str]
) -> str:
    value = values.get(name, default)
    if isinstance(value, str) and value in choices:
        return value
    listed = ", ".join([f"`{choice}`" for choice in choices])
    problems.append(f"`retrieval.{name}` is none of {listed}; using `{default}`")
    return default


def _read_shift(value: object, problems: list[str]) -> int:
    """A shift in 1/1024."""
    found = _read_number(value, -MAX_SHIFT, MAX_SHIFT)
    if found is not None:
        return int((found * SHIFT_ONE + 0.5) // 1)
    problems.append(f"`retrieval.gate_shift` is not a number from -{MAX_SHIFT} to {MAX_SHIFT}; using 0")
    return 0


def _read_count(values: dict[str, object], name: str, least: int, most: int, default: int, problems: list[str]) -> int:
    value = values.get(name, default)
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
        return value
    problems.append(f"`retrieval.{name}` is not an integer from {least} to {most}; using {default}")
    return default


def _read_switch(values: dict[str, object], above: str, name: str, default: bool, problems: list[str]) -> bool:
    value = values.get(name, default)
    if isinstance(value, bool):
        return value
    problems.append(f"`{above}.{name}` is neither true nor false; using {'true' if default else 'false'}")
    return default


def _read_weight(values: dict[str, object], above: str, name: str, default: int, problems: list[str]) -> int:
    """A weight in 1/1024."""
    if name not in values:
        return default
    value = _read_number(values[name], 0, MAX_WEIGHT)
    if value is not None:
        return int(value * WEIGHT_ONE + 0.5)
    problems.append(f"`{above}.{name}` is not a number from 0 to {MAX_WEIGHT}; using the default")
    return default


def _read_decay(decay: dict[str, object], config: RecallConfig) -> None:
    if "half_life_days" in decay:
        days = _read_number(decay["half_life_days"], 0, MAX_HALF_LIFE_DAYS)
        if days is None:
            config.problems.append(
                f"`retrieval.decay.half_life_days` is not a number from 0 to {MAX_HALF_LIFE_DAYS}; using 0"
            )
        else:
            config.half_life_seconds = int(days * DAY_SECONDS)
    if "categories" in decay:
        names = decay["categories"]
        if not isinstance(names, list) or not all(isinstance(name, str) and name.isascii() for name in names):
            config.problems.append("`retrieval.decay.categories` is not a list of names; using the default")
            return
        found = [name.upper() for name in names[:MAX_CATEGORIES]]
        config.decay_categories = [name for name in found if name not in LASTING]
        if len(config.decay_categories) < len(found):
            config.problems.append("`retrieval.decay.categories` has one that does not decay; leaving it out")


def _read_number(value: object, least: int, most: int) -> float | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and least <= value <= most:
        return float(value)
    return None

"""The lexical retriever's settings in `memory-config.json`; malformed values get their default (SPEC 22.8)."""

from .bm25 import Settings
from .json_reader import JsonError, read_json

MAX_K1 = 10
MAX_WEIGHT = 100
MAX_B = 1
FIELDS = ("title", "tags", "body")
MAX_GROUPS = 1000
MAX_GROUP = 100

Triple = tuple[float, float, float]
# k1; weights and bs of title, tags and body.
Numbers = tuple[float, Triple, Triple]


def read_lexical_config(data: bytes) -> tuple[Numbers, list[list[str]], list[str]]:
    """What impacts are made with, groups of synonyms beside the built-in ones, and a sentence for each problem.

    A file that is no JSON object has the defaults, which is told elsewhere.
    """
    defaults = Settings()
    k1, weights, bs = defaults.k1, defaults.weights, defaults.bs
    try:
        config = read_json(data)
    except JsonError:
        config = None
    retrieval = config.get("retrieval") if isinstance(config, dict) else None
    if not isinstance(retrieval, dict):
        return (k1, weights, bs), [], []
    problems: list[str] = []
    lexical = retrieval.get("lexical", {})
    if isinstance(lexical, dict):
        if "k1" in lexical:
            k1 = _read_number(lexical["k1"], "k1", MAX_K1, k1, problems)
        weights = _read_fields(lexical.get("weights", {}), "weights", MAX_WEIGHT, weights, problems)
        bs = _read_fields(lexical.get("b", {}), "b", MAX_B, bs, problems)
    else:
        problems.append("`retrieval.lexical` is not an object; using its defaults")
    groups: list[list[str]] | None = []
    if "synonyms" in retrieval:
        groups = _read_groups(retrieval["synonyms"])
        if groups is None:
            problems.append("`retrieval.synonyms` is not a list of lists of words; ignoring it")
    return (k1, weights, bs), groups or [], problems


def _read_fields(value: object, name: str, most: int, defaults: Triple, problems: list[str]) -> Triple:
    if not isinstance(value, dict):
        problems.append(f"`retrieval.lexical.{name}` is not an object; using its defaults")
        return defaults
    title, tags, body = (
        _read_number(value[field], f"{name}.{field}", most, default, problems) if field in value else default
        for field, default in zip(FIELDS, defaults, strict=True)
    )
    return title, tags, body


def _read_number(value: object, name: str, most: int, default: float, problems: list[str]) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= most:
        # Not -0.0, whose bits differ.
        return float(value) + 0.0
    problems.append(f"`retrieval.lexical.{name}` is not a number from 0 to {most}; using the default")
    return default


def _read_groups(value: object) -> list[list[str]] | None:
    """Groups of words; None where any of it is something else."""
    if not isinstance(value, list):
        return None
    groups = []
    for group in value[:MAX_GROUPS]:
        if not isinstance(group, list) or not all(isinstance(word, str) for word in group[:MAX_GROUP]):
            return None
        groups.append(group[:MAX_GROUP])
    return groups

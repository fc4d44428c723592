"""`memory-config.json` to settings; whatever is malformed falls back to its default (SPEC 11)."""

from .chars import WHITESPACE, decimal_digit, fold
from .json_reader import MAX_INTEGER, JsonError, read_json
from .strategy import DEFAULT_STRATEGY, find_strategy

DEFAULT_MAX_INJECT = 5
MAX_INJECT_LIMIT = 20
MAX_DESCRIPTION_CHARS = 500
MAX_KEY_CHARS = 40
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")

# enabled, max_inject, strategy, descriptions, problems
ConfigRow = tuple[bool, int, str, list[tuple[str, str]], list[str]]


def read_config(data: bytes) -> ConfigRow:
    """Whether recall is enabled, `max_inject`, the strategy, the category descriptions, and the problems.

    Descriptions are pairs of lower-case key and text, sorted by key. Problems are sentences, one for each
    value that was replaced by its default.
    """
    problems: list[str] = []
    try:
        config = read_json(data)
    except JsonError:
        config = None
        problems.append("the file is not JSON; using the defaults")
    else:
        if not isinstance(config, dict):
            problems.append("the file is not a JSON object; using the defaults")
    if not isinstance(config, dict):
        return True, DEFAULT_MAX_INJECT, DEFAULT_STRATEGY, [], problems

    retrieval = config.get("retrieval", {})
    if not isinstance(retrieval, dict):
        problems.append("`retrieval` is not an object; using its defaults")
        retrieval = {}
    max_inject = _read_count(retrieval.get("max_inject", DEFAULT_MAX_INJECT))
    if max_inject is None:
        problems.append(f"`retrieval.max_inject` is not an integer; using {DEFAULT_MAX_INJECT}")
        max_inject = DEFAULT_MAX_INJECT
    name = retrieval.get("match_strategy", DEFAULT_STRATEGY)
    strategy = find_strategy(name) if isinstance(name, str) else None
    if strategy is None:
        problems.append(f"`retrieval.match_strategy` is not a known strategy; using `{DEFAULT_STRATEGY}`")
        strategy = DEFAULT_STRATEGY
    descriptions = _read_descriptions(config.get("categories", {}), problems)
    return bool(retrieval.get("enabled", True)), max_inject, strategy, descriptions, problems


def _read_descriptions(categories: object, problems: list[str]) -> list[tuple[str, str]]:
    if not isinstance(categories, dict):
        problems.append("`categories` is not an object; using no descriptions")
        return []
    found = {}
    for key, category in categories.items():
        description = category.get("description", "") if isinstance(category, dict) else None
        if isinstance(description, str):
            if description:
                found[fold(key)] = description[:MAX_DESCRIPTION_CHARS]
        elif isinstance(category, dict):
            problems.append(f"`categories.{_shown(key)}.description` is not a string; ignoring it")
        else:
            problems.append(f"`categories.{_shown(key)}` is not an object; ignoring it")
    return sorted(found.items())


def _shown(key: str) -> str:
    """A key as messages may show it: a repository could write anything in its place."""
    return key if 0 < len(key) <= MAX_KEY_CHARS and _PLAIN.issuperset(key) else "?"


def _read_count(value: object) -> int | None:
    """A number of memories, 0 to 20, from a number or the text of an integer."""
    if isinstance(value, str):
        value = _read_integer(value)
    if isinstance(value, float):
        # NaN is the number that differs from itself.
        value = None if value != value or value in (float("inf"), float("-inf")) else int(value)
    if not isinstance(value, int):
        return None
    return max(0, min(MAX_INJECT_LIMIT, int(value)))


def _read_integer(text: str) -> int | None:
    """The integer that a text spells: blanks around it, a sign, digits of any script, single underscores."""
    text = text.strip(WHITESPACE)
    digits = text[1:] if text[:1] in ("+", "-") and text else text
    value = 0
    after_digit = False
    for char in digits:
        digit = decimal_digit(char)
        if digit is not None:
            value = min(value * 10 + digit, MAX_INTEGER)
        elif char != "_" or not after_digit:
            return None
        after_digit = digit is not None
    if not after_digit:
        return None
    return -value if text[0] == "-" else value

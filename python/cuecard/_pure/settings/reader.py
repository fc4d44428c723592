"""Reads the effective settings of a store from the two settings files (SPEC 11, 22.8, 26.3, 47)."""

from ...basics.chars import WHITESPACE, decimal_digit, fold
from ...basics.json_reader import MAX_INTEGER
from .merge import merge
from .strategy import DEFAULT_STRATEGY, find_strategy
from .table import settings_table
from .values import Values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...basics.setting_names import GroupName, Integer

GATE_SETTINGS = ("precise", "balanced", "eager", "off")
# How the settings store a weight or a shift of 1: in units of 1/1024.
ONE = 1024
DAY_SECONDS = 86_400
MAX_DECAYING = 100
MAX_GROUPS = 1000
MAX_GROUP = 100
# The most folders of `scopes.exclude` that count.
MAX_FOLDERS = 1000
# The name of a team has lower-case letters, digits, and hyphens between them.
MAX_TEAM_CHARS = 40
_TEAM_CHARS = dict.fromkeys(map(ord, "abcdefghijklmnopqrstuvwxyz0123456789-"))
MAX_DESCRIPTION_CHARS = 500
MAX_KEY_CHARS = 40
# The embedders that run in this process.
LOCAL = ("minilm", "e5")
# The embedding providers that are asked over HTTP, and the default URLs of embedding providers and of judges. The first
# entry of each table is the default provider.
ENDPOINTS = ("ollama", "openai")
EMBEDDING_URLS = {"ollama": "http://localhost:11434", "openai": "https://api.openai.com"}
JUDGE_URLS = {"anthropic": "https://api.anthropic.com", **dict(reversed(EMBEDDING_URLS.items()))}
# The categories that never lose score with age.
LASTING = ("DECISION", "CONSTRAINT", "PREFERENCE")
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")

FIELDS = ("title", "tags", "questions", "body")
# A number for each of `FIELDS`.
OfFields = tuple[float, ...]
# The BM25 parameters: k1, the weight of each field, and the b of each field.
Numbers = tuple[float, OfFields, OfFields]
# The lower-case name and the description of each described category, sorted by name.
Descriptions = list[tuple[str, str]]


class Settings:
    """The effective settings of a store.

    Weights and shifts are in units of 1/1024. The names of categories are in upper case.
    """

    def __init__(self) -> None:
        """Take the defaults."""
        self._read({}, [])

    def _read(self, file: "dict[str, object]", problems: "list[str]") -> None:
        # The merged members of the two files.
        self.members = file
        # A sentence for each value that was replaced by its default.
        self.problems = problems
        # Ignored parts of the files, and values of one file alone: see `read_settings`.
        self.ignored: list[str] = []
        self.repository_strategy = DEFAULT_STRATEGY
        self.user_descriptions: Descriptions = []
        self.user_embedding_place: str | None = None
        self.user_judge_place: str | None = None
        self.user_problems: list[str] = []
        values = Values(file, problems)
        self.max_inject = _read_max_inject(values)
        self.strategy = _read_strategy(values)
        self.enabled = bool(values.given("retrieval.enabled", True))
        self.descriptions = _read_descriptions(file.get("categories", {}), problems)
        self.numbers = _read_numbers(values)
        self.synonyms = _read_synonyms(values)
        # Whether an event is logged for each decision, and whether the event contains the prompt's text.
        self.log_events = values.switch("log.events")
        self.log_prompts = values.switch("log.prompts")
        # In how many of a hundred sessions a memory near the gate's limit is withheld; 0 for none.
        self.holdout = values.integer("learning.holdout")
        self._read_embedding(values)
        # Whether recall takes into account who vouches for a memory; if not, each memory counts as reviewed.
        self.reviews_trust = values.name("trust.review") == "on"
        # Which stores count besides the project's, and the folders in which only projects' stores count (SPEC 48.3).
        self.scopes_parent = values.switch("scopes.parent")
        self.scopes_user = values.switch("scopes.user")
        self.scopes_team = values.switch("scopes.team")
        self.scopes_exclude = _read_folders(values.given("scopes.exclude"))
        self.scopes_teams = _read_teams(values.given("sync.teams"))
        self.gate_setting = values.name("retrieval.gate_setting")
        self.gate_shift = int((values.number("retrieval.gate_shift") * ONE + 0.5) // 1)
        # Whether a line names memories that may concern a prompt for which no memory is sure enough.
        self.may_concern = values.switch("retrieval.may_concern")
        self.fusion = values.name("retrieval.fusion")
        self.rrf_k = values.integer("retrieval.rrf_k")
        self.lexical_weight = _weight(values.number("retrieval.weights.lexical"))
        self.semantic_weight = _weight(values.number("retrieval.weights.semantic"))
        self.graph_weight = _weight(values.number("retrieval.weights.graph"))
        self.candidate_pool = values.integer("retrieval.candidate_pool")
        self.related_terms = values.switch("retrieval.related_terms")
        self.graph = values.switch("retrieval.graph")
        self.priors = values.switch("retrieval.priors")
        self.session = values.switch("retrieval.session")
        # The most estimated tokens that an injected block may have.
        self.max_tokens = values.integer("retrieval.max_tokens")
        # Whether recall favours memories that are anchored to paths in the prompt, that fit the Git branch and the
        # changed files, and that fit the user's focus.
        self.situation_paths = values.switch("retrieval.situation.paths")
        self.situation_git = values.switch("retrieval.situation.git")
        self.situation_focus = values.switch("retrieval.situation.focus")
        # Whether memories are also shown before a tool touches what they are anchored to, and after a failed command.
        self.situation_need = values.switch("retrieval.situation.need")
        # 0 means that no memory loses score with age.
        self.half_life_seconds = int(values.number("retrieval.decay.half_life_days") * DAY_SECONDS)
        self.decay_categories = _read_decaying(values)
        is_judged = values.switch("retrieval.judge.enabled")
        judge = _read_endpoint(values, is_judged, ("retrieval.judge", "retrieval.judge.timeout_ms"), JUDGE_URLS)
        self.judge_ms, self.judge_place = judge

    def _read_embedding(self, values: Values) -> None:
        # The weight of model vectors; memories without a model vector are not affected.
        self.embedding_weight = _weight(values.number("embedding.weight"))
        provider = values.given("embedding.provider")
        is_endpoint = provider in ENDPOINTS
        # Whether a model other than the built-in table makes vectors.
        self.has_embedder = is_endpoint or provider in LOCAL
        embedder = _read_endpoint(values, is_endpoint, ("embedding", "embedding.timeout_ms"), EMBEDDING_URLS)
        self.embedding_ms, self.embedding_place = embedder


def _read_folders(value: object) -> list[str]:
    folders = value[:MAX_FOLDERS] if isinstance(value, list) else []
    return [folder for folder in folders if isinstance(folder, str)]


def _read_teams(value: object) -> list[str]:
    """The names of the joined teams that have a URL, each once. What cannot be the name of a team is left out."""
    teams = [team for team in value if isinstance(team, dict)] if isinstance(value, list) else []
    named = [team.get("name") for team in teams if isinstance(team.get("url"), str)]
    return list(dict.fromkeys([name for name in named if isinstance(name, str) and _is_team_name(name)]))


def _is_team_name(name: str) -> bool:
    is_ended = "-" in (name[:1], name[-1:])
    return 0 < len(name) <= MAX_TEAM_CHARS and not is_ended and not name.translate(_TEAM_CHARS)


def read_settings(user: "bytes | None", repository: "bytes | None") -> Settings:
    """Return the effective settings of the user's configuration and the `memory-config.json` of a store.

    None stands for a file that is missing. In the result, `ignored` has a sentence for each part of the files that does
    not count, and `repository_strategy` is the strategy that the repository names, whether or not it counts.
    `user_descriptions`, `user_embedding_place`, `user_judge_place` and `user_problems` come from the user's own file.
    """
    members, ignored, problems, own_members, asked_strategy = merge(user, repository)
    settings = _settings_of(members, problems)
    settings.ignored = ignored
    if isinstance(asked_strategy, str):
        settings.repository_strategy = find_strategy(asked_strategy) or DEFAULT_STRATEGY
    if repository is None:
        own = settings
    elif own_members is None:
        return settings
    else:
        own = _settings_of(own_members, [])
    settings.user_descriptions = own.descriptions
    settings.user_embedding_place, settings.user_judge_place = own.embedding_place, own.judge_place
    settings.user_problems = [problem for problem in settings.problems if problem in own.problems]
    return settings


def _settings_of(members: "dict[str, object]", problems: "list[str]") -> Settings:
    """Read the settings from the members of a file; `problems` already has the problems with the file as a whole."""
    settings = Settings.__new__(Settings)
    settings._read(members, problems)
    return settings


def _read_max_inject(values: Values) -> int:
    """Read how many memories may be shown: a number, or a text that spells an integer."""
    row = settings_table().row("retrieval.max_inject")
    value = values.given("retrieval.max_inject", int(row.default))
    if isinstance(value, str):
        value = _read_integer(value)
    if isinstance(value, float):
        # NaN is the only number that differs from itself.
        value = None if value != value or value in (float("inf"), float("-inf")) else int(value)
    if not isinstance(value, int):
        values.problems.append(f"`{row.name}` is not an integer; using {row.default}")
        return int(row.default)
    least, most = row.bounds
    return max(least, min(most, int(value)))


def _read_integer(text: str) -> "int | None":
    """Read an integer as Python's `int` does: blanks around it, a sign, digits of any script, single underscores.

    Returns None for any other text. Large values stop at `MAX_INTEGER`.
    """
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


def _read_strategy(values: Values) -> str:
    name = values.given("retrieval.match_strategy", DEFAULT_STRATEGY)
    strategy = find_strategy(name) if isinstance(name, str) else None
    if strategy is not None:
        return strategy
    values.problems.append(f"`retrieval.match_strategy` is not a known strategy; using `{DEFAULT_STRATEGY}`")
    return DEFAULT_STRATEGY


def _read_descriptions(categories: object, problems: "list[str]") -> Descriptions:
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
    """Return a key for a message; "?" for a key with unusual characters, because a repository could write any text."""
    return key if 0 < len(key) <= MAX_KEY_CHARS and _PLAIN.issuperset(key) else "?"


def _read_numbers(values: Values) -> Numbers:
    """Read the BM25 parameters, from which the lexical retriever computes its impacts."""
    k1 = values.number("retrieval.lexical.k1")
    weights = (
        values.number("retrieval.lexical.weights.title"),
        values.number("retrieval.lexical.weights.tags"),
        values.number("retrieval.lexical.weights.questions"),
        values.number("retrieval.lexical.weights.body"),
    )
    bs = (
        values.number("retrieval.lexical.b.title"),
        values.number("retrieval.lexical.b.tags"),
        values.number("retrieval.lexical.b.questions"),
        values.number("retrieval.lexical.b.body"),
    )
    return k1, weights, bs


def _read_synonyms(values: Values) -> "list[list[str]]":
    """Read the groups of synonyms that are used in addition to the built-in groups."""
    groups = _read_groups(values.given("retrieval.synonyms", []))
    if groups is None:
        values.problems.append("`retrieval.synonyms` is not a list of lists of words; ignoring it")
    return groups or []


def _read_groups(value: object) -> "list[list[str]] | None":
    """Read a list of lists of words; None if the value is anything else."""
    if not isinstance(value, list):
        return None
    groups = []
    for group in value[:MAX_GROUPS]:
        if not isinstance(group, list) or not all(isinstance(word, str) for word in group[:MAX_GROUP]):
            return None
        groups.append(group[:MAX_GROUP])
    return groups


def _read_decaying(values: Values) -> "list[str]":
    """Read the categories whose memories lose score with age."""
    names, problems = values.given("retrieval.decay.categories", ["session_summary"]), values.problems
    if not isinstance(names, list) or not all(isinstance(name, str) and name.isascii() for name in names):
        problems.append("`retrieval.decay.categories` is not a list of names; using the default")
        return ["SESSION_SUMMARY"]
    found = [name.upper() for name in names[:MAX_DECAYING]]
    decaying = [name for name in found if name not in LASTING]
    if len(decaying) < len(found):
        problems.append("`retrieval.decay.categories` names a category that does not decay; leaving it out")
    return decaying


def _read_endpoint(
    values: Values, is_asked: bool, names: "tuple[GroupName, Integer]", urls: "dict[str, str]"
) -> "tuple[int, str | None]":
    """Return the time limit of an endpoint in milliseconds, and its place; 0 and None if it is not asked.

    The names are those of its group and of its time limit. Without a URL, the provider's default counts; an invalid URL
    gives no place. An invalid time limit is the default, and is reported where all settings of the endpoint are read.
    """
    if not is_asked:
        return 0, None
    group = values.group(names[0])
    milliseconds = Values(values.members, []).integer(names[1])
    url = group.get("url") if "url" in group else urls.get(str(group.get("provider", next(iter(urls)))))
    if not isinstance(url, str):
        return milliseconds, None
    from .endpoint_place import endpoint_place

    return milliseconds, endpoint_place(url)


def _weight(number: float) -> int:
    return int(number * ONE + 0.5)

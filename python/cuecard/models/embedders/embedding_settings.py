"""The member `embedding` of `memory-config.json`: which model makes vectors, and how to reach it.

Rules: docs/reference/models.md, "Settings of embedders".

Texts are sent only to places that the settings name. If the provider, the URL, the path or the variable of the key is
malformed, the built-in table is used instead of a default for the malformed value.
"""

import os

from ..._backend import EMBEDDING_URLS, ENDPOINTS, Values, settings_table
from ...errors import ModelError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._backend import Settings

STATIC = "static"
MODELS = {
    "minilm": "all-MiniLM-L6-v2",
    "e5": "multilingual-e5-small",
    "ollama": "all-minilm",
    "openai": "text-embedding-3-small",
}
OPENAI_KEY = "OPENAI_API_KEY"
MAX_TEXT_CHARS = 500
# Settings can come with a repository, so they may name only environment variables whose names end like this.
KEY_SUFFIX = "_API_KEY"
UNSTABLE = ("/proc/", "/dev/", "/sys/")


class EmbeddingSettings:
    """Provider, name, URL or path, and timeout of an embedding model; "" means that a value is not set."""

    def __init__(self, provider: str) -> None:
        """Set the defaults of a provider."""
        self.provider = provider
        self.model = MODELS.get(provider, "")
        # The base URL of the endpoint, without a route; it may end in `/v1`.
        self.url = EMBEDDING_URLS.get(provider, "")
        # The absolute path of a folder with the files of a model.
        self.path = ""
        # The name of the environment variable with the key.
        self.api_key_env = OPENAI_KEY if provider == "openai" else ""
        # The longest time in whole milliseconds that a prompt waits for its vector.
        self.timeout_ms = int(settings_table().row("embedding.timeout_ms").default)

    @property
    def key(self) -> tuple[str, str, str, str, str]:
        """The values that identify the embedder: two embedders with equal keys make the same vectors."""
        return self.provider, self.model, self.url, self.path, self.api_key_env


def read_embedding_settings(of_store: "Settings", problems: list[str]) -> EmbeddingSettings | None:
    """The embedder that the settings of a store name; None if the built-in table is to be used.

    Malformed values add a sentence to `problems`, except those that `read_settings` reports.
    """
    if not Values(of_store.members, []).group("embedding"):
        return None
    values = Values(of_store.members, problems)
    provider = values.name("embedding.provider")
    if provider == STATIC:
        return None
    settings = EmbeddingSettings(provider)
    problem = _read_place(values, settings)
    if problem:
        problems.append(f"{problem}; using `{STATIC}`")
        return None
    model = values.given("embedding.model", _allowed_model(settings) or settings.model)
    if isinstance(model, str) and 0 < len(model.strip()) <= MAX_TEXT_CHARS:
        settings.model = model.strip()
    else:
        problems.append(f"`embedding.model` is not a name; using `{settings.model}`")
    settings.timeout_ms = values.integer("embedding.timeout_ms")
    return settings


def _allowed_model(settings: EmbeddingSettings) -> str:
    """The model that the user named with the consent to an endpoint; "" if there is none."""
    if settings.provider not in ENDPOINTS:
        return ""
    from ..endpoints.allowed_places import EMBEDDING, allowed_model

    return allowed_model(settings.url, EMBEDDING)


def _read_place(values: Values, settings: EmbeddingSettings) -> str:
    """Read path, or URL and key variable, into `settings`. Returns a sentence about a malformed value, or ""."""
    if settings.provider not in ENDPOINTS:
        path = values.given("embedding.path", "")
        # A relative path could lead to a folder of the repository: its model files would get the user's prompts.
        settings.path = os.path.expanduser(path) if isinstance(path, str) else "?"
        if not settings.path:
            return ""
        if not os.path.isabs(settings.path):
            return "`embedding.path` is not an absolute path"
        # In these folders a path leads each process to other files, for example to its own working directory.
        if os.path.normpath(settings.path).startswith(UNSTABLE):
            return "`embedding.path` must not be in `/proc`, `/dev` or `/sys`"
        return ""
    from ..endpoints.api_key import is_variable
    from ..endpoints.place import place_of

    url = values.given("embedding.url", settings.url)
    try:
        place_of(url if isinstance(url, str) else "")
    except ModelError:
        return "`embedding.url` must be an `http` or `https` URL without a password"
    settings.url = str(url)
    name = values.given("embedding.api_key_env", settings.api_key_env)
    if name != "" and not (is_variable(name) and str(name).endswith(KEY_SUFFIX)):
        return f"`embedding.api_key_env` must be the name of a variable that ends in `{KEY_SUFFIX}`"
    settings.api_key_env = str(name)
    return ""

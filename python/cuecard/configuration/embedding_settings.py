"""The member `embedding` of `memory-config.json`: which model makes vectors, and how it is reached.

Rules: docs/reference/models.md, "Settings of embedders".

A text goes to no place that the settings do not name: where provider, URL, path or the key's variable are malformed,
the built-in table is the embedder, and no default stands in.
"""

import os

from ..settings.reader import EMBEDDING_URLS, ENDPOINTS
from ..settings.table import settings_table
from ..settings.values import Values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..settings.reader import Settings

STATIC = "static"
MODELS = {"minilm": "all-MiniLM-L6-v2", "ollama": "all-minilm", "openai": "text-embedding-3-small"}
OPENAI_KEY = "OPENAI_API_KEY"
MAX_TEXT_CHARS = 500
# Settings can come with a repository: of the environment they may name only what is meant for such endpoints.
KEY_SUFFIX = "_API_KEY"
UNSTABLE = ("/proc/", "/dev/", "/sys/")


class EmbeddingSettings:
    """A model's provider, name, place and time; "" stands for absent."""

    __slots__ = ("api_key_env", "model", "path", "provider", "timeout_ms", "url")

    def __init__(self, provider: str) -> None:
        """The defaults of a provider."""
        self.provider = provider
        self.model = MODELS.get(provider, "")
        # Where an endpoint is: without the path of a route, except a `/v1` at its end.
        self.url = EMBEDDING_URLS.get(provider, "")
        # A folder with the files of a model, absolute.
        self.path = ""
        # The environment variable that has the key.
        self.api_key_env = OPENAI_KEY if provider == "openai" else ""
        # What a prompt waits for its vector at most, whole.
        self.timeout_ms = int(settings_table().rows["embedding.timeout_ms"].default)

    @property
    def key(self) -> tuple[str, str, str, str, str]:
        """What makes it another embedder where it is another."""
        return self.provider, self.model, self.url, self.path, self.api_key_env


def read_embedding_settings(of_store: "Settings", problems: list[str]) -> EmbeddingSettings | None:
    """The embedder that the settings of a store name; None where the built-in table is the embedder.

    What is wrong is told in `problems`, except what `read_settings` notes.
    """
    found = of_store.members.get("embedding")
    if not isinstance(found, dict):
        return None
    values = Values(settings_table(), problems)
    provider = values.name(found, "embedding.provider")
    if provider == STATIC:
        return None
    settings = EmbeddingSettings(provider)
    problem = _read_place(found, settings)
    if problem:
        problems.append(f"{problem}; using `{STATIC}`")
        return None
    model = found.get("model", settings.model)
    if isinstance(model, str) and 0 < len(model.strip()) <= MAX_TEXT_CHARS:
        settings.model = model.strip()
    else:
        problems.append(f"`embedding.model` is no name; using `{settings.model}`")
    settings.timeout_ms = values.integer(found, "embedding.timeout_ms")
    return settings


def _read_place(found: dict[str, object], settings: EmbeddingSettings) -> str:
    """Where the model is, and the key's variable; what is wrong with that, "" where nothing is."""
    if settings.provider not in ENDPOINTS:
        path = found.get("path", "")
        # A folder that a repository brings along would choose the program that reads prompts.
        settings.path = os.path.expanduser(path) if isinstance(path, str) else "?"
        if not settings.path:
            return ""
        if not os.path.isabs(settings.path):
            return "`embedding.path` is no absolute path"
        # What stands there is another file for each process, such as its working directory.
        if os.path.normpath(settings.path).startswith(UNSTABLE):
            return "`embedding.path` is no folder of files"
        return ""
    # No prompt without these settings has a use for them.
    from ..errors import ModelError
    from .api_key import is_variable
    from .place import host_of

    url = found.get("url", settings.url)
    try:
        host_of(url if isinstance(url, str) else "")
    except ModelError:
        return "`embedding.url` is no URL of `http` or `https` without a password"
    settings.url = str(url)
    name = found.get("api_key_env", settings.api_key_env)
    if name != "" and not (is_variable(name) and str(name).endswith(KEY_SUFFIX)):
        return f"`embedding.api_key_env` is no name of a variable that ends in `{KEY_SUFFIX}`"
    settings.api_key_env = str(name)
    return ""
